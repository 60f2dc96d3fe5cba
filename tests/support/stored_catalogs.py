"""Catalogue files of a few made-up foods, put in the place of one another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from postmeal.foods.catalog.file import build_catalog_file
from postmeal.foods.table import Portion, TableFood

FOODS = 200


def catalogue_of(generation: int, place: Path) -> Path:
    """Put a catalogue in a place in one step; all its amounts tell its generation.

    Every food has the generation in its name and a word that all generations share.
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
    """Which generations the foods of an answer are of, by their names and by their amounts."""
    named = {int(food["name"].rpartition("generation")[2]) for food in foods}
    counted = {round(food["nutrients"]["carbohydrates"]["value"]) for food in foods}
    return named | counted
