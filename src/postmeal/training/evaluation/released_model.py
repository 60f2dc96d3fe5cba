"""Predict all meals of a meals table with a released model, and score the predictions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from postmeal.glucose.cases import Cases
from postmeal.glucose.composition import compose, person_range, within_limits
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.glucose.population.impact import IMPACTS
from postmeal.glucose.population.meal_limits import check_macronutrients
from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.arrays import gains_and_offsets, inputs, meals_of, observed_curves
from postmeal.training.fit.metrics import (
    band_metrics,
    curve_metrics,
    macro_f1,
    observed_impact,
)

Array = NDArray[np.float64]

PREDICTION_COLUMNS = (
    "person",
    "sensor",
    "meal_time",
    "minute",
    "observed_mg_dl",
    "predicted_mg_dl",
    "lower_mg_dl",
    "upper_mg_dl",
    "impact",
)
"""Columns of the result of `long_table`."""


class TablePrediction(NamedTuple):
    """Predictions for the rows of a meals table."""

    glucose_mg_dl: Array
    lower_mg_dl: Array
    upper_mg_dl: Array
    impact: NDArray[np.intp]
    chances: Array
    cgp_min: Array
    cgp_max: Array

    @classmethod
    def of(cls, predictor: Predictor, cases: Cases) -> TablePrediction:
        """Predict as in `Predictor.predict`, but do not widen the ranges to contain the curves."""
        found = compose(predictor, cases)
        low, high = (within_limits(ends) for ends in person_range(predictor, cases))
        curves = found.glucose_mg_dl, found.lower_mg_dl, found.upper_mg_dl
        return cls(*curves, found.impact, found.chances, np.floor(low), np.ceil(high))


def predict_table(
    predictor: Predictor, table: pd.DataFrame, start_mg_dl: ArrayLike = np.nan
) -> TablePrediction:
    """Predict all meals of a table at once, with the same results as `Predictor.predict`."""
    check_macronutrients(inputs(table)[list(MACRONUTRIENTS)].to_numpy(np.float64))
    gain, offset = gains_and_offsets(table["sensor"], predictor.sensors, unknown_is_blood=True)
    cases = Cases.of(
        meals_of(table), gain=gain[:, 0], offset_mg_dl=offset[:, 0], start_mg_dl=start_mg_dl
    )
    return TablePrediction.of(predictor, cases)


def score(observed: Array, person: ArrayLike, predicted: TablePrediction) -> dict[str, float]:
    """Compute all metrics of predictions, as defined in `postmeal.training.fit.metrics`."""
    on_the_curve = observed_impact(predicted.glucose_mg_dl)
    return {
        **curve_metrics(observed, predicted.glucose_mg_dl, person, predicted.impact),
        "curve_macro_f1": macro_f1(observed_impact(observed), on_the_curve),
        **band_metrics(observed, predicted.lower_mg_dl, predicted.upper_mg_dl, person),
        **range_metrics(observed, predicted.cgp_min, predicted.cgp_max),
    }


def score_by_condition(predictor: Predictor, table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Score the predictions for the meals of each condition; see `score`."""
    return {
        str(condition): score(observed_curves(part), part["person"], predict_table(predictor, part))
        for condition, part in table.groupby("condition")
    }


def readings_in_range(observed: Array, low: Array, high: Array) -> float:
    """Return the share of readings that are inside people's ranges."""
    return float(((observed >= low[:, None]) & (observed <= high[:, None])).mean())


def range_metrics(observed: Array, low: Array, high: Array) -> dict[str, float]:
    """Compute how often readings and whole curves are in people's ranges, and their widths."""
    lowest, highest = observed.min(axis=1), observed.max(axis=1)
    inside = (lowest >= low) & (highest <= high)
    needed = int(inside.sum())
    narrowest = float("inf")
    for start in np.unique(lowest):
        tops = np.sort(highest[lowest >= start])
        if needed and len(tops) >= needed:
            narrowest = min(narrowest, float(tops[needed - 1] - start))
    return {
        "readings_in_range": readings_in_range(observed, low, high),
        "range_coverage": float(inside.mean()),
        "range_width_mg_dl": float((high - low).mean()),
        "constant_range_width_mg_dl": narrowest,
    }


def long_table(table: pd.DataFrame, predicted: TablePrediction) -> pd.DataFrame:
    """Convert predictions to a table with the columns `PREDICTION_COLUMNS`.

    Each meal has one row for every 15 minutes from 0 to 120 minutes after its start.
    """
    n_times = len(GRID_MIN)
    rows = table[["person", "sensor", "meal_time"]]
    long = rows.loc[rows.index.repeat(n_times)].reset_index(drop=True)
    long["minute"] = np.tile(np.array(GRID_MIN, dtype=int), len(table))
    long["observed_mg_dl"] = observed_curves(table).ravel()
    long["predicted_mg_dl"] = predicted.glucose_mg_dl.ravel()
    long["lower_mg_dl"] = predicted.lower_mg_dl.ravel()
    long["upper_mg_dl"] = predicted.upper_mg_dl.ravel()
    long["impact"] = np.array(IMPACTS)[predicted.impact].repeat(n_times)
    return long[list(PREDICTION_COLUMNS)]
