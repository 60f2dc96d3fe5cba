"""Nutrient keys and units, and amounts of nutrients that can be added and scaled.

Each nutrient has one key throughout postmeal, which includes its unit. Only the HTTP layer maps the
keys to the names that the two API versions use. An unknown amount is NaN and not zero. A sum with
an unknown term is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.rounding import rounded

__all__ = ["NUTRIENTS", "UNITS", "Nutrients", "net_carbs"]

UNITS: dict[str, str] = {
    "energy_kcal": "kcal",
    "protein_g": "g",
    "carbs_g": "g",
    "fiber_g": "g",
    "sugars_g": "g",
    "added_sugars_g": "g",
    "fat_g": "g",
    "saturated_fat_g": "g",
    "monounsaturated_fat_g": "g",
    "polyunsaturated_fat_g": "g",
    "trans_fat_g": "g",
    "cholesterol_mg": "mg",
    "sodium_mg": "mg",
    "potassium_mg": "mg",
    "calcium_mg": "mg",
    "iron_mg": "mg",
    "vitamin_a_iu": "IU",
    "vitamin_c_mg": "mg",
    "vitamin_d_iu": "IU",
    "water_g": "g",
    "caffeine_mg": "mg",
}
"""Unit of each nutrient, in storage order."""

NUTRIENTS: tuple[str, ...] = tuple(UNITS)
"""The nutrient keys, in the order of `Nutrients.amounts`."""

Default = TypeVar("Default")

_POSITION = {key: position for position, key in enumerate(NUTRIENTS)}
_CARBS, _FIBER = _POSITION["carbs_g"], _POSITION["fiber_g"]


class Nutrients(Mapping[str, float]):
    """Amounts of nutrients in a food's default serving, a selection or a meal.

    This is a read-only mapping from the keys of `NUTRIENTS` to amounts. Indexing returns NaN for an
    unknown amount; iteration, ``in`` and `get` treat it as missing. Two `Nutrients` objects can be
    added, and an object can be multiplied by a number.

    Parameters
    ----------
    amounts : mapping of str to float, optional
        The known amounts, each in the unit of its key and at least zero.

    Raises
    ------
    InputError
        A key is not a nutrient, or an amount is negative, infinite or not a number.

    Examples
    --------
    >>> bread = Nutrients({"carbs_g": 14.0, "fiber_g": 1.0, "protein_g": 2.5})
    >>> butter = Nutrients({"carbs_g": 0.0, "fat_g": 4.0, "protein_g": 0.0})
    >>> meal = 2 * bread + butter
    >>> meal["carbs_g"], meal["protein_g"]
    (28.0, 5.0)
    >>> "fiber_g" in meal, meal["fiber_g"]  # the fiber of butter is unknown
    (False, nan)
    >>> bread.net_carbs_g
    13.0
    """

    __slots__ = ("amounts",)

    amounts: NDArray[np.float64]
    """Amounts of shape (n_nutrients,) in the order of `NUTRIENTS`, NaN where unknown."""

    def __init__(self, amounts: Mapping[str, float] | None = None) -> None:
        values = np.full(len(NUTRIENTS), math.nan)
        given = {} if amounts is None else amounts
        check_type("amounts", given, Mapping, "must be a mapping of nutrient keys to numbers")
        for key, amount in given.items():
            if key not in _POSITION:
                raise InputError(key, "is not a nutrient; supported keys", allowed=NUTRIENTS)
            if not isinstance(amount, (int, float)) or isinstance(amount, bool):
                raise InputError(key, "must be a number", amount)
            if not 0 <= amount < math.inf:
                raise InputError(key, "must be zero or more", amount)
            values[_POSITION[key]] = amount
        values.flags.writeable = False
        self.amounts = values

    @classmethod
    def of_amounts(cls, amounts: NDArray[np.float64]) -> Nutrients:
        """Wrap an array of amounts without copying it; the array becomes read-only.

        Parameters
        ----------
        amounts : ndarray of shape (n_nutrients,)
            Amounts in the order of `NUTRIENTS`, NaN where unknown.

        Returns
        -------
        Nutrients
            The amounts.
        """
        self = cls.__new__(cls)
        amounts.flags.writeable = False
        self.amounts = amounts
        return self

    @classmethod
    def sum(cls, parts: Iterable[Nutrients]) -> Nutrients:
        """Add amounts; a nutrient is unknown in the sum if it is unknown in any term.

        Parameters
        ----------
        parts : iterable of Nutrients
            Terms of the sum. If there are none, every amount is zero.

        Returns
        -------
        Nutrients
            The sum.
        """
        total = np.zeros(len(NUTRIENTS))
        for part in parts:
            total += part.amounts
        return cls.of_amounts(total)

    def amount(self, key: str) -> float:
        """Return the amount of a nutrient in its unit; NaN if unknown."""
        return float(self.amounts[_POSITION[key]])

    @property
    def net_carbs_g(self) -> float:
        """Carbohydrate minus fiber in grams, at least zero; NaN if either is unknown."""
        return net_carbs(float(self.amounts[_CARBS]), float(self.amounts[_FIBER]))

    def known(self) -> dict[str, float]:
        """Return the known amounts as a dict, which is faster to read than this mapping."""
        amounts = zip(NUTRIENTS, self.amounts.tolist(), strict=True)
        return {key: amount for key, amount in amounts if not math.isnan(amount)}

    def rounded(self) -> dict[str, float]:
        """Return the known amounts, rounded for output by `postmeal.rounding.rounded`."""
        return {key: rounded(amount, UNITS[key]) for key, amount in self.known().items()}

    def __getitem__(self, key: str) -> float:
        return self.amount(key)

    def __contains__(self, key: object) -> bool:
        return key in _POSITION and not math.isnan(self.amount(str(key)))

    @overload
    def get(self, key: str, /) -> float | None: ...
    @overload
    def get(self, key: str, /, default: Default) -> float | Default: ...
    def get(self, key: str, /, default: Any = None) -> Any:
        """Return the amount of a nutrient, or a default if it is unknown."""
        return self.amount(key) if key in self else default

    def __iter__(self) -> Iterator[str]:
        return (key for key, known in zip(NUTRIENTS, ~np.isnan(self.amounts), strict=True) if known)

    def __len__(self) -> int:
        return int((~np.isnan(self.amounts)).sum())

    def __add__(self, other: Nutrients) -> Nutrients:
        return Nutrients.of_amounts(self.amounts + other.amounts)

    def __mul__(self, factor: float) -> Nutrients:
        return Nutrients.of_amounts(self.amounts * factor)

    __rmul__ = __mul__

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Nutrients):
            return NotImplemented
        return np.array_equal(self.amounts, other.amounts, equal_nan=True)

    def __hash__(self) -> int:
        return hash(self.amounts.tobytes())

    def __repr__(self) -> str:
        return f"Nutrients({dict(self)!r})"


def net_carbs(carbs_g: float, fiber_g: float) -> float:
    """Return carbohydrate minus fiber in grams, at least zero; NaN if either is unknown."""
    net = carbs_g - fiber_g
    return net if net > 0 or math.isnan(net) else 0.0
