"""A few thousand foods with names from a small vocabulary, so that queries find many foods."""

from __future__ import annotations

import random
from collections.abc import Iterator

from postmeal.foods.food import CatalogKind
from postmeal.foods.table import Portion, TableFood

WORDS = (
    "apple", "bread", "cheese", "dark", "egg", "fresh", "grain", "honey", "instant", "juice",
    "kale", "light", "milk", "nut", "organic", "peanut", "quick", "rice", "sweet", "tea",
    "unsweetened", "vanilla", "water", "butter", "zucchini", "melon", "watermelon", "appetizer",
)  # fmt: skip
KINDS: tuple[tuple[CatalogKind, int], ...] = (
    ("generic", 900),
    ("dish", 300),
    ("recipe", 200),
    ("branded", 1_600),
)
BARCODES = ("00049000006346", "03017620422003", "00000096385074", "10012345678902")


def many_foods() -> Iterator[TableFood]:
    """Yield the foods in the order that `build_catalog_file` requires."""
    drawn, number = random.Random(3), 0
    for kind, count in KINDS:
        for place in range(count):
            number += 1
            name = " ".join(drawn.sample(WORDS, drawn.randint(1, 5)))
            branded = kind == "branded"
            yield TableFood(
                source="made",
                key=str(number),
                kind=kind,
                category="Made up",
                name=name.capitalize(),
                portions=(Portion(1, 100.0, "g", 100.0),),
                per_100_g={"carbs_g": number / 8, "energy_kcal": number},
                brand_name=drawn.choice(("Acme", "Umbrella", "Initech")) if branded else "",
                id=100_000_000 + number * 7,
                barcode=BARCODES[place] if branded and place < len(BARCODES) else "",
                popularity=float(count - place),
            )
