"""Moments and wall clocks: seconds since 1970, and by how much a clock is ahead of UTC.

Zones come from the IANA database through `zoneinfo`. Offsets are looked up once a day, and row by
row only on days on which the clocks are changed, so tens of thousands of rows take milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import InputError

__all__ = [
    "EPOCH",
    "TIME_ZONE_ACCEPTS",
    "moment_of",
    "utc_of_wall_clock",
    "zone_named",
    "zone_of",
    "zone_offset_s",
]

Array = NDArray[np.float64]

TIME_ZONE_ACCEPTS = "must be an IANA time zone such as Europe/Berlin"
"""What a field with a time zone accepts, as the rest of a sentence that starts with its name."""

EPOCH = datetime(1970, 1, 1)
"""The moment, in UTC and without a zone, from which seconds are counted."""

_DAY_S = 86400


_NOT_PLACES = {"Factory", "localtime"}  # a placeholder, and the zone of this machine


@lru_cache(maxsize=1)
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones() - _NOT_PLACES)


def zone_named(name: str, field: str = "zone") -> ZoneInfo:
    """Return the zone with a name of the IANA database, including links such as ``US/Eastern``.

    Raises
    ------
    InputError
        No zone has this name.

    Examples
    --------
    >>> zone_named("Europe/Berlin")
    zoneinfo.ZoneInfo(key='Europe/Berlin')
    """
    if name not in _zone_names():
        raise InputError(field, TIME_ZONE_ACCEPTS, name[:60])
    return ZoneInfo(name)


def zone_of(zone: tzinfo | str | None, field: str = "zone") -> tzinfo | None:
    """Take a zone, or find it by its name as `zone_named` does; None stays None."""
    return zone_named(zone, field) if isinstance(zone, str) else zone


def moment_of(time: datetime, zone: tzinfo | None = None) -> tuple[float, float]:
    """Tell the moment of a time, and by how much its clock is ahead of UTC.

    Parameters
    ----------
    time : datetime
        A time with or without a zone; `fold` tells which pass of a repeated hour is meant.
    zone : tzinfo, optional
        The zone of a time that has none, which is UTC when omitted. A time of an hour that clocks
        skip in spring is read off a clock not yet put forward.

    Returns
    -------
    utc_s : float
        Seconds since 1970-01-01T00:00Z.
    utc_offset_s : float
        Seconds by which the time's clock is ahead of UTC.

    Examples
    --------
    >>> moment_of(datetime.fromisoformat("1970-01-02T02:00+02:00"))
    (86400.0, 7200.0)
    >>> moment_of(datetime(1970, 1, 2))
    (86400.0, 0.0)
    """
    offset = time.utcoffset()
    if offset is None and zone is not None:
        time = time.replace(tzinfo=zone)
        offset = time.utcoffset()
    if offset is None:
        return (time - EPOCH).total_seconds(), 0.0
    return time.timestamp(), offset.total_seconds()


def zone_offset_s(utc_s: Array, zone: tzinfo) -> Array:
    """Tell by how much the clocks of a zone are ahead of UTC.

    Parameters
    ----------
    utc_s : ndarray of shape (n,)
        Moments, seconds since 1970-01-01T00:00Z.
    zone : tzinfo
        The zone.

    Returns
    -------
    ndarray of shape (n,)
        Seconds ahead of UTC at each moment.

    Examples
    --------
    >>> zone_offset_s(np.array([0.0, 15552000.0]), ZoneInfo("America/New_York"))
    array([-18000., -14400.])
    """

    def at(utc_s: float) -> float:
        moment = (EPOCH + timedelta(seconds=utc_s)).replace(tzinfo=UTC)
        return moment.astimezone(zone).utcoffset().total_seconds()  # type: ignore[union-attr]

    return _by_day(utc_s, at)


def utc_of_wall_clock(
    wall_s: Array,
    zone: tzinfo | None,
    run: Iterable[object] | None = None,
    elapsed_s: Array | None = None,
) -> tuple[Array, Array]:
    """Tell the moments of what a local clock without an offset showed, row by row of a file.

    An hour that clocks skip in spring is read off a clock not yet put forward. In the hour that
    clocks repeat in autumn the second pass is recognized, in this order, by

    - a counter of elapsed seconds that runs through the change, where the file has one;
    - time that steps back within the hour: this row and the later ones are the second pass;
    - the same time twice in a row, as files sorted by local time have it: the second is meant.

    What none of them tells is taken for the first pass.

    Parameters
    ----------
    wall_s : ndarray of shape (n,)
        What the clock showed, as seconds since 1970-01-01T00:00 of that clock, in the file's
        order, ascending or descending.
    zone : tzinfo or None
        The zone of the clock. None takes the clock for UTC: days and times of day are then those
        of the wearer, and a change of the clocks looks like a gap or an overlap of an hour.
    run : iterable of n objects, optional
        Which device or section each row belongs to; order and counter mean something within one.
    elapsed_s : ndarray of shape (n,), optional
        The counter, NaN where unknown.

    Returns
    -------
    utc_s, utc_offset_s : ndarray of shape (n,)
        Moments, and seconds by which the zone's clocks are ahead of UTC then.
    """
    if zone is None or not len(wall_s):
        return wall_s.copy(), np.zeros(len(wall_s))

    def passing(fold: int) -> Callable[[float], float]:
        def ahead_s(wall_s: float) -> float:
            shown = (EPOCH + timedelta(seconds=wall_s)).replace(tzinfo=zone, fold=fold)
            return shown.utcoffset().total_seconds()  # type: ignore[union-attr]

        return ahead_s

    first = wall_s - _by_day(wall_s, passing(0))
    second = wall_s - _by_day(wall_s, passing(1))
    utc, repeated = first.copy(), second > first
    if repeated.any():
        runs = np.array([str(one) for one in run]) if run is not None else np.zeros(len(wall_s))
        elapsed = np.full(len(wall_s), np.nan) if elapsed_s is None else elapsed_s
        for one in np.unique(runs[repeated]):
            rows = np.flatnonzero(runs == one)
            if wall_s[rows[0]] > wall_s[rows[-1]]:
                rows = rows[::-1]
            later = _second_pass(
                wall_s[rows], repeated[rows], first[rows], second[rows], elapsed[rows]
            )
            utc[rows] = np.where(later, second[rows], first[rows])
    return utc, zone_offset_s(utc, zone)


def _second_pass(
    wall_s: Array, repeated: NDArray[np.bool_], first: Array, second: Array, elapsed_s: Array
) -> NDArray[np.bool_]:
    """Tell which rows of one run, in the order of time, are the second pass of their hour."""
    later = np.zeros(len(wall_s), dtype=bool)
    anchors = np.flatnonzero(~repeated & np.isfinite(elapsed_s))
    stepped_back, previous = False, -np.inf
    for row in range(len(wall_s)):
        if not repeated[row]:
            stepped_back, previous = False, -np.inf
            continue
        stepped_back |= bool(wall_s[row] < previous)
        later[row] = stepped_back or wall_s[row] == previous
        previous = wall_s[row]
        if len(anchors) and np.isfinite(elapsed_s[row]):
            anchor = anchors[np.abs(first[anchors] - first[row]).argmin()]
            counted = first[anchor] + elapsed_s[row] - elapsed_s[anchor]
            later[row] = abs(second[row] - counted) < abs(first[row] - counted)
    return later


def _by_day(time_s: Array, ahead_s: Callable[[float], float]) -> Array:
    """Look up offsets at the ends of each day, and for each row of a day on which they differ."""
    days, index = np.unique(np.floor(time_s / _DAY_S), return_inverse=True)
    starts = np.array([ahead_s(day * _DAY_S) for day in days])
    ends = np.array([ahead_s((day + 1) * _DAY_S) for day in days])
    offset = starts[index]
    changing = np.flatnonzero((starts != ends)[index])
    offset[changing] = [ahead_s(time) for time in time_s[changing].tolist()]
    return offset
