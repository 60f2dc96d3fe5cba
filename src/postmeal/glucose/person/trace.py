"""Summary of the CGM readings before a meal: usable hours, mean, spread and last reading."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.food import Meal
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.meal_history import MealHistory
from postmeal.glucose.person.inputs import PredictionWarning, warning
from postmeal.glucose.population.glucose_range import ends_of_readings
from postmeal.glucose.smooth_step import smooth_step

LEAST_HOURS, FULL_HOURS = 12.0, 24.0
"""Usable hours up to which a trace says nothing about the person, and from which it counts fully.

Half a day does not contain all meals of a day, nor its night.
"""

MAX_TRACE_DAYS = 14.0
"""Days before the meal whose readings count."""

MAX_AGE_MIN, FADED_AGE_MIN = 15.0, 60.0
"""Minutes before the meal up to which a reading is the glucose at its start, and from which it says
nothing about it; in between, its weight falls smoothly.
"""

WAKING_H = 6.0
"""Hour of the day from which readings until midnight are waking readings."""

_MAX_GAP_MIN = 20.0
_RANGE_STEP_S = 900.0
_JUDGED_HOURS = 6.0
"""Usable hours from which a trace can be called flat or mixed; glucose is stable in many nights."""

_FLAT_SD_MG_DL = 2.0
_MIXED_STEP_MG_DL, _MIXED_RATIO = 8.0, 0.6
"""Root mean square of the steps between readings, and its square relative to twice their variance.

The ratio is 0.01 to 0.2 for the readings of one person, and 1 for readings in random order (von
Neumann 1941, doi:10.1214/aoms/1177731677). Small steps are the noise of a sensor.
"""


class TraceSummary(NamedTuple):
    """The readings before a moment; the mean and the spread are weighted by the time covered.

    `low_mg_dl` and `high_mg_dl` hold 95% of the waking readings.
    """

    usable_hours: float
    mean_mg_dl: float
    sd_mg_dl: float
    last_mg_dl: float
    last_age_min: float
    n_after: int = 0
    is_flat: bool = False
    is_mixed: bool = False
    low_mg_dl: float = 0.0
    high_mg_dl: float = 0.0

    @property
    def is_credible(self) -> bool:
        """Whether the readings can be those of one working sensor."""
        return not (self.is_flat or self.is_mixed)


NO_TRACE = TraceSummary(0.0, 0.0, 0.0, 0.0, np.inf)
"""Summary of a trace without readings before the meal."""


def meal_moment_s(meal: Meal, history: CgmTrace | MealHistory | None) -> tuple[float, bool]:
    """Return the start of a meal in seconds since 1970 UTC, and whether its hour is known.

    A time without a zone is in the local time of the last readings or meals before it. If only the
    date is known, the moment is the start of that date, so that no later reading counts.
    """
    time = meal.time
    if isinstance(time, datetime) and time.tzinfo is not None:
        return time.timestamp(), True
    has_hour = isinstance(time, datetime)
    wall = time if isinstance(time, datetime) else datetime(time.year, time.month, time.day)
    local_s = wall.replace(tzinfo=UTC).timestamp()
    if history is None or not len(history):
        return local_s, has_hour
    offset_s = np.nan_to_num(history.utc_offset_s)
    since_s = local_s - history.utc_s - offset_s
    nearest = int(np.argmin(np.where(since_s >= 0, since_s, 1e12 - since_s)))
    return local_s - float(offset_s[nearest]), has_hour


def summarize(trace: CgmTrace, moment_s: float) -> TraceSummary:
    """Summarize the readings of the days before a moment."""
    first, end = np.searchsorted(trace.utc_s, [moment_s - 86400 * MAX_TRACE_DAYS, moment_s + 1e-3])
    n_after = len(trace) - int(end)
    if first == end:
        return NO_TRACE._replace(n_after=n_after)
    time_s, glucose = trace.utc_s[first:end], trace.glucose_mg_dl[first:end]
    step_s = np.diff(time_s)
    usual_s = float(np.median(step_s)) if len(step_s) else 300.0
    longest_s = max(60 * _MAX_GAP_MIN, 2 * usual_s + 300)
    covered_s = np.append(np.where(step_s <= longest_s, step_s, 0.0), 0.0)
    if not covered_s.any():
        covered_s[:] = 1e-9
    share = covered_s / covered_s.sum()
    mean = float(share @ glucose)
    variance = float(share @ (glucose - mean) ** 2)
    usable_hours = _usable_hours(time_s, covered_s)
    is_flat = is_mixed = False
    if usable_hours >= _JUDGED_HOURS:
        square = float((np.diff(glucose)[step_s <= longest_s] ** 2).mean())
        is_flat = variance < _FLAT_SD_MG_DL**2
        is_mixed = square > max(_MIXED_STEP_MG_DL**2, 2 * _MIXED_RATIO * variance)
    return TraceSummary(
        usable_hours,
        mean,
        variance**0.5,
        float(glucose[-1]),
        (moment_s - float(time_s[-1])) / 60,
        n_after,
        is_flat,
        is_mixed and not is_flat,
        *_waking_ends(trace, int(first), int(end), usual_s),
    )


def _waking_ends(trace: CgmTrace, first: int, end: int, step_s: float) -> tuple[float, float]:
    """Return the ends of a range that holds 95% of the waking readings.

    Where the hour of the day is not known, or nobody was awake, it holds those of the whole day.
    """
    rows = slice(first, end, max(round(_RANGE_STEP_S / max(step_s, 1.0)), 1))
    glucose = trace.glucose_mg_dl[rows]
    hour = (trace.utc_s[rows] + trace.utc_offset_s[rows]) / 3600 % 24
    is_awake = ~(hour < WAKING_H)  # NaN: unknown
    return ends_of_readings((glucose[is_awake] if is_awake.any() else glucose)[None])


def _usable_hours(time_s: NDArray[np.float64], covered_s: NDArray[np.float64]) -> float:
    """Return the hours covered, fewer if they repeat the same part of the day, such as nights."""
    hours = float(covered_s.sum()) / 3600
    by_hour = np.bincount((time_s // 3600 % 24).astype(np.intp), covered_s, 24) / 3600
    of_day = float(np.minimum(by_hour, 1.0).sum())
    return hours if of_day >= 23.9 else min(hours, 24 * of_day / (24 - of_day))


def rung_share(usable_hours: float) -> float:
    """Return the share of the learned weights at a number of usable hours; it grows smoothly."""
    return smooth_step((usable_hours - LEAST_HOURS) / (FULL_HOURS - LEAST_HOURS))


def start_share(age_min: float) -> float:
    """Return the weight of a reading as the glucose at the start of the meal, by its age."""
    if age_min < 0:
        return 0.0
    return smooth_step((FADED_AGE_MIN - age_min) / (FADED_AGE_MIN - MAX_AGE_MIN))


def trace_warnings(trace: TraceSummary, has_hour: bool) -> list[PredictionWarning]:
    """Return warnings about readings that could not be used fully."""
    found = []
    if trace.n_after:
        found.append(warning("trace_after_meal", "trace", n=trace.n_after))
    if trace == NO_TRACE._replace(n_after=trace.n_after):
        return [*found, warning("trace_too_old", "trace", days=MAX_TRACE_DAYS)]
    if not trace.is_credible:
        return [*found, warning("trace_flat" if trace.is_flat else "trace_mixed", "trace")]
    if trace.usable_hours < LEAST_HOURS:
        found.append(warning("trace_too_short", "trace", hours=trace.usable_hours))
    if has_hour and trace.last_age_min > MAX_AGE_MIN:
        found.append(warning("trace_ended_early", "trace", minutes=trace.last_age_min))
    return found
