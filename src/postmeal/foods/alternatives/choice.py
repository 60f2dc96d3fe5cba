"""Search for healthier foods that can replace a food and fit a person's diet.

Most alternatives are in the same family of foods, such as another bread for white bread. For some
foods, plain foods of other kinds come first, such as fruit, yogurt and nuts for a doughnut
(`postmeal.foods.alternatives.vetoes`); foods of the same family then follow only if they are not
"less healthy". If there are few alternatives, plain foods from other families are added. The order
depends on the nutrient profile, the similarity of the names, the popularity and, if a person is
given, the predicted glucose peak.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, zip_longest

import numpy as np

from postmeal.arguments import check_type, check_whole
from postmeal.errors import InputError
from postmeal.foods.alternatives.amount import as_much_as
from postmeal.foods.alternatives.candidates import (
    DRINKS_WEIGHT,
    Candidate,
    branded,
    first_choices,
    in_pool,
    last_choices,
    likeness,
)
from postmeal.foods.alternatives.pool import Pool, Traits, per_100_g, pool_of, traits_of
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.food_diets import Reason, explain
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS
from postmeal.foods.food import Food, Selection

_LIMIT = 10
_FEW = 5  # minimum number of alternatives; stand-ins are added if there are fewer
_OF_EACH_KIND = 2  # number of foods of each kind that is recommended first
_LEAD = 0.25  # minimum lead in score of a food that is recommended first over the next food
_PEAK_MG_DL = 4.0  # reduction of the glucose peak that adds 1 to the score
_ALIKE = 0.6
_WORTH_IT = 3  # minimum nutrient profile points by which a variety of the same food is better
_LESS_HEALTHY_IF_UNFIT = 2  # points by which alternatives may be worse if the food does not fit
_COMPARED = {
    # name, unit, and the difference per 100 g that improves the profile by about one point
    "saturated_fat_g": ("saturated fat", "g", "less", -1.0),
    "sugars_g": ("sugar", "g", "less", -4.5),
    "sodium_mg": ("sodium", "mg", "less", -90.0),
    "energy_kcal": ("energy", "kcal", "less", -80.0),
    "fiber_g": ("fiber", "g", "more", 0.9),
    "protein_g": ("protein", "g", "more", 1.6),
}


@dataclass(frozen=True, slots=True)
class Alternative:
    """A food that can replace another food.

    Attributes
    ----------
    selection : Selection
        The recommended amount, which replaces a default serving of the other food.
    points_saved : int
        Minimum improvement over the other food, in nutrient profile points.
    why : str
        The main advantages per 100 g, such as less sugar or more fiber.
    score : float
        Score that determines the order; higher is better.
    peak_mg_dl : float or None
        Predicted glucose peak in mg/dL; None if it was not requested.
    """

    selection: Selection
    points_saved: int
    why: str
    score: float
    peak_mg_dl: float | None = None

    @property
    def food(self) -> Food:
        """The food of the selection."""
        return self.selection.food


@dataclass(frozen=True)
class Alternatives:
    """Alternatives to a food.

    Attributes
    ----------
    best : tuple of Alternative
        The alternatives, best match first; empty if no food is suitable.
    """

    best: tuple[Alternative, ...]
    _unfit: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    _catalog: Catalog | None = field(default=None, repr=False, compare=False)

    @property
    def excluded(self) -> dict[Food, Reason]:
        """The best foods that were excluded by a diet rule, each with the reason."""
        if self._catalog is None:
            return {}
        found = ((self._catalog.food(food_id), rule) for food_id, rule in self._unfit)
        return {food: explain(food, rule) for food, rule in found}


def alternatives(
    food: Food,
    catalog: Catalog,
    restrictions: Iterable[str] = (),
    preferences: Iterable[str] = (),
    *,
    limit: int = _LIMIT,
    peak_of: Callable[[Selection], float] | None = None,
) -> Alternatives:
    """Return healthier alternatives to a food that fit a diet.

    If the food is "less healthy" in the nutrient profiling model, alternatives are at least one
    point better. Otherwise they are at least as healthy. If the food itself does not fit the diet,
    alternatives may be up to two points worse. At most two alternatives have the same brand.

    Parameters
    ----------
    food : Food
        The food to replace.
    catalog : Catalog
        The catalog to search.
    restrictions : iterable of str
        Ingredients to exclude, from `postmeal.foods.diets.rules.RESTRICTIONS`.
    preferences : iterable of str
        Diets that alternatives must fit, from `postmeal.foods.diets.rules.PREFERENCES`.
    limit : int, default=10
        Maximum number of alternatives.
    peak_of : callable, optional
        Function that returns a person's predicted glucose peak in mg/dL after eating a selection.
        If given, alternatives with a lower peak rank higher.

    Returns
    -------
    Alternatives
        The alternatives, and the foods that were excluded by a rule.

    Raises
    ------
    InputError
        A restriction or preference is not supported, `limit` is not a whole number of 0 or more,
        `food` is not a `Food`, or `catalog` is not a `Catalog`.

    Examples
    --------
    >>> catalog = Catalog.open()
    >>> cola = catalog.search("cola")[0]
    >>> found = alternatives(cola, catalog, restrictions=["caffeine"])
    >>> all(one.food.diets["caffeine"] == "free" for one in found.best)
    True
    """
    check_type("food", food, Food, "must be a Food, as returned by Catalog.search")
    check_type("catalog", catalog, Catalog, "must be a Catalog, such as Catalog.open()")
    rules = [*_known("restrictions", restrictions, RESTRICTIONS)]
    rules += _known("preferences", preferences, PREFERENCES)
    check_whole("limit", limit)
    own = traits_of(food)
    if own.eaten_as is None or limit == 0:
        return Alternatives(())
    fits = all(food.diets[rule] == "free" for rule in rules)
    least_gain = int(own.is_less_healthy) if fits else -_LESS_HEALTHY_IF_UNFIT
    pool = pool_of(catalog)
    family = pool.by_family.get(own.eaten_as.family, np.array([], dtype=np.int64))
    fit, unfit = in_pool(food, own, pool, family, rules, least_gain)
    fit += branded(food, own, catalog, rules, least_gain)
    fit.sort(key=lambda one: (-one.score, one.food_id))
    first = _first(food, own, catalog, pool, rules, least_gain)
    if first:
        fit = [one for one in fit if not one.traits.may_be_less_healthy]
    asked = limit if peak_of is None else 3 * limit
    chosen = _distinct(chain(first, fit), food, own, catalog, asked)
    if len(chosen) < min(limit, _FEW):
        fit += last_choices(food, own, pool, rules, least_gain)
        chosen = _distinct(chain(first, fit), food, own, catalog, min(limit, _FEW))
    _raise_scores(chosen, first)
    best = [_alternative(one, food, own) for one in chosen]
    if peak_of is not None:
        best = _by_peak(best, peak_of(Selection.of(food)), peak_of)
    return Alternatives(tuple(best[:limit]), unfit, catalog)


def _known(name: str, asked: Iterable[str], accepted: Sequence[str]) -> list[str]:
    if isinstance(asked, str) or not isinstance(asked, Iterable):
        raise InputError(name, "must be a list that contains only", asked, allowed=accepted)
    found = list(dict.fromkeys(asked))
    for value in found:
        if value not in accepted:
            raise InputError(name, "must be one of", value, allowed=accepted)
    return found


def _first(
    food: Food, own: Traits, catalog: Catalog, pool: Pool, rules: Sequence[str], least_gain: int
) -> list[Candidate]:
    """Return up to two foods of each kind that is recommended first, alternating between kinds."""
    kinds = [
        _distinct(found, food, own, catalog, _OF_EACH_KIND)
        for found in first_choices(food, own, pool, rules, least_gain)
    ]
    return [one for foods in zip_longest(*kinds) for one in foods if one is not None]


def _raise_scores(chosen: Sequence[Candidate], first: Sequence[Candidate]) -> None:
    """Raise the score of each food that is recommended first above that of the next food."""
    for one, following in reversed(list(pairwise(chosen))):
        if any(one is other for other in first):
            one.score = max(one.score, following.score + _LEAD)


def _distinct(
    ranked: Iterable[Candidate], food: Food, own: Traits, catalog: Catalog, limit: int
) -> list[Candidate]:
    """Return the best candidates that are not similar to the food or to each other."""
    chosen: list[Candidate] = []
    weight = DRINKS_WEIGHT if own.is_drink else 1.0
    taken = [own.tells]
    brands: dict[str | None, int] = {food.brand_name: 0}
    for one in ranked:
        if len(chosen) == limit:
            break
        tells = one.traits.tells
        if any(tells == other or likeness(tells, other) >= _ALIKE for other in taken):
            continue
        if tells <= own.tells and one.gain * weight < _WORTH_IT:
            continue
        one.food = one.food or catalog.food(one.food_id)
        if _same_amounts(one.food, [food, *(other.food for other in chosen if other.food)]):
            continue
        brand = one.food.brand_name
        if brand and brands.get(brand, 0) >= 2:
            continue
        brands[brand] = brands.get(brand, 0) + 1
        chosen.append(one)
        taken.append(tells)
    return chosen


def _same_amounts(food: Food, others: Iterable[Food]) -> bool:
    """Return whether one of the other foods has nearly the same nutrients, as a duplicate would."""
    amounts = per_100_g(food)
    for other in others:
        known = per_100_g(other)
        both = amounts.keys() & known.keys()
        if len(both) > 5 and all(math.isclose(amounts[k], known[k], rel_tol=0.02) for k in both):
            return True
    return False


def _alternative(one: Candidate, food: Food, own: Traits) -> Alternative:
    assert one.food is not None
    kind = one.traits.eaten_as
    same = kind == own.eaten_as or (kind is not None and kind.family == "drinks")
    selection = as_much_as(Selection.of(food), one.food, same_kind=same)
    return Alternative(selection, one.gain, _why(food, one.food, one.gain), one.score)


def _why(food: Food, other: Food, gain: int) -> str:
    """Describe the two largest improvements, measured in nutrient profile points."""
    mine, its = per_100_g(food), per_100_g(other)
    better: list[tuple[float, str]] = []
    for key, (name, unit, more, points_per_unit) in _COMPARED.items():
        if key in mine and key in its:
            points = (its[key] - mine[key]) / points_per_unit
            if points >= 0.5:
                difference = f"{its[key]:.3g} {unit} instead of {mine[key]:.3g} {unit}"
                better.append((points, f"{more} {name} ({difference})"))
    better.sort(reverse=True)
    if not better:
        return "at least as healthy" if gain >= 0 else "fits the diet"
    return "per 100 g: " + " and ".join(difference for _, difference in better[:2])


def _by_peak(
    found: Sequence[Alternative], own_mg_dl: float, peak_of: Callable[[Selection], float]
) -> list[Alternative]:
    """Adjust the scores of alternatives to their predicted glucose peaks, and sort by score."""
    ranked = []
    for one in found:
        peak = peak_of(one.selection)
        score = one.score + (own_mg_dl - peak) / _PEAK_MG_DL
        ranked.append(Alternative(one.selection, one.points_saved, one.why, score, peak))
    return sorted(ranked, key=lambda one: (-one.score, one.food.id))
