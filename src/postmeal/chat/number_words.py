"""Numbers that are written as words."""

from __future__ import annotations

import re

__all__ = ["with_digits"]


def _values(words: str, first: int, step: int = 1) -> dict[str, int]:
    return {word: first + step * place for place, word in enumerate(words.split())}


_ONES = _values("one two three four five six seven eight nine", 1)
_TEENS = _values(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", 10
)
_TENS = _values("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_ONE, _TEEN, _TEN = ("|".join(words) for words in (_ONES, _TEENS, _TENS))
_WORDS = re.compile(
    rf"\b(?:(?P<hundreds>{_ONE}|a) hundred(?: and)?(?: (?=(?:{_TEEN}|{_TEN}|{_ONE})\b)|\b))?"
    rf"(?:(?P<tens>{_TEN})(?:[ -](?P<ones>{_ONE}))?\b|(?P<teens>{_TEEN})\b|(?P<single>{_ONE})\b)?"
    rf"(?:(?:(?<= )| )point (?P<tenths>{_ONE}|zero|oh|o)\b)?"
)


def with_digits(text: str) -> str:
    """Replace numbers that are written as words by digits in a plain text.

    The words "one" to "nine" on their own are kept, because "one" is often not a number. They are
    replaced if a decimal follows, as in "two point one".

    Examples
    --------
    >>> with_digits("thirty-eight, two point one, a hundred and twelve, one apple")
    '38, 2.1, 112, one apple'
    """
    return _WORDS.sub(_number, text)


def _number(match: re.Match[str]) -> str:
    part = match.groupdict()
    is_number = part["hundreds"] or part["tens"] or part["teens"]
    if not is_number and not (part["single"] and part["tenths"]):
        return match.group()
    whole = 100 * _ONES.get(part["hundreds"] or "", 1 if part["hundreds"] else 0)
    whole += _TENS.get(part["tens"] or "", 0) + _TEENS.get(part["teens"] or "", 0)
    whole += _ONES.get(part["ones"] or part["single"] or "", 0)
    tenths = part["tenths"]
    return f"{whole}.{_ONES.get(tenths, 0)}" if tenths else str(whole)
