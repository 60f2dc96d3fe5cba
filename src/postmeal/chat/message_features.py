"""Features of a message for the danger model: words, pairs of words, and parts of words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from zlib import crc32

import numpy as np
import numpy.typing as npt

__all__ = ["N_FEATURES", "feature_value", "features"]

N_FEATURES = 2**15
"""Number of features. A text has a feature if the hash of one of its parts has that value."""

_TOKEN = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+(?:[.,]\d+)?|[^\w\s]")
_PART_LENGTHS = (3, 4, 5)
_MAX_LETTERS = 2_000
_SHORT = 120  # features, about those of eight words
_STEPS = (1.5, 4.0, 10.0, 20.0, 54.0, 70.0, 100.0, 180.0, 250.0, 400.0, 600.0, 1000.0)


def features(text: str) -> npt.NDArray[np.int64]:
    """Return the features of a plain text, in ascending order.

    Numbers are replaced by their magnitude, so that 41 and 47 are the same word.

    Parameters
    ----------
    text : str
        Text as `postmeal.chat.wording.plain` returns it. Only the first 2,000 characters count.

    Returns
    -------
    ndarray of int, shape (n,)
        Distinct numbers below `N_FEATURES`.

    Examples
    --------
    >>> list(features("he is at 41")) == list(features("he is at 47"))
    True
    >>> len(features(""))
    0
    """
    parts = {crc32(part.encode()) % N_FEATURES for part in _parts(text[:_MAX_LETTERS])}
    return np.array(sorted(parts), dtype=np.int64)


def feature_value(number: int) -> float:
    """Return the value of each feature of a text, given their number.

    Long texts have length 1. Short texts are shorter, because they say less.

    Examples
    --------
    >>> feature_value(400)
    0.05
    """
    return 1 / math.sqrt(max(number, _SHORT))


def _parts(text: str) -> Iterator[str]:
    tokens = [_token(token) for token in _TOKEN.findall(text)]
    yield from tokens
    for number in range(len(tokens) - 1):
        yield " ".join(tokens[number : number + 2])
    for token in tokens:
        if len(token) > 2:
            whole = f"<{token}>"
            for length in _PART_LENGTHS:
                for start in range(len(whole) - length + 1):
                    yield f"~{whole[start : start + length]}"


def _token(token: str) -> str:
    """Return a word as it is, and a number as the step that it reaches."""
    if not token[0].isdecimal():
        return token
    value = float(token.replace(",", "."))
    return f"#{sum(value >= step for step in _STEPS)}"
