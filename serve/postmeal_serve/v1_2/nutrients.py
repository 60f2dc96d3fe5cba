"""Nutrients in v1.2 responses: each known amount as ``{value, unit}``."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from postmeal.foods.nutrients import UNITS, Nutrients, net_carbs
from postmeal.rounding import rounded

__all__ = ["NUTRIENT_UNITS", "Amount", "NutrientTable", "nutrient_table"]

_NAMES: dict[str, str] = {
    "calories": "energy_kcal",
    "protein": "protein_g",
    "carbohydrates": "carbs_g",
    "total_fat": "fat_g",
    "trans_fat": "trans_fat_g",
    "saturated_fat": "saturated_fat_g",
    "fiber": "fiber_g",
    "total_sugars": "sugars_g",
    "added_sugars": "added_sugars_g",
    "cholesterol": "cholesterol_mg",
    "calcium": "calcium_mg",
    "iron": "iron_mg",
    "potassium": "potassium_mg",
    "sodium": "sodium_mg",
    "vitamin_d": "vitamin_d_iu",
}
_WRITTEN = tuple((name, key, UNITS[key]) for name, key in _NAMES.items())

NUTRIENT_UNITS = {name: unit for name, _, unit in _WRITTEN} | {"net_carbohydrates": "g"}
"""Units of all nutrients, by API name."""


class Amount(BaseModel):
    """An amount and its unit."""

    model_config = ConfigDict(extra="forbid")

    value: float = Field(ge=0)
    unit: str = Field(examples=["g"])


_Known = Amount | SkipJsonSchema[None]


def _amount_in(unit: str) -> tuple[Any, Any]:
    return _Known, Field(None, description=f"Amount in {unit}.")


NutrientTable = create_model(
    "NutrientTable",
    __config__=ConfigDict(extra="forbid"),
    __doc__="Amounts of nutrients; unknown ones are omitted.",
    **{name: _amount_in(unit) for name, unit in NUTRIENT_UNITS.items()},  # type: ignore[call-overload]
)


def nutrient_table(nutrients: Nutrients | dict[str, float]) -> dict[str, dict[str, float | str]]:
    """Return the known amounts, rounded, by API name."""
    known = nutrients.known() if isinstance(nutrients, Nutrients) else nutrients
    table: dict[str, dict[str, float | str]] = {
        name: {"value": rounded(known[key], unit), "unit": unit}
        for name, key, unit in _WRITTEN
        if key in known
    }
    net = net_carbs(known.get("carbs_g", math.nan), known.get("fiber_g", math.nan))
    if not math.isnan(net):
        table["net_carbohydrates"] = {"value": rounded(net, "g"), "unit": "g"}
    return table
