"""Choose the settings of the models that postmeal is compared with, among the training people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, ParameterGrid

from postmeal.training.datasets import GLUCOSE_DRINKS
from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.estimator import BloodCurve
from postmeal.training.fit.metrics import per_person, rise_rmse_mg_dl
from postmeal.training.fit.release import meal_weights

N_FOLDS = 5
"""Number of groups of people, each of which is predicted by a fit to the others."""


def tuned(
    estimator: BloodCurve, grid: Mapping[str, Sequence[Any]], table: pd.DataFrame
) -> BloodCurve:
    """Choose the settings with the smallest errors for people who are left out, and fit with them.

    The settings are compared in `N_FOLDS` folds of people by the mean over people of the rise
    RMSE. Glucose drinks and people with type 1 diabetes are not scored, because the reported data
    sets have none.
    """
    is_scored = ~table["data_set"].isin(GLUCOSE_DRINKS) & (table["condition"] != "type_1")
    scored = table[is_scored]
    observed, person = observed_curves(scored), scored["person"].to_numpy()

    def error(settings: Mapping[str, Any]) -> float:
        predicted = np.empty_like(observed)
        for _, unseen in GroupKFold(N_FOLDS).split(scored, groups=person):
            known = table[~table["person"].isin(person[unseen])]
            predicted[unseen] = fit_with(estimator, settings, known).predict(scored.iloc[unseen])
        errors = per_person(person, lambda rows: rise_rmse_mg_dl(observed[rows], predicted[rows]))
        return float(np.mean(errors))

    return fit_with(estimator, min(ParameterGrid(dict(grid)), key=error), table)


def fit_with(estimator: BloodCurve, settings: Mapping[str, Any], table: pd.DataFrame) -> BloodCurve:
    """Fit a copy of the estimator with the given settings to a meals table."""
    fitted: BloodCurve = clone(estimator).set_params(**settings)
    return fitted.fit(
        table, observed_curves(table), meal_weights(table), table["person"].to_numpy()
    )
