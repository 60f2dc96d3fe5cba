"""Search for healthier foods that can replace a food and fit a person's diet.

An alternative is in the same family of foods, such as another drink in place of a soft drink. It is
at least as healthy by `postmeal.foods.alternatives.nutrient_profile`, unless the food itself does
not fit the diet. Where an alternative is high in saturated fat, sugars or sodium, it does not
contain more of it than the food. It fits all restrictions and preferences; foods for which this is
unknown are excluded. If there are few alternatives, plain foods from other families are added, such
as fruit in place of a doughnut. The order depends on the nutrient profile, the similarity of the
names, the popularity and, for a person, the predicted peak.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.foods.alternatives.amount import as_much_as
from postmeal.foods.alternatives.kinds import stand_ins
from postmeal.foods.alternatives.nutrient_profile import LESS_HEALTHY_DRINK, LESS_HEALTHY_FOOD
from postmeal.foods.alternatives.pool import (
    Pool,
    Traits,
    is_for_tables,
    per_100_g,
    pool_of,
    traits_of,
)
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.rules import Reason, explain
from postmeal.foods.diets.verdicts import PREFERENCES, RESTRICTIONS, RULES, Diets
from postmeal.foods.food import Food, Selection

__all__ = ["Alternative", "Alternatives", "alternatives"]

_LIMIT = 10
_CONSIDERED = 80  # best candidates, before similar foods are removed
_BRANDED = 40
_EXCLUDED = 20
_FEW = 5  # if there are fewer alternatives, stand-ins are added
_OTHER_KIND = 2.0  # penalty per position in the list of stand-ins
_HEALTH, _SAME_KIND, _LIKENESS, _DENSER, _NO_BETTER = 3.0, 5.0, 6.0, 1.5, 5.0
_RARITY = 0.8  # penalty per doubling of the popularity rank
_DRINKS = LESS_HEALTHY_FOOD / LESS_HEALTHY_DRINK  # weight of a point for drinks
_GLASSES = ("drinks", "alcohol", "spirits")
_PEAK_MG_DL = 4.0  # reduction of the peak that adds 1 to the score
_ALIKE = 0.6
_WORTH_IT = 3  # minimum points saved by a variety of the same food
_LESS_HEALTHY_IF_UNFIT = 2  # points, if the food itself does not fit the diet
_LABELS = {"gluten": "gluten free", "wheat": "gluten free", "lactose": "lactose free",
           "dairy": "dairy free", "vegan": "vegan", "vegetarian": "vegetarian"}  # fmt: skip
_COMPARED = {
    "saturated_fat_g": ("saturated fat", "g", -1), "sugars_g": ("sugar", "g", -1),
    "sodium_mg": ("sodium", "mg", -1), "energy_kcal": ("energy", "kcal", -1),
    "fiber_g": ("fiber", "g", 1), "protein_g": ("protein", "g", 1),
}  # fmt: skip
_SCALES = {"saturated_fat_g": 1.0, "sugars_g": 4.5, "sodium_mg": 90.0, "energy_kcal": 80.0,
           "fiber_g": 0.9, "protein_g": 1.6}  # fmt: skip  # about one point of the profile


Places = NDArray[np.int64]
Numbers = NDArray[np.float64] | NDArray[np.int64]

_NOWHERE: Places = np.array([], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Alternative:
    """A food that can replace another food.

    Attributes
    ----------
    selection : Selection
        The recommended amount, which replaces a default serving of the other food.
    points_saved : int
        Minimum number of points by which the nutrient profile of the food is better.
    why : str
        The main advantages per 100 g, such as less sugar or more fiber.
    score : float
        Score that determines the order; higher is better.
    peak_mg_dl : float or None
        The predicted peak of glucose; None if it was not requested.
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


@dataclass(slots=True)
class _Candidate:
    food_id: int
    traits: Traits
    gain: int
    score: float
    food: Food | None = None


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

    If the food counts as "less healthy" in the nutrient profiling model, alternatives are at least
    one point better; otherwise, they are at least as healthy. If the food itself does not fit the
    diet, alternatives may be up to two points less healthy. At most two alternatives are of the
    same brand.

    Parameters
    ----------
    food : Food
        The food to replace.
    catalog : Catalog
        The catalog to search.
    restrictions : iterable of str
        Ingredients to exclude, from `postmeal.foods.diets.verdicts.RESTRICTIONS`.
    preferences : iterable of str
        Diets that alternatives must fit, from `postmeal.foods.diets.verdicts.PREFERENCES`.
    limit : int, default=10
        Maximum number of alternatives.
    peak_of : callable, optional
        Returns the predicted peak of a person's glucose in mg/dL after a selection. If given,
        alternatives with a lower peak rank higher.

    Returns
    -------
    Alternatives
        The alternatives, and the foods that were excluded by a rule.

    Raises
    ------
    InputError
        A restriction or preference is not supported, or the limit is negative.

    Examples
    --------
    >>> catalog = Catalog.open()
    >>> cola = catalog.search("cola")[0]
    >>> found = alternatives(cola, catalog, restrictions=["caffeine"])
    >>> all(one.food.diets["caffeine"] == "free" for one in found.best)
    True
    """
    rules = [*_known("restrictions", restrictions, RESTRICTIONS)]
    rules += _known("preferences", preferences, PREFERENCES)
    if limit < 0:
        raise InputError("limit", "must be zero or more", limit)
    own = traits_of(food)
    if own.eaten_as is None or limit == 0:
        return Alternatives(())
    least_gain = int(_is_less_healthy(own)) if _fits(food, rules) else -_LESS_HEALTHY_IF_UNFIT
    pool = pool_of(catalog)
    family = pool.by_family.get(own.eaten_as.family, _NOWHERE)
    fit, unfit = _in_pool(food, own, pool, family, rules, least_gain)
    fit += _branded(food, own, catalog, rules, least_gain)
    fit.sort(key=lambda one: (-one.score, one.food_id))
    chosen = _distinct(fit, food, own, catalog, limit if peak_of is None else 3 * limit)
    if len(chosen) < min(limit, _FEW):
        fit += _standing_in(food, own, pool, rules, least_gain)
        chosen = _distinct(fit, food, own, catalog, min(limit, _FEW))
    best = [_alternative(one, food, own) for one in chosen]
    if peak_of is not None:
        best = _by_peak(best, peak_of(Selection.of(food)), peak_of)
    return Alternatives(tuple(best[:limit]), unfit, catalog)


def _known(name: str, asked: Iterable[str], accepted: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys(asked))
    for value in found:
        if value not in accepted:
            raise InputError(name, "must be one of", value, allowed=accepted)
    return found


def _fits(food: Food, rules: Iterable[str]) -> bool:
    return all(food.diets[rule] == "free" for rule in rules)


def _in_pool(
    food: Food, own: Traits, pool: Pool, at: Places, rules: Sequence[str], least_gain: int
) -> tuple[list[_Candidate], tuple[tuple[int, str], ...]]:
    """Return candidates among generic foods and recipes, and foods that only a rule excludes."""
    gain = own.profile.least - pool.most_points[at]
    fit_to_eat = (pool.ids[at] != food.id) & (pool.is_ready[at] | (not own.is_ready))
    better = fit_to_eat & (gain >= least_gain)
    at, gain = at[better], gain[better]
    no_higher = (pool.in_excess[at] <= own.in_excess).all(axis=1)
    at, gain = at[no_higher], gain[no_higher]
    score = _score(own, pool.points[at], pool.places[at], pool.energy_kcal_per_g[at])
    if own.eaten_as is not None:
        score += _SAME_KIND * (pool.kinds[at] == pool.number_of.get(own.eaten_as.name, 0))
    mask = sum(3 << 2 * RULES.index(rule) for rule in rules)
    wanted = sum(1 << 2 * RULES.index(rule) for rule in rules)
    fits = (pool.bits[at] & mask) == wanted
    best = np.sort(score[fits])[-_CONSIDERED:]
    within = fits & (score >= best[0] - _LIKENESS) if len(best) else fits
    fit = [
        _Candidate(int(pool.ids[one]), pool.traits[one], int(points), float(base))
        for one, points, base in zip(at[within], gain[within], score[within], strict=True)
    ]
    for candidate in fit:
        candidate.score += _LIKENESS * _likeness(own.words, candidate.traits.words)
    unfit = at[~fits][np.argsort(-score[~fits], kind="stable")][:_EXCLUDED]
    return fit, tuple((int(pool.ids[one]), _broken(int(pool.bits[one]), rules)) for one in unfit)


def _standing_in(
    food: Food, own: Traits, pool: Pool, rules: Sequence[str], least_gain: int
) -> list[_Candidate]:
    """Return plain foods of other kinds that can replace a food, best match first."""
    assert own.eaten_as is not None
    found: list[_Candidate] = []
    for order, kind in enumerate(stand_ins(own.eaten_as.family), 1):
        at = pool.by_kind.get(kind.removeprefix("cooked "), _NOWHERE)
        at = at[pool.is_cooked[at]] if kind.startswith("cooked ") else at
        fit, _ = _in_pool(food, own, pool, at[pool.is_plain[at]], rules, least_gain)
        for one in fit:
            one.score -= _OTHER_KIND * order
        found += fit
    return sorted(found, key=lambda one: (-one.score, one.food_id))


def _broken(bits: int, rules: Iterable[str]) -> str:
    return next(rule for rule in rules if Diets(bits)[rule] != "free")


def _score(own: Traits, points: Numbers, place: Numbers, energy_kcal_per_g: Numbers) -> Numbers:
    """Return scores based on health, popularity and energy; each additional point counts less."""
    saved = own.points - points
    score = _HEALTH * np.log2(1 + np.maximum(_weight(own) * saved, -1.0) / 2)
    score = score - _NO_BETTER * (saved < 0.5) - _RARITY * np.log2(1 + place / 25)
    if own.energy_kcal_per_g > 0:
        denser = np.log2(np.fmax(energy_kcal_per_g / own.energy_kcal_per_g, 1.0))
        score -= _DENSER * denser
    return np.asarray(score, dtype=np.float64)


def _is_drink(own: Traits) -> bool:
    return own.eaten_as is not None and own.eaten_as.family in _GLASSES


def _is_less_healthy(own: Traits) -> bool:
    return own.profile.least >= (LESS_HEALTHY_DRINK if _is_drink(own) else LESS_HEALTHY_FOOD)


def _weight(own: Traits) -> float:
    return _DRINKS if _is_drink(own) else 1.0


def _branded(
    food: Food, own: Traits, catalog: Catalog, rules: Sequence[str], least_gain: int
) -> Iterator[_Candidate]:
    """Yield candidates among branded foods, which are searched by name because of their number."""
    assert own.eaten_as is not None
    kind = own.eaten_as.name
    labels = dict.fromkeys(_LABELS[rule] for rule in rules if rule in _LABELS)
    seen = {food.id}
    for query in (*(f"{label} {kind}" for label in labels), kind):
        for place, found in enumerate(catalog.search(query, kind="branded", limit=_BRANDED), 1):
            if found.id in seen or not _fits(found, rules):
                continue
            seen.add(found.id)
            traits = traits_of(found)
            if traits.eaten_as is None or traits.eaten_as.family != own.eaten_as.family:
                continue
            if not is_for_tables(found, traits):
                continue
            gain = own.profile.least - traits.profile.most
            if gain < least_gain or (own.is_ready and not traits.is_ready):
                continue
            if any(its > mine for its, mine in zip(traits.in_excess, own.in_excess, strict=True)):
                continue
            energy = np.array([traits.energy_kcal_per_g])
            points, rank = np.array([traits.points]), np.array([100 * place])
            score = float(_score(own, points, rank, energy)[0])
            score += _SAME_KIND * (traits.eaten_as == own.eaten_as)
            score += _LIKENESS * _likeness(own.words, traits.words)
            yield _Candidate(found.id, traits, gain, score, found)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two names have in common (Jaccard 1912)."""
    return len(one & other) / (len(one | other) or 1)


def _distinct(
    ranked: Iterable[_Candidate], food: Food, own: Traits, catalog: Catalog, limit: int
) -> list[_Candidate]:
    """Return the best candidates that are not similar to the food or to each other."""
    chosen: list[_Candidate] = []
    taken = [own.tells]
    brands: dict[str | None, int] = {food.brand_name: 0}
    for one in ranked:
        if len(chosen) == limit:
            break
        tells = one.traits.tells
        if any(tells == other or _likeness(tells, other) >= _ALIKE for other in taken):
            continue
        if tells <= own.tells and one.gain * _weight(own) < _WORTH_IT:
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
    """Return whether a food has the same nutrients as another, and is thus probably a duplicate."""
    amounts = per_100_g(food)
    for other in others:
        known = per_100_g(other)
        both = amounts.keys() & known.keys()
        if len(both) > 5 and all(math.isclose(amounts[k], known[k], rel_tol=0.02) for k in both):
            return True
    return False


def _alternative(one: _Candidate, food: Food, own: Traits) -> Alternative:
    assert one.food is not None
    kind = one.traits.eaten_as
    same = kind == own.eaten_as or (kind is not None and kind.family == "drinks")
    selection = as_much_as(Selection.of(food), one.food, same_kind=same)
    return Alternative(selection, one.gain, _why(food, one.food, one.gain), one.score)


def _why(food: Food, other: Food, gain: int) -> str:
    """Describe the two largest improvements, as measured in points of the nutrient profile."""
    mine, its = per_100_g(food), per_100_g(other)
    better: list[tuple[float, str]] = []
    for key, (name, unit, sign) in _COMPARED.items():
        if key in mine and key in its:
            points = sign * (its[key] - mine[key]) / _SCALES[key]
            if points >= 0.5:
                more = "more" if sign > 0 else "less"
                told = f"{more} {name} ({its[key]:.3g} {unit} instead of {mine[key]:.3g} {unit})"
                better.append((points, told))
    better.sort(reverse=True)
    if not better:
        return "at least as healthy" if gain >= 0 else "fits the diet"
    return "per 100 g: " + " and ".join(told for _, told in better[:2])


def _by_peak(
    found: Sequence[Alternative], own_mg_dl: float, peak_of: Callable[[Selection], float]
) -> list[Alternative]:
    """Add the predicted peak to the scores, and sort again."""
    ranked = []
    for one in found:
        peak = peak_of(one.selection)
        score = one.score + (own_mg_dl - peak) / _PEAK_MG_DL
        ranked.append(Alternative(one.selection, one.points_saved, one.why, score, peak))
    return sorted(ranked, key=lambda one: (-one.score, one.food.id))
