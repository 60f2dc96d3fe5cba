"""Split a meal text into tokens, which is the first stage of parsing."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

__all__ = ["Token", "plain_word", "tokens_of"]

_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,/]\d+)*)|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*['’]?)|(?P<sign>[^\s\w]|_)"
)
_COMBINING = re.compile(r"[\u0300-\u036f]")
_LETTERS = str.maketrans({"’": "'", "ı": "i", "ø": "o", "ł": "l", "đ": "d"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number or a punctuation mark in a text.

    Attributes
    ----------
    word : str
        The token in lower case and without accents.
    start, end : int
        Start and end position of the token in the text.
    kind : str
        ``word``, ``number`` or ``sign``.
    """

    word: str
    start: int
    end: int
    kind: str


def tokens_of(text: str) -> tuple[Token, ...]:
    """Split a text into tokens.

    Examples
    --------
    >>> [token.word for token in tokens_of("2 crêpes, l'eau")]
    ['2', 'crepes', ',', "l'eau"]
    """
    return tuple(
        Token(plain_word(match[0]), match.start(), match.end(), match.lastgroup or "sign")
        for match in _TOKEN.finditer(text)
    )


def plain_word(word: str) -> str:
    """Return a word in lower case and without accents.

    Examples
    --------
    >>> plain_word("Weißbrot"), plain_word("Açaí")
    ('weissbrot', 'acai')
    """
    if word.isascii():
        return word.casefold()
    plain = unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS))
    return _COMBINING.sub("", plain)
