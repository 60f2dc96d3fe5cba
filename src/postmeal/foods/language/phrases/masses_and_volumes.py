"""Masses and volumes in meal texts: "50 g", "8 fl oz", "330 ml each"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from postmeal.foods.language.measures import MASS_G, VOLUME_ML

__all__ = ["NUMBER", "Quantity", "begins_with_each", "contains_each", "ends_with_each", "masses",
           "quantity"]  # fmt: skip

NUMBER = r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)"
"""A number in digits, as a regular expression."""

_MASS = re.compile(
    rf"(?P<number>{NUMBER})[\s-]*(?P<unit>{'|'.join(MASS_G)})s?\b\.?(?:[\s-]*worth)?"
)
_VOLUME = re.compile(
    rf"(?P<number>{NUMBER})[\s-]*(?P<unit>fl\.?\s*oz|fluid[\s-]ounces?|millilit(?:er|re)s?|mls?|"
    r"cl|dl|lit(?:er|re)s?|l|pints?|quarts?|gallons?)\b\.?"
)
_EACH = re.compile(r"\b(?:each(?: one)?|apiece|per piece)\b")
_EACH_AT_THE_START = re.compile(rf"\W*{_EACH.pattern}\W*")
_EACH_AT_THE_END = re.compile(rf"{_EACH.pattern}[\s.!)\]]*$")
_LONGEST_ENDING = 30  # characters, of "per piece" and the punctuation after it


@dataclass(frozen=True, slots=True)
class Quantity:
    """A mass or volume in a text.

    Attributes
    ----------
    start, end : int
        Position in the text.
    mass_g, volume_ml : float or None
        Exactly one of them is given.
    in_ounces : bool
        Whether the unit is the ounce or the fluid ounce.
    """

    start: int
    end: int
    mass_g: float | None
    volume_ml: float | None
    in_ounces: bool

    def of_pieces(self, n_pieces: float) -> Quantity:
        """Return the mass or volume of several pieces."""
        return replace(
            self,
            mass_g=None if self.mass_g is None else n_pieces * self.mass_g,
            volume_ml=None if self.volume_ml is None else n_pieces * self.volume_ml,
        )


def quantity(text: str) -> Quantity | None:
    """Return the first mass in a text, or its first volume if it contains no mass.

    Examples
    --------
    >>> quantity("1 can of cola, 330 ml").volume_ml
    330.0
    >>> quantity("2 slices of bread") is None
    True
    """
    if mass := _MASS.search(text):
        return _mass(mass)
    volume = _VOLUME.search(text)
    return _volume(volume) if volume else None


def masses(text: str) -> list[Quantity]:
    """Return all masses in a text.

    Examples
    --------
    >>> [one.mass_g for one in masses("30 g of ham and 2 oz of cheese")]
    [30.0, 56.69904625]
    """
    return [_mass(match) for match in _MASS.finditer(text)]


def _mass(match: re.Match[str]) -> Quantity:
    mass_g = float(match["number"]) * MASS_G[match["unit"]]
    return Quantity(match.start(), match.end(), mass_g, None, match["unit"].startswith("o"))


def _volume(match: re.Match[str]) -> Quantity:
    number, unit = float(match["number"]), match["unit"]
    in_ounces = unit.startswith("f")
    unit_ml = VOLUME_ML["fl oz"] if in_ounces else VOLUME_ML[unit.removesuffix("s")]
    return Quantity(match.start(), match.end(), None, number * unit_ml, in_ounces)


def contains_each(text: str) -> bool:
    """Return whether a text contains "each" or a synonym, so that its amount is that of one piece.

    Examples
    --------
    >>> contains_each("each 50 g"), contains_each("50 g apiece"), contains_each("50 g of peach")
    (True, True, False)
    """
    return _EACH.search(text) is not None


def ends_with_each(text: str) -> bool:
    """Return whether a text ends with "each" or a synonym.

    Examples
    --------
    >>> ends_with_each("3 eggs (50 g each)")
    True
    """
    return _EACH_AT_THE_END.search(text[-_LONGEST_ENDING:]) is not None


def begins_with_each(text: str) -> str | None:
    """Return the rest of a text that begins with "each" or a synonym, otherwise None.

    Examples
    --------
    >>> begins_with_each("each, toasted")
    'toasted'
    """
    match = _EACH_AT_THE_START.match(text)
    return text[match.end() :] if match else None
