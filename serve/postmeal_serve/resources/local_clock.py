"""The local clock of a user, as far as the offsets of the timestamps in a request show it.

A timestamp with the offset zero (``Z`` or ``+00:00``) states an instant, but not the user's clock,
because many systems store all times in UTC.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

import numpy as np

from postmeal.errors import InputError
from postmeal_serve.resources.cgm_history import History

__all__ = ["OnLocalClock", "local_history", "on_local_clock"]


class OnLocalClock(NamedTuple):
    """A meal and the history before it, with the offsets of the user's local clock."""

    start: datetime
    history: History | None
    is_known: bool


def on_local_clock(start: datetime, history: History | None, field: str) -> OnLocalClock:
    """Find the local clock of a user whose time zone is unknown.

    If the start of the meal has an offset other than zero, the clock has this offset, also in the
    history. If not, the offsets are those of `local_history`.
    """
    offset = start.utcoffset()
    if offset:
        zone = timezone(offset)
        if history is not None:
            history = History(history.trace.in_zone(zone), history.meals.in_zone(zone))
        return OnLocalClock(start, history, is_known=True)
    if history is None:
        return OnLocalClock(start, None, is_known=False)
    history, is_known = local_history(history)
    if is_known:
        trace, meals = history
        utc_s = np.concatenate([trace.utc_s, meals.utc_s])
        nearest = np.abs(utc_s - start.timestamp()).argmin()
        offset_s = np.concatenate([trace.utc_offset_s, meals.utc_offset_s])[nearest]
        try:
            start = start.astimezone(timezone(timedelta(seconds=float(offset_s))))
        except OverflowError:
            problem = "must be in the years 1 to 9999 in local time"
            raise InputError(field, problem, start.isoformat()) from None
    return OnLocalClock(start, history, is_known)


def local_history(history: History) -> tuple[History, bool]:
    """Find the local clock in a history of a user whose time zone is unknown.

    A timestamp keeps its offset, unless that is zero: it then gets the offset of the timestamp
    nearest in time among those with another offset.
    """
    trace, meals = history
    utc_s = np.concatenate([trace.utc_s, meals.utc_s])
    offset_s = np.concatenate([trace.utc_offset_s, meals.utc_offset_s])
    stated = np.flatnonzero(offset_s)
    if not len(stated):
        unknown = np.full(len(meals), np.nan)
        return History(trace, replace(meals, utc_offset_s=unknown)), False
    stated = stated[np.argsort(utc_s[stated], kind="stable")]
    halfway_s = (utc_s[stated][1:] + utc_s[stated][:-1]) / 2
    nearest = stated[np.searchsorted(halfway_s, utc_s)]
    offset_s = np.where(offset_s == 0, offset_s[nearest], offset_s)
    of_trace, of_meals = np.split(offset_s, [len(trace)])
    return History(
        replace(trace, utc_offset_s=of_trace), replace(meals, utc_offset_s=of_meals)
    ), True
