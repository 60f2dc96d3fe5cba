"""Features of a message for learned models: words, pairs of words, and parts of words."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt

from postmeal.chat.hashed_model import N_FEATURES

__all__ = ["feature_value", "features", "hashed", "word_parts"]

_TOKEN = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+(?:[.,]\d+)?|[^\w\s]")
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
    return hashed(_parts(text[:_MAX_LETTERS]))


def hashed(parts: Iterable[str]) -> npt.NDArray[np.int64]:
    """Return the features of the parts of a text, in ascending order.

    Examples
    --------
    >>> len(hashed(["rice", "beans", "rice"]))
    2
    """
    present = {crc32(part.encode()) % N_FEATURES for part in parts}
    return np.array(sorted(present), dtype=np.int64)


@lru_cache(maxsize=2**14)
def word_parts(word: str, lengths: tuple[int, ...] = (3, 4, 5)) -> tuple[str, ...]:
    """Return the parts of a word with its edges, each after a mark.

    Examples
    --------
    >>> word_parts("egg", (4,))
    ('~<egg', '~egg>')
    """
    whole = f"<{word}>"
    return tuple(
        f"~{whole[start : start + length]}"
        for length in lengths
        for start in range(len(whole) - length + 1)
    )


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
    for token in dict.fromkeys(tokens):
        if len(token) > 2:
            yield from word_parts(token)


def _token(token: str) -> str:
    """Return a word as it is, and a number as the step that it reaches."""
    if not token[0].isdecimal():
        return token
    value = float(token.replace(",", "."))
    return f"#{bisect_right(_STEPS, value)}"
