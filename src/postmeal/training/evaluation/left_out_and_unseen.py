"""Evaluate models on left-out data sets (protocol 1) and on unseen people (protocol 2).

The model is compared with LightGBM and simple baselines. Protocol 3 is in
`postmeal.training.evaluation.forward_in_time`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from postmeal.glucose.population.sensors import SensorConstant
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets import GLUCOSE_DRINKS, LEFT_OUT
from postmeal.training.evaluation.baselines import (
    RIDGE_GRID,
    CarbLine,
    ConditionMean,
    GlobalMean,
    LinearCurve,
)
from postmeal.training.evaluation.lightgbm_challenger import BOOSTING_GRID, BoostedCurve
from postmeal.training.evaluation.one_sided_misses import misses_at_breakfast
from postmeal.training.evaluation.released_model import predict_table, score, score_by_condition
from postmeal.training.evaluation.rise_bias import bias_by_state
from postmeal.training.evaluation.tuning import tuned
from postmeal.training.fit.arrays import meals_of, observed_curves
from postmeal.training.fit.estimator import BloodCurve
from postmeal.training.fit.metrics import (
    curve_metrics,
    paired_bootstrap,
    per_person,
    rise_rmse_mg_dl,
)
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.release import TrainingData, meal_weights, unseen_people

__all__ = [
    "compare",
    "fit_peers",
    "frozen_on",
    "leave_one_data_set_out",
]

Array = NDArray[np.float64]


def leave_one_data_set_out(data: TrainingData) -> dict[str, Any]:
    """Fit models to all training sets except one, and score their predictions for that set.

    This is protocol 1. For comparison, the same formula is fitted only to that set, with its people
    left out in turn. This shows how accurate predictions from the same inputs can be if the model
    is fitted to similar people.

    Parameters
    ----------
    data : TrainingData
        The training sets.

    Returns
    -------
    dict
        For each left-out set, ``models`` (metrics by name), ``paired`` (see `compare`) and
        ``bias`` (see `postmeal.training.evaluation.rise_bias.bias_by_state`).
    """
    result = {}
    for name in LEFT_OUT:
        is_left_out = (data.table["data_set"] == name).to_numpy()
        seen, unseen = data.table[~is_left_out], data.table[is_left_out]
        predictions = {
            key: one.predict(unseen) for key, one in fit_peers(seen, data.sensors).items()
        }
        predictions["its own people"] = unseen_people(unseen, data.sensors)
        result[name] = compare(unseen, predictions)
        observed, predicted = observed_curves(unseen), predictions["population"]
        result[name]["bias"] = bias_by_state(observed, predicted, unseen["condition"])
    return result


def frozen_on(
    predictor: Predictor, peers: dict[str, BloodCurve], table: pd.DataFrame
) -> dict[str, Any]:
    """Score the released model on people and sensors that were not used for training (protocol 2).

    Parameters
    ----------
    predictor : Predictor
        The released model.
    peers : dict of str to BloodCurve
        LightGBM and the baselines, fitted to the training data of the model; see `fit_peers`.
    table : DataFrame
        Meals table of the unseen people.

    Returns
    -------
    dict
        For each sensor, ``models`` and ``paired`` (see `compare`), ``conditions`` (metrics by
        condition), ``bias`` (see `postmeal.training.evaluation.rise_bias.bias_by_state`) and
        ``misses`` (see `postmeal.training.evaluation.one_sided_misses.misses_at_breakfast`).
    """
    result = {}
    for sensor, rows in table.groupby("sensor"):
        predictions = {name: one.predict(rows) for name, one in peers.items()}
        frozen = predict_table(predictor, rows)
        one = compare(rows, {**predictions, "population": frozen.glucose_mg_dl})
        one["models"]["population"] = score(observed_curves(rows), rows["person"], frozen)
        one["conditions"] = score_by_condition(predictor, rows)
        observed, predicted = observed_curves(rows), frozen.glucose_mg_dl
        one["bias"] = bias_by_state(observed, predicted, rows["condition"])
        limits = frozen.lower_mg_dl, frozen.upper_mg_dl
        one["misses"] = misses_at_breakfast(observed, *limits, meals_of(rows).hour)
        result[str(sensor)] = one
    return result


def compare(table: pd.DataFrame, predictions: dict[str, Array]) -> dict[str, Any]:
    """Compute the metrics of several predictions for the same meals, and their paired differences.

    Parameters
    ----------
    table : DataFrame
        A meals table.
    predictions : dict of str to ndarray of shape (n_meals, 9)
        Curves by name. ``population`` is compared with each of the others.

    Returns
    -------
    dict
        ``models`` contains the metrics by name. For each name except ``population``, ``paired``
        contains the rise RMSE of ``population`` minus that of the other prediction in mg/dL: the
        mean over people and its 95% interval.
    """
    observed, person = observed_curves(table), table["person"].to_numpy()

    def by_person(predicted: Array) -> Array:
        return per_person(person, lambda rows: rise_rmse_mg_dl(observed[rows], predicted[rows]))

    own = by_person(predictions["population"])
    paired = {}
    for name, predicted in predictions.items():
        if name != "population":
            mean, low, high = paired_bootstrap(own - by_person(predicted))
            paired[name] = {"rise_rmse_difference_mg_dl": mean, "low": low, "high": high}
    models = {name: curve_metrics(observed, one, person) for name, one in predictions.items()}
    return {"models": models, "paired": paired}


def fit_peers(table: pd.DataFrame, sensors: dict[str, SensorConstant]) -> dict[str, BloodCurve]:
    """Fit the population model, LightGBM and the baselines to a meals table.

    LightGBM and the linear model have all inputs of the population model, and their settings are
    chosen among the people of the table. Mean curves are fitted without the glucose drinks, because
    these are not meals.

    Parameters
    ----------
    table : DataFrame
        The meals table to fit to.
    sensors : dict of str to SensorConstant
        Constants of each sensor family.

    Returns
    -------
    dict of str to BloodCurve
        The fitted estimators, by name.
    """
    meals = table[~table["data_set"].isin(GLUCOSE_DRINKS)]
    estimators: dict[str, tuple[BloodCurve, pd.DataFrame]] = {
        "population": (PostMealCurve(sensors=sensors), table),
        "carb line": (CarbLine(sensors), table),
        "condition mean": (ConditionMean(sensors), meals),
        "global mean": (GlobalMean(sensors), meals),
    }
    fitted = {
        name: one.fit(rows, observed_curves(rows), meal_weights(rows), rows["person"].to_numpy())
        for name, (one, rows) in estimators.items()
    }
    return {
        "population": fitted.pop("population"),
        "challenger": tuned(BoostedCurve(sensors=sensors), BOOSTING_GRID, table),
        "linear": tuned(LinearCurve(sensors=sensors), RIDGE_GRID, table),
        **fitted,
    }
