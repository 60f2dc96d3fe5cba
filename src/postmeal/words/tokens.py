"""Split a text into tokens: words, numbers and punctuation marks."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_FRACTIONS = "¼-¾⅐-⅞"
_TOKEN = re.compile(
    rf"(?P<number>\d+(?:[.,/]\d+)*|[{_FRACTIONS}])"
    rf"|(?P<word>[^\W\d_{_FRACTIONS}]+(?:['’][^\W\d_]+)*['’]?)|(?P<sign>[^\s\w]|_)"
)
_COMBINING = re.compile(r"[\u0300-\u036f]")
_LETTERS = str.maketrans({"’": "'", "ı": "i", "ø": "o", "ł": "l", "đ": "d"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a punctuation mark in a text."""

    word: str
    start: int
    end: int
    kind: str


def tokens_of(text: str) -> tuple[Token, ...]:
    """Split a text into tokens."""
    return tuple(
        Token(plain_word(match[0]), match.start(), match.end(), match.lastgroup or "sign")
        for match in _TOKEN.finditer(text)
    )


def plain_word(word: str) -> str:
    """Return a word in lower case and without accents."""
    if word.isascii():
        return word.casefold()
    plain = unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS))
    return _COMBINING.sub("", plain).replace("⁄", "/")
