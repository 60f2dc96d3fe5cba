"""Evaluate the chances of high peaks and large rises for held-out people."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import GroupKFold
from threadpoolctl import threadpool_limits

from postmeal.glucose.population.band import Band
from postmeal.glucose.population.chances import CHANCES
from postmeal.glucose.population.curve import peak_rise_mg_dl
from postmeal.glucose.population.impact import RISE_CUTS_MG_DL
from postmeal.glucose.population.peak_scale import PEAK_CUTS_MG_DL, PEAK_ROWS
from postmeal.glucose.population.states import STATES
from postmeal.training.datasets import GLUCOSE_DRINKS
from postmeal.training.fit.arrays import as_reported, meals_of, observed_curves
from postmeal.training.fit.calibration import (
    Peaks,
    fit_impact_scale,
    fit_peak_distribution,
    person_weights,
)
from postmeal.training.fit.release import TrainingData, population_band, unseen_people

Array = NDArray[np.float64]

_FOLDS = 10
_BINS = 5
_TYPE_1 = STATES.index("type_1")


def outcomes(observed_mg_dl: Array) -> NDArray[np.bool_]:
    """Return whether each of the events in `CHANCES` occurred after each meal."""
    peak, rise = observed_mg_dl.max(axis=1), peak_rise_mg_dl(observed_mg_dl)
    return np.column_stack(
        [*(peak >= cut for cut in PEAK_CUTS_MG_DL), *(rise >= cut for cut in RISE_CUTS_MG_DL)]
    )


def brier_scores(observed_mg_dl: Array, chances: Array, person: ArrayLike) -> dict[str, float]:
    """Compute the Brier scores of predicted chances, giving all people the same weight.

    Beside each score (Brier 1950, doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2) stands that
    of always predicting the share of meals after which the event occurred.
    """
    weight = person_weights(np.asarray(person, dtype=object))
    happened = outcomes(observed_mg_dl)
    rate = np.average(happened, axis=0, weights=weight)
    score = np.average((chances - happened) ** 2, axis=0, weights=weight)
    result: dict[str, float] = {}
    for position, name in enumerate(CHANCES):
        share = float(rate[position])
        result |= {
            f"{name}_rate": share,
            f"{name}_brier": float(score[position]),
            f"{name}_base_brier": share * (1 - share),
        }
    return result


def reliability(
    observed_mg_dl: Array, chances: Array, person: ArrayLike
) -> dict[str, list[dict[str, float]]]:
    """Group meals by predicted chance, and compare the mean chance with the observed share."""
    weight = person_weights(np.asarray(person, dtype=object))
    happened = outcomes(observed_mg_dl)
    result = {}
    for position, name in enumerate(CHANCES):
        predicted = chances[:, position]
        groups = np.array_split(np.argsort(predicted, kind="stable"), _BINS)
        result[name] = [
            {
                "predicted": float(np.average(predicted[rows], weights=weight[rows])),
                "observed": float(np.average(happened[rows, position], weights=weight[rows])),
                "n_meals": len(rows),
            }
            for rows in groups
            if len(rows)
        ]
    return result


def held_out_chances(data: TrainingData) -> dict[str, Any]:
    """Evaluate the predicted chances of peaks and rises for held-out people of the training sets.

    The curves come from ten folds of people (see `unseen_people`), and the band and the
    chances are fitted to the curves and readings of the people in the other folds.
    """
    with threadpool_limits(1):
        predicted = unseen_people(data.table, data.sensors)
    is_meal = ~data.table["data_set"].isin(GLUCOSE_DRINKS).to_numpy()
    table, predicted = data.table[is_meal], predicted[is_meal]
    observed, state = observed_curves(table), meals_of(as_reported(table)).state
    person = (table["data_set"] + "/" + table["person"].astype(str)).to_numpy(dtype=object)
    chances = np.empty((len(table), len(CHANCES)))
    for seen, unseen in GroupKFold(_FOLDS).split(person, groups=person):
        band = population_band(table.iloc[seen], predicted[seen])
        chances[unseen] = _fit_and_predict(band, predicted, observed, state, person, seen, unseen)
    by_state = {}
    for index, name in enumerate(STATES):
        rows = state == index
        if rows.any():
            counts = {"n_meals": int(rows.sum()), "n_people": len(np.unique(person[rows]))}
            by_state[name] = counts | brier_scores(observed[rows], chances[rows], person[rows])
    parts = {"reliability": state != _TYPE_1, "reliability_type_1": state == _TYPE_1}
    return {"by_state": by_state} | {
        key: reliability(observed[rows], chances[rows], person[rows])
        for key, rows in parts.items()
        if rows.any()
    }


def _fit_and_predict(
    band: Band,
    predicted: Array,
    observed: Array,
    state: NDArray[np.intp],
    person: NDArray[np.object_],
    seen: NDArray[np.intp],
    unseen: NDArray[np.intp],
) -> Array:
    """Fit the chances to the seen people, and predict them for the unseen people.

    The shape of the result is (n_unseen, 4).
    """
    start, rise = predicted[:, 0], peak_rise_mg_dl(predicted)
    unit = (band.below_mg_dl + band.above_mg_dl)[:, PEAK_ROWS].mean(axis=1)[state] / 2
    weight = person_weights(person[seen])
    observed_peak = observed.max(axis=1)
    known = Peaks(
        *(person[seen], state[seen], start[seen], rise[seen], unit[seen], observed_peak[seen]),
        weight,
    )
    peaks = fit_peak_distribution(known)
    scored = seen[state[seen] != _TYPE_1]
    rises = fit_impact_scale(
        rise[scored], peak_rise_mg_dl(observed[scored]), person_weights(person[scored])
    )
    return np.column_stack(
        [
            *peaks.chances(start[unseen], rise[unseen], unit[unseen], state[unseen]),
            *rises.chances(rise[unseen]),
        ]
    )
