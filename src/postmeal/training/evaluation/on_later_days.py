"""Train personal models on people's first days, and evaluate them on their later days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.errors import DataSetError, InputError
from postmeal.glucose.population.sensors import BLOOD, sensor_constant
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets.data_set import DataSet
from postmeal.training.datasets.meals_table import GLUCOSE_COLUMNS
from postmeal.training.evaluation.by_age import by_age
from postmeal.training.evaluation.later_predictions import (
    ANSWERS,
    observed_later,
    predict_later,
)
from postmeal.training.evaluation.released_model import (
    PREDICTION_COLUMNS,
    TablePrediction,
    long_table,
    score,
)
from postmeal.training.fit.later_days import LaterMeals, later_meals, refitted_every_day
from postmeal.training.fit.person_history import PersonHistory, histories

__all__ = [
    "PERSONAL_PREDICTION_COLUMNS",
    "PersonalEvaluation",
    "evaluate_personal",
    "with_unnamed_sensors",
]

PERSONAL_PREDICTION_COLUMNS = (*PREDICTION_COLUMNS, "answer")
"""Columns of the table of predictions. ``answer`` is ``personal`` or ``population``."""


class PersonalEvaluation(NamedTuple):
    """Metrics and predictions of personal models on later days.

    Attributes
    ----------
    metrics : dict of str to dict
        Metrics by sensor and model. ``population`` and ``personal`` are the two models. ``served``
        is the model that the person gets: the personal model if it was more accurate on held-out
        days, and the population model otherwise. If the meals belong to more than one group of
        `postmeal.training.evaluation.by_age.AGES_DAYS`, there are also metrics by group.
    people : dict of str to tuple of int
        For each sensor, the number of people, and how many of them get the population model because
        their personal model was not more accurate on held-out days.
    predictions : DataFrame
        The served predictions, with `PERSONAL_PREDICTION_COLUMNS`.
    """

    metrics: dict[str, dict[str, float]]
    people: dict[str, tuple[int, int]]
    predictions: pd.DataFrame


def evaluate_personal(
    predictor: Predictor,
    data_set: DataSet,
    n_days: int = 5,
    *,
    from_reading: bool = False,
    refit: bool = False,
) -> PersonalEvaluation:
    """Train personal models on people's first valid days, and evaluate them on later meals.

    Parameters
    ----------
    predictor : Predictor
        The released model.
    data_set : DataSet
        The data set. Sensors of unknown families are assumed to read blood glucose.
    n_days : int, default=5
        Number of valid days to train on.
    from_reading : bool, default=False
        Whether each curve starts at the last reading before the meal.
    refit : bool, default=False
        Whether each person's model is refitted before each later day, on all valid days before that
        day.

    Returns
    -------
    PersonalEvaluation
        The figures and predictions.

    Raises
    ------
    InputError
        `n_days` is less than 2.
    DataSetError
        Nobody has enough valid days and later meals.
    """
    if n_days < 2:
        raise InputError("days", "must be 2 or more", n_days)
    people = list(histories(data_set))
    known = with_unnamed_sensors(predictor, people)
    learn = refitted_every_day if refit else later_meals
    later = learn(known, people, n_days)
    if not later:
        raise DataSetError(
            f"{data_set.name}: no person has {n_days} valid days and later meals; train on fewer"
            " days"
        )
    metrics, counts, tables = {}, {}, []
    for sensor in dict.fromkeys(one.history.sensor for one in later):
        group = [one for one in later if one.history.sensor == sensor]
        ages = by_age(group)
        for name, rows in {"": group, **(ages if len(ages) > 1 else {})}.items():
            title = f"{sensor}, {name}" if name else sensor
            observed, person = observed_later(rows)
            for answer, ask in ANSWERS.items():
                predicted = predict_later(known, rows, ask, from_reading=from_reading)
                metrics[f"{title}, {answer}"] = score(observed, person, predicted)
        names = {one.history.person for one in group}
        served = {one.history.person for one in group if one.is_used.any()}
        counts[sensor] = len(names), len(names - served)
        served_predictions = predict_later(
            known, group, ANSWERS["served"], from_reading=from_reading
        )
        tables.append(_long(group, served_predictions))
    return PersonalEvaluation(metrics, counts, pd.concat(tables, ignore_index=True))


def with_unnamed_sensors(predictor: Predictor, people: Iterable[PersonHistory]) -> Predictor:
    """Return a copy of the model that treats unknown sensors as reading blood glucose."""
    sensors = dict(predictor.sensors)
    for name in dict.fromkeys(one.sensor for one in people):
        try:
            sensor_constant(name, sensors)
        except InputError:
            sensors[name] = BLOOD
    return replace(predictor, sensors=sensors)


def _long(group: Sequence[LaterMeals], predicted: TablePrediction) -> pd.DataFrame:
    table = pd.concat([_meals(one) for one in group], ignore_index=True)
    is_used: NDArray[np.bool_] = np.concatenate([one.is_used for one in group])
    long = long_table(table, predicted)
    n_times = len(GLUCOSE_COLUMNS)
    return long.assign(answer=np.where(is_used, "personal", "population").repeat(n_times))


def _meals(one: LaterMeals) -> pd.DataFrame:
    curves = pd.DataFrame(one.meals.glucose_mg_dl, columns=list(GLUCOSE_COLUMNS))
    return curves.assign(
        person=one.history.person.removeprefix(f"{one.history.data_set}/"),
        sensor=one.history.sensor,
        meal_time=pd.to_datetime(one.meals.local_s, unit="s"),
    )
