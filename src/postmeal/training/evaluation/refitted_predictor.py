"""Refit the population model of a released predictor to other meals."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from postmeal.glucose.predictor import Predictor
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.release import TrainingData, meal_weights


def refitted(predictor: Predictor, table: pd.DataFrame, data: TrainingData) -> Predictor:
    """Refit the formula and the levels of a predictor to the meals of a table."""
    estimator = PostMealCurve(sensors=data.sensors)
    person = table["person"].to_numpy()
    estimator.fit(table, observed_curves(table), meal_weights(table), person)
    return replace(
        predictor,
        population=estimator.model_,
        level_mg_dl=estimator.level_mg_dl_,
        sensors=data.sensors,
    )
