"""Convert between UTC and local time, both in seconds since 1970.

Time zones come from the IANA database through `zoneinfo`. For speed, offsets are looked up once per
day, except on days with a DST change, on which they are looked up for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
from numpy.typing import NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError

Array = NDArray[np.float64]

TIME_ZONE_ACCEPTS = "must be an IANA time zone such as Europe/Berlin"
"""Accepted time zones, worded to follow a field name in error messages."""

EPOCH = datetime(1970, 1, 1)
"""The time from which seconds are counted, in UTC, as a naive datetime."""

_DAY_S = 86400


_EXCLUDED_ZONES = {"Factory", "localtime"}  # a placeholder, and the zone of the local machine


@lru_cache(maxsize=1)
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones() - _EXCLUDED_ZONES)


def zone_named(name: str, field: str = "zone") -> ZoneInfo:
    """Return the IANA time zone with the given name, including links such as ``US/Eastern``."""
    if name not in _zone_names():
        raise InputError(field, TIME_ZONE_ACCEPTS, name[:60])
    return ZoneInfo(name)


def zone_of(zone: tzinfo | str | None, field: str = "zone") -> tzinfo | None:
    """Convert the name of a time zone to a tzinfo; return a tzinfo or None unchanged."""
    if zone is None or isinstance(zone, tzinfo):
        return zone
    check_type(field, zone, str, TIME_ZONE_ACCEPTS)
    return zone_named(zone, field)


def moment_of(time: datetime, zone: tzinfo | None = None) -> tuple[float, float]:
    """Return a time in seconds since 1970, and its UTC offset."""
    offset = time.utcoffset()
    if offset is None and zone is not None:
        time = time.replace(tzinfo=zone)
        offset = time.utcoffset()
    if offset is None:
        return (time - EPOCH).total_seconds(), 0.0
    return time.timestamp(), offset.total_seconds()


def zone_offset_s(utc_s: Array, zone: tzinfo) -> Array:
    """Return the UTC offsets of a time zone."""

    def offset_s(utc_s: float) -> float:
        moment = (EPOCH + timedelta(seconds=utc_s)).replace(tzinfo=UTC)
        return moment.astimezone(zone).utcoffset().total_seconds()  # type: ignore[union-attr]

    return _offsets_by_day(utc_s, offset_s)


def utc_of_wall_clock(
    wall_s: Array,
    zone: tzinfo | None,
    run: Iterable[object] | None = None,
    elapsed_s: Array | None = None,
) -> tuple[Array, Array]:
    """Convert the local times in the rows of a file, which have no offset, to UTC.

    Times that are skipped when clocks are set forward do not exist. When clocks are set back, an
    hour is repeated. A row belongs to the second pass of this hour if one of the following shows
    it; earlier items take precedence:

    - a counter of elapsed seconds that continues through the change, if the file has one;
    - a time that is earlier than that of the previous row (this row and the following ones);
    - a time that is equal to that of the previous row, as in files sorted by local time.

    All other rows belong to the first pass. The order of the rows shows nothing if the other hours
    are not in order either, and a counter shows nothing if it does not rise with the time.
    """
    if zone is None or not len(wall_s):
        return wall_s.copy(), np.zeros(len(wall_s))

    def offset_in_pass(fold: int) -> Callable[[float], float]:
        def offset_s(wall_s: float) -> float:
            time = (EPOCH + timedelta(seconds=wall_s)).replace(tzinfo=zone, fold=fold)
            return time.utcoffset().total_seconds()  # type: ignore[union-attr]

        return offset_s

    first = wall_s - _offsets_by_day(wall_s, offset_in_pass(0))
    second = wall_s - _offsets_by_day(wall_s, offset_in_pass(1))
    utc, repeated = first.copy(), second > first
    if repeated.any():
        runs = np.array([str(name) for name in run]) if run is not None else np.zeros(len(wall_s))
        elapsed = np.full(len(wall_s), np.nan) if elapsed_s is None else elapsed_s
        for name in np.unique(runs[repeated]):
            rows = np.flatnonzero(runs == name)
            if wall_s[rows[0]] > wall_s[rows[-1]]:
                rows = rows[::-1]
            is_second = _second_pass(
                wall_s[rows], repeated[rows], first[rows], second[rows], elapsed[rows]
            )
            utc[rows] = np.where(is_second, second[rows], first[rows])
    offset = zone_offset_s(utc, zone)
    utc[second < first] = offset[second < first] = np.nan
    return utc, offset


def moments_of(times: Sequence[datetime], zone: tzinfo | None, field: str) -> tuple[Array, Array]:
    """Convert times to UTC and UTC offsets, as `moment_of` does for a single time.

    Times without an offset are in the time zone, in which `utc_of_wall_clock` interprets them in
    their order, unless a `fold` attribute selects the second pass of a repeated hour.
    """
    columns = np.empty((2, len(times)))
    for row, time in enumerate(times):
        try:
            columns[:, row] = moment_of(time, zone)
        except (AttributeError, TypeError, ValueError):
            raise InputError(f"{field}[{row}].time", "must be a datetime", time) from None
    if zone is not None and not any(time.fold for time in times):
        is_local = np.array([time.tzinfo is None for time in times], dtype=np.bool_)
        columns[:, is_local] = utc_of_wall_clock(columns.sum(axis=0)[is_local], zone)
    return columns[0], columns[1]


def _second_pass(
    wall_s: Array, repeated: NDArray[np.bool_], first: Array, second: Array, elapsed_s: Array
) -> NDArray[np.bool_]:
    """Return a mask of the rows, sorted by time, in the second pass of a repeated hour."""
    is_second = np.zeros(len(wall_s), dtype=bool)
    is_ordered = (np.diff(wall_s[~repeated]) >= 0).all()
    anchors = np.flatnonzero(~repeated & np.isfinite(elapsed_s))
    if len(anchors) and elapsed_s[anchors[-1]] < elapsed_s[anchors[0]]:
        anchors = anchors[:0]
    stepped_back, previous = False, -np.inf
    for row in range(len(wall_s)):
        if not repeated[row]:
            stepped_back, previous = False, -np.inf
            continue
        stepped_back |= bool(wall_s[row] < previous)
        is_second[row] = is_ordered and (stepped_back or wall_s[row] == previous)
        previous = wall_s[row]
        if len(anchors) and np.isfinite(elapsed_s[row]):
            anchor = anchors[np.abs(first[anchors] - first[row]).argmin()]
            expected = first[anchor] + elapsed_s[row] - elapsed_s[anchor]
            is_second[row] = abs(second[row] - expected) < abs(first[row] - expected)
    return is_second


def _offsets_by_day(time_s: Array, offset_s: Callable[[float], float]) -> Array:
    """Look up offsets at both ends of each day, and for each row if the two differ."""
    days, index = np.unique(np.floor(time_s / _DAY_S), return_inverse=True)
    starts = np.array([offset_s(day * _DAY_S) for day in days])
    ends = np.array([offset_s((day + 1) * _DAY_S) for day in days])
    offset = starts[index]
    changing = np.flatnonzero((starts != ends)[index])
    offset[changing] = [offset_s(time) for time in time_s[changing].tolist()]
    return offset
