"""Rate how healthy a food is with the nutrient profiling model of the United Kingdom.

The model was developed by the Food Standards Agency in 2004-5 and has been used by Ofcom since 2007
(Department of Health, Nutrient Profiling Technical Guidance, 2011; validated by Arambepola,
Scarborough and Rayner 2008, doi:10.1017/S1368980007000237). A food gets points for energy,
saturated fat, sugars and sodium per 100 g. Points for fruit, vegetables and nuts, for fiber and for
protein are subtracted. Foods with fewer points are healthier. Foods with 4 or more points and
drinks with 1 or more points are called "less healthy".

Whether a food is high in a nutrient is defined by separate limits: those for red labels on the
front of packages.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple

_KJ_PER_KCAL = 4.184
_ENERGY_KCAL = tuple(335.0 * step / _KJ_PER_KCAL for step in range(1, 11))
_SATURATED_FAT_G = tuple(float(step) for step in range(1, 11))
_SUGARS_G = (4.5, 9.0, 13.5, 18.0, 22.5, 27.0, 31.0, 36.0, 40.0, 45.0)
_SODIUM_MG = tuple(90.0 * step for step in range(1, 11))
_FIBER_G = (0.9, 1.9, 2.8, 3.7, 4.7)  # measured by an AOAC method
_PROTEIN_G = (1.6, 3.2, 4.8, 6.4, 8.0)
_PLANTS = 5  # points of a food with more than 80% fruit, vegetables, nuts and legumes
_PROTEIN_COUNTS_BELOW = 11

LESS_HEALTHY_FOOD, LESS_HEALTHY_DRINK = 4, 1
"""Minimum points of a "less healthy" food and a "less healthy" drink."""

HIGH_ABOVE = {"saturated_fat_g": 5.0, "sugars_g": 22.5, "sodium_mg": 600.0}
"""Amounts per 100 g above which a food is high in a nutrient.

Source: Department of Health, Guide to creating a front of pack nutrition label, 2016. The limit for
salt is 1.5 g, which contains 600 mg of sodium."""

POINT_STEPS = {"saturated_fat_g": 1.0, "sugars_g": 4.5, "sodium_mg": 90.0}
"""Amount of each nutrient per 100 g that adds one point to the nutrient profile."""


class Profile(NamedTuple):
    """Minimum and maximum nutrient profile points of a food, given its known nutrients."""

    least: int
    most: int


def nutrient_profile(per_100_g: Mapping[str, float], *, is_plant: bool = False) -> Profile:
    """Compute the nutrient profile points of a food.

    An unknown amount is treated as a range: sugars from zero to the carbohydrate, saturated fat
    from zero to the total fat, and fiber from zero to the carbohydrate without the sugars. Other
    unknown amounts can have any value.
    """
    energy = _span(per_100_g.get("energy_kcal"), _ENERGY_KCAL)
    fat = _span(per_100_g.get("saturated_fat_g"), _SATURATED_FAT_G, most=per_100_g.get("fat_g"))
    sugars = _span(per_100_g.get("sugars_g"), _SUGARS_G, most=per_100_g.get("carbs_g"))
    sodium = _span(per_100_g.get("sodium_mg"), _SODIUM_MG)
    fiber = _span(per_100_g.get("fiber_g"), _FIBER_G, most=_most_fiber_g(per_100_g))
    protein = _span(per_100_g.get("protein_g"), _PROTEIN_G)
    plants = _PLANTS if is_plant else 0
    least, most = (sum(part[at] for part in (energy, fat, sugars, sodium)) for at in (0, 1))
    return Profile(
        _total(least, plants, fiber[1], protein[1]), _total(most, plants, fiber[0], protein[0])
    )


def fine_points(per_100_g: Mapping[str, float], *, is_plant: bool = False) -> float:
    """Compute the nutrient profile points of a food on a continuous scale.

    These points distinguish foods that are similarly healthy. Unknown sugars are set to the
    carbohydrate, unknown saturated fat is set to the total fat, and other unknown amounts are set
    to zero. The parameters are those of `nutrient_profile`.
    """
    fat_g, carbs_g = per_100_g.get("fat_g", 0.0), per_100_g.get("carbs_g", 0.0)
    per_100_g = {"saturated_fat_g": fat_g, "sugars_g": carbs_g, **per_100_g}
    bad = sum(
        min(per_100_g.get(key, 0.0) / (limits[-1] / 10), 10.0)
        for key, limits in (
            ("energy_kcal", _ENERGY_KCAL),
            ("saturated_fat_g", _SATURATED_FAT_G),
            ("sugars_g", _SUGARS_G),
            ("sodium_mg", _SODIUM_MG),
        )
    )
    plants = _PLANTS if is_plant else 0
    good = plants + min(per_100_g.get("fiber_g", 0.0) / (_FIBER_G[-1] / 5), 5.0)
    if bad < _PROTEIN_COUNTS_BELOW or is_plant:
        good += min(per_100_g.get("protein_g", 0.0) / (_PROTEIN_G[-1] / 5), 5.0)
    return bad - good


def _most_fiber_g(per_100_g: Mapping[str, float]) -> float | None:
    """Return the maximum possible fiber, which is carbohydrate minus sugars; None if unknown."""
    if "carbs_g" not in per_100_g:
        return None
    return max(per_100_g["carbs_g"] - per_100_g.get("sugars_g", 0.0), 0.0)


def _span(
    amount: float | None, limits: tuple[float, ...], most: float | None = None
) -> tuple[int, int]:
    """Return the minimum and maximum number of limits that a possibly unknown amount exceeds."""
    if amount is not None:
        points = bisect_left(limits, amount)
        return points, points
    return 0, len(limits) if most is None else bisect_left(limits, most)


def _total(bad: int, plants: int, fiber: int, protein: int) -> int:
    """Return the total points; protein counts only for plants and foods with few bad points."""
    if bad >= _PROTEIN_COUNTS_BELOW and plants < _PLANTS:
        protein = 0
    return bad - plants - fiber - protein
