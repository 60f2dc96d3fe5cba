"""Compute predictions for many meals at once.

A prediction is composed in these steps:

1. `level`: blood glucose at the start of the meal, by state of glucose regulation and by what is
   known about the person.
2. `rise`: the rise predicted by the formula of the population model, with the person's gain.
3. `personal_correction`: adjustments of level and rise by a personal model, times its weight.
4. `to_sensor`: conversion of blood glucose to sensor readings, with an offset and a gain.
5. `anchor`: a reading at the start of the meal replaces the level; high readings tend to fall,
   depending on the time since the previous meal.
6. `band_on_grid` and `band_distances`: the 90% band, which is wider after a larger rise.
7. `peak_chances` and `rise_chances`: the probabilities of high peaks and large rises; and
   `impact`: the label and its probabilities, derived from those of large rises.
8. `person_range` and `widened_range`: the person's range, widened to contain the curve.

If the hour of a meal is unknown, `course` is the mean of the first five steps over usual meal
hours, and the spread of the curve between these hours widens the band.

`compose` performs all steps. `postmeal.glucose.scalar` performs the same steps for a single meal
with plain floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.cases import Cases
from postmeal.glucose.course import Course
from postmeal.glucose.personal.features import meal_features
from postmeal.glucose.personal.level_age import level_kept, level_shares
from postmeal.glucose.personal.portion_guard import BY_MEAL, shares_at
from postmeal.glucose.personal.prior import FADING_DAYS, LEVEL
from postmeal.glucose.population.band import UNTRAINED_FACTOR, widening, with_spread
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import fasting, recency
from postmeal.glucose.population.glucose_range import MAX_MG_DL, MIN_MG_DL
from postmeal.glucose.population.impact import label_probabilities
from postmeal.glucose.population.peak_scale import PEAK_ROWS, PeakDistribution
from postmeal.glucose.population.states import STATES
from postmeal.glucose.released_model import ReleasedModel

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


class Composed(NamedTuple):
    """Predictions as arrays."""

    glucose_mg_dl: Array
    lower_mg_dl: Array
    upper_mg_dl: Array
    impact: NDArray[np.intp]
    impact_probabilities: Array
    cgp_min: NDArray[np.intp]
    cgp_max: NDArray[np.intp]
    chances: Array


def compose(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Composed:
    """Predict the glucose curve of each case."""
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
    sides = band_on_grid(model, cases)
    below, above = band_distances(sides, requested.rise_mg_dl, minutes)
    if requested.hour_sd_mg_dl is not None:
        below = with_spread(below, requested.hour_sd_mg_dl)
        above = with_spread(above, requested.hour_sd_mg_dl)
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
            [*peak_chances(model, cases, on_grid.start_mg_dl, peak_rise, sides), *rises], axis=1
        ),
    )


def course(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Course:
    """Predict the sensor readings at the given minutes, using the steps up to `anchor`.

    If the hour of a meal is unknown, the result is the mean over `MEAL_HOURS`.
    """
    if not np.isnan(cases.meals.hour).any():
        return _course_at_hour(model, cases, minutes)
    at_hours, n_hours = cases.at_meal_hours()
    return _course_at_hour(model, at_hours, minutes).mean_over_hours(n_hours)


def _course_at_hour(model: ReleasedModel, cases: Cases, minutes: Array | None) -> Course:
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
    return np.asarray(by_state[cases.meals.state] + cases.level_change_mg_dl)


def rise(model: ReleasedModel, cases: Cases, minutes: Array | None = None) -> Array:
    """Return the rise that the population model predicts, in mg/dL, of shape (n_cases, n_times)."""
    return model.population.rise(cases.meals, _GRID if minutes is None else minutes)


def personal_correction(model: ReleasedModel, cases: Cases, rise_mg_dl: Array) -> Correction:
    """Return the adjustments made by personal models, which are zero for cases without a model."""
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
        fading_days = model.personal_prior.fading_days
        share = level_shares(age_days, fading_days)
        drift = models.drift_mg_dl[own] * np.exp(-np.maximum(age_days, 0.0) / FADING_DAYS)
        drift = (
            level_kept(age_days, fading_days) * drift - (1 - share) * models.mean_level_mg_dl[own]
        )
        drift += share * (models.prior_level_mg_dl[own] - personal.level_change_mg_dl)
        weight = personal.own_weight
        level_change[rows] = weight * (effects[:, LEVEL] + drift)
        shape_changes[rows] = weight[:, None] * effects[:, :LEVEL]
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
    share = cases.start_share
    start = (1 - share) * predicted.start_mg_dl + share * cases.start_mg_dl
    start = np.where(cases.has_start, start, predicted.start_mg_dl)
    difference = start - predicted.start_mg_dl
    starts = model.start, model.personal_prior.start
    by_cause = np.array([[one.slope, one.recent, one.fasting] for one in starts])
    causes = np.column_stack([np.ones(len(difference)), recency(cases.meals), fasting(cases.meals)])
    population, personal = np.einsum("nc,mct->mnt", causes, _interpolate(minutes, by_cause))
    known = cases.own_weight + (1 - cases.own_weight) * cases.known_level
    slopes = population + known[:, None] * (personal - population)
    return Course(start, predicted.rise_mg_dl + difference[:, None] * slopes)


def band_distances(
    sides: tuple[Array, Array], rise_mg_dl: Array, minutes: Array | None = None
) -> tuple[Array, Array]:
    """Return the distances from the curve to the ends of its band, of shape (n_cases, n_times).

    They are those of `band_on_grid`, increased with the predicted rise. They are interpolated
    between the minutes of the standard grid and are constant after 120 min.
    """
    factor = widening(rise_mg_dl)
    below, above = (_interpolate(minutes, side) * factor for side in sides)
    return below, above


def band_on_grid(model: ReleasedModel, cases: Cases) -> tuple[Array, Array]:
    """Return the distances to the ends of the band before the rise increases them.

    They are larger for conditions without training data. For a personal model with an old history,
    the distances fade to those of the population model, unless a reading replaces the level.
    """
    bands = [[fitted.band, fitted.start.band] for fitted in (model, model.personal_prior)]
    weight = cases.own_band_weight(model.personal_prior.fading_days)[:, None]
    scale = np.where(cases.has_start, cases.band_with_reading, cases.band)[:, None]
    own_scale = cases.models.scale_mg_dl[cases.own][:, None] if weight.any() else 0.0
    factor = np.where(cases.is_trained, 1.0, UNTRAINED_FACTOR)[:, None]

    def side(name: str) -> Array:
        values = np.array([[getattr(band, name) for band in pair] for pair in bands])
        population, personal = values[:, cases.has_start.astype(np.intp), cases.meals.state]
        return np.asarray(
            ((1 - weight) * scale * population + weight * own_scale * personal) * factor
        )

    below, above = side("below_mg_dl"), side("above_mg_dl")
    faded = np.flatnonzero(cases.has_start & (cases.start_share < 1))
    if len(faded):
        without = cases.only(faded)._replace(start_mg_dl=np.full(len(faded), np.nan))
        sides = band_on_grid(model, without)
        lost = 1 - without.start_share[:, None]
        for distances, others in zip((below, above), sides, strict=True):
            distances[faded] += lost * (others - distances[faded])
    return below, above


def rise_chances(model: ReleasedModel, cases: Cases, peak_rise_mg_dl: Array) -> tuple[Array, Array]:
    """Return the probabilities of rises of at least 30 and 50 mg/dL, each of shape (n_cases,)."""
    found = model.impact_scale.chances(peak_rise_mg_dl)
    return _with_personal(cases, found, model.personal_prior.impact_scale.chances, peak_rise_mg_dl)


def peak_chances(
    model: ReleasedModel,
    cases: Cases,
    start_mg_dl: Array,
    peak_rise_mg_dl: Array,
    sides: tuple[Array, Array],
) -> tuple[Array, Array]:
    """Return the probabilities of peaks of at least 140 and 180 mg/dL, each of shape (n_cases,).

    `sides` are those of `band_on_grid`.
    """
    state, scale = cases.meals.state, model.peak_scale
    if isinstance(scale, PeakDistribution):
        unit = np.mean([side[:, PEAK_ROWS].mean(axis=1) for side in sides], axis=0)
        return scale.chances(start_mg_dl, peak_rise_mg_dl, unit, state)
    peak, personal = start_mg_dl + peak_rise_mg_dl, model.personal_prior.peak_scale
    found = scale.chances(peak, state)
    return _with_personal(cases, found, personal.chances, peak, state)


def _with_personal(
    cases: Cases,
    found: tuple[Array, Array],
    personal: Callable[..., tuple[Array, Array]],
    *columns: NDArray[Any],
) -> tuple[Array, Array]:
    """Move the probabilities of cases with a personal model to those of its calibration."""
    own = cases.has_own
    if own.any():
        own_found = personal(*(column[own] for column in columns))
        for probability, own_probability in zip(found, own_found, strict=True):
            probability[own] += cases.own_share[own] * (own_probability - probability[own])
    return found


def impact(
    model: ReleasedModel, cases: Cases, reaches_30: Array, reaches_50: Array
) -> tuple[NDArray[np.intp], Array]:
    """Return each case's label as a position in `IMPACTS`, and the probability of each label.

    The shapes are (n_cases,) and (n_cases, 3).
    """
    labels = model.impact_scale.labels(reaches_30, reaches_50)
    own = cases.own_weight >= 0.5
    if own.any():
        personal = model.personal_prior.impact_scale
        labels[own] = personal.labels(reaches_30[own], reaches_50[own])
    return labels, label_probabilities(reaches_30, reaches_50)


def person_range(model: ReleasedModel, cases: Cases) -> tuple[Array, Array]:
    """Return the ends of each person's glucose range before widening, in mg/dL."""
    own, models = cases.has_own, cases.models
    lows = np.array([model.ranges[state].low_mg_dl for state in STATES])
    highs = np.array([model.ranges[state].high_mg_dl for state in STATES])
    low, high = lows[cases.meals.state], highs[cases.meals.state]
    low = low + cases.range_weight * (cases.own_low_mg_dl - low)
    high = high + cases.range_weight * (cases.own_high_mg_dl - high)
    if model.ranges[STATES[0]].is_blood:
        low = cases.offset_mg_dl + cases.gain * low
    high = cases.offset_mg_dl + cases.gain * high
    margin = np.where(cases.is_trained, 0.0, (UNTRAINED_FACTOR - 1) * (high - low) / 2)
    if not own.any():
        return low - margin, high + margin
    weight = cases.own_weight
    low, high = low - margin, high + margin
    return (
        (1 - weight) * low + weight * models.low_mg_dl[cases.own],
        (1 - weight) * high + weight * models.high_mg_dl[cases.own],
    )


def widened_range(
    low_mg_dl: Array, high_mg_dl: Array, curve_mg_dl: Array
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Widen ranges to contain the curves, and round them outward to whole mg/dL."""
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
