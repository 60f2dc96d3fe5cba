"""CGM readings of a person, sorted by time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.glucose.history.glucose_column import glucose_column, number_column
from postmeal.glucose.history.reading_table import DEVICE, error_of_row, reading_rows
from postmeal.glucose.history.repeated_rows import (
    SkippedRow,
    consistent_readings,
    raise_if_asked,
)
from postmeal.glucose.history.wall_clock import moments_of, zone_of, zone_offset_s
from postmeal.glucose.population.curve import GRID_MIN

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CgmTrace", "time_columns"]

Array = NDArray[np.float64]

_MIN_READINGS, _MAX_MMOL_L = 4, 33.3  # readings that are only plausible in mmol/L
_DEFAULT_MAX_GAP_MIN = 20.0
_MAX_OFFSET_S = 86400.0
_TIMES_S = (-62_000_000_000.0, 253_000_000_000.0)  # years 6 to 9987, within the datetime range


@dataclass(frozen=True, eq=False)
class CgmTrace:
    """CGM readings of a person.

    Create it with `of` (columns), `from_readings` (pairs) or `from_frame` (DataFrame). Readings can
    be in any order. Equal readings at the same time are used once, with the smallest of their UTC
    offsets. Different readings at the same time are left out; see `skipped`. Readings are never
    averaged, and gaps are not filled.

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
    device : str or None
        Format of the export and name of the device in it, None if the readings are from elsewhere.
    skipped : tuple of SkippedRow
        Readings that are left out because they are not certain, with their positions and reasons.
    """

    utc_s: Array
    utc_offset_s: Array
    glucose_mg_dl: Array
    changed_s: Array = field(default_factory=lambda: np.empty(0))
    device: str | None = None
    skipped: tuple[SkippedRow, ...] = ()

    @classmethod
    def of(
        cls,
        utc_s: ArrayLike,
        utc_offset_s: ArrayLike,
        glucose: ArrayLike,
        field: str = "cgm",
        *,
        unit: str = "mg/dL",
        devices: Sequence[str] = (),
        errors: str = "report",
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
        devices : sequence of str, optional
            Device of each reading. While a device with more readings reads as well, the readings
            of other devices are left out.
        errors : {"report", "raise"}, default="report"
            Whether readings that are not certain are left out and listed in `skipped`, or raise an
            error.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A reading is outside `READABLE_MG_DL`, a time or an offset is out of range, the lengths
            of the columns differ, the unit is not supported, or `errors` is ``"raise"`` and a
            reading is not certain.

        Examples
        --------
        >>> trace = CgmTrace.of([300, 0, 0, 600, 600], 3600, [95, 90, 90, 100, 150])
        >>> trace.glucose_mg_dl, [row for row, _ in trace.skipped]
        (array([90., 95.]), [3, 4])
        """
        time, offset = time_columns(utc_s, utc_offset_s, field)
        glucose_mg_dl = glucose_column(glucose, unit, len(time), field)
        return cls._certain(time, offset, glucose_mg_dl, devices, errors, field)

    @classmethod
    def _certain(
        cls,
        time: Array,
        offset: Array,
        glucose_mg_dl: Array,
        devices: Sequence[str],
        errors: str,
        field: str,
    ) -> CgmTrace:
        """Create a trace from valid columns; the time is NaN if it does not exist."""
        rows, reasons = consistent_readings(time, offset, glucose_mg_dl, devices)
        skipped = tuple(SkippedRow(*item) for item in sorted(reasons.items()))
        raise_if_asked(errors, skipped, lambda row: f"{field}[{row}]")
        return cls(time[rows], offset[rows], glucose_mg_dl[rows], skipped=skipped)

    @classmethod
    def from_readings(
        cls,
        readings: Iterable[tuple[datetime, float]],
        *,
        unit: str = "mg/dL",
        zone: tzinfo | str | None = None,
        field: str = "cgm",
        devices: Sequence[str] = (),
        errors: str = "report",
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
            without an offset are in UTC. When clocks are set back, the order of the times shows
            which of them belong to the second pass of the repeated hour; see
            `postmeal.glucose.history.wall_clock.utc_of_wall_clock`. Times that clocks skip when
            they are set forward are not certain.
        field : str, default="cgm"
            Field name for error messages.
        devices, errors : optional
            See `of`.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A time is not a datetime, the zone is unknown, `of` rejects the times or readings, or
            none of the readings is certain.

        Examples
        --------
        >>> trace = CgmTrace.from_readings([(datetime(2026, 5, 1, 8, 0), 95)])
        >>> trace.utc_s, trace.glucose_mg_dl
        (array([1.7776224e+09]), array([95.]))
        """
        zone = zone_of(zone)
        times, values = [], []
        check_type(field, readings, Iterable, "must be pairs of a datetime and a number")
        for row, reading in enumerate(readings):
            try:
                time, value = reading
            except (TypeError, ValueError):
                problem = "must be a pair of a datetime and a number"
                raise InputError(f"{field}[{row}]", problem, reading) from None
            times.append(time)
            values.append(value)
        utc_s, offset_s = moments_of(times, zone, field)
        time_columns(np.nan_to_num(utc_s), np.nan_to_num(offset_s), field)
        glucose_mg_dl = glucose_column(values, unit, len(times), field)
        if unit == "mg/dL" and len(values) >= _MIN_READINGS and max(values) < _MAX_MMOL_L:
            problem = f"must be mmol/L, because all {len(values)} readings are below"
            raise InputError("unit", f"{problem} {_MAX_MMOL_L:g}", unit)
        trace = cls._certain(utc_s, offset_s, glucose_mg_dl, devices, errors, field)
        if times and not len(trace):
            row, reason = trace.skipped[0]
            problem = f"must contain a reading that is certain; reading {row}: {reason}; all"
            raise InputError(field, f"{problem} {len(times)} readings must be of one person")
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
        person: object = None,
        device: str | None = None,
        field: str = "cgm",
        errors: str = "report",
    ) -> CgmTrace:
        """Create a trace from a DataFrame with one row per reading.

        Parameters
        ----------
        frame : DataFrame
            Times and readings in any order; rows without a reading are ignored. The columns
            ``person`` and ``device`` are optional.
        time : str, default="time"
            Column of times, with or without a time zone.
        glucose : str, default="glucose_mg_dl"
            Column of readings.
        person : object, optional
            Person whose rows are read. Required if the column ``person`` has several values.
        device : str, optional
            Device whose rows are read: a value of the column ``device``, or a part of it.
        unit, zone, field, errors : optional
            See `from_readings`.

        Returns
        -------
        CgmTrace
            The trace.

        Raises
        ------
        InputError
            A column is missing, the person or the device is missing or unknown, or `from_readings`
            rejects the times or readings.

        Examples
        --------
        >>> import pandas as pd
        >>> times = pd.date_range("2026-05-01 08:00", periods=3, freq="5min")
        >>> readings = pd.DataFrame({"time": times, "glucose_mg_dl": [95, None, 104]})
        >>> CgmTrace.from_frame(readings).glucose_mg_dl
        array([ 95., 104.])
        """
        rows = reading_rows(frame, time, glucose, person, device, field)
        known = frame.iloc[rows]
        readings = zip(known[time], known[glucose], strict=True)
        named = known[DEVICE].fillna("").astype(str).tolist() if DEVICE in frame.columns else ()
        try:
            trace = cls.from_readings(
                readings, unit=unit, zone=zone, field=field, devices=named, errors=errors
            )
        except InputError as error:
            hint = "" if unit != "mg/dL" else "; for readings in mmol/L, pass unit='mmol/L'"
            columns = {"time": (time, ""), "value": (glucose, hint)}
            raise error_of_row(error, known, columns) from None
        skipped = tuple(SkippedRow(int(rows[row]), reason) for row, reason in trace.skipped)
        return replace(trace, skipped=skipped)

    def in_zone(self, zone: tzinfo) -> CgmTrace:
        """Return the same readings with the UTC offsets of a time zone."""
        return replace(self, utc_offset_s=zone_offset_s(self.utc_s, zone))

    def until(self, moment_s: float) -> CgmTrace:
        """Return the readings up to a moment, in seconds since 1970-01-01T00:00Z."""
        return self.between(-np.inf, moment_s)

    def between(self, start_s: float, end_s: float) -> CgmTrace:
        """Return the readings from one moment to another, in seconds since 1970-01-01T00:00Z."""
        first, end = np.searchsorted(self.utc_s, [start_s, end_s + 1e-3])
        columns = self.utc_s, self.utc_offset_s, self.glucose_mg_dl
        utc_s, offset_s, glucose = (column[first:end] for column in columns)
        return replace(self, utc_s=utc_s, utc_offset_s=offset_s, glucose_mg_dl=glucose)

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
    utc_s: ArrayLike,
    utc_offset_s: ArrayLike,
    field: str = "cgm",
    *,
    allows_unknown: bool = False,
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
    allows_unknown : bool, default=False
        Whether an offset may be NaN, which means that the local time is unknown.

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
    time = number_column(utc_s, f"{field}.time")
    offset = np.asarray(utc_offset_s)
    if offset.ndim == 0:
        offset = np.full(len(time), offset)
    offset = number_column(offset, f"{field}.utc_offset_s", len(time))
    first, last = _TIMES_S
    invalid = np.flatnonzero(~((time >= first) & (time <= last)))
    if len(invalid):
        row = int(invalid[0])
        problem = f"must be {first:.0f} to {last:.0f} seconds since 1970"
        raise InputError(f"{field}[{row}].time", problem, float(time[row]))
    is_unknown = np.isnan(offset) & allows_unknown
    invalid = np.flatnonzero(~((np.abs(offset) < _MAX_OFFSET_S) | is_unknown))
    if len(invalid):
        row = int(invalid[0])
        problem = f"must be less than {_MAX_OFFSET_S:.0f} seconds (one day) in either direction"
        raise InputError(f"{field}[{row}].utc_offset_s", problem, float(offset[row]))
    return time, offset
