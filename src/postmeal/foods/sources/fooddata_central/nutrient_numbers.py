"""Nutrient IDs of FoodData Central."""

from __future__ import annotations

from collections.abc import Mapping

from postmeal.foods.sources.shipped_table.sr28 import NUTRIENT_NUMBERS

__all__ = ["NUTRIENT_IDS", "amounts_of"]

_IDS: dict[str, tuple[tuple[int, float], ...]] = {
    "energy_kcal": ((1008, 1.0), (2048, 1.0), (2047, 1.0), (1062, 1 / 4.184)),
    "protein_g": ((1003, 1.0),),
    "carbs_g": ((1005, 1.0), (1050, 1.0)),
    "fiber_g": ((1079, 1.0), (2033, 1.0)),
    "sugars_g": ((2000, 1.0), (1063, 1.0)),
    "added_sugars_g": ((1235, 1.0),),
    "fat_g": ((1004, 1.0), (1085, 1.0)),
    "saturated_fat_g": ((1258, 1.0),),
    "monounsaturated_fat_g": ((1292, 1.0),),
    "polyunsaturated_fat_g": ((1293, 1.0),),
    "trans_fat_g": ((1257, 1.0),),
    "cholesterol_mg": ((1253, 1.0),),
    "sodium_mg": ((1093, 1.0),),
    "potassium_mg": ((1092, 1.0),),
    "calcium_mg": ((1087, 1.0),),
    "iron_mg": ((1089, 1.0),),
    "vitamin_a_iu": ((1104, 1.0),),
    "vitamin_c_mg": ((1162, 1.0),),
    "vitamin_d_iu": ((1110, 1.0), (1114, 40.0)),  # 1 µg of vitamin D is 40 IU
    "water_g": ((1051, 1.0),),
    "caffeine_mg": ((1057, 1.0),),
}
"""IDs in ``nutrient.csv``, best first, with the factor from their units to ours: energy as
published, by specific and by general Atwater factors, and in kJ; carbohydrate by difference and by
summation; fiber by AOAC 991.43 and by AOAC 2011.25; total sugars and sugars by NLEA; total fat and
fat by NLEA; vitamin D in IU and in µg."""

_BY_NUMBER = {key: int(number) for number, key in NUTRIENT_NUMBERS.items()}
"""Older three-digit numbers, which some survey downloads contain instead of IDs."""

NUTRIENT_IDS = frozenset(
    {number for places in _IDS.values() for number, _ in places} | set(_BY_NUMBER.values())
)
"""The nutrient IDs read from ``food_nutrient.csv``."""


def amounts_of(by_id: Mapping[int, float]) -> dict[str, float]:
    """Convert amounts by nutrient ID to amounts by nutrient key.

    Parameters
    ----------
    by_id : mapping of int to float
        Amounts per 100 g by nutrient ID.

    Returns
    -------
    dict of str to float
        The known amounts, each from the best available ID.

    Examples
    --------
    >>> amounts_of({2047: 97.0, 1008: 89.0, 1114: 2.5})
    {'energy_kcal': 89.0, 'vitamin_d_iu': 100.0}
    """
    amounts = {}
    for key, ids in _IDS.items():
        for number, factor in (*ids, (_BY_NUMBER.get(key, 0), 1.0)):
            if number in by_id:
                amounts[key] = by_id[number] * factor
                break
    return amounts
