"""Amounts that can be: what a label cannot truly say becomes unknown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from postmeal.foods.nutrients import UNITS

__all__ = ["Basis", "complete", "plausible"]

Basis = Literal["g", "ml"]
"""Whether amounts are per 100 g or per 100 ml."""

_MAX_ENERGY_KCAL = 930.0
"""Fat has 900 kcal in 100 g (Regulation (EU) 1169/2011, annex XIV); labels of the United States
round the energy of a spoon of 14 g up to 130 kcal (21 CFR 101.9(c)(1))."""
_MAX_SODIUM_MG = 40_000.0  # 39.3 g of 100 g of salt are sodium
_MAX_G: dict[Basis, float] = {"g": 100.0, "ml": 150.0}  # 100 ml of syrup weigh up to 145 g
_ROUNDED = 1.2  # a label's whole grams of protein, carbohydrate and fat in a serving of 5 g
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
"""Totals, each with its parts."""

_TOTAL_OF = {part: total for total in ("carbs_g", "fat_g") for part in _PARTS[total]}
del _TOTAL_OF["fiber_g"]  # labels outside North America give carbohydrate without fiber


def plausible(amounts: Mapping[str, float], basis: Basis) -> tuple[dict[str, float], list[str]]:
    """Leave out the amounts that cannot be.

    Labels are rounded, so a part may exceed its total by 1 g and 5 % of the total, and protein,
    carbohydrate and fat may together exceed the mass of the food by a fifth.

    Parameters
    ----------
    amounts : mapping of str to float
        Amounts per 100 g or 100 ml.
    basis : {"g", "ml"}
        Of what.

    Returns
    -------
    dict of str to float
        Those that can be, with the parts of a total that is zero.
    list of str
        Why others were left out: each begins with the nutrient.

    Examples
    --------
    >>> plausible({"carbs_g": 12.0, "sugars_g": 30.0, "energy_kcal": 2100.0}, "g")
    ({'carbs_g': 12.0}, ['energy_kcal above 930 kcal', 'sugars_g above carbs_g'])
    """
    kept: dict[str, float] = {}
    problems: list[str] = []
    for key, unit in UNITS.items():
        if key not in amounts:
            continue
        amount, most = amounts[key], _most(key, unit, basis)
        if not math.isfinite(amount):
            problems.append(f"{key} not a number")
        elif amount < 0:
            problems.append(f"{key} below zero")
        elif amount > most:
            problems.append(f"{key} above {most:g} {unit}")
        else:
            kept[key] = float(f"{amount:.7g}")
    if sum(kept.get(key, 0.0) for key in _MACROS) > _MAX_G[basis] * _ROUNDED:
        problems.append(f"{', '.join(_MACROS)} together above {_MAX_G[basis] * _ROUNDED:g} g")
        for key in _MACROS:
            kept.pop(key, None)
    for part, total in _TOTAL_OF.items():
        if kept.get(part, 0.0) > kept.get(total, math.inf) * 1.05 + 1:  # labels are rounded
            problems.append(f"{part} above {total}")
            del kept[part]
    wrong = amounts.keys() - kept.keys()  # nothing is inferred in their place
    return {key: known for key, known in complete(kept).items() if key not in wrong}, problems


def _most(key: str, unit: str, basis: Basis) -> float:
    if key == "energy_kcal":
        return _MAX_ENERGY_KCAL
    if key == "sodium_mg":
        return _MAX_SODIUM_MG
    if unit == "g":
        return _MAX_G[basis]
    return _MAX_G[basis] * 1000 if unit == "mg" else math.inf


def complete(amounts: dict[str, float]) -> dict[str, float]:
    """Fill in the parts of a total that is zero; what else is unknown stays unknown.

    Parameters
    ----------
    amounts : dict of str to float
        Known amounts per 100 g.

    Returns
    -------
    dict of str to float
        The same, with each unknown part of a zero total as zero.

    Examples
    --------
    >>> complete({"carbs_g": 12.0, "sugars_g": 0.0})
    {'carbs_g': 12.0, 'sugars_g': 0.0, 'added_sugars_g': 0.0}
    """
    known = dict(amounts)
    for total, parts in _PARTS.items():
        if known.get(total) == 0:
            for part in parts:
                known.setdefault(part, 0.0)
    return known
