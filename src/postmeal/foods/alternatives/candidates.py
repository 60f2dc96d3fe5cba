"""Candidates for alternatives to a food, each with a score.

Every candidate is healthy enough, fits all diet rules and is not vetoed. A candidate that is high
in a nutrient contains no more of it than the food to replace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.alternatives.kinds import eaten_as
from postmeal.foods.alternatives.nutrient_profile import LESS_HEALTHY_DRINK, LESS_HEALTHY_FOOD
from postmeal.foods.alternatives.pool import Pool, Traits, is_recommended, traits_of
from postmeal.foods.alternatives.vetoes import is_vetoed, stand_ins
from postmeal.foods.catalog import Catalog
from postmeal.foods.diets.rules import RULES
from postmeal.foods.diets.verdicts import Diets
from postmeal.foods.food import Food

DRINKS_WEIGHT = LESS_HEALTHY_FOOD / LESS_HEALTHY_DRINK
"""Weight of one nutrient profile point of a drink, relative to one point of a food."""

_CONSIDERED = 80  # number of best candidates before similar foods are removed
_OF_OTHER_KINDS = 12  # number of best candidates per stand-in before similar foods are removed
_BRANDED = 40
_EXCLUDED = 20
_OTHER_KIND = 2.0  # penalty per position in the list of stand-ins
_HEALTH, _SAME_KIND, _LIKENESS, _DENSER, _NO_BETTER = 3.0, 5.0, 6.0, 1.5, 5.0
_STILL_LESS_HEALTHY = 3.0  # penalty if the candidate may be "less healthy"
_TRADED = 2.0  # penalty for each nutrient that is worse by more than one profile point
_RARITY = 0.8  # penalty per doubling of the popularity rank
_LABELS = {"gluten": "gluten free", "wheat": "gluten free", "lactose": "lactose free",
           "dairy": "dairy free", "vegan": "vegan", "vegetarian": "vegetarian"}  # fmt: skip

Places = NDArray[np.int64]
Numbers = NDArray[np.float64] | NDArray[np.int64]
Marks = NDArray[np.bool_]

_NOWHERE: Places = np.array([], dtype=np.int64)


@dataclass(slots=True)
class Candidate:
    """A food that may replace another food, with its gain in nutrient profile points."""

    food_id: int
    traits: Traits
    gain: int
    score: float
    food: Food | None = None
    """None if the food has not been read from the catalog yet."""


def in_pool(
    food: Food,
    own: Traits,
    pool: Pool,
    at: Places,
    rules: Sequence[str],
    least_gain: int,
    considered: int = _CONSIDERED,
) -> tuple[list[Candidate], tuple[tuple[int, str], ...]]:
    """Find candidates among generic foods and recipes, and foods that only a diet rule excludes."""
    gain = own.profile.least - pool.most_points[at]
    fit_to_eat = (pool.ids[at] != food.id) & (pool.is_ready[at] | (not own.is_ready))
    better = fit_to_eat & (gain >= least_gain) & ~pool.vetoed_by(own.eaten_as)[pool.kinds[at]]
    at, gain = at[better], gain[better]
    no_higher = (pool.in_excess[at] <= own.in_excess).all(axis=1)
    at, gain = at[no_higher], gain[no_higher]
    assert own.eaten_as is not None
    score = _score(
        own,
        pool.points[at],
        pool.places[at],
        pool.energy_kcal_per_g[at],
        pool.limited[at],
        is_less_healthy=pool.is_less_healthy[at],
        is_same_kind=pool.kinds[at] == pool.number_of.get(own.eaten_as.name, 0),
    )
    mask = sum(3 << 2 * RULES.index(rule) for rule in rules)
    wanted = sum(1 << 2 * RULES.index(rule) for rule in rules)
    fits = (pool.bits[at] & mask) == wanted
    best = np.sort(score[fits])[-considered:]
    within = fits & (score >= best[0] - _LIKENESS) if len(best) else fits
    fit = [
        Candidate(int(pool.ids[one]), pool.traits[one], int(points), float(base))
        for one, points, base in zip(at[within], gain[within], score[within], strict=True)
    ]
    for candidate in fit:
        candidate.score += _LIKENESS * likeness(own.words, candidate.traits.words)
    unfit = at[~fits][np.argsort(-score[~fits], kind="stable")][:_EXCLUDED]
    return fit, tuple((int(pool.ids[one]), _broken(int(pool.bits[one]), rules)) for one in unfit)


def first_choices(
    food: Food, own: Traits, pool: Pool, rules: Sequence[str], least_gain: int
) -> Iterator[list[Candidate]]:
    """Yield the plain and not "less healthy" foods of each kind recommended first, best first."""
    assert own.eaten_as is not None
    for kind in stand_ins(own.eaten_as).first:
        at = _plain(pool, kind)
        at = at[~pool.is_less_healthy[at]]
        fit, _ = in_pool(food, own, pool, at, rules, least_gain, _OF_OTHER_KINDS)
        yield sorted(fit, key=lambda one: (-one.score, one.food_id))


def last_choices(
    food: Food, own: Traits, pool: Pool, rules: Sequence[str], least_gain: int
) -> list[Candidate]:
    """Return the plain foods of other kinds that can replace a food, best match first."""
    assert own.eaten_as is not None
    found: list[Candidate] = []
    order = stand_ins(own.eaten_as)
    for place, kind in enumerate((*order.first, *order.then), 1):
        at = _plain(pool, kind)
        fit, _ = in_pool(food, own, pool, at, rules, least_gain, _OF_OTHER_KINDS)
        for one in fit:
            one.score -= _OTHER_KIND * place
        found += fit
    return sorted(found, key=lambda one: (-one.score, one.food_id))


def _plain(pool: Pool, kind: str) -> Places:
    """Return the indices of the plain foods of a kind such as "fruit" or "raw vegetables"."""
    name = kind.removeprefix("cooked ").removeprefix("raw ")
    at: Places = pool.by_kind.get(name, _NOWHERE)
    if name != kind:
        at = at[pool.is_cooked[at] == kind.startswith("cooked ")]
    return np.asarray(at[pool.is_plain[at]], dtype=np.int64)


def _broken(bits: int, rules: Iterable[str]) -> str:
    return next(rule for rule in rules if Diets(bits)[rule] != "free")


def _score(
    own: Traits,
    points: Numbers,
    place: Numbers,
    energy_kcal_per_g: Numbers,
    limited: Numbers,
    *,
    is_less_healthy: Marks,
    is_same_kind: Marks,
) -> Numbers:
    """Score foods; each additional nutrient profile point counts less than the one before."""
    saved = own.points - points
    weight = DRINKS_WEIGHT if own.is_drink else 1.0
    score = _HEALTH * np.log2(1 + np.maximum(weight * saved, -1.0) / 2)
    score = score - _NO_BETTER * (saved < 0.5) - _RARITY * np.log2(1 + place / 25)
    if own.energy_kcal_per_g > 0:
        denser = np.log2(np.fmax(energy_kcal_per_g / own.energy_kcal_per_g, 1.0))
        score -= _DENSER * denser
    score -= _STILL_LESS_HEALTHY * is_less_healthy
    score -= _TRADED * (limited > np.add(own.limited, 1.0)).sum(axis=1)
    return np.asarray(score + _SAME_KIND * is_same_kind, dtype=np.float64)


def branded(
    food: Food, own: Traits, catalog: Catalog, rules: Sequence[str], least_gain: int
) -> Iterator[Candidate]:
    """Yield candidates among the branded foods that a search for the kind of food finds."""
    assert own.eaten_as is not None
    kind = own.eaten_as.name
    labels = dict.fromkeys(_LABELS[rule] for rule in rules if rule in _LABELS)
    seen = {food.id}
    for query in (*(f"{label} {kind}" for label in labels), kind):
        for place, found in enumerate(catalog.search(query, kind="branded", limit=_BRANDED), 1):
            if found.id in seen or any(found.diets[rule] != "free" for rule in rules):
                continue
            seen.add(found.id)
            if not _is_suitable_kind(own, found):
                continue
            traits = traits_of(found)
            if not (_replaces(own, traits) and is_recommended(found, traits)):
                continue
            gain = own.profile.least - traits.profile.most
            if gain < least_gain:
                continue
            score = _score(
                own,
                np.array([traits.points]),
                np.array([100 * place]),
                np.array([traits.energy_kcal_per_g]),
                np.array([traits.limited]),
                is_less_healthy=np.array([traits.may_be_less_healthy]),
                is_same_kind=np.array([traits.eaten_as == own.eaten_as]),
            )
            similar = _LIKENESS * likeness(own.words, traits.words)
            yield Candidate(found.id, traits, gain, float(score[0]) + similar, found)


def _is_suitable_kind(own: Traits, other: Food) -> bool:
    """Return whether a food is of the same family as the original and of a kind that is allowed."""
    kind = eaten_as(other.description, other.category)
    if own.eaten_as is None or kind is None:
        return False
    return kind.family == own.eaten_as.family and not is_vetoed(own.eaten_as, kind)


def _replaces(own: Traits, other: Traits) -> bool:
    """Return whether a food is as ready to eat as the original, and no higher in any nutrient."""
    pairs = zip(other.most_in_excess, own.in_excess, strict=True)
    return (other.is_ready or not own.is_ready) and all(its <= mine for its, mine in pairs)


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the words in two names that occur in both names (Jaccard 1912)."""
    return len(one & other) / (len(one | other) or 1)
