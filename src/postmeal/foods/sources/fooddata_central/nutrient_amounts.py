"""Convert amounts by FoodData Central nutrient ID to amounts by nutrient key."""

from __future__ import annotations

from collections.abc import Mapping

from postmeal.foods.sources.nutrients_by_publisher import FOODDATA_CENTRAL_IDS, SR28_NUMBERS

_BY_NUMBER = {key: int(number) for number, key in SR28_NUMBERS.items()}
"""Nutrient numbers by nutrient key. Some survey downloads contain these older three-digit numbers
instead of IDs."""

NUTRIENT_IDS = frozenset(
    {number for places in FOODDATA_CENTRAL_IDS.values() for number, _ in places}
    | set(_BY_NUMBER.values())
)
"""The nutrient IDs read from ``food_nutrient.csv``."""


def amounts_of(by_id: Mapping[int, float]) -> dict[str, float]:
    """Convert amounts by nutrient ID to amounts by nutrient key."""
    amounts = {}
    for key, ids in FOODDATA_CENTRAL_IDS.items():
        for number, factor in (*ids, (_BY_NUMBER.get(key, 0), 1.0)):
            if number in by_id:
                amounts[key] = by_id[number] * factor
                break
    return amounts
