"""The foods of a meal scan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from postmeal.errors import InputError
from postmeal.foods.food import Food
from postmeal.foods.nutrients import Nutrients
from postmeal.foods.portions.serving_range import serving_range_g

__all__ = ["Confidence", "Scan", "ScannedFood", "Source"]

Confidence = Literal["high", "medium", "low"]
"""Confidence that a detected food and its amount are correct."""

Source = Literal["text", "correction", "given", "photo", "barcode"]
"""Source of a detected food: a meal text, a correction, the caller, a photo or its barcode."""


@dataclass(frozen=True, slots=True)
class ScannedFood:
    """A food in a scan, with its amount.

    Attributes
    ----------
    name : str
        The name that is shown to the person.
    grams : float
        Amount in grams, above 0.
    food : Food or None, default=None
        The food in the catalog; None if it was not found there.
    confidence : str, default="low"
        ``high``, ``medium`` or ``low``.
    source : str, default="given"
        ``text``, ``correction``, ``given``, ``photo`` or ``barcode``.
    said : str, default=""
        The words with which the person named the food.
    serving_range_g : tuple of float or None, default=None
        If the amount is an assumed serving, the range of typical servings in grams; see
        `postmeal.foods.portions.serving_range.serving_range_g`. None if the amount was stated.

    Raises
    ------
    InputError
        The name is not a str or is blank, or the amount is not a number above 0.
    """

    name: str
    grams: float
    food: Food | None = None
    confidence: Confidence = "low"
    source: Source = "given"
    said: str = ""
    serving_range_g: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InputError("name", "must be a str", self.name)
        if not self.name.strip():
            raise InputError("name", "must not be blank", self.name)
        is_number = isinstance(self.grams, (int, float)) and not isinstance(self.grams, bool)
        if not is_number or not 0 < self.grams < float("inf"):
            raise InputError("grams", "must be a number above 0", self.grams)

    @classmethod
    def assumed(
        cls,
        name: str,
        grams: float,
        food: Food,
        confidence: Confidence,
        source: Source,
        said: str = "",
    ) -> ScannedFood:
        """Create a food whose amount is an assumed serving, with the range of typical servings."""
        return cls(name, grams, food, confidence, source, said, serving_range_g(food, grams))

    @property
    def nutrients(self) -> Nutrients:
        """Nutrients in this amount of the food; all are unknown if `food` is None."""
        weight_g = self.food.default_serving.weight_g if self.food else None
        if self.food is None or not weight_g:
            return Nutrients()
        return self.food.nutrients * (self.grams / weight_g)


@dataclass(frozen=True, slots=True)
class Scan:
    """The recognized foods of a meal.

    Attributes
    ----------
    foods : tuple of ScannedFood
        The foods, in the order in which they were found.
    meal_name : str or None, default=None
        Name of the meal, if it has one.
    unread : tuple of str, default=()
        Words that were not understood.
    may_hold_more : bool, default=False
        Whether the meal may contain foods that were not found.

    Examples
    --------
    >>> Scan((ScannedFood("white rice", 200.0), ScannedFood("broccoli", 80.0))).grams
    280.0
    """

    foods: tuple[ScannedFood, ...] = ()
    meal_name: str | None = None
    unread: tuple[str, ...] = field(default=())
    may_hold_more: bool = False

    @classmethod
    def of(cls, foods: Iterable[tuple[str, float]]) -> Scan:
        """Create a scan from pairs of a name and grams.

        Raises
        ------
        InputError
            An item is not a pair of a name and grams.
        """
        given: object = foods
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError(
                "foods", "must be a list of pairs of a name and an amount in grams", given
            )
        rows = list(foods)
        for row in rows:
            pair: object = row
            if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
                raise InputError(
                    "foods", "must be a list of pairs of a name and an amount in grams", row
                )
        return cls(tuple(ScannedFood(name, grams) for name, grams in rows))

    @property
    def grams(self) -> float:
        """Total weight of the foods in grams."""
        return sum(food.grams for food in self.foods)

    @property
    def nutrients(self) -> Nutrients:
        """Sums of the nutrients of all foods; unknown if the amount in any food is unknown."""
        return Nutrients.sum(food.nutrients for food in self.foods)
