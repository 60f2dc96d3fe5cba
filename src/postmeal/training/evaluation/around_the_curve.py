"""Evaluate what stands around the curve: band, range and chances, by what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.population.chances import CHANCES
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.chances import brier_scores, outcomes
from postmeal.training.evaluation.known_people import (
    Known,
    KnownMeals,
    known_meals,
    observations,
    predicted,
)
from postmeal.training.evaluation.released_model import TablePrediction, readings_in_range
from postmeal.training.fit.calibration import person_weights
from postmeal.training.fit.metrics import band_metrics
from postmeal.training.fit.personal_release import unseen_set_predictors
from postmeal.training.fit.release import TrainingData, meal_weights

Array = NDArray[np.float64]

_CONDITION = "condition"
_LEFT_OUT_RUNGS = (_CONDITION, "reading", "cgm-72h", "cgm-24h,reading", "cgm-72h,reading")
_LEAST_PEOPLE = 4  # fewer people tell nothing about a state


def around_the_curve(
    group: Sequence[KnownMeals], found: TablePrediction
) -> dict[str, dict[str, float]]:
    """Evaluate band, range and chances of the same meals, for all of them and for each state."""
    observed, person = observations(group)
    state = np.concatenate([[one.history.state] * len(one.meals.utc_s) for one in group])
    result = {}
    for name in ("all", *STATES):
        rows = np.ones(len(state), dtype=np.bool_) if name == "all" else state == name
        if len(np.unique(person[rows])) >= _LEAST_PEOPLE:
            part = TablePrediction(*(column[rows] for column in found))
            result[name] = _scores(observed[rows], person[rows], part)
    return result


def _scores(observed: Array, person: NDArray[np.str_], found: TablePrediction) -> dict[str, float]:
    bands = band_metrics(observed, found.lower_mg_dl, found.upper_mg_dl, person)
    return {
        "n_people": len(np.unique(person)),
        "n_meals": len(person),
        **{name: bands[name] for name in ("coverage", "people_under_80_percent")},
        "readings_in_range": readings_in_range(observed, found.cgp_min, found.cgp_max),
        "cgp_min": float(found.cgp_min.mean()),
        "cgp_max": float(found.cgp_max.mean()),
        **chance_slopes(observed, found.chances, person),
        **brier_scores(observed, found.chances, person),
    }


def chance_slopes(
    observed_mg_dl: Array, chances: Array, person: NDArray[np.str_]
) -> dict[str, float]:
    """Return mean chances, and the slopes of outcomes on chances; all people weigh the same.

    A slope of 1 means that the chances are right; it is smaller if they are too extreme.
    """
    weight = person_weights(person.astype(object))
    happened, result = outcomes(observed_mg_dl), {}
    for position, name in enumerate(CHANCES):
        chance, happens = chances[:, position], happened[:, position].astype(np.float64)
        mean, rate = (float(np.average(each, weights=weight)) for each in (chance, happens))
        variance = float(np.average((chance - mean) ** 2, weights=weight))
        covariance = float(np.average((chance - mean) * (happens - rate), weights=weight))
        result[f"{name}_mean"] = mean
        result[f"{name}_slope"] = covariance / variance if variance else 0.0
    return result


def left_out_around_the_curve(training: TrainingData, predictor: Predictor) -> dict[str, Any]:
    """Evaluate people of data sets that are left out of the fit of the curve.

    Bands and chances are those of the model, which are calibrated on such people.
    """
    known = training.histories, training.table, meal_weights(training.table), predictor
    model = replace(predictor, sensors=training.sensors)
    folds = [
        (replace(model, population=fold.population, level_mg_dl=fold.level_mg_dl), people)
        for fold, people in unseen_set_predictors(*known[:3], model)
    ]
    result: dict[str, Any] = {}
    for rung in _LEFT_OUT_RUNGS:
        what = Known() if rung == _CONDITION else Known.parse(rung)
        if what.needs_person_coefficients and predictor.person is None:
            continue
        for fold, people in folds:
            group = [part for one in people for part in known_meals(fold, one, what)]
            if group:
                found = predicted(fold, [one.cases for one in group])
                name = group[0].history.data_set
                result.setdefault(name, {})[rung] = around_the_curve(group, found)
    return result
