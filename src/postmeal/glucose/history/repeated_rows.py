"""Decide which readings and foods to use where several rows describe the same time.

Food that repeats an earlier row is used once. Readings are never averaged. Readings that repeat
another one are used once, and readings that contradict each other are left out, with a reason:

- Of several devices that read at the same time, the one with the most readings is used.
- Of a scan and a reading that the sensor stored at the same time, the stored reading is used.
- Of other different readings at the same time, none is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError

Array = NDArray[np.float64]

_SAME_READING_S = 60.0
_INTERVAL_S = (300.0, 900.0)
_SKIPPED_HOUR = "the time does not exist, because clocks are set forward past it"


class SkippedRow(NamedTuple):
    """A row that is not used: its line number, counted from 1, and the reason.

    In tables and sequences, the line is the position of the row, counted from 0.
    """

    line: int
    reason: str


def raise_if_asked(errors: str, skipped: Sequence[SkippedRow], place: Callable[[int], str]) -> None:
    """Raise an error for the first skipped row if `errors` is ``"raise"``.

    `place` returns the field of the error, given the line.
    """
    if errors not in ("report", "raise"):
        raise InputError("errors", "must be one of", errors, allowed=("report", "raise"))
    if errors == "raise" and skipped:
        line, reason = skipped[0]
        raise InputError(place(line), f"cannot be used: {reason}")


def of_device(devices: Sequence[str], device: str) -> NDArray[np.bool_]:
    """Return a mask of the readings of a device.

    `device` is the name of the device, or a part of it in any case.
    """
    names = sorted({*devices} - {""})
    if not any(device.lower() in name.lower() for name in names):
        raise InputError("device", "must be a device in the data", device, allowed=names)
    return np.array([device.lower() in name.lower() for name in devices], dtype=np.bool_)


def consistent_readings(
    utc_s: Array,
    utc_offset_s: Array,
    glucose_mg_dl: Array,
    devices: Sequence[str] = (),
    is_scan: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.intp], dict[int, str]]:
    """Select the readings that do not contradict each other."""
    rows, reasons = _of_one_device_at_a_time(utc_s, glucose_mg_dl, devices)
    reasons |= dict.fromkeys(np.flatnonzero(np.isnan(utc_s)).tolist(), _SKIPPED_HOUR)
    if is_scan is None:
        is_scan = np.zeros(len(utc_s), dtype=np.bool_)
    keys = (utc_offset_s[rows], glucose_mg_dl[rows], is_scan[rows], utc_s[rows])
    rows = rows[np.lexsort(keys)]
    starts = np.flatnonzero(np.diff(utc_s[rows], prepend=-np.inf))
    is_used = np.zeros(len(rows), dtype=np.bool_)
    is_used[starts] = True
    if len(starts) == len(rows):
        return rows, reasons
    glucose = glucose_mg_dl[rows]
    differs = np.minimum.reduceat(glucose, starts) < np.maximum.reduceat(glucose, starts)
    ends = np.append(starts[1:], len(rows))
    for start, end in zip(starts[differs].tolist(), ends[differs].tolist(), strict=True):
        values, scans = glucose[start:end].tolist(), is_scan[rows[start:end]]
        last = values[int((scans == scans[0]).sum()) - 1]
        is_used[start] = is_sure = values[0] == last
        for row, value in zip(rows[start:end].tolist(), values, strict=True):
            if is_sure and value == values[0]:
                continue
            other = values[0] if value != values[0] else last
            reasons[row] = (
                f"glucose of {value:.4g} mg/dL differs from {other:.4g} mg/dL at the same time;"
                f" {'the stored reading' if is_sure else 'neither'} is used"
            )
    return rows[is_used], reasons


def repeated_foods(
    utc_s: Array, macronutrients: Array, lines: Sequence[int]
) -> dict[int, tuple[str, int]]:
    """Find foods with the time and the amounts of an earlier row, or without a time that exists.

    Return the position of each of these foods, with the reason why it is not used, and the position
    of the earlier row. `lines` contains the line number of each food.
    """
    reasons: dict[int, tuple[str, int]] = {}
    first: dict[bytes, int] = {}
    for row, values in enumerate(np.column_stack([utc_s, macronutrients])):
        earlier = first.setdefault(values.tobytes(), row)
        if np.isnan(values[0]):
            reasons[row] = _SKIPPED_HOUR, row
        elif earlier != row:
            reasons[row] = f"food repeats that of line {lines[earlier]}, which is used", earlier
    return reasons


def _of_one_device_at_a_time(
    utc_s: Array, glucose_mg_dl: Array, devices: Sequence[str]
) -> tuple[NDArray[np.intp], dict[int, str]]:
    """Leave out the readings of a device while a device with more readings reads as well.

    A device reads until its usual interval after its last reading has passed.
    """
    counts = Counter(devices)
    if len(counts) < 2:
        return np.flatnonzero(~np.isnan(utc_s)), {}
    labels = np.array(devices, dtype=object)
    first_s = {name: np.nanmin(utc_s[labels == name], initial=np.inf) for name in counts}
    reasons: dict[int, str] = {}
    used = np.empty(0, dtype=np.intp)
    for name in sorted(counts, key=lambda name: (-counts[name], first_s[name])):
        rows = np.flatnonzero((labels == name) & ~np.isnan(utc_s))
        rows = rows[np.argsort(utc_s[rows], kind="stable")]
        if len(used):
            times = utc_s[used]
            interval_s = np.clip(np.median(np.diff(times)), *_INTERVAL_S) if len(used) > 1 else 0.0
            after = np.minimum(np.searchsorted(times, utc_s[rows]), len(used) - 1)
            before = np.maximum(after - 1, 0)
            is_before = np.abs(times[before] - utc_s[rows]) < np.abs(times[after] - utc_s[rows])
            nearest = used[np.where(is_before, before, after)]
            distance_s = np.abs(utc_s[nearest] - utc_s[rows])
            is_equal = glucose_mg_dl[nearest] == glucose_mg_dl[rows]
            repeats = is_equal & (distance_s <= _SAME_READING_S)
            # A reading of another device that fills a gap comes a whole interval later.
            overlaps = distance_s < 0.9 * max(interval_s, _SAME_READING_S)
            told = overlaps & ~repeats
            for row, other in zip(rows[told].tolist(), nearest[told].tolist(), strict=True):
                reasons[row] = (
                    f"{name or 'an unnamed device'} read while {devices[other] or 'an unnamed one'}"
                    " did, whose readings are used; to use the others, select the device"
                )
            rows = rows[~(overlaps | repeats)]
        used = np.concatenate([used, rows])
        used = used[np.argsort(utc_s[used], kind="stable")]
    return used, reasons
