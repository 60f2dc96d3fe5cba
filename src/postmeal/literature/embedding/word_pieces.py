"""Split texts into word pieces, the tokens of a BERT model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_MAX_WORD = 100  # characters; a longer word is treated as unknown
_REMEMBERED_WORDS = 2**16


class WordPieces:
    """The word-piece tokenizer of an uncased BERT model.

    The tokens are the same as those of the reference implementation. Control characters and accents
    are removed, and letters become lower case. Each Chinese character and punctuation mark becomes
    a separate word. Each word is split greedily into the longest known pieces. References:
    Y. Wu et al., "Google's neural machine translation system" (2016), arXiv:1609.08144;
    J. Devlin et al., "BERT" (2019), doi:10.18653/v1/N19-1423.
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = dict(vocabulary)
        self._unknown = [self._vocabulary["[UNK]"]]
        self._first, self._last = self._vocabulary["[CLS]"], self._vocabulary["[SEP]"]
        self._split = lru_cache(maxsize=_REMEMBERED_WORDS)(self._pieces)

    def numbers(self, text: str, limit: int) -> list[int]:
        """Return the numbers of the word pieces in a text, with a start and an end token."""
        found = [self._first]
        for word in _words(text):
            found += self._split(word)
            if len(found) >= limit:
                break
        return [*found[: limit - 1], self._last]

    def _pieces(self, word: str) -> list[int]:
        if len(word) > _MAX_WORD:
            return self._unknown
        numbers: list[int] = []
        start = 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                number = self._vocabulary.get(piece)
                if number is not None:
                    break
            else:
                return self._unknown
            numbers.append(number)
            start = end
        return numbers


_ASCII_WORD = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")


def _words(text: str) -> list[str]:
    if text.isascii() and text.isprintable():
        return _ASCII_WORD.findall(text.lower())
    spaced = "".join(map(_spaced, text))
    plain = unicodedata.normalize("NFD", spaced)
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")
    words = []
    # By letter, because `plain.lower()` would write a final sigma differently.
    lower = "".join(letter.lower() for letter in plain)
    for part in lower.split():
        word = ""
        for letter in part:
            if _is_punctuation(letter):
                words += [word, letter] if word else [letter]
                word = ""
            else:
                word += letter
        if word:
            words.append(word)
    return words


def _spaced(letter: str) -> str:
    """Return the text that replaces a character before a text is split into words.

    Control characters are removed, whitespace becomes a space, and Chinese characters get a space
    on both sides. All other characters stay the same.
    """
    if letter in "\t\n\r":
        return " "
    category = unicodedata.category(letter)
    if letter in "\0\ufffd" or category in ("Cc", "Cf", "Cn", "Co", "Cs"):
        return ""
    if category == "Zs" or letter in "\u2028\u2029\u0085":
        return " "
    return f" {letter} " if _is_chinese(ord(letter)) else letter


def _is_chinese(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2B81F
        or 0x2B820 <= code <= 0x2CEAF
        or 0xF900 <= code <= 0xFAFF
        or 0x2F800 <= code <= 0x2FA1F
    )


def _is_punctuation(letter: str) -> bool:
    is_ascii_sign = letter.isascii() and not letter.isalnum() and not letter.isspace()
    return is_ascii_sign or unicodedata.category(letter).startswith("P")
