"""Fast scan of the brackets and nesting depth of JSON, without building objects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["STEPS", "Scan", "without_escapes"]

STEPS = np.zeros(256, dtype=np.int8)
"""Change in nesting depth by byte value: 1 for an opening bracket, -1 for a closing one."""
STEPS[list(b"[{")] = 1
STEPS[list(b"]}")] = -1

_PIECE = 65_536  # bytes per chunk; excessive nesting is usually found in the first chunk
_QUOTE = ord('"')


def without_escapes(body: bytes) -> bytes:
    """Remove escaped backslashes and quotes from JSON, so that every quote delimits a string."""
    if b"\\" not in body:
        return body
    return body.replace(rb"\\", b"").replace(rb"\"", b"")


class Scan:
    """A scan of JSON from which escapes have been removed.

    Parameters
    ----------
    plain : bytes
        JSON as returned by `without_escapes`.
    at : int, default=0
        Position in bytes at which the scan starts. It must be outside strings.
    depth : int, default=0
        Number of arrays and objects that are open at this position.

    Attributes
    ----------
    at : int
        Current position in bytes.
    depth : int
        Nesting depth at the current position.
    within : bool
        Whether the current position is inside a string.

    Examples
    --------
    >>> scan = Scan(b'{"a": [1, 2')
    >>> [(signs.tobytes(), depths.tolist()) for signs, depths in scan.pieces()]
    [(b'{": [1, 2', [1, 1, 1, 1, 2, 2, 2, 2, 2])]
    """

    def __init__(self, plain: bytes, at: int = 0, depth: int = 0) -> None:
        self._signs = np.frombuffer(plain, dtype=np.uint8)
        self.at = at
        self.depth = depth
        self.within = False

    def pieces(
        self, end: int | None = None
    ) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int32]]]:
        """Yield pairs of arrays: bytes outside strings, and the nesting depth after each of them.

        Parameters
        ----------
        end : int, optional
            Position at which the scan stops; the end of the JSON by default.
        """
        stop = len(self._signs) if end is None else end
        while self.at < stop:
            signs = self._signs[self.at : min(stop, self.at + _PIECE)]
            inside = np.logical_xor.accumulate(signs == _QUOTE) ^ self.within
            self.at += len(signs)
            self.within = bool(inside[-1])
            outside = signs[~inside]
            depths = self.depth + np.cumsum(STEPS[outside], dtype=np.int32)
            if len(depths):
                self.depth = int(depths[-1])
            yield outside, depths
