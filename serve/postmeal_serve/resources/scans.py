"""Scans of meal texts, and corrections of scans that clients send back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from postmeal.errors import InputError, UnknownFood
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food, Selection
from postmeal.scans import Confidence, Scan, ScannedFood, correct
from postmeal.scans.text_scan import scan_of
from postmeal_serve.resources.food_choices import Foods
from postmeal_serve.resources.meal_text import PhraseReader, RunInProcess, read_meal_text

__all__ = [
    "LONGEST_FOOD_NAME",
    "CorrectedFood",
    "CorrectedScan",
    "GivenFood",
    "concise",
    "correct_scan",
    "scan_meal_text",
    "selection_of",
]

LONGEST_FOOD_NAME = 1000
"""Maximum length in characters of a food's name, brand or unit in a request."""


class GivenFood(NamedTuple):
    """A food in a scan that a client sends back."""

    food_id: int
    name: str
    serving_id: int
    quantity: float
    unit: str
    confidence: Confidence
    weight_g: float | None = None


class CorrectedFood(NamedTuple):
    """A food in a corrected scan."""

    origin: int | None
    factor: float
    selection: Selection | None
    confidence: Confidence


class CorrectedScan(NamedTuple):
    """A scan after a correction. If there are unread words, the correction changed nothing."""

    foods: tuple[CorrectedFood, ...]
    unread: tuple[str, ...]


async def scan_meal_text(
    text: str, catalog: Catalog, reader: PhraseReader | None, run_in_process: RunInProcess
) -> Scan:
    """Scan a meal that is described in plain English; see `read_meal_text`."""
    return scan_of(await read_meal_text(text, catalog, reader, run_in_process))


def concise(amount: float) -> float:
    """Return an amount with six significant digits, which hides rounding errors."""
    return float(f"{amount:.6g}")


def selection_of(scanned: ScannedFood) -> Selection:
    """Return a scanned food of the catalog as an amount of one of its servings.

    The default serving is used if its weight is known, otherwise the first serving with a known
    weight.
    """
    food = scanned.food
    assert food is not None  # Only foods that clients send back may be unknown.
    for serving in (food.default_serving, *food.servings):
        if serving.weight_g:
            return Selection(food, serving, scanned.grams / serving.weight_g * serving.quantity)
    raise InputError("food", "must have a serving with a known weight", food.name)


def correct_scan(foods: Foods, given: Sequence[GivenFood], text: str) -> CorrectedScan:
    """Correct a scan as described in plain English."""
    before = Scan(tuple(_scanned(foods, each, index) for index, each in enumerate(given)))
    after = correct(before, text, foods.catalog)
    try:
        corrected = tuple(_corrected(before, after.scan.foods, after.origins))
    except InputError:  # The weight of a new food is unknown.
        unchanged = tuple(_corrected(before, before.foods, range(len(given))))
        return CorrectedScan(unchanged, (text.strip(),))
    return CorrectedScan(corrected, after.unread)


def _corrected(
    before: Scan, after: Iterable[ScannedFood], origins: Iterable[int | None]
) -> Iterable[CorrectedFood]:
    for food, origin in zip(after, origins, strict=True):
        given = None if origin is None else before.foods[origin]
        if given is None or food.food is not given.food:
            yield CorrectedFood(origin, 1.0, selection_of(food), food.confidence)
        else:
            factor = 1.0 if food is given else food.grams / given.grams
            yield CorrectedFood(origin, factor, None, food.confidence)


def _scanned(foods: Foods, given: GivenFood, index: int) -> ScannedFood:
    food = None
    try:
        food = foods.food(given.food_id)
    except UnknownFood:  # The catalog may have been replaced since the scan.
        if given.weight_g is None and given.unit != "g":
            raise
    grams = given.weight_g or _weight_g(food, given, index)
    return ScannedFood(given.name, grams, food, given.confidence)


def _weight_g(food: Food | None, given: GivenFood, index: int) -> float:
    servings = food.servings if food else ()
    serving = next((each for each in servings if each.id == given.serving_id), None)
    if serving is not None and serving.weight_g:
        return serving.weight_g * given.quantity / serving.quantity
    if given.unit == "g":
        return given.quantity
    field = f"detections[{index}].food.servings[0].id"
    raise InputError(
        field, "must be the ID of one of the food's servings with a known weight", given.serving_id
    )
