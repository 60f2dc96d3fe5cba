"""Detect sensor changes in a person's CGM readings.

Sensors are worn for 7 to 15 days. While a new sensor warms up, there are no readings for 30 minutes
to two hours. The new sensor reads a few mg/dL higher or lower than the previous sensor.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from postmeal.glucose.history.cgm_trace import CgmTrace

Array = NDArray[np.float64]

MIN_GAP_H = 0.9
"""Minimum length, in hours, of a gap in which the sensor may have been changed."""

MIN_WEAR_DAYS = 3.0
"""Minimum days between two sensor changes; gaps that follow a change sooner are not changes."""

MIN_LEVEL_CHANGE = 5.0
"""Minimum change of the daily mean that indicates a sensor change, in standard errors."""

_DAY_S = 86400.0
_MIN_DAYS_EACH = 2
_MIN_COVERED_H = 12.0


def sensor_changes(trace: CgmTrace) -> Array:
    """Find the times at which the sensor was changed.

    Known changes, such as a new transmitter in an export, are in `CgmTrace.changed_s`. Each gap of
    at least `MIN_GAP_H` is also treated as a sensor change, unless it ends less than
    `MIN_WEAR_DAYS` after the first reading or another change, or less than `MIN_WEAR_DAYS` before
    a known change. If there is neither a known change nor such a gap, a change of the daily mean by
    more than `MIN_LEVEL_CHANGE` standard errors is treated as a sensor change.
    """
    if len(trace) < 2:
        return np.empty(0)
    within = (trace.changed_s > trace.utc_s[0]) & (trace.changed_s <= trace.utc_s[-1])
    known = trace.changed_s[within].tolist()
    gaps = np.flatnonzero(np.diff(trace.utc_s) >= MIN_GAP_H * 3600) + 1
    changes = [trace.utc_s[0], *known]
    for start in trace.utc_s[gaps].tolist():
        if min(abs(start - change) for change in changes) >= MIN_WEAR_DAYS * _DAY_S:
            changes.append(start)
    return np.sort(changes[1:]) if len(changes) > 1 else _level_change(trace)


def sensor_numbers(utc_s: Array, changes_s: Array) -> NDArray[np.intp]:
    """Number the sensors worn at the given times from 0, and return the number at each time."""
    return np.unique(np.searchsorted(changes_s, utc_s, side="right"), return_inverse=True)[1]


def _level_change(trace: CgmTrace) -> Array:
    """Return the start of the day on which the daily mean changes most.

    Empty if the change is less than `MIN_LEVEL_CHANGE` standard errors.
    """
    day = np.floor((trace.utc_s + trace.utc_offset_s) / _DAY_S)
    days, first, count = np.unique(day, return_index=True, return_counts=True)
    if len(days) < 2 * _MIN_DAYS_EACH:
        return np.empty(0)
    means = np.add.reduceat(trace.glucose_mg_dl, first) / count
    interval_h = float(np.median(np.diff(trace.utc_s))) / 3600
    kept = count * interval_h >= _MIN_COVERED_H
    means, first = means[kept], first[kept]
    best, at = 0.0, None
    for split in range(_MIN_DAYS_EACH, len(means) - _MIN_DAYS_EACH + 1):
        before, after = means[:split], means[split:]
        squares = ((before - before.mean()) ** 2).sum() + ((after - after.mean()) ** 2).sum()
        deviation = np.sqrt(squares / (len(means) - 2))
        error = max(deviation, 1.0) * np.sqrt(1 / len(before) + 1 / len(after))
        change = abs(after.mean() - before.mean()) / error
        if change > max(best, MIN_LEVEL_CHANGE):
            best, at = change, first[split]
    return np.empty(0) if at is None else trace.utc_s[at : at + 1]
