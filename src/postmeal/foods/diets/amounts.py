"""Diet rules that hang on amounts of nutrients: carbohydrate, protein, caffeine, cholesterol."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from postmeal.foods.diets.verdicts import Verdict
from postmeal.foods.table import TableFood

__all__ = ["is_liquid", "verdicts_by_amount"]

LOW_CARBOHYDRATE_SHARE = 0.26
"""Most energy from carbohydrate, of 1, in a low-carbohydrate diet: Feinman et al. 2015,
doi:10.1016/j.nut.2014.06.011."""

KETO_SHARE = 0.10
"""The same in a very low-carbohydrate ketogenic one (same source)."""

HIGH_PROTEIN_SHARE = 0.20
"""Least energy from protein, of 1, of a food called high in protein: Regulation (EC) 1924/2006."""

_LOW_ENERGY_KCAL, _LOW_CARBS_G = 40.0, 5.0
_WATERY_ENERGY_KCAL, _WATERY_CARBS_G = 20.0, 2.5
_DRINK_WATER_G, _DRINK_FIBER_G = 85.0, 0.3  # cucumber, of as much water, has 0.5 g
_LEAST_PROTEIN_G = 2.0  # coffee has 0.1 g in 1 kcal
_KCAL_PER_G = 4.0
_ANIMAL_CHOLESTEROL_MG = 1.0
_LIQUID = re.compile(
    r"\b(juice|drink|beverage|milk|latte|coffee|tea|soda|soup|broth|wine|beer|flavored water|"
    r"smoothie)s?\b(?! (powder|products?))",
    re.I,
)


def is_liquid(food: TableFood) -> bool:
    """Whether a food is drunk or spooned: a glass or a bowl holds more of it than a plate.

    Examples
    --------
    >>> is_liquid(TableFood("x", "1", "generic", "Vegetable juice", "Beet juice", (), {}))
    True
    """
    if any(portion.unit in ("ml", "fl oz") for portion in food.portions):
        return True
    return _LIQUID.search(f"{food.name} {food.category}") is not None


def verdicts_by_amount(
    per_100_g: Mapping[str, float], *, liquid: bool = False
) -> dict[str, tuple[Verdict, str]]:
    """Judge the rules that hang on amounts; carbohydrate counts without fibre.

    Vegetables get most of their little energy from carbohydrate. So a food also keeps to keto and
    low carbohydrate if its energy is low and its carbohydrate no more than what Regulation (EC)
    1924/2006 calls low in sugars: 40 kcal and 5 g in 100 g, or 20 kcal and 2.5 g where it is
    liquid.

    Parameters
    ----------
    per_100_g : mapping of str to float
        Known amounts per 100 g.
    liquid : bool, default=False
        Whether the food is known to be liquid; else its water tells, where it is known.

    Returns
    -------
    dict of str to tuple of Verdict and str
        The verdict and its reason by rule, for the rules on which the amounts tell something.

    Examples
    --------
    >>> amounts = {"energy_kcal": 34.0, "carbs_g": 6.6, "fiber_g": 2.6, "protein_g": 2.8}
    >>> {rule: str(verdict) for rule, (verdict, _) in verdicts_by_amount(amounts).items()}
    {'low_carbohydrate': 'free', 'keto': 'free', 'high_protein': 'free'}
    """
    found: dict[str, tuple[Verdict, str]] = {}
    energy = per_100_g.get("energy_kcal", math.nan)
    carbs = per_100_g.get("carbs_g", math.nan)
    fiber = per_100_g.get("fiber_g", math.nan)
    most_net = carbs if math.isnan(fiber) else max(carbs - fiber, 0.0)
    if not math.isnan(energy + carbs):
        watery = per_100_g.get("water_g", 0.0) > _DRINK_WATER_G and fiber < _DRINK_FIBER_G
        low_kcal = _WATERY_ENERGY_KCAL if liquid or watery else _LOW_ENERGY_KCAL
        low_carbs = _WATERY_CARBS_G if liquid or watery else _LOW_CARBS_G
        is_low = energy <= low_kcal and most_net <= low_carbs
        share = _share(most_net, energy)
        for rule, most in (("low_carbohydrate", LOW_CARBOHYDRATE_SHARE), ("keto", KETO_SHARE)):
            told = f"carbohydrate gives {min(share, 1):.0%} of its energy"
            if share < most or is_low:
                found[rule] = (Verdict.FREE, told)
            elif not math.isnan(fiber):
                found[rule] = (Verdict.CONTAINS, told)
    protein = per_100_g.get("protein_g", math.nan)
    if not math.isnan(energy + protein):
        share = _share(protein, energy)
        is_high = share >= HIGH_PROTEIN_SHARE and protein >= _LEAST_PROTEIN_G
        verdict = Verdict.FREE if is_high else Verdict.CONTAINS
        found["high_protein"] = (verdict, f"protein gives {min(share, 1):.0%} of its energy")
    caffeine = per_100_g.get("caffeine_mg", math.nan)
    if not math.isnan(caffeine):
        told = f"{caffeine:g} mg in 100 g"
        found["caffeine"] = (Verdict.CONTAINS if caffeine > 0 else Verdict.FREE, told)
    if (cholesterol := per_100_g.get("cholesterol_mg", 0.0)) >= _ANIMAL_CHOLESTEROL_MG:
        found["vegan"] = (
            Verdict.CONTAINS,
            f"{cholesterol:g} mg cholesterol in 100 g are of animals",
        )
    return found


def _share(grams: float, energy_kcal: float) -> float:
    """Answer the share of energy that grams of carbohydrate or protein give."""
    if energy_kcal <= 0:
        return math.inf if grams > 0 else 0.0
    return grams * _KCAL_PER_G / energy_kcal
