"""Normalization of texts, which all patterns expect."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_LONG_WORD = re.compile(r"\w{80}(?=\w)")
_MARKS = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'", "ʼ": "'", "⁄": "/"})
_FRACTION = re.compile("[¼-¾⅐-⅞]")
_CONTRACTIONS = re.compile(
    r"\b(don|doesn|didn|can|won|isn|aren|wasn|couldn|wouldn|shouldn|haven|hasn)t\b"
)
_MASKED = re.compile(
    r"(?<![\w.,])(?=(?:[\d@$]{0,20}+[a-z]){3})(?=\w*[\d@$]{1,20}+[a-z]{2})(?!\d*[a-z]+\b)[a-z\d@$]+(?!\w)"
)
_SPACED = re.compile(r"\b(?:[a-z] ){4,}[a-z]\b")
_LETTERS = str.maketrans("013457@$", "oieastas")


def plain(text: str) -> str:
    """Return a text in lower case, with straight apostrophes and without invisible characters.

    Characters are normalized (NFKC), white space becomes single spaces, and contractions without an
    apostrophe get one.

    Words longer than 80 characters are split every 80 characters, because the run time of many
    patterns grows with the square of the length of a word.
    """
    text = _FRACTION.sub(r" \g<0>", text)
    # NFKC would convert "´" to a space and an accent
    letters = unicodedata.normalize("NFKC", text.translate(_MARKS)).translate(_MARKS).lower()
    seen = letters if letters.isprintable() else _visible(letters)
    split = _LONG_WORD.sub(r"\g<0> ", _SPACES.sub(" ", seen))
    return _CONTRACTIONS.sub(r"\1't", split).strip()


def unmasked(text: str) -> str:
    """Restore words of a plain text that are disguised, such as "1nsul1n" or "i n s u l i n"."""
    text = _SPACED.sub(lambda match: match.group().replace(" ", ""), text)
    return _MASKED.sub(lambda match: match.group().translate(_LETTERS), text)


def _visible(text: str) -> str:
    """Remove control, format and unassigned characters from a text.

    Those that are white space, such as line breaks, become spaces.
    """
    return "".join(
        x if not unicodedata.category(x).startswith("C") else " " if x.isspace() else ""
        for x in text
    )
