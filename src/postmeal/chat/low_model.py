"""Model that estimates the probability that a message is about low glucose that needs fast sugar.

The model is a multinomial logistic regression over words, pairs of words and parts of words, in
which tokens for ranges of glucose replace the numbers. ``tests/relevance/train_danger_model.py``
fits it and writes ``low_model.npz``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from postmeal.chat.glucose_reading_words import with_plain_readings
from postmeal.chat.glucose_unit import GLUCOSE_UNIT, LEADS_TO_OTHER
from postmeal.chat.hashed_model import HashedModel
from postmeal.chat.message_features import feature_value, hashed, word_parts
from postmeal.words.plain import with_cardinals

__all__ = ["CLASSES", "Low", "low_likelihoods", "low_parts", "mild_values"]

CLASSES = ("low", "emergency", "other")
"""Classes of messages, in the order of the rows of the model's weights."""

_MAX_LETTERS = 2_000
_NEARBY = 60  # characters before a number that can name its quantity
_MAX_TOKENS = 64
_MG_DL = (20.0, 54.0, 70.0, 100.0, 140.0, 180.0, 250.0, 600.0)
_MMOL_L = (1.1, 3.0, 3.9, 5.6, 7.8, 10.0, 14.0, 33.4)
_COUNTS = (3.0, 4.0, 11.0, 15.0, 16.0)  # of numbers too small for mg/dL, such as 15 minutes
_MILD = ("#mg2", "#mmol2")  # 54 to 69, and 3.0 to 3.8
_NUMBER = re.compile(r"(?<![\d.,])\d{1,4}(?:[.,]\d{1,9})?(?!\d|[.,]\d)")
_UNIT = re.compile(rf" ?{GLUCOSE_UNIT}")
_OTHER_UNIT = re.compile(
    r"(?:,? (?:and |or )?\d{1,3}){1,4} ?-?min|"
    r"[:/%°$€£]|,? ?-?(?:years?|yrs?|yo|y/o|months?|weeks?|wks|days?|hours?|hrs?|h|min\w*|am|pm|f|m"
    r"|kg|kilos?|lbs?|pounds?|stones?|stars?|cm|g|grams?|ml|oz|units?|u|iu|miles?|km|k|bpm|carbs?"
    r"|mg|mcg|kcal|cal|calories|degrees|percent|percentile|per ?cent|people|servings?|type|dollars"
    r"|bucks|foot|feet|inch\w*|lit(?:re|er)s?|l|x|times|t[12]d?|pre-?diab\w*|diabet\w*"
    r"|(?:with|and (?:have|has|am|is|uses?)) (?:\w+ )?(?:diabet\w*|pre-?diab\w*|type|t[12]d?|libre"
    r"|dexcom|cgm))\b(?! ?/? ?dl)"
)
_OTHER_SIGN = re.compile(r"\d[-/:]$|[$€£]$")
_HYPO = re.compile(r"\b(?:hypos?|hypogly\w+|lows)\b")
_OTHER_LOW = re.compile(
    r"\blow[ -](?=(?:carb|fat|gi|cal|sodium|salt|fib|protein|mood|energy"
    r"|iron|vitamin|blood pressure|diet|fodmap|potassium|on)\w*\b)"
)
_TOKEN = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+|[^\w\s]")


class Low(NamedTuple):
    """Probabilities of a low of a person who is awake and can swallow, and of a severe low."""

    mild: float
    severe: float

    @property
    def any(self) -> float:
        """Probability of any low."""
        return self.mild + self.severe


class _Number(NamedTuple):
    """A number in a text, with the token for its range."""

    start: int
    end: int
    said: str
    token: str
    has_unit: bool


@lru_cache(maxsize=256)
def low_likelihoods(text: str) -> Low:
    """Return the probabilities of low glucose in a plain text."""
    present = hashed(low_parts(text))
    mild, severe, _ = _model().likelihoods(present, feature_value(len(present)))
    return Low(float(mild), float(severe))


def mild_values(text: str) -> list[float]:
    """Return the numbers in a plain text that are mildly low glucose if they are glucose.

    Numbers with another unit, such as "60 g", do not count.
    """
    text = _readable(text)
    return [float(each.said.replace(",", ".")) for each in _numbers(text) if each.token in _MILD]


def low_parts(text: str) -> set[str]:
    """Return the parts of a plain text whose hashes are the features of the model."""
    tokens = _tokens(_readable(text))
    values = {token for token in tokens if token[0] == "#" and len(token) > 1}
    parts = {*tokens, *(" ".join(pair) for pair in pairwise(["^", *tokens, "$"]))}
    length = min(len(tokens), _MAX_TOKENS).bit_length()
    parts.update(f"{token} length {length}" for token in (*values, ""))
    parts.add("values " + " ".join(sorted(values)))
    parts.add(f"mild {not values.isdisjoint(_MILD)}")
    for token in set(tokens) - values:
        if len(token) > 2:
            parts.update(word_parts(token))
    return parts


def _readable(text: str) -> str:
    """Return a text with digits, in which "low" is about glucose."""
    text = with_plain_readings(with_cardinals(text[:_MAX_LETTERS], least=10))
    return _HYPO.sub("low", _OTHER_LOW.sub("little ", text))


def _tokens(text: str) -> list[str]:
    """Return the words of a text, with tokens for the ranges of its numbers."""
    found, place = [], 0
    for number in _numbers(text):
        found += _TOKEN.findall(text[place : number.start])
        found += [number.token, "#unit"] if number.has_unit else [number.token]
        place = number.end
    return found + _TOKEN.findall(text[place:])


def _numbers(text: str) -> Iterator[_Number]:
    for match in _NUMBER.finditer(text):
        before = text[max(0, match.start() - _NEARBY) : match.start()]
        unit = _UNIT.match(text, match.end())
        token = _token(match[0])
        is_other = _OTHER_UNIT.match(text, match.end()) or _OTHER_SIGN.search(before)
        if unit is None and (is_other or LEADS_TO_OTHER.search(before)):
            token = "#other" + token.rstrip("0123456789")[1:]
        yield _Number(
            match.start(), unit.end() if unit else match.end(), match[0], token, unit is not None
        )


def _token(said: str) -> str:
    """Return the token for the range of a number; numbers with decimals are taken as mmol/L."""
    value = float(said.replace(",", "."))
    if not said.isdecimal():
        return f"#mmol{bisect_right(_MMOL_L, value)}"
    if value < _MG_DL[0]:
        return f"#count{bisect_right(_COUNTS, value)}"
    return f"#mg{bisect_right(_MG_DL, value)}"


@cache
def _model() -> HashedModel:
    return HashedModel.read("low_model.npz", CLASSES)
