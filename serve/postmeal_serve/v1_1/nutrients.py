"""Names and units of nutrients in v1.1 requests and responses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from postmeal.errors import InputError
from postmeal.foods.nutrients import Nutrients, net_carbs
from postmeal.rounding import rounded

__all__ = [
    "DETECTION_KEYS",
    "LOG_KEYS",
    "READ_KEYS",
    "DetectedNutrients",
    "LogNutrients",
    "nutrient_object",
    "read_nutrients",
]

_WRITTEN: dict[str, tuple[str, str, float]] = {
    "calories": ("energy_kcal", "calories", 1),
    "protein": ("protein_g", "g", 1),
    "carbohydrates": ("carbs_g", "g", 1),
    "totalFat": ("fat_g", "g", 1),
    "saturatedFat": ("saturated_fat_g", "g", 1),
    "fiber": ("fiber_g", "g", 1),
    "totalSugars": ("sugars_g", "g", 1),
    "addedSugars": ("added_sugars_g", "g", 1),
    "sodium": ("sodium_mg", "mg", 1),
    "transFat": ("trans_fat_g", "g", 1),
    "cholesterol": ("cholesterol_mg", "mg", 1),
    "calcium": ("calcium_mg", "mg", 1),
    "iron": ("iron_mg", "mcg", 1000),
    "potassium": ("potassium_mg", "mg", 1),
    "vitaminD": ("vitamin_d_iu", "IU", 1),
}
"""Library key, API unit and factor from the library unit to the API unit, by name in responses."""

LOG_KEYS = (*_WRITTEN, "netCarbohydrates")
"""The sixteen nutrient names in food logs."""

_ONLY_IN_LOGS = {"transFat", "cholesterol", "calcium", "iron", "potassium", "vitaminD"}

DETECTION_KEYS = tuple(key for key in LOG_KEYS if key not in _ONLY_IN_LOGS)
"""The ten nutrient names in plain-English search and scans."""


class NutrientResponse(BaseModel):
    """An amount and its unit."""

    model_config = ConfigDict(extra="forbid")

    value: float = Field(gt=0)
    unit: str = Field(examples=["g"])


_DESCRIPTION = "Amounts of nutrients; unknown and exactly zero amounts are omitted."
_Known = NutrientResponse | SkipJsonSchema[None]

LogNutrients = create_model(
    "LogNutrients",
    __config__=ConfigDict(extra="forbid"),
    __doc__=_DESCRIPTION,
    **dict.fromkeys(LOG_KEYS, (_Known, None)),  # type: ignore[call-overload]
)

DetectedNutrients = create_model(
    "DetectedNutrients",
    __config__=ConfigDict(extra="forbid"),
    __doc__=_DESCRIPTION,
    **dict.fromkeys(DETECTION_KEYS, (_Known, None)),  # type: ignore[call-overload]
)

_READ: dict[str, tuple[str, float]] = {
    "water": ("water_g", 1),
    "energy": ("energy_kcal", 1),
    "protein": ("protein_g", 1),
    "fat_total_lipid": ("fat_g", 1),
    "carbohydrate": ("carbs_g", 1),
    "fiber": ("fiber_g", 1),
    "sugars": ("sugars_g", 1),
    "calcium": ("calcium_mg", 1000),
    "iron": ("iron_mg", 1000),
    "potassium": ("potassium_mg", 1000),
    "sodium": ("sodium_mg", 1),
    "vit_c": ("vitamin_c_mg", 1000),
    "vit_a_iu": ("vitamin_a_iu", 1),
    "fat_total_saturated": ("saturated_fat_g", 1),
    "fat_total_monounsaturated": ("monounsaturated_fat_g", 1),
    "fat_total_polyunsaturated": ("polyunsaturated_fat_g", 1),
    "fat_total_trans": ("trans_fat_g", 1),
    "cholesterol": ("cholesterol_mg", 1000),
    "caffeine": ("caffeine_mg", 1000),
}
"""Library key and factor from the API unit (mostly g) to the library unit, by name in requests."""

READ_KEYS = tuple(_READ)
"""The nineteen nutrient names in requests."""

_MAX_AMOUNT = 1e6


def nutrient_object(
    nutrients: Nutrients | dict[str, float], keys: Iterable[str] = DETECTION_KEYS
) -> dict[str, dict[str, float | str]]:
    """Return rounded amounts by API name; unknown and exactly zero amounts are omitted."""
    known = nutrients.known() if isinstance(nutrients, Nutrients) else nutrients
    result: dict[str, dict[str, float | str]] = {}
    for key in keys:
        if key == "netCarbohydrates":
            value = net_carbs(known.get("carbs_g", math.nan), known.get("fiber_g", math.nan))
            unit = "g"
        else:
            library_key, unit, factor = _WRITTEN[key]
            value = known.get(library_key, math.nan) * factor
        if value != 0 and not math.isnan(value):
            result[key] = {"value": rounded(value, unit), "unit": unit}
    return result


def read_nutrients(amounts: Mapping[str, object], field: str = "nutrients") -> Nutrients:
    """Parse the nutrients of a request, ignoring unknown names."""
    known: dict[str, float] = {}
    for name, amount in amounts.items():
        if name not in _READ:
            continue
        if (
            isinstance(amount, bool)
            or not isinstance(amount, (int, float))
            or not 0 <= amount <= _MAX_AMOUNT
        ):
            raise InputError(f"{field}.{name}", f"must be a number from 0 to {_MAX_AMOUNT:,.0f}")
        library_key, factor = _READ[name]
        known[library_key] = amount * factor
    if not known:
        raise InputError(field, "must contain at least one of", allowed=_READ)
    return Nutrients(known)
