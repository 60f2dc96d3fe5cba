"""A food and its amount, as written in a meal text."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Phrase"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A food and its amount, as written in a meal text.

    Attributes
    ----------
    said : str
        The phrase after normalization, including the amount.
    name : str
        The words that name the food; empty if the phrase consists only of an amount.
    count : float or None
        Number of units; 1 for "a" and for a unit without a number; otherwise None.
    unit : str
        Unit that is counted, such as ``cup`` or ``slice``; empty if the food itself is counted.
    size : str
        Size, such as ``large``; empty if no size is given.
    mass_g, volume_ml : float or None
        The given mass or volume of all units together.
    in_ounces : bool
        Whether the mass or volume was given in ounces. For a drink, these are fluid ounces.
    joined_by : str
        The connector before the phrase, such as ``with``, ``and`` or ``,``; ``.`` if the phrase
        begins a sentence.
    starts_food : bool
        Whether the phrase begins a new food, for example because it starts with an amount. Such a
        phrase is rarely an addition to the previous food.
    includes_next : bool
        Whether the phrase ends in a word such as "filled" or "made", so that the next food is part
        of this food.
    refers_back : bool
        Whether the phrase describes the previous food, as in "it's a large one" or "no sauce".
    is_excluded : bool
        Whether the phrase names a food that was not eaten, as in "no eggs".
    is_description : bool
        Whether the phrase only describes a food, such as "fried" in "fried and breaded fish".
    is_reason : bool
        Whether the phrase is part of a clause about the reason for eating something, such as "for
        extra energy a banana". A name in such a clause is treated as a food only if it matches a
        food with high confidence.
    """

    said: str
    name: str
    count: float | None = None
    unit: str = ""
    size: str = ""
    mass_g: float | None = None
    volume_ml: float | None = None
    in_ounces: bool = False
    joined_by: str = "."
    starts_food: bool = False
    includes_next: bool = False
    refers_back: bool = False
    is_excluded: bool = False
    is_description: bool = False
    is_reason: bool = False

    @property
    def amount_said(self) -> bool:
        """Whether the phrase contains an amount."""
        return not (self.count is None and self.mass_g is None and self.volume_ml is None)

    @property
    def amount(self) -> str:
        """Summary of the name and the amount, such as ``bread: 2 large slice, 80 g``."""
        counted = [f"{self.count:g}" if self.count is not None else "", self.size, self.unit]
        said = [" ".join(filter(None, counted))]
        said += [f"{self.mass_g:g} g"] if self.mass_g is not None else []
        said += [f"{self.volume_ml:g} ml"] if self.volume_ml is not None else []
        return f"{self.name}: {', '.join(filter(None, said)) or 'no amount'}"
