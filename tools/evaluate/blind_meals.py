"""Evaluate the interpretation of meal texts by comparing the foods found with those eaten.

The correct answers are in a semicolon-separated file with one row per food that was eaten and the
columns in `COLUMNS`: the ID of the meal, its text, a regular expression that matches the names of
correct foods, the grams of the food, and the grams of total carbohydrate in it.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import Detection, MealReading, read_meal
from postmeal.foods.portions import most_plausible_grams
from tools.evaluate.meal_language import ACCURATE_G
from tools.evaluate.truth_file import FoodTexts, read_rows

__all__ = [
    "COLUMNS",
    "BlindMeal",
    "EatenFood",
    "FoodFinding",
    "MealFinding",
    "blind_meal_figures",
    "compare_meal",
    "compare_meals",
    "over_bound",
    "read_blind_meals",
    "write_findings",
]

COLUMNS = ("meal", "text", "food", "grams", "carbs_g")
"""Columns of a file of meals, in order."""

_GRAMS_WITHIN = 0.3
_FAR_TOO_MUCH = 4.0  # multiple of the amount eaten


@dataclass(frozen=True, slots=True)
class EatenFood:
    """A food that was eaten."""

    pattern: re.Pattern[str]
    weight_g: float
    carbs_g: float


@dataclass(frozen=True, slots=True)
class BlindMeal:
    """A description of a meal, and the foods that were eaten."""

    id: str
    text: str
    foods: tuple[EatenFood, ...]

    @property
    def carbs_g(self) -> float:
        """Grams of carbohydrate in all foods that were eaten."""
        return math.fsum(food.carbs_g for food in self.foods)


@dataclass(frozen=True, slots=True)
class FoodFinding:
    """A food that was eaten, and the food in the meal text that matches it."""

    food: EatenFood
    detection: Detection | None

    @property
    def grams_agree(self) -> bool:
        """Whether the detected amount is within 30% of the amount eaten."""
        if self.detection is None:
            return False
        detected_g = self.detection.selection.weight_g or 0.0
        return abs(detected_g - self.food.weight_g) <= _GRAMS_WITHIN * self.food.weight_g

    @property
    def far_too_much(self) -> bool:
        """Whether the detected amount is more than four times the amount eaten.

        False if the amount is marked as implausible.
        """
        if self.detection is None or self.detection.implausible:
            return False
        return (self.detection.selection.weight_g or 0.0) > _FAR_TOO_MUCH * self.food.weight_g


@dataclass(frozen=True, slots=True)
class MealFinding:
    """The result of reading a meal text, compared with the foods that were eaten."""

    meal: BlindMeal
    reading: MealReading
    foods: tuple[FoodFinding, ...]

    @property
    def carbs_g(self) -> float:
        """Grams of carbohydrate in all detected foods; unknown amounts are treated as 0."""
        each_g = (one.selection.nutrients.amount("carbs_g") for one in self.reading.detections)
        return math.fsum(carbs_g for carbs_g in each_g if not math.isnan(carbs_g))

    @property
    def error_g(self) -> float:
        """Grams of carbohydrate in the detected foods minus those in the foods eaten."""
        return self.carbs_g - self.meal.carbs_g


def read_blind_meals(path: Path) -> list[BlindMeal]:
    """Read a file of meals with the foods that were eaten."""
    texts: dict[str, str] = {}
    foods: dict[str, list[EatenFood]] = {}
    for number, line in enumerate(read_rows(path, COLUMNS), 2):
        try:
            meal, text, pattern, weight_g, carbs_g = line
            food = EatenFood(re.compile(pattern, re.IGNORECASE), float(weight_g), float(carbs_g))
        except (ValueError, re.error) as error:
            raise DataSetError(f"{path.name}: line {number} is invalid: {error}") from error
        texts[meal] = text
        foods.setdefault(meal, []).append(food)
    return [BlindMeal(meal, texts[meal], tuple(eaten)) for meal, eaten in foods.items()]


def compare_meal(meal: BlindMeal, reading: MealReading) -> MealFinding:
    """Compare the foods found in a meal text with those that were eaten.

    Each detection is matched to at most one food. If several detections match a food, the detection
    with the nearest amount is used.
    """
    left = list(reading.detections)
    findings: list[FoodFinding] = []
    for food in meal.foods:
        matching = [
            each for each in left if FoodTexts.of(each.selection.food).matches(food.pattern)
        ]
        wanted_g = food.weight_g
        nearest = min(
            matching,
            key=lambda each: abs((each.selection.weight_g or 0.0) - wanted_g),
            default=None,
        )
        if nearest is not None:
            left.remove(nearest)
        findings.append(FoodFinding(food, nearest))
    return MealFinding(meal, reading, tuple(findings))


def compare_meals(meals: Sequence[BlindMeal], catalog: Catalog) -> list[MealFinding]:
    """Read each meal text, and compare the foods found with those that were eaten."""
    return [compare_meal(meal, read_meal(meal.text, catalog)) for meal in meals]


def blind_meal_figures(findings: Sequence[MealFinding]) -> list[tuple[str, float, int]]:
    """Compute the figures for a file of meals."""
    errors = [abs(each.error_g) for each in findings]
    foods = [food for each in findings for food in each.foods]
    found = [food for food in foods if food.detection is not None]
    detections = [one for each in findings for one in each.reading.detections]
    return [
        ("within_7.5_g", _mean([float(e < ACCURATE_G) for e in errors]), len(errors)),
        ("mean_error_g", _mean(errors), len(errors)),
        ("foods_found", _mean([float(food.detection is not None) for food in foods]), len(foods)),
        (
            "grams_within_30_percent",
            _mean([float(food.grams_agree) for food in found]),
            len(found),
        ),
        ("over_bound_unmarked", float(sum(map(over_bound, detections))), len(detections)),
        ("far_too_much_unmarked", float(sum(food.far_too_much for food in found)), len(found)),
    ]


def over_bound(detection: Detection) -> bool:
    """Return whether an amount is too large to be plausible, but is not marked as implausible."""
    most_g = most_plausible_grams(detection.selection.food)
    return not detection.implausible and (detection.selection.weight_g or 0.0) > most_g


def write_findings(findings: Sequence[MealFinding], path: Path) -> None:
    """Write a CSV file with the carbohydrate and foods of each meal, as eaten and as detected."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ("meal", "text", "carbs_g", "read_carbs_g", "foods", "found", "detections", "unread")
        )
        for each in findings:
            read = (
                f"{one.selection.food.name}={one.selection.weight_g or 0.0:.0f}"
                for one in each.reading.detections
            )
            writer.writerow(
                (
                    each.meal.id,
                    each.meal.text,
                    f"{each.meal.carbs_g:.1f}",
                    f"{each.carbs_g:.1f}",
                    len(each.foods),
                    sum(food.detection is not None for food in each.foods),
                    " | ".join(read),
                    " | ".join(each.reading.unread),
                )
            )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
