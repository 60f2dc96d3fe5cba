"""Request counters in one-minute windows, in memory shared by the processes of a machine."""

from __future__ import annotations

import mmap
import secrets
from datetime import timedelta
from hashlib import blake2b
from typing import NamedTuple

__all__ = ["WINDOW_S", "Cell", "Minutes"]

WINDOW_S = 60
"""Length of a window in seconds, starting at its first request."""

_CELLS = 2**20
_PROBES = 8
_TICKS = 64  # Ticks per second.
_WINDOW_TICKS = _TICKS * WINDOW_S
_TIME = 2**28  # The tick counter wraps around after 48 days.
_TAG = 2**16
_CALLS = 2**20


class Cell(NamedTuple):
    """Cell of a name."""

    position: int
    tag: int
    age_ticks: int
    calls: int

    @property
    def age(self) -> timedelta:
        """Age of the name's window; 0 if none is open."""
        return timedelta(seconds=self.age_ticks / _TICKS)

    def wait_s(self, limit: int) -> int:
        """Return how many seconds the name must wait before its next request, rounded up."""
        if self.calls < limit:
            return 0
        return -((self.age_ticks - _WINDOW_TICKS) // _TICKS)


class Minutes:
    """Counters of requests by name, in one-minute windows that start with their first request.

    A name identifies a client, for example by its IP address. The counters use 8 MB of memory:
    2**20 cells of eight bytes. A cell holds the start of a window, 16 bits of a hash of the name,
    and a count up to a million. A name uses one of eight consecutive cells, which start at a
    position given by a keyed hash. If all eight cells are in use, the name with the lowest count is
    dropped, so its limit may be exceeded. If all cells of the memory are in use, one name in eight
    thousand is mistaken for another name. Requests to two processes in the same microsecond may
    count as one.

    Processes that are forked after this object was created share its counters.
    """

    refused_after_s = 0.1

    def __init__(self) -> None:
        self._cells = memoryview(mmap.mmap(-1, 8 * _CELLS)).cast("Q")
        self._key = secrets.token_bytes(16)

    def wait_s(self, name: str, limit: int, now_s: float) -> int:
        """Return how many seconds `name` must wait before its next request, rounded up."""
        return self.find(name, now_s).wait_s(limit)

    def count(self, name: str, now_s: float) -> None:
        """Count a request by `name`; start a window if none is open."""
        self.count_in(self.find(name, now_s), now_s)

    def count_in(self, cell: Cell, now_s: float) -> None:
        """Count a request in the cell that `find` has returned for the same time."""
        if not cell.calls:
            opened = _ticks(now_s) * _TAG + cell.tag
            self._cells[cell.position] = opened * _CALLS + 1
        elif cell.calls < _CALLS - 1:
            self._cells[cell.position] += 1

    def undo(self, name: str, counted_s: float) -> None:
        """Undo the count of a request, unless a new window has started since `counted_s`."""
        cell = self.find(name, counted_s)
        if cell.calls:
            self._cells[cell.position] -= 1

    def _hash(self, name: str) -> tuple[int, int]:
        """Return the position of the first cell that a name may use, and its 16-bit tag."""
        digest = blake2b(name.encode(), digest_size=5, key=self._key).digest()
        bits = int.from_bytes(digest, "big")
        return bits % _CELLS, bits // _CELLS % _TAG

    def find(self, name: str, now_s: float) -> Cell:
        """Return the cell of a name, or the cell that a new window for this name would use."""
        first, tag = self._hash(name)
        now, fewest, free = _ticks(now_s), _CALLS, first
        for position in range(first, first + _PROBES):
            cell = self._cells[position % _CELLS]
            opened, cell_tag, calls = cell // (_TAG * _CALLS), cell // _CALLS % _TAG, cell % _CALLS
            age = (now - opened) % _TIME
            if not calls or age >= _WINDOW_TICKS:
                calls = 0
            elif cell_tag == tag:
                return Cell(position % _CELLS, tag, age, calls)
            if calls < fewest:
                fewest, free = calls, position % _CELLS
        return Cell(free, tag, 0, 0)


def _ticks(now_s: float) -> int:
    return int(_TICKS * now_s) % _TIME
