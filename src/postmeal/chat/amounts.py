"""Units, shares and multiples of amounts, such as "two thirds", "2 of the 6 slices" and "twice".

All modules that read amounts in messages use these expressions, so that an amount means the same
in a question, in a follow-up and before the name of a food.
"""

from __future__ import annotations

import re

from postmeal.words.numbers import CARDINALS, PARTS
from postmeal.words.quantities import Reader
from postmeal.words.units import HOUSEHOLD, MASS_G, VOLUME_ML, unit_pattern

__all__ = [
    "AMOUNT",
    "GRAMS",
    "MULTIPLE",
    "NUMBER",
    "PORTION",
    "SHARE",
    "TIMES",
    "WEIGHT",
    "WEIGHT_UNIT",
    "factor_of",
    "with_shares",
]

_NOT_EATEN = {"mg", "milligram", "pint", "quart", "gallon"}
GRAMS = r"(?:g|gms?|gr|grams?)"
"""Grams, as a regular expression."""
WEIGHT_UNIT = unit_pattern({*MASS_G, *VOLUME_ML} - HOUSEHOLD - _NOT_EATEN).removesuffix(r"\b")
"""Units of weight and volume, as a regular expression."""
PORTION = r"(?:slices?|pieces?|cups?|bowls?|glass(?:es)?|portions?|servings?|helpings?|tbsp|tsp)"
"""Units of portions, as a regular expression."""
WEIGHT = re.compile(rf"\b\d+(?:[.,]\d+)? ?{WEIGHT_UNIT}\b")
"""A weight or volume."""
AMOUNT = re.compile(rf"\b\d+(?:[.,]\d+)? ?(?:{WEIGHT_UNIT}|{PORTION})\b")
"""A weight, a volume or a number of portions."""

NUMBER = rf"(?:\d+(?:\.\d+)?|{'|'.join(reversed([*CARDINALS][1:]))})"
"""A number in digits or below twenty in words, as a regular expression."""

_FACTORS = {"halve": 1 / 2, "double": 2.0, "twice": 2.0, "triple": 3.0, "thrice": 3.0}
_ORDINALS = "|".join(f"{part}s?" for part in PARTS if not part.startswith("hal"))
_PIECES = r"(?:slices|pieces|portions|servings|squares|wedges|parts)"
_COUNTED = rf"{NUMBER} (?:out )?of (?:the |its |these |those |all )?{NUMBER} (?:equal )?{_PIECES}"
SHARE = (
    rf"(?:(?:{NUMBER} and )?(?:an?|{NUMBER})[ -](?:{_ORDINALS}|half|halves)|half"
    rf"|(?<!the )(?:{_ORDINALS})(?= of\b)|(?<![\d./])[1-9]\d?/[1-9]\d?(?![\d/])|{_COUNTED})"
)
"""A share, as a regular expression. "Third" alone is a share only before "of"."""
MULTIPLE = f"(?:{'|'.join(_FACTORS)})"
"""A factor in one word, as a regular expression."""
TIMES = r"(?:[1-9]\d? ?(?:x|×|\*|times))"
"""A factor in digits, such as "3 x", as a regular expression."""

_WEIGHED = re.compile(
    rf"(?<![\w.,/])(?:(?:{SHARE}|{MULTIPLE})(?: of)?(?: an?| the| my| this| that)? |{TIMES} ?)"
    rf"(?P<amount>\d+(?:\.\d+)?) ?(?P<unit>{WEIGHT_UNIT})\b"
)
_OF_FOOD = re.compile(
    rf"(?<![\w.,/])(?:(?P<share>{SHARE})(?: of (?:(?:the|my|a) whole|an?|one|the|my|this|that)"
    rf"| (?:an?|the|my))|(?P<pieces>{_COUNTED}) of) (?=[a-z])"
)
_OF_WHOLE = re.compile(r"\b(?:an?|one|whole) $")


def factor_of(said: str) -> float:
    """Return the factor that a share or a multiple states."""
    if factor := next((_FACTORS[word] for word in said.split() if word in _FACTORS), None):
        return factor
    reader = Reader(said)
    if part := reader.fraction(0):
        return part.value
    found = reader.quantity(0)
    return found[0].value if found else 1.0


def with_shares(text: str) -> str:
    """Replace shares and multiples of amounts and foods in a plain text by the resulting amounts.

    A number of pieces is a share only if the weight of the whole is stated, or if the food follows
    the word "a" or "one". Otherwise, the pieces are counted, as in the second example.
    """

    def weighed(match: re.Match[str]) -> str:
        said = match.group()[: match.start("amount") - match.start()]
        return f"{factor_of(said) * float(match['amount']):g} {match['unit']}"

    def of_food(match: re.Match[str]) -> str:
        said = match["share"] or match["pieces"]
        if re.fullmatch(_COUNTED, said) and not _OF_WHOLE.search(match.group()):
            return f"{said.split()[0]} {said.split()[-1]} of "
        return f"{factor_of(said):g} "

    return _OF_FOOD.sub(of_food, _WEIGHED.sub(weighed, text))
