"""Catalog files with a few synthetic foods, which replace each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from postmeal.foods.catalog.file import build_catalog_file
from postmeal.foods.table import Portion, TableFood

FOODS = 200


def catalogue_of(generation: int, place: Path) -> Path:
    """Replace the catalog at a path atomically by one whose amounts all show its generation.

    The name of each food contains the generation and a word that all generations share.
    """
    foods = (
        TableFood(
            source="own", key=str(number), kind="branded", category="Trials",
            name=f"Trial biscuit {number} generation{generation}", brand_name="Trial",
            portions=(Portion(1, 100, "g", 100),),
            per_100_g={"carbs_g": float(generation), "energy_kcal": 4.0 * generation},
            id=100_000_000 + number, barcode=f"{generation:013d}0",
        )
        for number in range(FOODS)
    )  # fmt: skip
    part = place.with_name(f"{place.name}.{generation}.part")
    build_catalog_file(foods, part)
    part.replace(place)
    return place


def generations(foods: list[dict[str, Any]]) -> set[int]:
    """Return the generations of the foods in a response, by their names and by their amounts."""
    named = {int(food["name"].rpartition("generation")[2]) for food in foods}
    counted = {round(food["nutrients"]["carbohydrates"]["value"]) for food in foods}
    return named | counted
