"""Compare predictions for standard loads with held-out glucose drinks and published responses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from postmeal.glucose.population.curve import iauc_mg_dl_min
from postmeal.glucose.population.states import STATES
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets import GLUCOSE_DRINKS
from postmeal.training.evaluation.one_sided_misses import miss_shares
from postmeal.training.evaluation.refitted_predictor import refitted
from postmeal.training.evaluation.released_model import TablePrediction, predict_table
from postmeal.training.evaluation.rise_bias import rise_bias
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.published_responses import PUBLISHED, predicted_to_published
from postmeal.training.fit.release import (
    TrainingData,
    meal_weights,
    population_band,
    unseen_people,
)


def standard_loads(data: TrainingData, predictor: Predictor) -> dict[str, Any]:
    """Compare predictions for standard loads with observed and published responses."""
    return {
        "glucose_drinks": held_out_drinks(data, predictor),
        "published": published_responses(data, predictor),
    }


def held_out_drinks(data: TrainingData, predictor: Predictor) -> dict[str, Any]:
    """Predict the glucose drinks with a model and a band that were fitted without them.

    The constants of the sensors are those of all training sets.
    """
    is_drink = data.table["data_set"].isin(GLUCOSE_DRINKS).to_numpy()
    meals, drinks = data.table[~is_drink], data.table[is_drink]
    band = population_band(meals, unseen_people(meals, data.sensors))
    without_drinks = replace(refitted(predictor, meals, data), band=band)
    return drinks_by_state(drinks, predict_table(without_drinks, drinks))


def drinks_by_state(table: pd.DataFrame, predicted: TablePrediction) -> dict[str, Any]:
    """Compare predicted and observed responses to a load, by state of glucose regulation."""
    observed = observed_curves(table)
    result: dict[str, Any] = {}
    for state in STATES:
        rows = (table["condition"] == state).to_numpy()
        if not rows.any():
            continue
        curves, found = observed[rows], predicted.glucose_mg_dl[rows]
        area = float(iauc_mg_dl_min(curves).mean())
        misses = miss_shares(curves, predicted.lower_mg_dl[rows], predicted.upper_mg_dl[rows])
        result[state] = {
            "n_people": int(table["person"][rows].nunique()),
            "observed_iauc_mg_dl_min": round(area),
            "iauc_ratio": float(iauc_mg_dl_min(found).mean() / area),
            "coverage": 1 - misses["share_above"] - misses["share_below"],
            **misses,
            **rise_bias(curves, found),
        }
    return result


def published_responses(data: TrainingData, predictor: Predictor) -> dict[str, dict[str, float]]:
    """Compare predictions with `postmeal.training.fit.published_responses.PUBLISHED`."""
    table, person = data.table, data.table["person"].to_numpy()
    without = PostMealCurve(sensors=data.sensors, uses_published=False)
    without.fit(table, observed_curves(table), meal_weights(table), person)
    libre = data.sensors["Libre"]
    ratio = predicted_to_published(predictor.population, libre)
    ratio_without = predicted_to_published(without.model_, libre)
    return {
        name: {
            "published": value,
            "ratio": ratio[name],
            "ratio_without": ratio_without[name],
        }
        for name, value in PUBLISHED.items()
    }
