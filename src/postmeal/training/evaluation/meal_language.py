"""How well plain English about meals is read: grams of carbohydrate against published truth.

Two data sets in their official formats: NutriBench v2 (Hua et al. 2024, arXiv:2407.12843), meals
as people tell them, from 24 countries; and the dishes of Nutrition5k (Thames et al. 2021,
arXiv:2103.03375), told as names and grams. Neither is shipped, nor learned from.

Sentences of NutriBench that tell one meal in two ways share their truth. The part that was looked
at while the rules of the language were written (dev) and the rest (test) are parted by that truth,
so that no meal is on both sides. The test side is still not fully unseen: 103 names of three words
or more in the table of foods occur word for word in its sentences and in none of dev. Without them
its share of accurate meals falls by at most 0.3 points.
"""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal

__all__ = [
    "ACCURATE_G",
    "MACRONUTRIENTS",
    "MEAL_TEXTS",
    "MealText",
    "accuracy_table",
    "estimate",
    "read_dishes",
    "read_nutribench",
    "write_estimates",
]

MACRONUTRIENTS = ("carbs_g", "energy_kcal", "protein_g", "fat_g")
"""What is estimated, in the order of the columns."""

ACCURATE_G = 7.5
"""An error of less carbohydrate than this is accurate: half of one 15 g carbohydrate exchange."""

_DEV = 0.7
_NUTRIBENCH = ("meal_description", "carb", "energy", "protein", "fat", "country", "serving_type")
_PER_INGREDIENT = 7


@dataclass(frozen=True, slots=True)
class MealText:
    """A meal as told, and what was in it.

    Attributes
    ----------
    text : str
        The words.
    truth : tuple of float
        Amounts of `MACRONUTRIENTS`.
    groups : tuple of str
        What it is counted under, such as ``metric`` and ``USA``.
    """

    text: str
    truth: tuple[float, ...]
    groups: tuple[str, ...]


def read_nutribench(path: Path) -> list[MealText]:
    """Read the CSV of NutriBench v2.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of MealText
        In the order of the file.

    Raises
    ------
    DataSetError
        The file cannot be read, lacks a column or has a figure that is no number.
    """
    lines = _lines(path)
    columns = {name: place for place, name in enumerate(lines[0] if lines else ())}
    if missing := [name for name in _NUTRIBENCH if name not in columns]:
        raise DataSetError(f"{path.name} lacks the columns {', '.join(missing)}")
    meals = []
    for number, line in enumerate(lines[1:], 2):
        try:
            text, carb, energy, protein, fat, country, told = (
                line[columns[c]] for c in _NUTRIBENCH
            )
            truth = (float(carb), float(energy), float(protein), float(fat))
        except (ValueError, IndexError) as error:
            raise DataSetError(f"{path.name} is damaged in line {number}: {error}") from error
        side = "dev" if _share(truth) < _DEV else "test"
        nation = country if country == "USA" else "others"
        groups = (f"{country}, {told}", f"{nation}, {told}", f"{nation}, {told}, {side}")
        meals.append(MealText(text, truth, tuple(dict.fromkeys(groups))))
    return meals


def read_dishes(path: Path) -> list[MealText]:
    """Read the dish metadata of Nutrition5k as sentences of names and grams.

    Parameters
    ----------
    path : Path
        A CSV file without header: per dish its id, kcal, and grams of mass, fat, carbohydrate and
        protein, then for each ingredient id, name, grams, kcal, fat, carbohydrate and protein.

    Returns
    -------
    list of MealText
        In the order of the file.

    Raises
    ------
    DataSetError
        The file cannot be read or has a figure that is no number.
    """
    meals = []
    for number, line in enumerate(_lines(path), 1):
        try:
            energy, _, fat, carb, protein = (float(field) for field in line[1:6])
            parts = [
                f"{float(line[place + 2]):.6g} g {line[place + 1]}"
                for place in range(6, len(line) - 2, _PER_INGREDIENT)
                if line[place + 1]
            ]
        except ValueError as error:
            raise DataSetError(f"{path.name} is damaged in line {number}: {error}") from error
        meals.append(MealText(", ".join(parts), (carb, energy, protein, fat), ()))
    return meals


MEAL_TEXTS: dict[str, Callable[[Path], list[MealText]]] = {
    "nutribench": read_nutribench,
    "dishes": read_dishes,
}
"""How each data set of told meals is read."""


def estimate(meals: Sequence[MealText], catalog: Catalog) -> NDArray[np.float64]:
    """Read each meal's text and sum what was found.

    Parameters
    ----------
    meals : sequence of MealText
        The meals; their truth is not looked at.
    catalog : Catalog
        The foods that may be named.

    Returns
    -------
    ndarray of shape (n_meals, 4)
        Amounts of `MACRONUTRIENTS`. A meal of which nothing was understood has none, and an
        amount that a food's publisher does not tell counts as none.
    """
    amounts = np.zeros((len(meals), len(MACRONUTRIENTS)))
    for row, meal in zip(amounts, meals, strict=True):
        for detection in read_meal(meal.text, catalog).detections:
            nutrients = detection.selection.nutrients
            row += np.nan_to_num([nutrients.amount(key) for key in MACRONUTRIENTS])
    return amounts


def accuracy_table(
    meals: Sequence[MealText], amounts: NDArray[np.float64]
) -> dict[str, dict[str, float]]:
    """Measure estimates against the truth.

    Parameters
    ----------
    meals : sequence of MealText
        The meals.
    amounts : ndarray of shape (n_meals, 4)
        Estimates of `MACRONUTRIENTS`.

    Returns
    -------
    dict of str to dict
        For each group, and for ``all``: ``meals``; ``accurate``, the share within
        `ACCURATE_G` grams of carbohydrate; ``mae_g``, the mean absolute error of it;
        ``carbs_wmape`` and ``energy_wmape``, the sum of absolute errors over the sum of the truth.
    """
    truth = np.array([meal.truth for meal in meals]).reshape(-1, len(MACRONUTRIENTS))
    error = np.abs(amounts - truth)
    groups: dict[str, list[int]] = {"all": list(range(len(meals)))}
    for row, meal in enumerate(meals):
        for group in meal.groups:
            groups.setdefault(group, []).append(row)
    return {
        group: {
            "meals": len(rows),
            "accurate": float((error[rows, 0] < ACCURATE_G).mean()) if rows else math.nan,
            "mae_g": float(error[rows, 0].mean()) if rows else math.nan,
            "carbs_wmape": _ratio(error[rows, 0].sum(), truth[rows, 0].sum()),
            "energy_wmape": _ratio(error[rows, 1].sum(), truth[rows, 1].sum()),
        }
        for group, rows in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def write_estimates(amounts: NDArray[np.float64], path: Path) -> None:
    """Write estimates as CSV: ``row``, counted from 0 in the file's order, and `MACRONUTRIENTS`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("row", *MACRONUTRIENTS))
        writer.writerows(
            (row, *(f"{amount:.4f}" for amount in line)) for row, line in enumerate(amounts)
        )


def _lines(path: Path) -> list[list[str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise DataSetError(f"{path} cannot be read: {reason}") from error


def _share(truth: Iterable[float]) -> float:
    """A number from 0 up to 1 that is the same for meals with the same truth."""
    told = ",".join(f"{amount:.3f}" for amount in truth)
    return int.from_bytes(hashlib.sha256(told.encode()).digest()[:8]) / 2**64


def _ratio(above: float, below: float) -> float:
    return float(above / below) if below else math.nan
