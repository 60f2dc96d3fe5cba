"""LightGBM with the same knowledge about people as postmeal.

LightGBM has readings, their mean and spread, and laboratory values as inputs. It uses the days with
meals as a mixed model does: the mean error of its predictions for the meals on these days, shrunk
toward zero, is added to the later curves.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.known_people import (
    Known,
    KnownMeals,
    known_meals,
    observations,
)
from postmeal.training.evaluation.later_predictions import meal_rows
from postmeal.training.evaluation.lightgbm_challenger import (
    BOOSTING_GRID,
    BoostedCurve,
    BoostedFromKnown,
)
from postmeal.training.evaluation.tuning import N_FOLDS, fit_with, tuned
from postmeal.training.fit.estimator import BloodCurve
from postmeal.training.fit.later_days import last_readings
from postmeal.training.fit.metrics import per_person, rmse_mg_dl
from postmeal.training.fit.person_history import PersonHistory
from postmeal.training.fit.release import TrainingData

Array = NDArray[np.float64]

SHRINKAGE_MEALS = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Numbers of meals from which the weight of zero is chosen, for the level and for the rise."""


class KnowingRival(NamedTuple):
    """LightGBM with what is known, and the shrinkage of the mean error on days with meals."""

    curve: BloodCurve
    known: Known
    level_meals: float = 0.0
    rise_meals: float = 0.0

    def predict(self, one: KnownMeals) -> Array:
        """Predict a person's meals from what is known about the person."""
        curves = self.curve.predict(_table(one.history, one.meals, self.known))
        return curves if one.learned is None else curves + self.shrunk(self.errors_on_days(one))

    def errors_on_days(self, one: KnownMeals) -> Array:
        """Return the errors for the complete meals on the days with meals, (n_meals, 9)."""
        assert one.learned is not None
        meals = one.learned.only(one.learned.is_complete)
        table = _table(one.history, meals, self.known)
        has_all = table[[*_columns(self.known)]].notna().all(axis=1).to_numpy()
        if not has_all.any():
            return np.zeros((0, meals.glucose_mg_dl.shape[1]))
        observed = meals.only(has_all).glucose_mg_dl
        return np.asarray(observed - self.curve.predict(table[has_all]))

    def shrunk(self, errors: Array) -> Array:
        """Return the mean error of meals, shrunk toward zero, of shape (9,)."""
        level, rise, n_meals = errors[:, :1], errors - errors[:, :1], len(errors)
        return np.asarray(
            level.sum(axis=0) / max(n_meals + self.level_meals, 1.0)
            + rise.sum(axis=0) / max(n_meals + self.rise_meals, 1.0)
        )


class Rivals:
    """LightGBM for each state of knowledge, with settings chosen among the people of the fit."""

    def __init__(self, data: TrainingData, predictor: Predictor) -> None:
        self._data, self._predictor = data, predictor
        self._curves: dict[Known, tuple[BloodCurve, BloodCurve, pd.DataFrame]] = {}
        self._rivals: dict[Known, KnowingRival] = {}

    def of(self, known: Known) -> KnowingRival:
        """Return the rival that knows the same, fitted when it is first asked for."""
        if known not in self._rivals:
            shrinkage = () if known.meal_days is None else self._shrinkage(known)
            self._rivals[known] = KnowingRival(self._fitted(known)[0], known, *shrinkage)
        return self._rivals[known]

    def _fitted(self, known: Known) -> tuple[BloodCurve, BloodCurve, pd.DataFrame]:
        """Return the tuned curve, the same without settings, and the meals of its fit."""
        inputs = known._replace(meal_days=None)
        if inputs not in self._curves:
            table, columns = self._data.table, _columns(inputs)
            empty: BloodCurve = BoostedCurve(sensors=self._data.sensors)
            if columns:
                empty = BoostedFromKnown(sensors=self._data.sensors, known=columns)
                table = self._with_known(inputs)
            self._curves[inputs] = tuned(empty, BOOSTING_GRID, table), empty, table
        return self._curves[inputs]

    def _with_known(self, known: Known) -> pd.DataFrame:
        """Return the meals of the training sets before which everything is known."""
        table = self._data.table
        if known.reading or known.cgm_hours is not None:
            names = table["data_set"] + "/" + table["person"].astype(str)
            rows_of = table.groupby([names, table["sensor"]]).indices
            parts = []
            for one in self._data.histories:
                rows = table.iloc[rows_of.get((one.person, one.sensor), [])]
                moments_s = rows["meal_time"].to_numpy("datetime64[s]").astype(np.float64)
                parts.append(rows.assign(**_readings(one, moments_s, known)))
            table = pd.concat(parts).sort_index()
        return table.dropna(subset=[*_columns(known)])

    def _shrinkage(self, known: Known) -> tuple[float, ...]:
        """Choose the shrinkage by the errors for people of the training sets who are left out."""
        tuned_curve, empty, table = self._fitted(known)
        settings = {name: getattr(tuned_curve, name) for name in BOOSTING_GRID}
        people = [one for one in self._data.histories if one.state != "type_1"]
        found = [part for one in people for part in known_meals(self._predictor, one, known)]
        names = np.array([one.history.person for one in found], dtype=object)
        is_own = (table["data_set"] + "/" + table["person"].astype(str)).isin
        rivals = []
        for _, unseen in GroupKFold(N_FOLDS).split(names, groups=names):
            curve = fit_with(empty, settings, table[~is_own(names[unseen])])
            rivals += [(KnowingRival(curve, known), found[row]) for row in unseen]
        observed, person = observations([one for _, one in rivals])
        parts = [
            (rival.predict(one._replace(learned=None)), rival.errors_on_days(one))
            for rival, one in rivals
        ]

        def error(shrinkage: tuple[float, ...]) -> float:
            rival = KnowingRival(tuned_curve, known, *shrinkage)
            predicted = np.concatenate([curves + rival.shrunk(errors) for curves, errors in parts])
            errors = per_person(person, lambda rows: rmse_mg_dl(observed[rows], predicted[rows]))
            return float(np.mean(errors))

        return min(product(SHRINKAGE_MEALS, repeat=2), key=error)


def _columns(known: Known) -> tuple[str, ...]:
    """Return the columns of a meals table that hold what is known."""
    columns = {
        "start_mg_dl": known.reading,
        "mean_mg_dl": known.cgm_hours is not None,
        "sd_mg_dl": known.cgm_hours is not None,
        "hba1c_percent": known.hba1c,
        "fasting_glucose_mg_dl": known.fasting,
    }
    return tuple(name for name, is_known in columns.items() if is_known)


def _readings(history: PersonHistory, moments_s: Array, known: Known) -> dict[str, Array]:
    """Return the columns about the readings before each moment, NaN where they are unknown."""
    found: dict[str, Array] = {}
    if known.reading:
        found["start_mg_dl"] = last_readings(history.trace, moments_s)
    if known.cgm_hours is not None:
        before = known.before(history.trace, moments_s)
        enough = known.has_hours(before)
        found["mean_mg_dl"] = np.where(enough, [one.mean_mg_dl for one in before], np.nan)
        found["sd_mg_dl"] = np.where(enough, [one.sd_mg_dl for one in before], np.nan)
    return found


def _table(history: PersonHistory, meals: Responses, known: Known) -> pd.DataFrame:
    """Return meals of a person as a table, with what is known before them."""
    return meal_rows(history, meals).assign(
        hba1c_percent=history.hba1c_percent,
        fasting_glucose_mg_dl=history.fasting_glucose_mg_dl,
        **_readings(history, meals.utc_s, known),
    )
