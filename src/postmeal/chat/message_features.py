"""Features of a message for the chat models: words, pairs of words and parts of words."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

import numpy as np
import numpy.typing as npt

from postmeal.chat.hashed_model import N_FEATURES

_TOKEN = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+(?:[.,]\d+)?|[^\w\s]")
_MAX_LETTERS = 2_000
_SHORT = 120  # features; a text of eight words has about as many
_STEPS = (1.5, 4.0, 10.0, 20.0, 54.0, 70.0, 100.0, 180.0, 250.0, 400.0, 600.0, 1000.0)


def features(text: str) -> npt.NDArray[np.int64]:
    """Return the numbers of the features of a plain text, in ascending order.

    Numbers in the text are replaced by their magnitude, so that 41 and 47 give the same features.

    Parameters
    ----------
    text : str
        Text as `postmeal.chat.plain_text.plain` returns it. Only the first 2,000 characters count.

    Returns
    -------
    ndarray of int, shape (n,)
        Distinct feature numbers below `N_FEATURES`.

    Examples
    --------
    >>> list(features("he is at 41")) == list(features("he is at 47"))
    True
    >>> len(features(""))
    0
    """
    tokens = [_token(token) for token in _TOKEN.findall(text[:_MAX_LETTERS])]
    pairs = {" ".join(pair) for pair in pairwise(tokens)}
    present = {_hash(part) for part in pairs.union(tokens)}
    for token in set(tokens):
        present.update(_hashed_parts(token))
    return np.array(sorted(present), dtype=np.int64)


def hashed(parts: Iterable[str]) -> npt.NDArray[np.int64]:
    """Return the numbers of the features for the parts of a text, in ascending order."""
    present = {_hash(part) for part in parts}
    return np.array(sorted(present), dtype=np.int64)


@lru_cache(maxsize=2**14)
def word_parts(word: str, lengths: tuple[int, ...] = (3, 4, 5)) -> tuple[str, ...]:
    """Return the substrings of a word that have the given lengths.

    The beginning and the end of the word are marked with ``<`` and ``>``. Each substring is
    preceded by ``~``, which distinguishes it from a word.
    """
    whole = f"<{word}>"
    return tuple(
        f"~{whole[start : start + length]}"
        for length in lengths
        for start in range(len(whole) - length + 1)
    )


def feature_value(number: int) -> float:
    """Return the value of each feature of a text that has a given number of features.

    The feature vector of a text with at least 120 features has norm 1. For shorter texts, the norm
    is smaller, because these texts contain less information.
    """
    return 1 / math.sqrt(max(number, _SHORT))


@lru_cache(maxsize=2**14)
def _hashed_parts(token: str) -> tuple[int, ...]:
    return tuple(map(_hash, word_parts(token))) if len(token) > 2 else ()


def _hash(part: str) -> int:
    return crc32(part.encode()) % N_FEATURES


@lru_cache(maxsize=2**14)
def _token(token: str) -> str:
    """Replace a number by a token for its magnitude; return any other token unchanged."""
    if not token[0].isdecimal():
        return token
    value = float(token.replace(",", "."))
    return f"#{bisect_right(_STEPS, value)}"
