"""Compute a prediction for a single meal with plain floats.

For a single meal, plain floats are several times faster than NumPy. The steps, and the names of
their functions, are those of `postmeal.glucose.composition`. Tests check that the results agree to
within 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import add, mul, sub
from typing import NamedTuple

import numpy as np

from postmeal.glucose.cases import Case
from postmeal.glucose.personal import features
from postmeal.glucose.personal.level_age import kept_at, level_share
from postmeal.glucose.personal.portion_guard import SHARE_EVERY_H
from postmeal.glucose.personal.prior import KnownStart, PersonalPrior
from postmeal.glucose.population import formula
from postmeal.glucose.population.band import GROWTH_PER_MG_DL, UNTRAINED_FACTOR
from postmeal.glucose.population.chances import Chances
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import (
    FADING_H,
    FASTING_H,
    TYPICAL_RECENCY,
    UNKNOWN_FASTING,
)
from postmeal.glucose.population.formula import MAX_SLOWING_CARBS_G, PopulationModel
from postmeal.glucose.population.glucose_range import MAX_MG_DL, MIN_MG_DL
from postmeal.glucose.population.impact import IMPACTS, Impact, ImpactScale, logistic
from postmeal.glucose.population.peak_scale import (
    PEAK_CUTS_MG_DL,
    PEAK_ROWS,
    PeakDistribution,
    PeakScale,
)
from postmeal.glucose.population.states import STATES
from postmeal.glucose.released_model import ReleasedModel

Floats = Sequence[float]


class Outcome(NamedTuple):
    """Prediction for a single case: one row of `postmeal.glucose.composition.Composed`."""

    glucose_mg_dl: tuple[float, ...]
    lower_mg_dl: tuple[float, ...]
    upper_mg_dl: tuple[float, ...]
    impact: Impact
    impact_probabilities: dict[str, float]
    cgp_min: int
    cgp_max: int
    chances: Chances


def compose(model: ReleasedModel, case: Case, minutes: tuple[float, ...] | None = None) -> Outcome:
    """Predict the glucose of a case at the given minutes (by default, on the standard grid)."""
    gain = case.sensor.gain
    grid_rise = rise(model.population, case, GRID_MIN)
    level_change, rise_change = personal_correction(model, case, grid_rise)
    level = model.level_mg_dl[STATES[case.state]] + case.prior.level_mg_dl + level_change
    start, trend = anchor(model, case, case.sensor.offset_mg_dl + gain * level)
    course = grid_course = added(to_sensor(gain, added(grid_rise, rise_change)), trend)
    if minutes is not None:
        blood = added(rise(model.population, case, minutes), interpolated(minutes, rise_change))
        course = added(to_sensor(gain, blood), interpolated(minutes, trend))
    sides = band_on_grid(model, case)
    below, above = band_distances(sides, course, minutes)
    readings = [start + increase for increase in course]
    curve = within_limits(readings)
    peak_rise = max(grid_course)
    rises = mixed(case, lambda fitted: fitted.impact_scale.chances_of_rise(peak_rise), model)
    peaks = chances_of_peak(model, case, start, peak_rise, sides)
    scale = (model if case.own_share < 0.5 else model.personal_prior).impact_scale
    return Outcome(
        curve,
        within_limits(list(map(sub, readings, below))),
        within_limits(list(map(add, readings, above))),
        *impact(scale, *rises),
        *widened_range(*person_range(model, case), curve),
        Chances(*peaks, *rises),
    )


def rise(model: PopulationModel, case: Case, minutes: tuple[float, ...]) -> list[float]:
    """Return the rise of blood glucose that the population model predicts, in mg/dL."""
    state, hour, (carbs, fiber, protein, fat) = case.state, case.hour, case.macronutrients
    morning_start, morning_end = formula.MORNING_H
    exp, edge_per_h = math.exp, formula.EDGE_PER_HOUR
    after_start = 1 / (1 + exp(edge_per_h * (morning_start - hour)))
    after_end = 1 / (1 + exp(edge_per_h * (morning_end - hour)))
    evening = 1 / (1 + exp(edge_per_h * (formula.EVENING_H - hour)))
    log_gain = (
        model.log_gain[state]
        + model.morning[state] * after_start * (1 - after_end)
        + model.evening[state] * evening
        + case.prior.log_gain
    )
    blunting = model.protein_per_g * protein + model.fat_per_g * fat + model.fiber_per_g * fiber
    available = max(carbs - fiber / 2, 0.0) / (1 + blunting)
    limit = model.saturation_g[state]
    saturated = limit * -math.expm1(-available / limit)
    height = exp(log_gain) * saturated
    slowing = model.slowing_per_kcal * (4 * protein + 9 * fat)
    slowing += model.slowing_per_g * min(available, MAX_SLOWING_CARBS_G)
    fall = model.sharpness * exp(-slowing)
    recent = recency(case)
    middle, end = recent * model.recent_middle_mg_dl, recent * model.recent_end_mg_dl
    drift = model.drift_mg_dl[state] / 120
    return [
        height * (base**fall if is_falling else base)
        + drift * minute
        + (middle * half_wave + end * part)
        for minute, base, is_falling, half_wave, part in time_terms(
            model.peak_min[state], model.sharpness, minutes
        )
    ]


@lru_cache(maxsize=32)
def time_terms(
    peak_min: float, sharpness: float, minutes: tuple[float, ...]
) -> tuple[tuple[float, float, bool, float, float], ...]:
    """Return the terms of `rise` that do not depend on the meal, for each minute.

    The terms are the minute, the shape of the curve (after the peak, the base of its power),
    whether the minute is after the peak, and the factors of the effects of a previous meal.
    """
    terms = []
    for minute in minutes:
        z, part = minute / peak_min, min(minute, 120.0) / 120
        base = z * math.exp(1 - z)
        is_falling = z > 1
        shape = base if is_falling else base**sharpness
        terms.append((minute, shape, is_falling, math.sin(math.pi * part), part))
    return tuple(terms)


def personal_correction(
    model: ReleasedModel, case: Case, grid_rise: Floats
) -> tuple[float, list[float] | None]:
    """Return the personal model's changes of level and rise, in mg/dL of blood glucose."""
    own = case.own
    if own is None:
        return 0.0, None
    prior = model.personal_prior
    gain = sum(map(mul, prior.first_shape, grid_rise))
    row = feature_row(case, gain, share_at(own.shares, case.hour))
    *change, level = own.effects_on_curve(prior.shapes).dot(np.array(row)).tolist()
    drift = own.drift_on(case.day, prior.fading_days)
    drift += level_share(case.day - own.last_day, prior.fading_days) * (
        own.prior_level_mg_dl - case.prior.level_mg_dl
    )
    weight = case.own_share
    return weight * (level + drift), [weight * increase for increase in change]


def feature_row(case: Case, gain: float, share: float) -> list[float]:
    """Return the case's row of `meal_features`, with meal-dependent features scaled by `share`."""
    hour, recent = case.hour, recency(case) - TYPICAL_RECENCY
    available = max(case.macronutrients[0] - case.macronutrients[1] / 2, 0.0)
    carbs = share * (1 - math.exp(-available / features.SATURATION_G) - features.MID_CARBS)
    relative_gain = share * (gain / features.GAIN_UNIT_MG_DL - features.MID_GAIN)
    terms = [features.ROOTS[0]]
    terms += [math.cos(hour * omega) * root for omega, root in features.HARMONICS]
    terms += [math.sin(hour * omega) * root for omega, root in features.HARMONICS]
    row = [1.0, relative_gain, recent, *terms]
    row += [carbs * term for term in terms]
    row += [relative_gain * term for term in terms]
    return row


def share_at(shares: Floats, hour: float) -> float:
    """Interpolate the portion guard's shares at an hour of the day."""
    position = hour / SHARE_EVERY_H
    before = int(position)
    after = shares[(before + 1) % len(shares)]
    return shares[before] + (position - before) * (after - shares[before])


def anchor(
    model: ReleasedModel, case: Case, predicted_start: float
) -> tuple[float, list[float] | None]:
    """Return the start of the curve and, if a reading replaces it, the change of the rise."""
    if case.start_mg_dl is None:
        return predicted_start, None
    share = case.start_share
    start = (1 - share) * predicted_start + share * case.start_mg_dl
    difference = start - predicted_start
    recent, fasted = recency(case), fasting(case)

    def trend_of(known: KnownStart) -> list[float]:
        slopes = zip(known.slope, known.recent, known.fasting, strict=True)
        return [difference * (a + recent * b + fasted * c) for a, b, c in slopes]

    population, known = trend_of(model.start), case.prior.known_level
    known = case.own_share + (1 - case.own_share) * known
    if not known:
        return start, population
    personal = trend_of(model.personal_prior.start)
    return start, [a + known * (b - a) for a, b in zip(population, personal, strict=True)]


def recency(case: Case) -> float:
    """Return how recent the previous meal is, from 0 (many hours ago) to 1 (just eaten)."""
    if case.since_meal_h is None:
        return TYPICAL_RECENCY
    return math.exp(-case.since_meal_h / FADING_H)


def fasting(case: Case) -> float:
    """Return how long the person has fasted, from 0 (just eaten) to 1 (a night or longer)."""
    if case.since_meal_h is None:
        return UNKNOWN_FASTING
    return 1 / (1 + math.exp(FASTING_H - min(case.since_meal_h, 24.0)))


def to_sensor(gain: float, blood_rise: Floats) -> list[float]:
    """Convert the rise of blood glucose to a rise of sensor readings."""
    return [gain * increase for increase in blood_rise]


def added(course: list[float], change: Floats | None) -> list[float]:
    """Add a change, if there is one, to each point of a course."""
    return course if change is None else list(map(add, course, change))


def interpolated(minutes: Floats, change: Floats | None) -> list[float] | None:
    """Interpolate a change on the grid, if there is one, at the given minutes."""
    return None if change is None else np.interp(minutes, GRID_MIN, change).tolist()


def band_distances(
    sides: tuple[list[float], list[float]], course: Floats, minutes: Floats | None
) -> tuple[list[float], list[float]]:
    """Return the distances from the curve to the ends of its band."""
    below, above = sides
    if minutes is not None:
        below = np.interp(minutes, GRID_MIN, below).tolist()
        above = np.interp(minutes, GRID_MIN, above).tolist()
    factors = [1 + GROWTH_PER_MG_DL * up if up > 0 else 1.0 for up in course]
    return list(map(mul, below, factors)), list(map(mul, above, factors))


def band_on_grid(model: ReleasedModel, case: Case) -> tuple[list[float], list[float]]:
    """Return the distances to the ends of the band before the rise increases them."""
    if case.start_mg_dl is not None and case.start_share < 1:
        sides = (
            band_on_grid(model, each)
            for each in (case._replace(start_mg_dl=None), case._replace(start_share=1.0))
        )
        below, above = (
            [a + case.start_share * (b - a) for a, b in zip(*side, strict=True)]
            for side in zip(*sides, strict=True)
        )
        return below, above
    has_start, prior, own = case.start_mg_dl is not None, case.prior, case.own
    unit = prior.band_with_reading if has_start else prior.band
    band = model.start.band if has_start else model.band
    below, above = band.rows[case.state]
    weight = 0.0
    if own is not None:
        weight = case.own_share * (
            1.0 if has_start else kept_at(case.day - own.last_day, model.personal_prior.fading_days)
        )
    if own is not None and weight:
        personal = model.personal_prior
        own_rows = (personal.start.band if has_start else personal.band).rows[case.state]
        first, second = (1 - weight) * unit, weight * own.scale_mg_dl
        below, above = (
            [first * a + second * b for a, b in zip(side, own_side, strict=True)]
            for side, own_side in zip((below, above), own_rows, strict=True)
        )
        unit = 1.0
    scale = unit if case.is_trained else unit * UNTRAINED_FACTOR
    return [scale * each for each in below], [scale * each for each in above]


def chances_of_peak(
    model: ReleasedModel,
    case: Case,
    start: float,
    rise: float,
    sides: tuple[Floats, Floats],
) -> list[float]:
    """Return the probabilities of peaks of at least 140 and 180 mg/dL; see `band_on_grid`."""
    scale, personal, state = model.peak_scale, model.personal_prior.peak_scale, case.state
    if not isinstance(scale, PeakDistribution):
        found = peak_chances(scale, state, start + rise)
        own, weight = peak_chances(personal, state, start + rise), case.own_share
        return [(1 - weight) * a + weight * b for a, b in zip(found, own, strict=True)]
    below, above = sides
    unit = (sum(below[PEAK_ROWS]) + sum(above[PEAK_ROWS])) / (2 * len(below[PEAK_ROWS]))
    chances = []
    for cut in PEAK_CUTS_MG_DL:
        width = unit * (1 + GROWTH_PER_MG_DL * max(cut - start, 0.0))
        odds = scale.slope * ((start + rise - cut) / width + scale.shift[state])
        chances.append(logistic(odds))
    return chances


def peak_chances(scale: PeakScale, state: int, peak: float) -> tuple[float, float]:
    """Return the probabilities of peaks of at least 140 and 180 mg/dL."""
    growth = scale.slope_per_mg_dl[state] * (peak - PEAK_CUTS_MG_DL[0])
    return (
        logistic(scale.log_odds_140[state] + growth),
        logistic(scale.log_odds_180[state] + growth),
    )


def impact(
    scale: ImpactScale, reaches_medium: float, reaches_high: float
) -> tuple[Impact, dict[str, float]]:
    """Return the impact label, and the probability of each label."""
    number = 2 if reaches_high >= scale.cut_high else int(reaches_medium >= scale.cut_medium)
    probabilities = {
        "low": 1 - reaches_medium,
        "medium": reaches_medium - reaches_high,
        "high": reaches_high,
    }
    return IMPACTS[number], probabilities


def person_range(model: ReleasedModel, case: Case) -> tuple[float, float]:
    """Return the ends of the person's glucose range before widening."""
    ends = model.ranges[STATES[case.state]]
    low, high, prior, sensor = ends.low_mg_dl, ends.high_mg_dl, case.prior, case.sensor
    if prior.range_weight:
        low += prior.range_weight * (prior.low_mg_dl - low)
        high += prior.range_weight * (prior.high_mg_dl - high)
    if ends.is_blood:
        low = sensor.offset_mg_dl + sensor.gain * low
    high = sensor.offset_mg_dl + sensor.gain * high
    margin = 0.0 if case.is_trained else (UNTRAINED_FACTOR - 1) * (high - low) / 2
    low, high = low - margin, high + margin
    own, weight = case.own, case.own_share
    if own is None:
        return low, high
    return (
        (1 - weight) * low + weight * own.low_mg_dl,
        (1 - weight) * high + weight * own.high_mg_dl,
    )


def widened_range(low: float, high: float, curve: Floats) -> tuple[int, int]:
    """Widen a range to contain the curve, and round it outward to whole mg/dL."""
    lowest = max(min(low, min(curve)), MIN_MG_DL)
    highest = min(max(high, max(curve)), MAX_MG_DL)
    return math.floor(lowest), math.ceil(highest)


def within_limits(glucose: Floats) -> tuple[float, ...]:
    """Clip glucose to the range of sensors, 40 to 400 mg/dL."""
    low, high = MIN_MG_DL, MAX_MG_DL
    return tuple([low if g < low else high if g > high else g for g in glucose])


def mixed(
    case: Case, values: Callable[[ReleasedModel | PersonalPrior], Floats], model: ReleasedModel
) -> list[float]:
    """Return values of the population's calibration, moved to the personal one by its weight."""
    population = values(model)
    if case.own is None:
        return list(population)
    weight, personal = case.own_share, values(model.personal_prior)
    return [(1 - weight) * a + weight * b for a, b in zip(population, personal, strict=True)]
