"""Evaluate personal models by the age of the history, and after a simulated sensor change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.history.glucose_column import READABLE_MG_DL
from postmeal.glucose.personal.prior import SENSOR_VARIANCE
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.later_predictions import observed_later
from postmeal.training.fit.later_days import LaterMeals, later_meals
from postmeal.training.fit.metrics import curve_metrics
from postmeal.training.fit.person_history import PersonHistory

Array = NDArray[np.float64]

AGES_DAYS = {"days 1-7": (0.0, 7.0), "days 8-14": (7.0, 14.0), "after day 14": (14.0, np.inf)}
"""Groups of meals by days after the last training day.

A group contains the meals after more than the first and at most the second number of days.
"""

CHANGE_MG_DL = float(np.sqrt(2 * SENSOR_VARIANCE))
"""Standard deviation of the difference between two sensors, in mg/dL."""


def by_age(group: Sequence[LaterMeals]) -> dict[str, list[LaterMeals]]:
    """Group later meals by `AGES_DAYS`, omitting groups without meals."""
    result = {}
    for name, (after, until) in AGES_DAYS.items():
        parts = [one.only((one.age_days > after) & (one.age_days <= until)) for one in group]
        if kept := [one for one in parts if len(one.meals.utc_s)]:
            result[name] = kept
    return result


def curves_by_age(group: Sequence[LaterMeals]) -> dict[str, dict[str, dict[str, float]]]:
    """Score the curves of the population model, the personal model and the served prediction.

    The served prediction is that of the personal model if it was more accurate on held-out days,
    and that of the population model otherwise.
    """
    result = {}
    for name, later in by_age(group).items():
        observed, person = observed_later(later)
        curves = {
            "population": [one.population_mg_dl for one in later],
            "personal": [one.personal_mg_dl for one in later],
            "served": [one.served_mg_dl for one in later],
        }
        result[name] = {
            answer: curve_metrics(observed, np.concatenate(parts), person)
            for answer, parts in curves.items()
        }
    return result


def after_sensor_change(
    folds: Iterable[tuple[Predictor, list[PersonHistory]]], data_set: str, n_days: int = 5
) -> dict[str, dict[str, dict[str, float]]]:
    """Score later meals after a simulated sensor change; see `curves_by_age`.

    Two models are trained for each person. The readings on the training days are raised by
    `CHANGE_MG_DL` for one model, and lowered by `CHANGE_MG_DL` for the other.
    """
    later = []
    for fold, people in folds:
        for one in people:
            if one.data_set == data_set and len(one.valid_days()) >= n_days:
                shifted = [with_other_sensor(one, sign * CHANGE_MG_DL, n_days) for sign in (-1, 1)]
                later += later_meals(fold, shifted, n_days)
    return curves_by_age(later)


def with_other_sensor(
    history: PersonHistory, difference_mg_dl: float, n_days: int
) -> PersonHistory:
    """Simulate a sensor that reads higher or lower on a person's first valid days."""
    trace = history.trace
    last = history.valid_days()[n_days - 1]
    is_first = (trace.utc_s + trace.utc_offset_s) // 86400 <= last
    glucose = np.clip(trace.glucose_mg_dl + difference_mg_dl * is_first, *READABLE_MG_DL)
    return replace(history, trace=replace(trace, glucose_mg_dl=glucose))
