"""How a prediction is composed, for any number of meals at once.

The steps, in the order in which a person would explain them:

1. `level`: blood glucose at the start of the meal is that of the eater's state of regulation.
2. `rise`: the meal raises it by the formula of the population.
3. `personal_correction`: a personal model moves the level and reshapes the rise.
4. `as_read`: a sensor reads it with its offset and gain.
5. `anchor`: a reading at the start of the meal replaces the level, and what is high tends to come down.
6. `band_distances`: the 90 % band is wider after a larger rise.
7. `impact`: the label and its probabilities follow from the highest rise.
8. `eater_range` and `range_holding`: the eater's range, widened only to hold the curve.

`compose` does them all. Every curve that this project serves, evaluates or publishes comes from
here, or from `postmeal.glucose.scalar`, which takes the same steps for one meal in plain floats.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.cases import Cases
from postmeal.glucose.personal.features import meal_features
from postmeal.glucose.personal.portion_guard import BY_MEAL, shares_at
from postmeal.glucose.personal.prior import FADING_DAYS, LEVEL
from postmeal.glucose.population.band import UNTRAINED_FACTOR, widening
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.glucose_range import MAX_MG_DL, MIN_MG_DL
from postmeal.glucose.population.states import STATES
from postmeal.glucose.released_model import ReleasedModel

__all__ = [
    "Composed",
    "Correction",
    "Course",
    "anchor",
    "as_read",
    "band_distances",
    "compose",
    "course",
    "eater_range",
    "impact",
    "level",
    "personal_correction",
    "range_holding",
    "rise",
    "within_limits",
]

Array = NDArray[np.float64]

_GRID = np.array(GRID_MIN)
_ROWS_AT_A_TIME = 8192  # so that the arrays between the steps stay in the processor's cache


class Correction(NamedTuple):
    """What personal models add to blood glucose.

    Attributes
    ----------
    level_mg_dl : ndarray of shape (n_cases,)
        To the level.
    shapes_mg_dl : ndarray of shape (n_cases, 3)
        To the rise, along each shape of the prior.
    """

    level_mg_dl: Array
    shapes_mg_dl: Array


class Course(NamedTuple):
    """Predicted glucose, not yet kept within limits.

    Attributes
    ----------
    start_mg_dl : ndarray of shape (n_cases,)
        Glucose at the start of the meal.
    rise_mg_dl : ndarray of shape (n_cases, n_times)
        Change since then.
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
        Curves and bands, as the sensor of each case reads, 40 to 400 mg/dL.
    impact : ndarray of int of shape (n_cases,)
        Position of the label in `postmeal.glucose.population.impact.IMPACTS`.
    impact_probabilities : ndarray of shape (n_cases, 3)
        Probability of each label.
    cgp_min, cgp_max : ndarray of int of shape (n_cases,)
        Glucose range, widened to hold the curve.
    """

    glucose_mg_dl: Array
    lower_mg_dl: Array
    upper_mg_dl: Array
    impact: NDArray[np.intp]
    impact_probabilities: Array
    cgp_min: NDArray[np.intp]
    cgp_max: NDArray[np.intp]


def compose(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Composed:
    """Predict any number of cases.

    Parameters
    ----------
    model : ReleasedModel
        The released model.
    cases : Cases
        What is predicted; nothing is checked.
    minutes : ndarray of shape (n_times,), optional
        Minutes after the start of the meal, ascending; those of the standard grid when omitted.

    Returns
    -------
    Composed
        The predictions, in the order of the cases.
    """
    n_cases = len(cases.own)
    parts = [
        _compose(model, cases.only(slice(first, first + _ROWS_AT_A_TIME)), minutes)
        for first in range(0, max(n_cases, 1), _ROWS_AT_A_TIME)
    ]
    return Composed(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _compose(model: ReleasedModel, cases: Cases, minutes: Array | None) -> Composed:
    standard = course(model, cases)
    asked = standard if minutes is None else course(model, cases, minutes)
    below, above = band_distances(model, cases, asked.rise_mg_dl, minutes)
    curve = within_limits(asked.curve_mg_dl)
    labels, probabilities = impact(model, cases, standard.rise_mg_dl.max(axis=1))
    lowest, highest = range_holding(*eater_range(model, cases), curve)
    return Composed(
        glucose_mg_dl=curve,
        lower_mg_dl=within_limits(asked.curve_mg_dl - below),
        upper_mg_dl=within_limits(asked.curve_mg_dl + above),
        impact=labels,
        impact_probabilities=probabilities,
        cgp_min=lowest,
        cgp_max=highest,
    )


def course(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Course:
    """Predict glucose at some minutes as the sensor reads it: the steps up to `anchor`."""
    standard = rise(model, cases)
    blood_rise = standard if minutes is None else rise(model, cases, minutes)
    correction = personal_correction(model, cases, standard)
    blood = Course(
        level(model, cases) + correction.level_mg_dl,
        blood_rise + correction.shapes_mg_dl @ _at(minutes, model.personal_prior.shapes),
    )
    return anchor(model, cases, as_read(cases, blood), minutes)


def level(model: ReleasedModel, cases: Cases) -> Array:
    """Blood glucose at the start of the meal by state of regulation, mg/dL, of shape (n_cases,)."""
    by_state = np.array([model.level_mg_dl[state] for state in STATES])
    return np.asarray(by_state[cases.meals.state])


def rise(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Array:
    """Rise of blood glucose by the population's formula, mg/dL, of shape (n_cases, n_times)."""
    return model.population.rise(cases.meals, _GRID if minutes is None else minutes)


def personal_correction(model: ReleasedModel, cases: Cases, rise_mg_dl: Array) -> Correction:
    """Give what the eaters' own models add, zero where there is none.

    Parameters
    ----------
    model : ReleasedModel
        The released model, for its prior.
    cases : Cases
        What is predicted.
    rise_mg_dl : ndarray of shape (n_cases, 9)
        The population's rise on the standard grid.

    Returns
    -------
    Correction
        What to add.
    """
    of_level, of_shapes = np.zeros(len(cases.own)), np.zeros((len(cases.own), LEVEL))
    rows = np.flatnonzero(cases.has_own)
    if len(rows):
        personal, models = cases.only(rows), cases.models
        own, hour = personal.own, personal.meals.hour
        along = rise_mg_dl[rows] @ model.personal_prior.shapes[0]
        features = meal_features(personal.meals.macronutrients, hour, along, personal.since_meal_h)
        features[:, BY_MEAL] *= shares_at(models.shares[own], hour)[:, None]
        effects = np.einsum("nij,nj->ni", models.effects[own], features)
        days = np.maximum(personal.day - models.last_day[own], 0.0)
        drift = models.drift_mg_dl[own] * np.exp(-days / FADING_DAYS)
        of_level[rows], of_shapes[rows] = effects[:, LEVEL] + drift, effects[:, :LEVEL]
    return Correction(of_level, of_shapes)


def as_read(cases: Cases, blood: Course) -> Course:
    """Turn blood glucose into what the sensor of each case reads."""
    start = cases.offset_mg_dl + cases.gain * blood.start_mg_dl
    return Course(start, cases.gain[:, None] * blood.rise_mg_dl)


def anchor(
    model: ReleasedModel, cases: Cases, predicted: Course, minutes: Array | None = None
) -> Course:
    """Start at the reading at the start of the meal where there is one."""
    if not cases.is_read.any():
        return predicted
    off = np.where(cases.is_read, cases.start_mg_dl - predicted.start_mg_dl, 0.0)
    slopes = _at(minutes, np.array([model.start.slope, model.personal_prior.start.slope]))
    return Course(
        np.where(cases.is_read, cases.start_mg_dl, predicted.start_mg_dl),
        predicted.rise_mg_dl + off[:, None] * slopes[cases.has_own.astype(np.intp)],
    )


def band_distances(
    model: ReleasedModel, cases: Cases, rise_mg_dl: Array, minutes: Array | None = None
) -> tuple[Array, Array]:
    """Distances from the curve to the ends of its band, each of shape (n_cases, n_times).

    Between the minutes of the standard grid they are interpolated; after 120 min the last ones
    hold. They are larger after a larger rise, and for a condition without training data.
    """
    calibrations = model.calibration, model.personal_prior.calibration
    bands = [[each.band, each.start.band] for each in calibrations]
    which = cases.has_own.astype(np.intp), cases.is_read.astype(np.intp), cases.meals.state
    below = _at(minutes, np.array([[each.below_mg_dl for each in pair] for pair in bands]))
    above = _at(minutes, np.array([[each.above_mg_dl for each in pair] for pair in bands]))
    unit = np.where(cases.is_trained, 1.0, UNTRAINED_FACTOR)
    if cases.has_own.any():
        unit = unit * np.where(cases.has_own, cases.models.scale_mg_dl[cases.own], 1.0)
    wider = unit[:, None] * widening(rise_mg_dl)
    return below[which] * wider, above[which] * wider


def impact(
    model: ReleasedModel, cases: Cases, peak_rise_mg_dl: Array
) -> tuple[NDArray[np.intp], Array]:
    """Labels, as positions in `IMPACTS`, and the probability of each, of shape (n_cases, 3)."""
    population, personal = model.impact_scale, model.personal_prior.impact_scale
    labels = population.labels(peak_rise_mg_dl)
    probabilities = population.probabilities(peak_rise_mg_dl)
    own = cases.has_own
    if own.any():
        labels[own] = personal.labels(peak_rise_mg_dl[own])
        probabilities[own] = personal.probabilities(peak_rise_mg_dl[own])
    return labels, probabilities


def eater_range(model: ReleasedModel, cases: Cases) -> tuple[Array, Array]:
    """Ends of each eater's glucose range before it is widened for a curve, mg/dL."""
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


def range_holding(
    low_mg_dl: Array, high_mg_dl: Array, curve_mg_dl: Array
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Widen ranges to hold their curves, and round them outward to whole mg/dL.

    Examples
    --------
    >>> ends = np.array([71.3]), np.array([171.2])
    >>> range_holding(*ends, np.array([[90.0, 180.5]]))
    (array([71]), array([181]))
    """
    lowest = within_limits(np.minimum(low_mg_dl, curve_mg_dl.min(axis=1)))
    highest = within_limits(np.maximum(high_mg_dl, curve_mg_dl.max(axis=1)))
    return np.floor(lowest).astype(np.intp), np.ceil(highest).astype(np.intp)


def within_limits(glucose_mg_dl: Array) -> Array:
    """Keep glucose within what a sensor can show, 40 to 400 mg/dL."""
    return np.clip(glucose_mg_dl, MIN_MG_DL, MAX_MG_DL)


def _at(minutes: Array | None, on_grid: Array) -> Array:
    """Interpolate values on the standard grid, of shape (..., 9), to other minutes."""
    if minutes is None:
        return on_grid
    flat = on_grid.reshape(-1, len(_GRID))
    values = np.array([np.interp(minutes, _GRID, line) for line in flat])
    return values.reshape(*on_grid.shape[:-1], len(minutes))
