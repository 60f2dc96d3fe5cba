"""Evaluate the population model when a reading at the start of the meal is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.one_sided_misses import miss_shares
from postmeal.training.evaluation.refitted_predictor import refitted
from postmeal.training.evaluation.released_model import predict_table, score
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.person_history import PersonHistory
from postmeal.training.fit.release import TrainingData

Array = NDArray[np.float64]


def readings_before(table: pd.DataFrame, people: Iterable[PersonHistory]) -> Array:
    """Return the last reading in the 15 minutes before the start of each meal."""
    trace = {(one.person, one.sensor): one.trace for one in people}
    person = table["data_set"] + "/" + table["person"].astype(str)
    time_s = table["meal_time"].to_numpy("datetime64[s]").astype(np.float64)
    found = [
        trace[name, str(sensor)].last_before(moment)
        for name, sensor, moment in zip(person, table["sensor"], time_s.tolist(), strict=True)
    ]
    return np.array([np.nan if reading is None else reading for reading in found])


def frozen_with_reading(
    predictor: Predictor, table: pd.DataFrame, people: Iterable[PersonHistory]
) -> dict[str, dict[str, float]]:
    """Score the released model for each sensor, given a reading at the start of each meal."""
    readings = pd.Series(readings_before(table, people), table.index)
    return {
        str(sensor): _score_with_reading(predictor, rows, readings)
        for sensor, rows in table.groupby("sensor")
    }


def left_out_with_reading(
    data: TrainingData, predictor: Predictor, name: str = "hall2018"
) -> dict[str, Any]:
    """Leave out a data set, and score predictions for it with and without a reading.

    The slopes and the band of a prediction with a reading are those of the released model. They are
    fitted to people with several days, and Hall 2018 has no such people.
    """
    is_left_out = (data.table["data_set"] == name).to_numpy()
    seen, unseen = data.table[~is_left_out], data.table[is_left_out]
    fitted = refitted(predictor, seen, data)
    readings = pd.Series(readings_before(unseen, data.histories), unseen.index)
    unknown = readings.where(readings.isna())
    return {
        "with_reading": _score_with_reading(fitted, unseen, readings),
        "without_reading": _score_with_reading(fitted, unseen, unknown),
    }


def _score_with_reading(
    predictor: Predictor, rows: pd.DataFrame, readings: pd.Series[float]
) -> dict[str, float]:
    observed = observed_curves(rows)
    own = readings.loc[rows.index].to_numpy(dtype=np.float64)
    predicted = predict_table(predictor, rows, own)
    misses = miss_shares(observed, predicted.lower_mg_dl, predicted.upper_mg_dl)
    known = {"n_readings": int((~np.isnan(own)).sum())}
    return {**score(observed, rows["person"], predicted), **misses, **known}
