"""The table of numbers in words and signs."""

from __future__ import annotations

_FROM_ZERO = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
CARDINALS: dict[str, int] = {word: value for value, word in enumerate(_FROM_ZERO.split())}
"""Numbers from 0 to 19."""

ONES: dict[str, int] = {word: value for word, value in CARDINALS.items() if 0 < value < 10}
"""Numbers that may follow one of `TENS`."""

TENS: dict[str, int] = {
    word: 10 * value
    for value, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
"""Multiples of ten."""

SCALES: dict[str, float] = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
"""Words that multiply the number before them."""

PARTS: dict[str, int] = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12,
}  # fmt: skip
"""Parts of a whole in the singular, each with the number of equal parts."""

DOZEN = 12
FEW: dict[str, int] = {"couple": 2, "few": 3, "several": 3}
"""Words for small numbers, with the number that is assumed."""

SIGNS: dict[str, str] = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8",
                         "⅜": "3/8", "⅝": "5/8", "⅞": "7/8"}  # fmt: skip
"""Fractions in a single sign."""

MOST = 1e15
"""Largest number: larger ones in digits are no amounts, and larger results become this one."""


def number_of(word: str) -> float:
    """Return the value of a number in digits or of one below 100 in words; 1 for "a" and "each"."""
    if word[:1].isdigit() or word[:1] == ".":
        return float(word)
    said = word.replace("-", " ").split()
    parts = [CARDINALS.get(part, TENS.get(part)) for part in said]
    known = [part for part in parts if part is not None]
    return float(sum(known)) if known else 1.0


def written(number: float) -> str:
    """Return a number in digits, with at most six decimals."""
    return f"{min(number, MOST):.6f}".rstrip("0").rstrip(".")
