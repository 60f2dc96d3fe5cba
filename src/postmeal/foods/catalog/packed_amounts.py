"""Pack nutrient amounts in a compact encoding.

Amounts are stored as the publisher's decimal numbers, so that unpacking returns the same floats.
Most amounts fit in 16 bits: their digits form a number up to 9,999, with up to five decimals.
Longer amounts fit in 32 bits.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.nutrients import NUTRIENTS

_SHORT, _LONG = 10_000, 2**28  # upper bounds of the digits in 16-bit and 32-bit codes
_TEN = [10.0**exponent for exponent in range(16)]
_UNKNOWN = np.full(len(NUTRIENTS), math.nan)


def pack_amounts(per_100_g: dict[str, float]) -> tuple[int, bytes]:
    """Pack the known amounts of a food's nutrients."""
    known, amounts = 0, []
    for position, nutrient in enumerate(NUTRIENTS):
        amount = per_100_g.get(nutrient)
        if amount is not None:
            known |= 1 << position
            amounts.append(amount)
    short = [_short(amount) for amount in amounts]
    if None not in short:
        return known, struct.pack(f"<{len(short)}H", *short)
    decimals = [_decimal(amount) for amount in amounts]
    if all(digits < _LONG and places <= 15 for digits, places in decimals):
        codes = [digits + _LONG * places for digits, places in decimals]
        return known, struct.pack(f"<{len(codes)}I", *codes)
    return known, struct.pack(f"<{len(amounts)}d", *amounts)


def unpack_amounts(known: int, packed: bytes) -> NDArray[np.float64]:
    """Unpack amounts per 100 g into an array of shape (n_nutrients,), NaN where unknown."""
    amounts = _UNKNOWN.copy()
    amounts[_positions(known)] = known_amounts(known, packed, known.bit_count())
    return amounts


def known_amounts(known: int, packed: bytes, count: int) -> Sequence[float]:
    """Unpack the first `count` known amounts."""
    width = len(packed) // max(1, known.bit_count())
    if width == 2:
        codes = struct.unpack_from(f"<{count}H", packed)
        return [code % _SHORT / _TEN[code // _SHORT] for code in codes]
    if width == 4:
        codes = struct.unpack_from(f"<{count}I", packed)
        return [code % _LONG / _TEN[code // _LONG] for code in codes]
    if width == 8:
        return struct.unpack_from(f"<{count}d", packed)
    if known:
        raise ValueError(
            f"the packed amounts are damaged: {len(packed)} bytes for {known.bit_count()} amounts;"
            " compile the catalog again"
        )
    return ()


@lru_cache(1024)
def _positions(known: int) -> NDArray[np.intp]:
    return np.array([place for place in range(known.bit_length()) if known >> place & 1], np.intp)


@lru_cache(65_536)
def _short(amount: float) -> int | None:
    """Return the 16-bit code of an amount; None if it has too many digits."""
    digits, places = _decimal(amount)
    return digits + _SHORT * places if digits < _SHORT and places <= 5 else None


def _decimal(amount: float) -> tuple[int, int]:
    """Return the digits of an amount as an integer, and the number of decimals."""
    text = repr(float(amount))
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if not (whole + fraction).isdecimal() or text == "-0.0":
        return _LONG, 0  # a number with an exponent or a sign is stored as a float
    return int(whole + fraction), len(fraction)
