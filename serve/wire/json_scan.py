"""Fast scan of JSON for structure and depth, without building objects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["STEPS", "Scan", "without_escapes"]

STEPS = np.zeros(256, dtype=np.int8)
"""Change in depth for each byte."""
STEPS[list(b"[{")] = 1
STEPS[list(b"]}")] = -1

_PIECE = 65_536  # Bytes per step. JSON that is nested too deeply usually is so from the start.
_QUOTE = ord('"')


def without_escapes(body: bytes) -> bytes:
    r"""Remove escaped backslashes and quotes from JSON, so that every quote delimits a string.

    Examples
    --------
    >>> without_escapes(rb'{"a": "\"]\\"}')
    b'{"a": "]"}'
    """
    return body.replace(rb"\\", b"").replace(rb"\"", b"")


class Scan:
    """A scan of JSON without escapes.

    Parameters
    ----------
    plain : bytes
        JSON from `without_escapes`.
    at : int, default=0
        Position to start from; must be outside strings.
    depth : int, default=0
        Number of arrays and objects open at that position.

    Attributes
    ----------
    at : int
        Current position.
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
        """Yield, in chunks, the bytes outside strings and the depth after each of them."""
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
