"""Minutes: calls of each name in its current minute, in memory that all processes share."""

from __future__ import annotations

import secrets
from array import array
from collections.abc import MutableSequence
from hashlib import blake2b
from multiprocessing.context import BaseContext
from typing import NamedTuple

__all__ = ["WINDOW_S", "Minutes"]

WINDOW_S = 60
"""Seconds from the first call of a window to the next window."""

_CELLS = 2**20
_PROBES = 8
_TICKS = 64  # of a second
_WINDOW_TICKS = _TICKS * WINDOW_S
_TIME = 2**28  # ticks, after which they are counted from 0 again: 48 days
_TAG = 2**16
_CALLS = 2**20


class _Found(NamedTuple):
    """The cell of a name: its place, and the window in it, without calls if none is open."""

    place: int
    age_ticks: int
    calls: int


class Minutes:
    """Counts of calls, each in a window that its first call opens.

    The memory is 8 MB whatever is counted: 2**20 cells of eight bytes, each the time at which a
    window opened, 16 bits of a hash of its name, and its calls, up to a million. A name has one of
    the eight cells that follow the place to which it is hashed, with a secret key. Where others
    have all of them, the name with the fewest calls is forgotten. A limit may be missed then, but
    names that are taken for one another are rare: one in eight thousand where the memory is full.
    Calls of two processes in the same microsecond may count as one.

    Parameters
    ----------
    cells : mutable sequence of int, optional
        The memory; of this process alone when omitted.

    Attributes
    ----------
    refused_after_s : float
        Seconds before a call over such a limit is refused, without use of a core: who repeats a
        refused call at once takes few of the answers per second that others need.

    Examples
    --------
    >>> minutes = Minutes()
    >>> minutes.count("192.0.2.1", 0.0)
    >>> minutes.wait_s("192.0.2.1", 2, 12.5)
    0
    >>> minutes.count("192.0.2.1", 12.5)
    >>> minutes.wait_s("192.0.2.1", 2, 12.5)
    48
    """

    refused_after_s = 0.1

    def __init__(self, cells: MutableSequence[int] | None = None) -> None:
        self._cells = array("Q", bytes(8 * _CELLS)) if cells is None else cells
        self._key = secrets.token_bytes(16)

    @classmethod
    def shared(cls, context: BaseContext) -> Minutes:
        """Return counts that processes share: an argument of each process of `context`."""
        return cls(context.RawArray("Q", _CELLS))

    def wait_s(self, name: str, limit: int, now_s: float) -> int:
        """Return the whole seconds until `name` may make a call, 0 if it may now.

        Parameters
        ----------
        name : str
            Who calls.
        limit : int
            Calls of a window.
        now_s : float
            Monotonic time.
        """
        found = self._find(name, now_s)
        if found.calls < limit:
            return 0
        return -((found.age_ticks - _WINDOW_TICKS) // _TICKS)

    def count(self, name: str, now_s: float) -> None:
        """Count a call, in a new window if none is open."""
        place, _, calls = self._find(name, now_s)
        if not calls:
            opened = _ticks(now_s) * _TAG + self._hash(name)[1]
            self._cells[place] = opened * _CALLS + 1
        elif calls < _CALLS - 1:
            self._cells[place] += 1

    def put_back(self, name: str, counted_s: float) -> None:
        """Uncount a call that was counted at `counted_s`, unless a later window is open."""
        place, _, calls = self._find(name, counted_s)
        if calls:
            self._cells[place] -= 1

    def _hash(self, name: str) -> tuple[int, int]:
        """Return the first place and the tag of a name."""
        digest = blake2b(name.encode(), digest_size=5, key=self._key).digest()
        bits = int.from_bytes(digest, "big")
        return bits % _CELLS, bits // _CELLS % _TAG

    def _find(self, name: str, now_s: float) -> _Found:
        """Return the cell of a name; if it has none, the one that it may take."""
        first, tag = self._hash(name)
        now, fewest, free = _ticks(now_s), _CALLS, first
        for place in range(first, first + _PROBES):
            cell = self._cells[place % _CELLS]
            opened, kept_tag, calls = cell // (_TAG * _CALLS), cell // _CALLS % _TAG, cell % _CALLS
            age = (now - opened) % _TIME
            if not calls or age >= _WINDOW_TICKS:
                calls = 0
            elif kept_tag == tag:
                return _Found(place % _CELLS, age, calls)
            if calls < fewest:
                fewest, free = calls, place % _CELLS
        return _Found(free, 0, 0)


def _ticks(now_s: float) -> int:
    return int(_TICKS * now_s) % _TIME
