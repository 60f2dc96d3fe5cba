"""CGM readings of a person, sorted by time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.glucose.history.wall_clock import moment_of, zone_of, zone_offset_s
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.units import MG_DL_PER_MMOL_L

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GLUCOSE_UNITS", "READABLE_MG_DL", "CgmTrace", "time_columns"]

Array = NDArray[np.float64]

READABLE_MG_DL = (20.0, 600.0)
"""Lowest and highest glucose accepted as a reading, in mg/dL."""

GLUCOSE_UNITS = {"mg/dL": 1.0, "mmol/L": MG_DL_PER_MMOL_L}
"""Supported units of glucose, with the factors that convert them to mg/dL."""

_READABLE = {
    "mg/dL": "must be 20 to 600 mg/dL",
    "mmol/L": "must be 1.12 to 33.3 mmol/L (20 to 600 mg/dL)",
}
_DEFAULT_MAX_GAP_MIN = 20.0
_MAX_OFFSET_S = 86400.0
_TIMES_S = (-62_000_000_000.0, 253_000_000_000.0)  # years 6 to 9987, within the datetime range


@dataclass(frozen=True, eq=False)
class CgmTrace:
    """CGM readings of a person.

    Create it with `of` (columns), `from_readings` (pairs) or `from_frame` (DataFrame). Readings can
    be in any order; the result does not depend on it. Simultaneous readings are averaged and get
    the smallest of their UTC offsets. Gaps are not filled.

    Attributes
    ----------
    utc_s : ndarray of shape (n_readings,)
        Times of the readings in seconds since 1970-01-01T00:00Z, in strictly ascending order.
    utc_offset_s : ndarray of shape (n_readings,)
        UTC offset of the wearer's local time at each reading, in seconds.
    glucose_mg_dl : ndarray of shape (n_readings,)
        Readings in mg/dL.
    changed_s : ndarray of shape (n_changes,)
        Times of known sensor changes in seconds since 1970-01-01T00:00Z, in ascending order. Only
        exports that contain transmitters or logged sensor starts provide these times; see
        `postmeal.glucose.history.sensor_changes`.
    """

    utc_s: Array
    utc_offset_s: Array
    glucose_mg_dl: Array
    changed_s: Array = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(
        cls,
        utc_s: ArrayLike,
        utc_offset_s: ArrayLike,
        glucose: ArrayLike,
        field: str = "cgm",
        *,
        unit: str = "mg/dL",
    ) -> CgmTrace:
        """Create a trace from columns.

        Parameters
        ----------
        utc_s : array_like of shape (n_readings,)
            Seconds since 1970-01-01T00:00Z, in any order.
        utc_offset_s : array_like of shape (n_readings,) or ()
            UTC offsets of the wearer's local time in seconds. A scalar applies to all readings.
        glucose : array_like of shape (n_readings,)
            Readings in the given unit.
        field : str, default="cgm"
            Field name for error messages.
        unit : {"mg/dL", "mmol/L"}, default="mg/dL"
            Unit of the readings.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A reading is outside `READABLE_MG_DL`, a time or an offset is out of range, the lengths
            of the columns differ, or the unit is not supported.

        Examples
        --------
        >>> CgmTrace.of([300, 0, 0], 3600, [6.0, 5.0, 5.5], unit="mmol/L").glucose_mg_dl
        array([ 94.584, 108.096])
        """
        if unit not in GLUCOSE_UNITS:
            raise InputError(f"{field}.unit", "must be one of", unit, allowed=GLUCOSE_UNITS)
        time, offset = time_columns(utc_s, utc_offset_s, field)
        values = _numbers(glucose, f"{field}.value", len(time))
        glucose_mg_dl = values * GLUCOSE_UNITS[unit]
        low, high = READABLE_MG_DL
        invalid = np.flatnonzero(~((glucose_mg_dl >= low) & (glucose_mg_dl <= high)))
        if len(invalid):
            row = int(invalid[0])
            raise InputError(f"{field}[{row}].value", _READABLE[unit], float(values[row]))
        return cls.merged(time, offset, glucose_mg_dl)

    @classmethod
    def merged(cls, utc_s: Array, utc_offset_s: Array, glucose_mg_dl: Array) -> CgmTrace:
        """Sort readings by time and average simultaneous readings, without validation."""
        if (np.diff(utc_s) > 0).all():
            return cls(utc_s.copy(), utc_offset_s.copy(), glucose_mg_dl.copy())
        # Sort by all columns, so that sums do not depend on the input order.
        order = np.lexsort((utc_offset_s, glucose_mg_dl, utc_s))
        time, offset, glucose = utc_s[order], utc_offset_s[order], glucose_mg_dl[order]
        first = np.flatnonzero(np.diff(time, prepend=-np.inf))
        if len(first) == len(time):
            return cls(time, offset, glucose)
        count = np.diff(first, append=len(time))
        earliest = np.minimum.reduceat(offset, first)
        return cls(time[first], earliest, np.add.reduceat(glucose, first) / count)

    @classmethod
    def from_readings(
        cls,
        readings: Iterable[tuple[datetime, float]],
        *,
        unit: str = "mg/dL",
        zone: tzinfo | str | None = None,
        field: str = "cgm",
    ) -> CgmTrace:
        """Create a trace from pairs of times and readings.

        Parameters
        ----------
        readings : iterable of (datetime, float)
            Times and readings in any order.
        unit : {"mg/dL", "mmol/L"}, default="mg/dL"
            Unit of the readings.
        zone : tzinfo or str, optional
            Time zone of the wearer, such as ``"Europe/Berlin"``. It applies to times without an
            offset and replaces existing offsets. When omitted, times keep their offsets, and times
            without an offset are in UTC.
        field : str, default="cgm"
            Field name for error messages.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A time is not a datetime, the zone is unknown, or `of` rejects the times or readings.

        Examples
        --------
        >>> trace = CgmTrace.from_readings([(datetime(2026, 5, 1, 8, 0), 95)])
        >>> trace.utc_s, trace.glucose_mg_dl
        (array([1.7776224e+09]), array([95.]))
        """
        zone = zone_of(zone)
        moments, values = [], []
        check_type(field, readings, Iterable, "must be pairs of a datetime and a number")
        for row, reading in enumerate(readings):
            try:
                time, value = reading
            except (TypeError, ValueError):
                problem = "must be a pair of a datetime and a number"
                raise InputError(f"{field}[{row}]", problem, reading) from None
            try:
                moments.append(moment_of(time, zone))
            except (AttributeError, TypeError, ValueError):
                raise InputError(f"{field}[{row}].time", "must be a datetime", time) from None
            values.append(value)
        columns = np.array(moments, dtype=np.float64).reshape(-1, 2)
        trace = cls.of(columns[:, 0], columns[:, 1], values, field, unit=unit)
        return trace if zone is None else trace.in_zone(zone)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        time: str = "time",
        glucose: str = "glucose_mg_dl",
        unit: str = "mg/dL",
        zone: tzinfo | str | None = None,
        field: str = "cgm",
    ) -> CgmTrace:
        """Create a trace from a DataFrame with one row per reading.

        Parameters
        ----------
        frame : DataFrame
            Times and readings in any order; rows without a reading are skipped.
        time : str, default="time"
            Column of times, with or without a time zone.
        glucose : str, default="glucose_mg_dl"
            Column of readings.
        unit, zone, field : optional
            See `from_readings`.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A column is missing, or `from_readings` rejects the times or readings.

        Examples
        --------
        >>> import pandas as pd
        >>> times = pd.date_range("2026-05-01 08:00", periods=3, freq="5min")
        >>> readings = pd.DataFrame({"time": times, "glucose_mg_dl": [95, None, 104]})
        >>> CgmTrace.from_frame(readings).glucose_mg_dl
        array([ 95., 104.])
        """
        if not hasattr(frame, "columns"):
            raise InputError(field, "must be a DataFrame", frame)
        missing = [column for column in (time, glucose) if column not in frame.columns]
        if missing:
            problem = (
                f"must have the columns {time} and {glucose}; missing: {', '.join(missing)};"
                f" columns of the frame: {', '.join(map(str, frame.columns)) or 'none'}; rename the"
                " columns, or pass their names as time= and glucose="
            )
            raise InputError(field, problem)
        known = frame[frame[glucose].notna()]
        readings = zip(known[time], known[glucose], strict=True)
        try:
            return cls.from_readings(readings, unit=unit, zone=zone, field=field)
        except InputError as error:
            hint = "" if unit != "mg/dL" else "; for readings in mmol/L, pass unit='mmol/L'"
            columns = {"time": (time, ""), "value": (glucose, hint)}
            raise _of_row(error, known, columns) from None

    def in_zone(self, zone: tzinfo) -> CgmTrace:
        """Return the same readings with the UTC offsets of a time zone."""
        return replace(self, utc_offset_s=zone_offset_s(self.utc_s, zone))

    def __len__(self) -> int:
        return len(self.utc_s)

    def curves(self, start_s: ArrayLike, minutes: Iterable[float] = GRID_MIN) -> Array:
        """Interpolate the readings at the given minutes after each start time.

        Each point is interpolated linearly between the previous and the next reading. These may be
        at most 20 minutes apart, or 35 minutes for sensors that read every 15 minutes.

        Parameters
        ----------
        start_s : array_like of shape (n,)
            Start times in seconds since 1970-01-01T00:00Z.
        minutes : iterable of float, default=GRID_MIN
            Minutes after each start time.

        Returns
        -------
        ndarray of shape (n, n_times)
            Glucose in mg/dL, NaN where readings are too far apart.
        """
        start = np.asarray(start_s, dtype=np.float64)
        after_min = np.array([*minutes], dtype=np.float64)
        if len(self) < 2 or not len(start):
            return np.full((len(start), len(after_min)), np.nan)
        times = self.utc_s / 60
        targets = start[:, None] / 60 + after_min
        max_gap_min = max(_DEFAULT_MAX_GAP_MIN, 2 * float(np.median(np.diff(times))) + 5)
        after = np.searchsorted(times, targets)
        before = np.searchsorted(times, targets, side="right") - 1
        inside = (before >= 0) & (after < len(times))
        gap = times[np.minimum(after, len(times) - 1)] - times[np.maximum(before, 0)]
        curves: Array = np.interp(targets, times, self.glucose_mg_dl)
        curves[~(inside & (gap <= max_gap_min))] = np.nan
        return curves

    def last_before(self, moment_s: float, within_min: float = 15.0) -> float | None:
        """Return the latest reading at or before a time, or None if there is no recent reading.

        Parameters
        ----------
        moment_s : float
            The time in seconds since 1970-01-01T00:00Z.
        within_min : float, default=15
            Maximum age of the reading in minutes.

        Returns
        -------
        float or None
            The reading in mg/dL.
        """
        position = int(np.searchsorted(self.utc_s, moment_s, side="right")) - 1
        if position < 0 or moment_s - self.utc_s[position] > 60 * within_min:
            return None
        return float(self.glucose_mg_dl[position])


def time_columns(
    utc_s: ArrayLike, utc_offset_s: ArrayLike, field: str = "cgm"
) -> tuple[Array, Array]:
    """Validate times and UTC offsets.

    Parameters
    ----------
    utc_s : array_like of shape (n,)
        Seconds since 1970-01-01T00:00Z.
    utc_offset_s : array_like of shape (n,) or ()
        UTC offsets in seconds. A scalar applies to all times.
    field : str, default="cgm"
        Field name for error messages.

    Returns
    -------
    utc_s, utc_offset_s : ndarray of shape (n,)
        The validated columns.

    Raises
    ------
    InputError
        A time is not a number or out of range, an offset is a day or more, or the lengths of the
        columns differ.
    """
    time = _numbers(utc_s, f"{field}.time")
    offset = np.asarray(utc_offset_s)
    if offset.ndim == 0:
        offset = np.full(len(time), offset)
    offset = _numbers(offset, f"{field}.utc_offset_s", len(time))
    first, last = _TIMES_S
    invalid = np.flatnonzero(~((time >= first) & (time <= last)))
    if len(invalid):
        row = int(invalid[0])
        problem = f"must be {first:.0f} to {last:.0f} seconds since 1970"
        raise InputError(f"{field}[{row}].time", problem, float(time[row]))
    invalid = np.flatnonzero(~(np.abs(offset) < _MAX_OFFSET_S))
    if len(invalid):
        row = int(invalid[0])
        problem = f"must be less than {_MAX_OFFSET_S:.0f} seconds (one day) in either direction"
        raise InputError(f"{field}[{row}].utc_offset_s", problem, float(offset[row]))
    return time, offset


def _of_row(
    error: InputError, frame: pd.DataFrame, columns: dict[str, tuple[str, str]]
) -> InputError:
    """Return an error that names the row and column of a DataFrame and ends with a hint."""
    match = re.search(r"\[(\d+)\]\.(\w+)$", error.field)
    if match is None or match[2] not in columns:
        return error
    column, hint = columns[match[2]]
    named = InputError(column, error.problem).within(f"row {frame.index[int(match[1])]}")
    named.args = (f"{named.field}{str(error).removeprefix(error.field)}{hint}",)
    return named


def _numbers(column: ArrayLike, field: str, length: int | None = None) -> Array:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(field, f"must be numbers: {str(error)[:100]}") from None
    if numbers.ndim != 1 or length not in (None, len(numbers)):
        shape = "(n,)" if length is None else f"({length},)"
        raise InputError(field, f"must have the shape {shape}", numbers.shape)
    return numbers
