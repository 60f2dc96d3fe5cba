"""CGM readings of one person as columns: any order in, one ascending trace out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.errors import InputError
from postmeal.glucose.history.wall_clock import moment_of, zone_of, zone_offset_s
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.units import MG_DL_PER_MMOL_L

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GLUCOSE_UNITS", "READABLE_MG_DL", "CgmTrace", "time_columns"]

Array = NDArray[np.float64]

READABLE_MG_DL = (20.0, 600.0)
"""The lowest and the highest glucose that is taken for a reading."""

GLUCOSE_UNITS = {"mg/dL": 1.0, "mmol/L": MG_DL_PER_MMOL_L}
"""The units that readings may come in, and how many mg/dL one of them is."""

_READABLE = {
    "mg/dL": "must be 20 to 600 mg/dL",
    "mmol/L": "must be 1.12 to 33.3 mmol/L (20 to 600 mg/dL)",
}
_MIN_GAP = 20.0
_LONGEST_OFFSET_S = 86400.0
_TIMES_S = (-62_000_000_000.0, 253_000_000_000.0)  # years 6 to 9987: dates that can be told


@dataclass(frozen=True, eq=False)
class CgmTrace:
    """What a sensor read of one person's glucose.

    Make it with `of` (columns) or `from_readings` (pairs). Both take readings in any order, and
    the trace is the same to the last bit for every order. Readings of one moment are averaged, on
    the clock least ahead of UTC where they carry several; gaps stay gaps.

    Attributes
    ----------
    utc_s : ndarray of shape (n_readings,)
        Seconds since 1970-01-01T00:00Z, ascending, no two the same.
    utc_offset_s : ndarray of shape (n_readings,)
        Seconds by which the wearer's clock was ahead of UTC at each reading.
    glucose_mg_dl : ndarray of shape (n_readings,)
        Readings in mg/dL.
    """

    utc_s: Array
    utc_offset_s: Array
    glucose_mg_dl: Array

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
        """Make a trace of columns.

        Parameters
        ----------
        utc_s : array_like of shape (n_readings,)
            Seconds since 1970-01-01T00:00Z, in any order.
        utc_offset_s : array_like of shape (n_readings,) or ()
            Seconds by which the wearer's clock was ahead of UTC; one may stand for all.
        glucose : array_like of shape (n_readings,)
            Readings.
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
            A reading lies outside `READABLE_MG_DL`, a time or an offset is impossible, the
            columns are not of one length, or the unit is not known.

        Examples
        --------
        >>> CgmTrace.of([300, 0, 0], 3600, [6.0, 5.0, 5.5], unit="mmol/L").glucose_mg_dl
        array([ 94.584, 108.096])
        """
        if unit not in GLUCOSE_UNITS:
            raise InputError(f"{field}.unit", "must be one of", unit, allowed=GLUCOSE_UNITS)
        time, offset = time_columns(utc_s, utc_offset_s, field)
        read = _numbers(glucose, f"{field}.value", len(time))
        glucose_mg_dl = read * GLUCOSE_UNITS[unit]
        low, high = READABLE_MG_DL
        wrong = np.flatnonzero(~((glucose_mg_dl >= low) & (glucose_mg_dl <= high)))
        if len(wrong):
            at = int(wrong[0])
            raise InputError(f"{field}[{at}].value", _READABLE[unit], float(read[at]))
        return cls.merged(time, offset, glucose_mg_dl)

    @classmethod
    def merged(cls, utc_s: Array, utc_offset_s: Array, glucose_mg_dl: Array) -> CgmTrace:
        """Sort readings by time and average those of one moment; nothing is checked."""
        if (np.diff(utc_s) > 0).all():
            return cls(utc_s.copy(), utc_offset_s.copy(), glucose_mg_dl.copy())
        order = np.lexsort((utc_offset_s, glucose_mg_dl, utc_s))  # equal sums for any order in
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
        """Make a trace of times and readings.

        Parameters
        ----------
        readings : iterable of (datetime, float)
            Times and readings in any order.
        unit : {"mg/dL", "mmol/L"}, default="mg/dL"
            Unit of the readings.
        zone : tzinfo or str, optional
            The wearer's zone, such as ``"Europe/Berlin"``: it replaces the offsets of the times,
            and times without one are read in it. Without it each time keeps its own offset, and
            one without is UTC.
        field : str, default="cgm"
            Field name for error messages.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            As `of` does, or a time is no datetime, or there is no such zone.

        Examples
        --------
        >>> trace = CgmTrace.from_readings([(datetime(2026, 5, 1, 8, 0), 95)])
        >>> trace.utc_s, trace.glucose_mg_dl
        (array([1.7776224e+09]), array([95.]))
        """
        zone = zone_of(zone)
        moments, values = [], []
        for at, (time, value) in enumerate(readings):
            try:
                moments.append(moment_of(time, zone))
            except (AttributeError, TypeError, ValueError):
                raise InputError(f"{field}[{at}].time", "must be a datetime", time) from None
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
        """Make a trace of a pandas table with one row for each reading.

        Parameters
        ----------
        frame : DataFrame
            Times and readings in any order; a row without a reading is left out.
        time : str, default="time"
            Column of the times: datetimes with or without a zone.
        glucose : str, default="glucose_mg_dl"
            Column of the readings.
        unit, zone, field : optional
            As for `from_readings`.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A column is missing, or as for `from_readings`.

        Examples
        --------
        >>> import pandas as pd
        >>> times = pd.date_range("2026-05-01 08:00", periods=3, freq="5min")
        >>> readings = pd.DataFrame({"time": times, "glucose_mg_dl": [95, None, 104]})
        >>> CgmTrace.from_frame(readings).glucose_mg_dl
        array([ 95., 104.])
        """
        missing = [column for column in (time, glucose) if column not in frame.columns]
        if missing:
            raise InputError(field, f"must have the columns {time} and {glucose}", missing)
        known = frame[frame[glucose].notna()]
        readings = zip(known[time], known[glucose], strict=True)
        return cls.from_readings(readings, unit=unit, zone=zone, field=field)

    def in_zone(self, zone: tzinfo) -> CgmTrace:
        """Give the same readings on the clock of a zone."""
        return replace(self, utc_offset_s=zone_offset_s(self.utc_s, zone))

    def __len__(self) -> int:
        return len(self.utc_s)

    def curves(self, start_s: ArrayLike, minutes: Iterable[float] = GRID_MIN) -> Array:
        """Interpolate what was read after some moments.

        Each point lies on the line between the readings before and after it, which are at most
        20 minutes apart, or, for a sensor that reads every 15 minutes, at most 35.

        Parameters
        ----------
        start_s : array_like of shape (n,)
            Moments, seconds since 1970-01-01T00:00Z.
        minutes : iterable of float, default=GRID_MIN
            Minutes after them.

        Returns
        -------
        ndarray of shape (n, n_times)
            Glucose in mg/dL, NaN where readings are too far apart.
        """
        start = np.asarray(start_s, dtype=np.float64)
        after_min = np.array([*minutes], dtype=np.float64)
        if len(self) < 2 or not len(start):
            return np.full((len(start), len(after_min)), np.nan)
        at = self.utc_s / 60
        wanted = start[:, None] / 60 + after_min
        max_gap_min = max(_MIN_GAP, 2 * float(np.median(np.diff(at))) + 5)
        after = np.searchsorted(at, wanted)
        before = np.searchsorted(at, wanted, side="right") - 1
        inside = (before >= 0) & (after < len(at))
        gap = at[np.minimum(after, len(at) - 1)] - at[np.maximum(before, 0)]
        curves: Array = np.interp(wanted, at, self.glucose_mg_dl)
        curves[~(inside & (gap <= max_gap_min))] = np.nan
        return curves

    def last_before(self, moment_s: float, within_min: float = 15.0) -> float | None:
        """Latest reading in the minutes up to a moment, None where there is none."""
        position = int(np.searchsorted(self.utc_s, moment_s, side="right")) - 1
        if position < 0 or moment_s - self.utc_s[position] > 60 * within_min:
            return None
        return float(self.glucose_mg_dl[position])


def time_columns(
    utc_s: ArrayLike, utc_offset_s: ArrayLike, field: str = "cgm"
) -> tuple[Array, Array]:
    """Check moments and offsets; one offset may stand for all.

    Parameters
    ----------
    utc_s : array_like of shape (n,)
        Seconds since 1970-01-01T00:00Z.
    utc_offset_s : array_like of shape (n,) or ()
        Seconds by which a clock was ahead of UTC.
    field : str, default="cgm"
        Field name for error messages.

    Returns
    -------
    utc_s, utc_offset_s : ndarray of shape (n,)
        The columns.

    Raises
    ------
    InputError
        A moment is no number or out of the calendar, an offset is a day or more, or the columns
        differ in length.
    """
    time = _numbers(utc_s, f"{field}.time")
    offset = np.asarray(utc_offset_s)
    if offset.ndim == 0:
        offset = np.full(len(time), offset)
    offset = _numbers(offset, f"{field}.utc_offset_s", len(time))
    first, last = _TIMES_S
    wrong = np.flatnonzero(~((time >= first) & (time <= last)))
    if len(wrong):
        at = int(wrong[0])
        raise InputError(f"{field}[{at}].time", "must be a moment in seconds", float(time[at]))
    wrong = np.flatnonzero(~(np.abs(offset) < _LONGEST_OFFSET_S))
    if len(wrong):
        at = int(wrong[0])
        problem = "must be less than a day in seconds"
        raise InputError(f"{field}[{at}].utc_offset_s", problem, float(offset[at]))
    return time, offset


def _numbers(column: ArrayLike, field: str, length: int | None = None) -> Array:
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(field, "must be numbers") from None
    if numbers.ndim != 1 or length not in (None, len(numbers)):
        wanted = "one column" if length is None else f"one column of {length}"
        raise InputError(field, f"must be {wanted}", numbers.shape)
    return numbers
