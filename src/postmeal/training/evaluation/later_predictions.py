"""Predict all later meals of a person at once, with the same results as `Predictor.predict`.

There are three predictions: that of the population model, that of the personal model as fitted, and
the served prediction. The served prediction is that of the personal model if this model was more
accurate on held-out days, and otherwise what the readings of the first days tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.person.prior import MEAN_PERSON, PersonPrior
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import prior_of_trace
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.released_model import TablePrediction
from postmeal.training.fit.later_days import LaterMeals, cases_of, known_days, start_readings
from postmeal.training.fit.person_history import PersonHistory

Array = NDArray[np.float64]

Answer = Callable[[Predictor, LaterMeals, Array | None], TablePrediction]


def population(
    predictor: Predictor, one: LaterMeals, start_mg_dl: Array | None = None
) -> TablePrediction:
    """Predict a person's later meals with the population model."""
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
    state, sensor = one.history.state, one.history.sensor
    readings = known_days(one.history.trace, one.known)
    prior = prior_of_trace(predictor, state, sensor, readings)
    return _predict(predictor, one, one.personal, start_mg_dl, one.own_share, prior)


ANSWERS: dict[str, Answer] = {"population": population, "personal": personal, "served": served}
"""Functions for the three predictions, by name."""


def predict_later(
    predictor: Predictor,
    people: Iterable[LaterMeals],
    answer: Answer,
    *,
    from_reading: bool = False,
) -> TablePrediction:
    """Predict all later meals of many people."""
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


def later_table(people: Iterable[LaterMeals]) -> pd.DataFrame:
    """Return all later meals as a meals table, with all inputs that postmeal predicts them from."""
    return pd.concat([meal_rows(one.history, one.meals) for one in people], ignore_index=True)


def meal_rows(history: PersonHistory, meals: Responses) -> pd.DataFrame:
    """Return the meals of one person as a meals table; see `later_table`."""
    rows = pd.DataFrame(meals.macronutrients, columns=list(MACRONUTRIENTS))
    return rows.assign(
        data_set=history.data_set,
        person=history.person,
        sensor=history.sensor,
        condition=history.state,
        meal_time=pd.to_datetime(meals.local_s, unit="s"),
        since_meal_h=meals.since_meal_h,
    )


def _predict(
    predictor: Predictor,
    one: LaterMeals,
    own: PersonalModel | None,
    start_mg_dl: Array | None,
    own_share: ArrayLike = 1.0,
    prior: PersonPrior = MEAN_PERSON,
) -> TablePrediction:
    start = np.nan if start_mg_dl is None else start_mg_dl
    cases = cases_of(predictor, one.history, own, one.meals, start, own_share, [prior])
    return TablePrediction.of(predictor, cases)
