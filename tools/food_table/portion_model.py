"""Fit the portion model, and evaluate it on held-out foods."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.portions.features import bucket
from postmeal.foods.portions.model import MOST, PortionModel, relation
from postmeal.foods.portions.units import BARE, VOLUMES_ML
from postmeal.foods.table import TableFood
from tools.food_table.portion_examples import KIND, SURVEY, Example, ExampleSet, examples_of
from tools.food_table.portion_ridge import Design, design_of, fit
from tools.food_table.survey_portions import SurveyFood

__all__ = ["HeldOut", "build_portion_model", "held_out_predictions"]

_FOLDS = 5
_STATED = (SURVEY, "sr28", "postmeal")
_STEP = 0.01
_LEAST_EXAMPLES = 30
_COVERED = (5.0, 95.0)
_CLOSE = 0.3
_NEAR = 0.26  # maximum difference of natural logarithms, which is about 30%
_LEAST_PAIRS = 6
_BETTER = 0.1
_OWN_ERROR = "=serving"


@dataclass(frozen=True)
class HeldOut:
    """Accuracy of the model on the portions of survey foods that were not used to fit it."""

    n_foods: int
    n_portions: int
    median_error: float
    close: float
    covered: float


def build_portion_model(
    survey: Sequence[SurveyFood], table: Sequence[TableFood]
) -> tuple[PortionModel, HeldOut]:
    """Fit the portion model and evaluate it on held-out foods."""
    found = examples_of(survey, table)
    examples = found.rows
    design = design_of(examples)
    weights = np.round(fit(design) / _STEP).astype(np.int16)
    predicted = held_out_predictions(examples, design)
    errors = design.targets - predicted
    countable = frozenset(bucket(e.food.head) for e in examples if e.key[0] == BARE)
    intervals = _intervals(examples, errors)
    model = PortionModel(
        weights,
        _STEP,
        found.usual_g,
        countable,
        _model_first(found, errors),
        _shares(examples, errors),
        intervals,
    )
    return model, _figures(examples, errors)


def held_out_predictions(examples: Sequence[Example], design: Design) -> NDArray[np.float64]:
    """Predict each example by five-fold cross-validation, keeping each food in one fold."""
    fold = np.array([_fold(example) for example in examples])
    predicted = np.zeros(len(examples))
    for left_out in range(_FOLDS):
        weights = fit(design.part(fold != left_out))
        predicted[fold == left_out] = design.part(fold == left_out).predict(weights)
    return predicted


def _fold(example: Example) -> int:
    if example.source == KIND:
        return _FOLDS  # foods for which only the kind is known are never held out
    return bucket(" ".join(example.food.words)) % _FOLDS


def _intervals(
    examples: Sequence[Example], errors: NDArray[np.float64]
) -> dict[str, tuple[float, float]]:
    """Return the 5th and 95th percentiles of the errors for survey foods, by unit."""
    by_unit: dict[str, list[float]] = defaultdict(list)
    for example, error in zip(examples, errors.tolist(), strict=True):
        if example.source == SURVEY and example.key[0] != MOST:
            by_unit[example.key[0]].append(error)
            by_unit["*"].append(error)
    found = {unit: e for unit, e in by_unit.items() if len(e) >= _LEAST_EXAMPLES}
    found[_OWN_ERROR] = _between_publishers(examples)
    return {unit: _limits(values) for unit, values in sorted(found.items())}


def _limits(values: Sequence[float]) -> tuple[float, float]:
    low, high = np.percentile(values, _COVERED) if values else (0.0, 0.0)
    return round(float(low), 3), round(float(high), 3)


def _between_publishers(examples: Sequence[Example]) -> list[float]:
    """Return the log ratios of the weights of portions that are in both FNDDS and SR28."""
    by_name: dict[tuple[object, ...], dict[str, float]] = defaultdict(dict)
    for example in examples:
        name = (example.food.head, frozenset(example.food.words), example.key)
        by_name[name].setdefault(example.source, example.weight_g)
    return [
        math.log(grams[SURVEY] / grams["sr28"])
        for grams in by_name.values()
        if {SURVEY, "sr28"} <= grams.keys()
    ]


def _model_first(found: ExampleSet, errors: NDArray[np.float64]) -> frozenset[str]:
    """Return the units for which the model is more accurate than SR28, and the groups of SR28.

    Predictions and SR28 servings are compared with the servings of the matching survey food. The
    predictions come from a model that was not fitted to this food.
    """
    places = {(e.number, e.key): place for place, e in enumerate(found.rows)}
    wins: dict[str, list[int]] = defaultdict(list)
    for example in found.rows:
        twin = places.get((found.twins.get(example.number, -1), example.key))
        countable = example.key[0] not in VOLUMES_ML  # cup weights are measured densities
        if twin is not None and example.source == "sr28" and countable:
            own = abs(math.log(example.weight_g / found.rows[twin].weight_g)) <= _NEAR
            wins[example.key[0]].append(int(abs(errors[twin]) <= _NEAR) - int(own))
    units = {
        unit
        for unit, won in wins.items()
        if len(won) >= _LEAST_PAIRS and sum(won) >= _BETTER * len(won)
    }
    return frozenset(units | {e.food.group for e in found.rows if e.source == "sr28"})


def _shares(examples: Sequence[Example], errors: NDArray[np.float64]) -> dict[str, float]:
    """Return the regression slopes between the errors of two measures of a food, by relation."""
    by_food: dict[int, list[int]] = defaultdict(list)
    for place, example in enumerate(examples):
        if example.key[0] != MOST and example.source in _STATED:
            by_food[example.number].append(place)
    above: dict[str, float] = defaultdict(float)
    below: dict[str, float] = defaultdict(float)
    for places in by_food.values():
        for one, other in permutations(places, 2):
            name = relation(examples[one].key, examples[other].key)
            above[name] += float(errors[one] * errors[other])
            below[name] += float(errors[other] ** 2)
    slopes = {name: above[name] / below[name] for name in sorted(above) if below[name] > 0}
    return {name: round(min(slope, 1.0), 2) for name, slope in slopes.items() if slope > 0}


def _figures(examples: Sequence[Example], errors: NDArray[np.float64]) -> HeldOut:
    """Compute the accuracy; the intervals for each half of the foods come from the other half."""
    survey = [place for place, e in enumerate(examples) if e.source == SURVEY and e.key[0] != MOST]
    error = errors[survey]
    half = np.array([_half(examples[place]) for place in survey])
    covered = np.zeros(len(survey), dtype=bool)
    for side in (False, True):
        others = [examples[p] for p, h in zip(survey, half, strict=True) if h != side]
        limits = _intervals(others, error[half != side])
        inside = [_within(limits, examples[p].key[0], errors[p]) for p in survey]
        covered = np.where(half == side, inside, covered)
    return HeldOut(
        n_foods=len({examples[place].number for place in survey}),
        n_portions=len(survey),
        median_error=float(np.median(np.abs(error))),
        close=float((np.abs(np.expm1(-error)) <= _CLOSE).mean()),
        covered=float(covered.mean()),
    )


def _half(example: Example) -> bool:
    return bucket("half " + " ".join(example.food.words)) % 2 == 0


def _within(limits: Mapping[str, tuple[float, float]], unit: str, error: float) -> bool:
    low, high = limits.get(unit, limits["*"])
    return bool(low <= error <= high)
