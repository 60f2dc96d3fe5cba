"""Compute the total carbohydrate from labels that state carbohydrate without fiber.

`carbs_g` includes fiber, as on labels in the United States (21 CFR 101.9(c)(6)). Regulation (EU)
1169/2011, annex I, point 4, defines carbohydrate as the part that humans metabolize, and lists
fiber separately. The same rule applies in Iceland, Liechtenstein and Norway (which apply the
regulation), the United Kingdom (which retained it), Switzerland (ordinance SR 817.022.16), and
Australia and New Zealand (Food Standards Code, schedule 11). For labels from these countries, fiber
is added to the carbohydrate.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LABELED_WITHOUT_FIBER", "total_carbohydrate"]

LABELED_WITHOUT_FIBER = frozenset(
    (
        "australia", "austria", "belgium", "bulgaria", "croatia", "cyprus", "czech-republic",
        "denmark", "estonia", "european-union", "finland", "france", "french-guiana", "germany",
        "greece", "guadeloupe", "hungary", "iceland", "ireland", "italy", "latvia",
        "liechtenstein", "lithuania", "luxembourg", "malta", "martinique", "mayotte",
        "netherlands", "new-zealand", "norway", "poland", "portugal", "reunion", "romania",
        "slovakia", "slovenia", "spain", "sweden", "switzerland", "united-kingdom",
    )
)  # fmt: skip
"""Country tags of Open Food Facts, without the prefix ``en:``."""

_ENERGY_KCAL = {"protein_g": 4.0, "carbs_g": 4.0, "fat_g": 9.0}
"""Energy per gram in kcal (Regulation (EU) 1169/2011, annex XIV); fiber has 2 kcal per gram."""
_MOST_G = 100.0


def total_carbohydrate(amounts: Mapping[str, float], countries_tags: str) -> float | None:
    """Return the carbohydrate of a label plus its fiber, if the label excludes fiber.

    A label excludes fiber if this is required in all countries where the product is sold, unless
    the amounts contradict it. They do if the sum of protein, carbohydrate, fat and fiber exceeds
    100 g, or if the stated energy agrees better with carbohydrate that includes fiber. If
    carbohydrate includes fiber, the energy is 2 kcal per gram of fiber lower than the energy
    calculated with 4, 4 and 9 kcal per gram of protein, carbohydrate and fat.
    """
    countries = {tag.strip().removeprefix("en:") for tag in countries_tags.split(",")} - {""}
    if not countries or not countries <= LABELED_WITHOUT_FIBER:
        return None
    carbs_g, fiber_g = amounts.get("carbs_g"), amounts.get("fiber_g")
    if carbs_g is None or not fiber_g:
        return None
    if fiber_g + sum(amounts.get(key, 0.0) for key in _ENERGY_KCAL) > _MOST_G:
        return None
    if amounts.keys() >= {"energy_kcal", *_ENERGY_KCAL}:
        by_factors = sum(amounts[key] * factor for key, factor in _ENERGY_KCAL.items())
        if amounts["energy_kcal"] < by_factors - fiber_g:
            return None
    return float(f"{carbs_g + fiber_g:.7g}")
