"""Compute predictions for many meals at once.

A prediction is composed in these steps:

1. `level`: blood glucose at the start of the meal, by state of glucose regulation.
2. `rise`: the rise predicted by the formula of the population model.
3. `personal_correction`: adjustments of level and rise by a personal model.
4. `to_sensor`: conversion of blood glucose to sensor readings, with an offset and a gain.
5. `anchor`: a reading at the start of the meal replaces the level; high readings tend to fall,
   depending on the time since the previous meal.
6. `band_distances`: the 90% band, which is wider after a larger rise.
7. `peak_chances` and `rise_chances`: the probabilities of high peaks and large rises; and
   `impact`: the label and its probabilities, derived from those of large rises.
8. `person_range` and `widened_range`: the person's range, widened to contain the curve.

`compose` performs all steps. `postmeal.glucose.scalar` performs the same steps for a single meal
with plain floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.cases import Cases
from postmeal.glucose.personal.features import meal_features
from postmeal.glucose.personal.level_age import level_shares
from postmeal.glucose.personal.portion_guard import BY_MEAL, shares_at
from postmeal.glucose.personal.prior import FADING_DAYS, LEVEL
from postmeal.glucose.population.band import UNTRAINED_FACTOR, widening
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import fasting, recency
from postmeal.glucose.population.glucose_range import MAX_MG_DL, MIN_MG_DL
from postmeal.glucose.population.impact import label_probabilities
from postmeal.glucose.population.states import STATES
from postmeal.glucose.released_model import ReleasedModel

__all__ = [
    "Composed",
    "Correction",
    "Course",
    "anchor",
    "band_distances",
    "compose",
    "course",
    "impact",
    "level",
    "peak_chances",
    "person_range",
    "personal_correction",
    "rise",
    "rise_chances",
    "to_sensor",
    "widened_range",
    "within_limits",
]

Array = NDArray[np.float64]

_GRID = np.array(GRID_MIN)
_CHUNK_ROWS = 2048  # keeps intermediate arrays in the CPU cache


class Correction(NamedTuple):
    """Adjustments of blood glucose by personal models.

    Attributes
    ----------
    level_mg_dl : ndarray of shape (n_cases,)
        Change of the level.
    shapes_mg_dl : ndarray of shape (n_cases, 3)
        Change of the rise along each shape of the prior.
    """

    level_mg_dl: Array
    shapes_mg_dl: Array


class Course(NamedTuple):
    """Predicted glucose before clipping to the range of sensors.

    Attributes
    ----------
    start_mg_dl : ndarray of shape (n_cases,)
        Glucose at the start of the meal.
    rise_mg_dl : ndarray of shape (n_cases, n_times)
        Change since the start of the meal.
    """

    start_mg_dl: Array
    rise_mg_dl: Array

    @property
    def curve_mg_dl(self) -> Array:
        """Glucose at each minute, of shape (n_cases, n_times)."""
        return self.start_mg_dl[:, None] + self.rise_mg_dl


class Composed(NamedTuple):
    """Predictions as arrays.

    Attributes
    ----------
    glucose_mg_dl, lower_mg_dl, upper_mg_dl : ndarray of shape (n_cases, n_times)
        Curves and bands in sensor readings, 40 to 400 mg/dL.
    impact : ndarray of int of shape (n_cases,)
        Position of the label in `postmeal.glucose.population.impact.IMPACTS`.
    impact_probabilities : ndarray of shape (n_cases, 3)
        Probability of each label.
    cgp_min, cgp_max : ndarray of int of shape (n_cases,)
        Glucose range, widened to contain the curve.
    chances : ndarray of shape (n_cases, 4)
        Probability of each event in `postmeal.glucose.population.chances.CHANCES`.
    """

    glucose_mg_dl: Array
    lower_mg_dl: Array
    upper_mg_dl: Array
    impact: NDArray[np.intp]
    impact_probabilities: Array
    cgp_min: NDArray[np.intp]
    cgp_max: NDArray[np.intp]
    chances: Array


def compose(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Composed:
    """Predict the glucose curve of each case.

    Parameters
    ----------
    model : ReleasedModel
        Model to predict with.
    cases : Cases
        Cases to predict for; they are not validated.
    minutes : ndarray of shape (n_times,), optional
        Minutes after the start of the meal, in ascending order. Defaults to the standard grid.

    Returns
    -------
    Composed
        The predictions, in the order of the cases.
    """
    n_cases = len(cases.own)
    composed: Composed | None = None
    for start in range(0, max(n_cases, 1), _CHUNK_ROWS):
        rows = slice(start, start + _CHUNK_ROWS)
        chunk = _compose(model, cases.only(rows), minutes)
        if composed is None:
            composed = Composed(
                *(np.empty((n_cases, *column.shape[1:]), column.dtype) for column in chunk)
            )
        for column, values in zip(composed, chunk, strict=True):
            column[rows] = values  # while they are in the CPU cache
    assert composed is not None
    return composed


def _compose(model: ReleasedModel, cases: Cases, minutes: Array | None) -> Composed:
    on_grid = course(model, cases)
    requested = on_grid if minutes is None else course(model, cases, minutes)
    below, above = band_distances(model, cases, requested.rise_mg_dl, minutes)
    unlimited = requested.curve_mg_dl
    curve = within_limits(unlimited)
    peak_rise = on_grid.rise_mg_dl.max(axis=1)
    rises = rise_chances(model, cases, peak_rise)
    labels, probabilities = impact(model, cases, *rises)
    lowest, highest = widened_range(*person_range(model, cases), curve)
    return Composed(
        glucose_mg_dl=curve,
        lower_mg_dl=within_limits(unlimited - below),
        upper_mg_dl=within_limits(unlimited + above),
        impact=labels,
        impact_probabilities=probabilities,
        cgp_min=lowest,
        cgp_max=highest,
        chances=np.stack(
            [*peak_chances(model, cases, on_grid.start_mg_dl + peak_rise), *rises], axis=1
        ),
    )


def course(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Course:
    """Predict the sensor readings at the given minutes, using the steps up to `anchor`."""
    grid_rise = rise(model, cases)
    blood_rise = grid_rise if minutes is None else rise(model, cases, minutes)
    blood = Course(level(model, cases), blood_rise)
    if cases.has_own.any():
        correction = personal_correction(model, cases, grid_rise)
        shapes = _interpolate(minutes, model.personal_prior.shapes)
        blood = Course(
            blood.start_mg_dl + correction.level_mg_dl,
            blood.rise_mg_dl + correction.shapes_mg_dl @ shapes,
        )
    return anchor(model, cases, to_sensor(cases, blood), minutes)


def level(model: ReleasedModel, cases: Cases) -> Array:
    """Return blood glucose at the start of the meal in mg/dL, of shape (n_cases,)."""
    by_state = np.array([model.level_mg_dl[state] for state in STATES])
    return np.asarray(by_state[cases.meals.state])


def rise(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Array:
    """Return the rise that the population model predicts, in mg/dL, of shape (n_cases, n_times)."""
    return model.population.rise(cases.meals, _GRID if minutes is None else minutes)


def personal_correction(model: ReleasedModel, cases: Cases, rise_mg_dl: Array) -> Correction:
    """Return the adjustments made by personal models, which are zero for cases without a model.

    Parameters
    ----------
    model : ReleasedModel
        The released model, which contains the prior of personal models.
    cases : Cases
        Cases to predict for.
    rise_mg_dl : ndarray of shape (n_cases, 9)
        Rise that the population model predicts on the standard grid.

    Returns
    -------
    Correction
        The adjustments.
    """
    level_change, shape_changes = np.zeros(len(cases.own)), np.zeros((len(cases.own), LEVEL))
    rows = np.flatnonzero(cases.has_own)
    if len(rows):
        personal, models = cases.only(rows), cases.models
        own, hour = personal.own, personal.meals.hour
        gain = rise_mg_dl[rows] @ model.personal_prior.shapes[0]
        since_meal_h = personal.meals.since_meal_h
        features = meal_features(personal.meals.macronutrients, hour, gain, since_meal_h)
        features[:, BY_MEAL] *= shares_at(models.shares[own], hour)[:, None]
        effects = np.einsum("nij,nj->ni", models.effects[own], features)
        age_days = personal.day - models.last_day[own]
        share = level_shares(age_days)
        drift = models.drift_mg_dl[own] * np.exp(-np.maximum(age_days, 0.0) / FADING_DAYS)
        drift = np.where(share > 0, drift, 0.0) - (1 - share) * models.mean_level_mg_dl[own]
        level_change[rows], shape_changes[rows] = effects[:, LEVEL] + drift, effects[:, :LEVEL]
    return Correction(level_change, shape_changes)


def to_sensor(cases: Cases, blood: Course) -> Course:
    """Convert blood glucose to the readings of each case's sensor."""
    start = cases.offset_mg_dl + cases.gain * blood.start_mg_dl
    return Course(start, cases.gain[:, None] * blood.rise_mg_dl)


def anchor(
    model: ReleasedModel, cases: Cases, predicted: Course, minutes: Array | None = None
) -> Course:
    """Start the curve at the given reading, if there is one, and adjust the rise accordingly."""
    if not cases.has_start.any():
        return predicted
    difference = np.where(cases.has_start, cases.start_mg_dl - predicted.start_mg_dl, 0.0)
    starts = model.start, model.personal_prior.start
    by_cause = np.array([[start.slope, start.recent, start.fasting] for start in starts])
    causes = np.column_stack([np.ones(len(difference)), recency(cases.meals), fasting(cases.meals)])
    own = cases.has_own.astype(np.intp)
    slopes = np.einsum("nc,nct->nt", causes, _interpolate(minutes, by_cause)[own])
    return Course(
        np.where(cases.has_start, cases.start_mg_dl, predicted.start_mg_dl),
        predicted.rise_mg_dl + difference[:, None] * slopes,
    )


def band_distances(
    model: ReleasedModel, cases: Cases, rise_mg_dl: Array, minutes: Array | None = None
) -> tuple[Array, Array]:
    """Return the distances from the curve to the ends of its band, of shape (n_cases, n_times).

    The distances are interpolated between the minutes of the standard grid and are constant after
    120 min. They increase with the predicted rise, and are larger for conditions without training
    data. For a personal model with an old history, the distances are those of the population model,
    unless a reading replaces the level.
    """
    calibrations = model.calibration, model.personal_prior.calibration
    bands = [[calibration.band, calibration.start.band] for calibration in calibrations]
    own_band = cases.keeps_level | cases.has_own & cases.has_start
    index = own_band.astype(np.intp), cases.has_start.astype(np.intp), cases.meals.state
    below = _interpolate(minutes, np.array([[band.below_mg_dl for band in pair] for pair in bands]))
    above = _interpolate(minutes, np.array([[band.above_mg_dl for band in pair] for pair in bands]))
    unit = np.where(cases.is_trained, 1.0, UNTRAINED_FACTOR)
    if own_band.any():
        unit = unit * np.where(own_band, cases.models.scale_mg_dl[cases.own], 1.0)
    factor = unit[:, None] * widening(rise_mg_dl)
    return below[index] * factor, above[index] * factor


def rise_chances(model: ReleasedModel, cases: Cases, peak_rise_mg_dl: Array) -> tuple[Array, Array]:
    """Return the probabilities of rises of at least 30 and 50 mg/dL, each of shape (n_cases,)."""
    found = model.impact_scale.chances(peak_rise_mg_dl)
    return _with_personal(cases, found, model.personal_prior.impact_scale.chances, peak_rise_mg_dl)


def peak_chances(model: ReleasedModel, cases: Cases, peak_mg_dl: Array) -> tuple[Array, Array]:
    """Return the probabilities of peaks of at least 140 and 180 mg/dL, each of shape (n_cases,)."""
    state = cases.meals.state
    found = model.peak_scale.chances(peak_mg_dl, state)
    return _with_personal(cases, found, model.personal_prior.peak_scale.chances, peak_mg_dl, state)


def _with_personal(
    cases: Cases,
    found: tuple[Array, Array],
    personal: Callable[..., tuple[Array, Array]],
    *columns: NDArray[Any],
) -> tuple[Array, Array]:
    """Replace the probabilities of cases with a personal model, in place.

    The new probabilities are those of the personal calibration.
    """
    own = cases.has_own
    if own.any():
        own_found = personal(*(column[own] for column in columns))
        for probability, own_probability in zip(found, own_found, strict=True):
            probability[own] = own_probability
    return found


def impact(
    model: ReleasedModel, cases: Cases, reaches_30: Array, reaches_50: Array
) -> tuple[NDArray[np.intp], Array]:
    """Return each case's label as a position in `IMPACTS`, and the probability of each label.

    The shapes are (n_cases,) and (n_cases, 3).
    """
    own, personal = cases.has_own, model.personal_prior.impact_scale
    labels = model.impact_scale.labels(reaches_30, reaches_50)
    if own.any():
        labels[own] = personal.labels(reaches_30[own], reaches_50[own])
    return labels, label_probabilities(reaches_30, reaches_50)


def person_range(model: ReleasedModel, cases: Cases) -> tuple[Array, Array]:
    """Return the ends of each person's glucose range before widening, in mg/dL."""
    own, models = cases.has_own, cases.models
    lows = np.array([model.ranges[state].low_mg_dl for state in STATES])
    highs = np.array([model.ranges[state].high_mg_dl for state in STATES])
    low = lows[cases.meals.state]
    high = cases.offset_mg_dl + cases.gain * highs[cases.meals.state]
    margin = np.where(cases.is_trained, 0.0, (UNTRAINED_FACTOR - 1) * (high - low) / 2)
    if not own.any():
        return low - margin, high + margin
    return (
        np.where(own, models.low_mg_dl[cases.own], low - margin),
        np.where(own, models.high_mg_dl[cases.own], high + margin),
    )


def widened_range(
    low_mg_dl: Array, high_mg_dl: Array, curve_mg_dl: Array
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Widen ranges to contain the curves, and round them outward to whole mg/dL.

    Examples
    --------
    >>> ends = np.array([71.3]), np.array([171.2])
    >>> widened_range(*ends, np.array([[90.0, 180.5]]))
    (array([71]), array([181]))
    """
    lowest = within_limits(np.minimum(low_mg_dl, curve_mg_dl.min(axis=1)))
    highest = within_limits(np.maximum(high_mg_dl, curve_mg_dl.max(axis=1)))
    return np.floor(lowest).astype(np.intp), np.ceil(highest).astype(np.intp)


def within_limits(glucose_mg_dl: Array) -> Array:
    """Clip glucose to the range of sensors, 40 to 400 mg/dL."""
    return np.clip(glucose_mg_dl, MIN_MG_DL, MAX_MG_DL)


def _interpolate(minutes: Array | None, on_grid: Array) -> Array:
    """Interpolate values on the standard grid, of shape (..., 9), to other minutes."""
    if minutes is None:
        return on_grid
    flat = on_grid.reshape(-1, len(_GRID))
    values = np.array([np.interp(minutes, _GRID, row) for row in flat])
    return values.reshape(*on_grid.shape[:-1], len(minutes))
