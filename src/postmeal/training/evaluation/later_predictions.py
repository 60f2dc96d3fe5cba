"""Predict all later meals of a person at once, with the same results as `Predictor.predict`.

There are three predictions: that of the population model, that of the personal model as fitted, and
the served prediction. The served prediction is that of the personal model if this model was more
accurate on held-out days, and that of the population model otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.released_model import TablePrediction
from postmeal.training.fit.later_days import LaterMeals, cases_of, start_readings

__all__ = [
    "ANSWERS",
    "observed_later",
    "personal",
    "population",
    "predict_later",
    "served",
]

Array = NDArray[np.float64]

Answer = Callable[[Predictor, LaterMeals, Array | None], TablePrediction]


def population(
    predictor: Predictor, one: LaterMeals, start_mg_dl: Array | None = None
) -> TablePrediction:
    """Predict a person's later meals with the population model.

    Parameters
    ----------
    predictor : Predictor
        The model.
    one : LaterMeals
        Later meals of a person.
    start_mg_dl : ndarray of shape (n_meals,), optional
        Readings at the start of the meals, NaN where there are none; see
        `postmeal.training.fit.later_days.start_readings`.

    Returns
    -------
    TablePrediction
        Predictions in the order of the meals. Ranges are not widened to contain the curves.
    """
    return _predict(predictor, one, None, start_mg_dl)


def personal(
    predictor: Predictor, one: LaterMeals, start_mg_dl: Array | None = None
) -> TablePrediction:
    """Predict with the personal model, even if it was not more accurate; see `population`."""
    return _predict(predictor, one, one.personal, start_mg_dl)


def served(
    predictor: Predictor, one: LaterMeals, start_mg_dl: Array | None = None
) -> TablePrediction:
    """Predict with the model that is served to the person; see `population`."""
    return _predict(predictor, one, one.personal, start_mg_dl, one.is_used)


ANSWERS: dict[str, Answer] = {"population": population, "personal": personal, "served": served}
"""Functions for the three predictions, by name."""


def predict_later(
    predictor: Predictor,
    people: Iterable[LaterMeals],
    answer: Answer,
    *,
    from_reading: bool = False,
) -> TablePrediction:
    """Predict all later meals of many people.

    Parameters
    ----------
    predictor : Predictor
        The model.
    people : iterable of LaterMeals
        The people.
    answer : callable
        One of `ANSWERS`.
    from_reading : bool, default=False
        Whether each curve starts at the last reading before the meal.

    Returns
    -------
    TablePrediction
        Predictions in the order of the people and their meals.
    """
    parts = [
        answer(predictor, one, start_readings(one) if from_reading else None) for one in people
    ]
    return TablePrediction(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def observed_later(people: Iterable[LaterMeals]) -> tuple[Array, NDArray[np.str_]]:
    """Return the readings after all later meals, of shape (n_meals, 9), and each meal's person."""
    listed = list(people)
    count = [len(one.meals.utc_s) for one in listed]
    names = np.array([one.history.person for one in listed])
    return np.concatenate([one.meals.glucose_mg_dl for one in listed]), np.repeat(names, count)


def _predict(
    predictor: Predictor,
    one: LaterMeals,
    own: PersonalModel | None,
    start_mg_dl: Array | None,
    is_own: ArrayLike = True,
) -> TablePrediction:
    start = np.nan if start_mg_dl is None else start_mg_dl
    cases = cases_of(predictor, one.history, own, one.meals, start, is_own)
    return TablePrediction.of(predictor, cases)
