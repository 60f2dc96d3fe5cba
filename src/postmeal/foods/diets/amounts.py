"""Diet rules based on nutrient amounts: carbohydrate, protein, caffeine, cholesterol."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from postmeal.foods.diets.verdicts import Verdict
from postmeal.foods.table import TableFood

LOW_CARBOHYDRATE_SHARE = 0.26
"""Maximum share of energy from carbohydrate in a low-carbohydrate diet: Feinman et al. 2015,
doi:10.1016/j.nut.2014.06.011."""

KETO_SHARE = 0.10
"""Maximum share of energy from carbohydrate in a very low-carbohydrate ketogenic diet: Feinman et
al. 2015, doi:10.1016/j.nut.2014.06.011."""

HIGH_PROTEIN_SHARE = 0.20
"""Minimum share of energy from protein in a high-protein food: Regulation (EC) 1924/2006."""

_LOW_ENERGY_KCAL, _LOW_CARBS_G = 40.0, 5.0
_WATERY_ENERGY_KCAL, _WATERY_CARBS_G = 20.0, 2.5
_DRINK_WATER_G, _DRINK_FIBER_G = 85.0, 0.3  # cucumber has as much water, but 0.5 g fiber
_LEAST_PROTEIN_G = 2.0  # per 100 g; excludes coffee, which has 0.1 g of protein per kcal
_KCAL_PER_G = 4.0
_ANIMAL_CHOLESTEROL_MG = 1.0
_LIQUID = re.compile(
    r"\b(juice|drink|beverage|milk|latte|coffee|tea|soda|soup|broth|wine|beer|flavored water|"
    r"smoothie)s?\b(?! (powder|products?))",
    re.I,
)


def is_liquid(food: TableFood) -> bool:
    """Return whether a food is a drink or a soup, judging by its units, name and category."""
    if any(portion.unit in ("ml", "fl oz") for portion in food.portions):
        return True
    return _LIQUID.search(f"{food.name} {food.category}") is not None


def verdicts_by_amount(
    per_100_g: Mapping[str, float], *, liquid: bool = False
) -> dict[str, tuple[Verdict, str]]:
    """Return the verdicts of the diet rules that depend on nutrient amounts.

    Fiber does not count as carbohydrate. Vegetables have little energy, most of it from
    carbohydrate. Therefore, a food also fits a ketogenic or low-carbohydrate diet if it is within
    the limits of Regulation (EC) 1924/2006 for low energy and low sugars. These limits are 40 kcal
    and 5 g per 100 g, or 20 kcal and 2.5 g for liquids.
    """
    verdicts: dict[str, tuple[Verdict, str]] = {}
    energy = per_100_g.get("energy_kcal", math.nan)
    carbs = per_100_g.get("carbs_g", math.nan)
    fiber = per_100_g.get("fiber_g", math.nan)
    net_carbs = carbs if math.isnan(fiber) else max(carbs - fiber, 0.0)
    if not math.isnan(energy + carbs):
        watery = per_100_g.get("water_g", 0.0) > _DRINK_WATER_G and fiber < _DRINK_FIBER_G
        low_kcal = _WATERY_ENERGY_KCAL if liquid or watery else _LOW_ENERGY_KCAL
        low_carbs = _WATERY_CARBS_G if liquid or watery else _LOW_CARBS_G
        is_low = energy <= low_kcal and net_carbs <= low_carbs
        share = _share(net_carbs, energy)
        for rule, most in (("low_carbohydrate", LOW_CARBOHYDRATE_SHARE), ("keto", KETO_SHARE)):
            reason = f"carbohydrate provides {min(share, 1):.0%} of its energy"
            if share < most or is_low:
                verdicts[rule] = (Verdict.FREE, reason)
            elif not math.isnan(fiber):
                verdicts[rule] = (Verdict.CONTAINS, reason)
    protein = per_100_g.get("protein_g", math.nan)
    if not math.isnan(energy + protein):
        share = _share(protein, energy)
        is_high = share >= HIGH_PROTEIN_SHARE and protein >= _LEAST_PROTEIN_G
        verdict = Verdict.FREE if is_high else Verdict.CONTAINS
        reason = f"protein provides {min(share, 1):.0%} of its energy"
        verdicts["high_protein"] = (verdict, reason)
    caffeine = per_100_g.get("caffeine_mg", math.nan)
    if not math.isnan(caffeine):
        reason = f"{caffeine:g} mg per 100 g"
        verdicts["caffeine"] = (Verdict.CONTAINS if caffeine > 0 else Verdict.FREE, reason)
    if (cholesterol := per_100_g.get("cholesterol_mg", 0.0)) >= _ANIMAL_CHOLESTEROL_MG:
        reason = f"{cholesterol:g} mg cholesterol per 100 g, which only animal products contain"
        verdicts["vegan"] = (Verdict.CONTAINS, reason)
    return verdicts


def _share(grams: float, energy_kcal: float) -> float:
    """Return the share of energy that an amount of carbohydrate or protein provides."""
    if energy_kcal <= 0:
        return math.inf if grams > 0 else 0.0
    return grams * _KCAL_PER_G / energy_kcal
