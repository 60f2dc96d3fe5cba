"""Check amounts on labels; impossible amounts are treated as unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from postmeal.foods.nutrients import UNITS

Basis = Literal["g", "ml"]
"""Whether amounts are per 100 g or per 100 ml."""

_MAX_ENERGY_KCAL = 930.0
"""Maximum energy per 100 g or 100 ml. Fat has 900 kcal per 100 g (Regulation (EU) 1169/2011,
annex XIV), but labels in the United States round the energy of a tablespoon of 14 g up to 130 kcal
(21 CFR 101.9(c)(1))."""
_MAX_SODIUM_MG = 40_000.0  # 100 g of salt contains 39.3 g of sodium
_MAX_G: dict[Basis, float] = {"g": 100.0, "ml": 150.0}  # 100 ml of syrup weighs up to 145 g
_ROUNDED = 1.2  # maximum sum of macronutrients per gram; labels round those of a 5 g serving
_MACROS = ("protein_g", "carbs_g", "fat_g")
_PARTS = {
    "carbs_g": ("fiber_g", "sugars_g", "added_sugars_g"),
    "sugars_g": ("added_sugars_g",),
    "fat_g": (
        "saturated_fat_g",
        "monounsaturated_fat_g",
        "polyunsaturated_fat_g",
        "trans_fat_g",
    ),
}
"""The nutrients that are parts of each nutrient, such as the sugars in the carbohydrate."""

_TOTAL_OF = {part: total for total in ("carbs_g", "fat_g") for part in _PARTS[total]}
del _TOTAL_OF["fiber_g"]  # labels outside North America state carbohydrate without fiber


def plausible(amounts: Mapping[str, float], basis: Basis) -> tuple[dict[str, float], list[str]]:
    """Remove impossible amounts from the amounts on a label.

    The amounts on labels are rounded. Therefore, a part may exceed its total by 1 g plus 5% of the
    total, and the sum of protein, carbohydrate and fat may exceed the mass of the food by a fifth.
    """
    plausible_amounts: dict[str, float] = {}
    problems: list[str] = []
    for key, unit in UNITS.items():
        if key not in amounts:
            continue
        amount, limit = amounts[key], _limit(key, unit, basis)
        if not math.isfinite(amount):
            problems.append(f"{key} is not a number")
        elif amount < 0:
            problems.append(f"{key} is below zero")
        elif amount > limit:
            problems.append(f"{key} is above {limit:g} {unit}")
        else:
            plausible_amounts[key] = float(f"{amount:.7g}")
    if sum(plausible_amounts.get(key, 0.0) for key in _MACROS) > _MAX_G[basis] * _ROUNDED:
        problems.append(f"{', '.join(_MACROS)} together are above {_MAX_G[basis] * _ROUNDED:g} g")
        for key in _MACROS:
            plausible_amounts.pop(key, None)
    for part, total in _TOTAL_OF.items():
        if (
            plausible_amounts.get(part, 0.0) > plausible_amounts.get(total, math.inf) * 1.05 + 1
        ):  # labels are rounded
            problems.append(f"{part} is above {total}")
            del plausible_amounts[part]
    dropped = amounts.keys() - plausible_amounts.keys()  # `complete` must not fill these in
    return {
        key: known for key, known in complete(plausible_amounts).items() if key not in dropped
    }, problems


def _limit(key: str, unit: str, basis: Basis) -> float:
    if key == "energy_kcal":
        return _MAX_ENERGY_KCAL
    if key == "sodium_mg":
        return _MAX_SODIUM_MG
    if unit == "g":
        return _MAX_G[basis]
    return _MAX_G[basis] * 1000 if unit == "mg" else math.inf


def complete(amounts: dict[str, float]) -> dict[str, float]:
    """Set unknown parts of a zero total to zero, such as the sugars if there is no carbohydrate."""
    known = dict(amounts)
    for total, parts in _PARTS.items():
        if known.get(total) == 0:
            for part in parts:
                known.setdefault(part, 0.0)
    return known
