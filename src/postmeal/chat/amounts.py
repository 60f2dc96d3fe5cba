"""Units, shares and multiples of amounts, such as "two thirds", "2 of the 6 slices" and "twice".

All modules that read amounts in messages use these expressions, so that an amount means the same
in a question, in a follow-up and before the name of a food.
"""

from __future__ import annotations

import re

from postmeal.foods.language.numbers import number_of

__all__ = [
    "AMOUNT",
    "GRAMS",
    "MULTIPLE",
    "PORTION",
    "SHARE",
    "TIMES",
    "WEIGHT",
    "WEIGHT_UNIT",
    "factor_of",
    "with_shares",
]

GRAMS = r"(?:g|gms?|gr|grams?)"
"""Grams, as a regular expression."""
WEIGHT_UNIT = rf"(?:{GRAMS}|kgs?|kilos?|kilograms?|ml|cl|dl|l|lit(?:er|re)s?|oz|lbs?|pounds?)"
"""Units of weight and volume, as a regular expression."""
PORTION = r"(?:slices?|pieces?|cups?|bowls?|glass(?:es)?|portions?|servings?|helpings?|tbsp|tsp)"
"""Units of portions, as a regular expression."""
WEIGHT = re.compile(rf"\b\d+(?:[.,]\d+)? ?{WEIGHT_UNIT}\b")
"""A weight or volume."""
AMOUNT = re.compile(rf"\b\d+(?:[.,]\d+)? ?(?:{WEIGHT_UNIT}|{PORTION})\b")
"""A weight, a volume or a number of portions."""

_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12,
}  # fmt: skip
_FACTORS = {"halve": 1 / 2, "double": 2.0, "twice": 2.0, "triple": 3.0, "thrice": 3.0}
_COUNT = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_ORDINALS = "|".join(f"{part}s?" for part in _PARTS if not part.startswith("hal"))
_PIECES = r"(?:slices|pieces|portions|servings|squares|wedges|parts)"
_COUNTED = rf"{_COUNT} (?:out )?of (?:the |its |these |those |all )?{_COUNT} (?:equal )?{_PIECES}"
SHARE = (
    rf"(?:(?:{_COUNT} and )?(?:an?|{_COUNT})[ -](?:{_ORDINALS}|half|halves)|half"
    rf"|(?<!the )(?:{_ORDINALS})(?= of\b)|(?<![\d./])[1-9]\d?/[1-9]\d?(?![\d/])|{_COUNTED})"
)
"""A share, as a regular expression. "Third" alone is a share only before "of"."""
MULTIPLE = f"(?:{'|'.join(_FACTORS)})"
"""A factor in one word, as a regular expression."""
TIMES = r"(?:[1-9]\d? ?(?:x|×|\*|times))"
"""A factor in digits, such as "3 x", as a regular expression."""

_NUMBER_OR_WORD = re.compile(r"\d+|[a-z]+")
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
    """Return the factor that a share or a multiple states.

    Parameters
    ----------
    said : str
        Plain text that starts with a match of `SHARE`, `MULTIPLE` or `TIMES`. The text after the
        match must not contain a number or the word "and".

    Examples
    --------
    >>> factor_of("half"), factor_of("two fifths"), factor_of("3/4"), factor_of("2 of the 8 slices")
    (0.5, 0.4, 0.75, 0.25)
    >>> factor_of("twice"), factor_of("3 times"), factor_of("two and a half")
    (2.0, 3.0, 2.5)
    """
    whole, _, said = said.rpartition(" and ")
    if whole:
        return number_of(whole) + factor_of(said)
    tokens: list[str] = _NUMBER_OR_WORD.findall(said)
    counts = [number_of(each) for each in tokens if re.fullmatch(_COUNT, each)]
    for token in tokens:
        if token in _FACTORS:
            return _FACTORS[token]
        if part := _PARTS.get(token) or _PARTS.get(token.removesuffix("s")):
            return (counts[0] if counts else 1.0) / part
    return counts[0] / counts[1] if len(counts) > 1 else counts[0]


def with_shares(text: str) -> str:
    """Replace shares and multiples of amounts and foods in a plain text by the resulting amounts.

    A number of pieces is a share only if the weight of the whole is stated, or if the food follows
    the word "a" or "one". Otherwise, the pieces are counted, as in the second example.

    Examples
    --------
    >>> with_shares("half of 200 g rice, 3/4 of the pizza, 2 of the 6 slices of a 600 g cake")
    '100 g rice, 0.75 pizza, 200 g cake'
    >>> with_shares("2 of the 6 slices of the bread")
    '2 slices of bread'
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
