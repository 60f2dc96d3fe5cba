"""Scan of a photo: a product by its barcode, or one dish, with an honest confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.foods.language.household import weight_of
from postmeal.foods.language.phrase import Phrase
from postmeal.foods.portions import usual_grams
from postmeal.scans.barcode import product, read_barcodes
from postmeal.scans.labels import LabelFoods
from postmeal.scans.picture import Picture
from postmeal.scans.recognizer import Candidate, Recognizer
from postmeal.scans.scan import Confidence, Scan, ScannedFood

__all__ = ["PhotoScan", "dish_in", "scan_photo", "serving_range_g"]

_HIGH, _MEDIUM, _LOW = 0.8, 0.5, 0.3
_SIMILAR = 0.25  # relative difference of carbohydrate per 100 g
_SIMILAR_G = 2.0  # smaller differences per 100 g never matter for the curve
_COMPARED = 3
_REPORTED = 10
_LEAST_SERVINGS = 3
_SHARED = 3.0
_WEIGHTS = ("g", "oz", "lb", "kg")


@dataclass(frozen=True, slots=True)
class PhotoScan:
    """The food in a photo, and what else it may be.

    Attributes
    ----------
    scan : Scan
        The detection, if there is one, and the name of the dish.
    candidates : tuple of Candidate
        Dishes that the photo may show, most probable first, so that an app may ask.
    barcodes : tuple of str
        Digits of the barcodes that were read.
    serving_range_g : tuple of float or None
        Range of typical servings of the food, as in `serving_range_g`.
    """

    scan: Scan
    candidates: tuple[Candidate, ...] = ()
    barcodes: tuple[str, ...] = ()
    serving_range_g: tuple[float, float] | None = None


def scan_photo(
    picture: Picture, catalog: Catalog, recognizer: Recognizer | None = None
) -> PhotoScan:
    """Scan a photo of a meal.

    A barcode names the product. Without one, the recognizer names at most one dish, and a typical
    serving of it is assumed, because portions cannot be measured in one photo. A barcode that is
    not in the catalog gives no detection: dish models do not know packages.

    Parameters
    ----------
    picture : Picture
        The photo.
    catalog : Catalog
        The foods that may be named.
    recognizer : Recognizer, optional
        Names the dish, such as `DishRecognizer`. Without it, only barcodes are read.

    Returns
    -------
    PhotoScan
        The detection, which may be missing, and the candidates.

    Raises
    ------
    PostmealError
        A package of ``postmeal[photos]`` is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> blank = Picture(np.full((64, 64, 3), 255, np.uint8), "PNG")
    >>> scan_photo(blank, Catalog.open()).scan.foods
    ()
    """
    barcodes = read_barcodes(picture)
    if barcodes:
        food = product(barcodes, catalog)
        if food is None:
            return PhotoScan(Scan(may_hold_more=True), (), barcodes)
        grams = usual_grams(food).grams
        detection = ScannedFood(food.name, grams, food, "high", "barcode")
        return PhotoScan(Scan((detection,)), (), barcodes, serving_range_g(food, grams))
    candidates = recognizer.candidates(picture) if recognizer else ()
    foods = LabelFoods(catalog)
    found = dish_in(candidates, foods)
    if found is None:
        return PhotoScan(Scan(may_hold_more=True), candidates[:_REPORTED])
    food, confidence = found
    name = foods.everyday_name(food)
    grams = weight_of(Phrase(name, name), food).grams  # as for a meal text without an amount
    detection = ScannedFood(food.name, grams, food, confidence, "photo")
    scan = Scan((detection,), meal_name=name, may_hold_more=True)
    return PhotoScan(scan, candidates[:_REPORTED], (), serving_range_g(food, grams))


def dish_in(candidates: Sequence[Candidate], foods: LabelFoods) -> tuple[Food, Confidence] | None:
    """Return the food of the most probable dish and its confidence, or None.

    The probabilities of labels that mean the same food are added first. The confidence is

    - ``high`` from a sum of 0.8;
    - ``medium`` from 0.5, if the foods of the three most probable labels have similar
      carbohydrate: within 25% or 2 g per 100 g;
    - ``low`` from 0.3, and for other foods from 0.5; the food is then the kind above the dish, such
      as a layer cake instead of a Sachertorte, if the table of labels names one.

    Of 207 single dishes that the model was not made for, those from 0.5 were named right in six of
    ten, and those from 0.8 in nine of ten, so a lower threshold for ``high`` would be dishonest.

    Parameters
    ----------
    candidates : sequence of Candidate
        What a recognizer returned, most probable first.
    foods : LabelFoods
        The foods that the labels mean.

    Returns
    -------
    tuple of Food and str, or None
        None if the sum is below 0.3, or if the most probable label means no food of the catalog.
    """
    sums = foods.foods(candidates)
    food, probability = sums[0] if sums else (None, 0.0)
    if food is None or probability < _LOW:
        return None
    if probability >= _HIGH:
        return food, "high"
    if probability >= _MEDIUM and _similar(candidates[:_COMPARED], foods):
        return food, "medium"
    return foods.kind_of(food, candidates) or food, "low"


def serving_range_g(food: Food, assumed_g: float) -> tuple[float, float] | None:
    """Return the range of typical servings of a food in grams.

    It goes from the 25th to the 75th percentile of the food's published household servings, and
    always includes the assumed serving. Servings of more than three times that weight,
    such as a whole cake, are left out: several people share them.

    Parameters
    ----------
    food : Food
        The food.
    assumed_g : float
        The serving that a scan assumes.

    Returns
    -------
    tuple of float or None
        The lower and the upper end; None if fewer than three servings are published.

    Examples
    --------
    >>> serving_range_g(Catalog.open().everyday("banana"), 118.0)
    (113.75, 150.5)
    """
    household = [each for each in food.servings if each.unit not in _WEIGHTS]
    eaten = {
        each.weight_g
        for each in household
        if each.weight_g and each.weight_g <= _SHARED * assumed_g
    }
    if len(eaten) < _LEAST_SERVINGS:
        return None
    low, high = np.percentile(sorted(eaten), [25, 75])
    return min(float(low), assumed_g), max(float(high), assumed_g)


def _similar(candidates: Sequence[Candidate], foods: LabelFoods) -> bool:
    """Return whether candidates mean foods with similar carbohydrate; unknown is not similar."""
    known = [_carbs_per_100_g(foods.food(each.label)) for each in candidates]
    return all(abs(each - known[0]) <= max(_SIMILAR_G, _SIMILAR * known[0]) for each in known)


def _carbs_per_100_g(food: Food | None) -> float:
    weight_g = food.default_serving.weight_g if food else None
    return food.nutrients["carbs_g"] / weight_g * 100 if food and weight_g else math.nan
