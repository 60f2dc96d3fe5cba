"""Nutrients on the wire: version 1.1's names and units, written and read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import SkipJsonSchema

from postmeal.errors import InputError
from postmeal.foods.nutrients import Nutrients, net_carbs

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
"""Name on the wire: our key, the unit on the wire, and how many of it make one of ours."""

LOG_KEYS = (*_WRITTEN, "netCarbohydrates")
"""The sixteen names that food logs use."""

_ONLY_IN_LOGS = {"transFat", "cholesterol", "calcium", "iron", "potassium", "vitaminD"}

DETECTION_KEYS = tuple(key for key in LOG_KEYS if key not in _ONLY_IN_LOGS)
"""The ten names that plain-English search and scans use."""


class NutrientAnswer(BaseModel):
    """An amount and its unit."""

    model_config = ConfigDict(extra="forbid")

    value: float = Field(gt=0)
    unit: str = Field(examples=["g"])


_LEFT_OUT = "Amounts of nutrients; one that is not known or exactly zero is left out."
_Known = NutrientAnswer | SkipJsonSchema[None]

LogNutrients = create_model(
    "LogNutrients",
    __config__=ConfigDict(extra="forbid"),
    __doc__=_LEFT_OUT,
    **dict.fromkeys(LOG_KEYS, (_Known, None)),  # type: ignore[call-overload]
)

DetectedNutrients = create_model(
    "DetectedNutrients",
    __config__=ConfigDict(extra="forbid"),
    __doc__=_LEFT_OUT,
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
"""Name in a request: our key, and how many of our unit make one of the wire's, grams mostly."""

READ_KEYS = tuple(_READ)
"""The nineteen names that a request may use."""

_MOST = 1e6


def nutrient_object(
    nutrients: Nutrients | dict[str, float], keys: Iterable[str] = DETECTION_KEYS
) -> dict[str, dict[str, float | str]]:
    """Write amounts as version 1.1 does: what is unknown or exactly zero is left out.

    Parameters
    ----------
    nutrients : Nutrients or dict of str to float
        The amounts; a dict holds the known ones.
    keys : iterable of str, default=DETECTION_KEYS
        The names to write, among `LOG_KEYS`.

    Returns
    -------
    dict
        Name to ``{"value", "unit"}``.

    Examples
    --------
    >>> nutrient_object(Nutrients({"carbs_g": 27.0, "fiber_g": 3.0, "fat_g": 0.0}))
    {'carbohydrates': {'value': 27.0, 'unit': 'g'}, 'fiber': {'value': 3.0, 'unit': 'g'},
     'netCarbohydrates': {'value': 24.0, 'unit': 'g'}}
    """
    known = nutrients.known() if isinstance(nutrients, Nutrients) else nutrients
    result: dict[str, dict[str, float | str]] = {}
    for key in keys:
        if key == "netCarbohydrates":
            value = net_carbs(known.get("carbs_g", math.nan), known.get("fiber_g", math.nan))
            unit = "g"
        else:
            ours, unit, factor = _WRITTEN[key]
            value = known.get(ours, math.nan) * factor
        if value != 0 and not math.isnan(value):
            result[key] = {"value": value, "unit": unit}
    return result


def read_nutrients(amounts: Mapping[str, object], field: str = "nutrients") -> Nutrients:
    """Read the nutrients of a request; names that are not known are passed over.

    Parameters
    ----------
    amounts : mapping of str to object
        Amounts by name: grams, but sodium in mg, energy in kcal and vitamin A in IU.
    field : str, default="nutrients"
        The name to blame in the error.

    Returns
    -------
    Nutrients
        The amounts that were given.

    Raises
    ------
    InputError
        Nothing known was given, or an amount is not a number from zero to a million.

    Examples
    --------
    >>> read_nutrients({"carbohydrate": 30, "calcium": 0.12})
    Nutrients({'carbs_g': 30.0, 'calcium_mg': 120.0})
    """
    known: dict[str, float] = {}
    for name, amount in amounts.items():
        if name not in _READ:
            continue
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise InputError(f"{field}.{name}", "must be a number of zero or more")
        if not 0 <= amount <= _MOST:
            problem = f"must be a number of zero or more, at most {_MOST:,.0f}"
            raise InputError(f"{field}.{name}", problem)
        ours, factor = _READ[name]
        known[ours] = amount * factor
    if not known:
        raise InputError(field, "must hold at least one of", allowed=_READ)
    return Nutrients(known)
