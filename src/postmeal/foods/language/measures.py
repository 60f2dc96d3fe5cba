"""Convert amounts such as "2 cups" or "3 large" to servings of a food.

A mass is converted to grams. A volume is converted with one of the food's own servings in cups,
spoons or fluid ounces. A count is converted with the serving that counts whole pieces. If the food
has no serving for a container such as a glass, the container's typical volume is used.
"""

from __future__ import annotations

import re

from postmeal.errors import InputError
from postmeal.foods.food import Food, Selection, Serving
from postmeal.foods.words import words

__all__ = ["MASS_G", "UNITS", "VOLUME_ML", "select"]

MASS_G: dict[str, float] = {
    "g": 1.0, "gr": 1.0, "gm": 1.0, "gram": 1.0, "gramme": 1.0, "mg": 0.001, "milligram": 0.001,
    "kg": 1000.0, "kilo": 1000.0, "kilogram": 1000.0, "oz": 28.349523125, "ounce": 28.349523125,
    "lb": 453.59237, "pound": 453.59237,
}  # fmt: skip
"""Grams in each unit of mass; ounces and pounds as defined by the 1959 international agreement."""

VOLUME_ML: dict[str, float] = {
    "ml": 1.0, "milliliter": 1.0, "millilitre": 1.0, "cl": 10.0, "dl": 100.0, "l": 1000.0,
    "liter": 1000.0, "litre": 1000.0, "tsp": 4.92892, "teaspoon": 4.92892, "tbsp": 14.78676,
    "tablespoon": 14.78676, "fl oz": 29.57353, "fluid ounce": 29.57353, "cup": 236.58824,
    "pint": 473.17647, "quart": 946.35295, "gallon": 3785.4118,
}  # fmt: skip
"""Milliliters in each unit of volume; cups, pints and other household units are US customary."""

_VESSELS_ML = {
    "glass": 240.0, "mug": 240.0, "bowl": 355.0, "plate": 355.0, "can": 355.0, "bottle": 500.0,
    "handful": 60.0, "scoop": 120.0, "spoon": 14.8, "spoonful": 14.8, "splash": 15.0,
    "shot": 44.0, "pinch": 0.3, "drizzle": 5.0,
}  # fmt: skip
_PIECES = (
    "slice", "piece", "serving", "portion", "bar", "packet", "package", "pack", "patty", "fillet",
    "ear", "stick", "pat", "clove", "leaf", "stalk", "spear", "strip", "link", "stack", "wedge",
    "container", "carton", "pouch", "bag", "box", "order", "item", "roll", "loaf", "head",
    "square", "rasher", "bunch", "cube", "sheet", "half", "breast", "thigh", "drumstick", "wing",
    "leg",
)  # fmt: skip
UNITS: frozenset[str] = frozenset({*MASS_G, *VOLUME_ML, *_VESSELS_ML, *_PIECES})
"""All supported units, in the singular."""

_SYNONYMS = {"portion": ("serving",), "pack": ("package",), "rasher": ("slice",),
             "strip": ("slice",), "slice": ("piece", "wedge"), "big": ("large",),
             "carton": ("container",), "bag": ("package",)}  # fmt: skip
"""Synonyms of measures and sizes in the publishers' portions, most likely synonym first."""

_COUNTED = re.compile(
    r"^(medium|large|small|extra|whole|fruit|each|item|piece|slice|egg|unit|bar|patty|link|roll|"
    r"cookie|muffin|cake|pancake|waffle|bagel|sandwich|sheet|leaf|spear|ear|date|nut|kernel|"
    r"tortilla|pita|taco|burrito|biscuit|doughnut|cracker|frankfurter|breast|thigh|drumstick)",
    re.IGNORECASE,
)
_VOLUME = re.compile(r"^(cup|tbsp|tsp|fl oz|quart|ml)\b")
_HOLDS = re.compile(r"(?<![\d./])(\d+(?:\.\d+|/ ?\d+)?) ?(fl oz|ml|cup)\b")
_CHANGED = re.compile(r"mashed|pureed|crushed|(?<!not )packed|crumbs|sifted|unthawed|dry\b")
_PARTIAL = re.compile(r"crust not eaten|hole\b|mini\b|snack-size|thin\b")
_COMMON_SIZES = ("medium", "large", "small")
_WINE = re.compile(r"\bwine\b", re.IGNORECASE)
_DRINK = re.compile(
    r"beverage|drink|milk|yogurt|juice|coffee|\btea\b|water|beer|wine|soup|cocktail",
    re.IGNORECASE,
)


def select(
    food: Food, quantity: float | None, unit: str | None, size: str | None, asked: str
) -> Selection:
    """Convert an amount in everyday terms to a selection.

    Parameters
    ----------
    food : Food
        The food.
    quantity : float or None
        Number of units; None if no number is given.
    unit : str or None
        Measure in the singular; None for a count without a measure, as in "2 eggs".
    size : str or None
        Size, such as ``large``; None if no size is given.
    asked : str
        The name of the food in the text. A serving with the same name counts whole pieces, such as
        the serving "egg" of the food "egg".

    Returns
    -------
    Selection
        The amount, expressed in one of the food's servings.

    Raises
    ------
    InputError
        The food has no such measure, or the quantity is out of range.
    """
    if unit is None and size is None and quantity is None:
        serving = _portion(food)
        return Selection(food, serving, serving.quantity)
    count = 1.0 if quantity is None else quantity
    if unit in ("oz", "ounce") and any(s.unit.startswith("fl oz") for s in food.servings):
        unit = "fl oz"
    if unit in MASS_G:
        return _grams(food, count * MASS_G[unit])
    if unit in VOLUME_ML:
        return _volume(food, count, unit)
    if counted := _counted(food, unit, size, asked):
        return Selection(food, counted, count)
    if unit in _VESSELS_ML and not (unit == "glass" and _WINE.search(food.description)):
        return _volume(food, count * _VESSELS_ML[unit] / VOLUME_ML["cup"], "cup")
    if unit in (None, "serving", "portion", "order", "item", "glass", "bunch"):
        serving = _portion(food)
        return Selection(food, serving, count * serving.quantity)
    raise _no_measure(food, unit)


def _grams(food: Food, weight_g: float) -> Selection:
    return Selection(food, next(s for s in food.servings if s.unit == "g"), weight_g)


def _portion(food: Food) -> Serving:
    """Return the default serving, or the first household portion if the default is in grams."""
    if food.default_serving.unit == "g":
        return next((s for s in food.servings if s.unit != "g"), food.default_serving)
    return food.default_serving


def _volume(food: Food, count: float, unit: str) -> Selection:
    short = {"teaspoon": "tsp", "tablespoon": "tbsp", "fluid ounce": "fl oz"}.get(unit, unit)
    same = [s for s in food.servings if re.match(rf"{short}\b", s.unit) and not _holds(s, short)]
    if same:
        best = min(same, key=lambda s: (bool(_CHANGED.search(s.unit)), not s.is_default))
        return Selection(food, best, count)
    volume_ml = count * VOLUME_ML[unit]
    measured = [(s, ml) for s in food.servings if (ml := _serving_ml(s)) and s.weight_g]
    if measured:
        largest, holds_ml = max(
            measured, key=lambda entry: (not _CHANGED.search(entry[0].unit), entry[1])
        )
        return _grams(food, volume_ml * (largest.weight_g or 0.0) / holds_ml)
    if _DRINK.search(f"{food.category} {food.description}"):
        return _grams(food, volume_ml)  # 1 g/mL, the density of water
    if unit in ("ml", "l", "cup"):
        raise _no_measure(food, unit)
    return _grams(food, volume_ml)


def _holds(serving: Serving, unit: str) -> bool:
    return unit == "cup" and "serving" in serving.unit and serving.quantity != 1


def _serving_ml(serving: Serving) -> float | None:
    """Return the volume of a serving in milliliters; None if its unit is not a volume."""
    if match := _VOLUME.match(serving.unit):
        return serving.quantity * VOLUME_ML[match[1]]
    if match := _HOLDS.search(serving.unit):
        above, _, below = match[1].partition("/")
        return serving.quantity * float(above) / float(below or 1) * VOLUME_ML[match[2]]
    return None


def _counted(food: Food, unit: str | None, size: str | None, asked: str) -> Serving | None:
    """Return the serving that counts pieces, slices or packages of the given unit and size."""
    household = sorted((s for s in food.servings if s.unit != "g"), key=_usual)
    for wanted in _asked_for(unit, size):
        for first in (True, False):
            for serving in household:
                found = words(serving.unit)
                if wanted <= set(found) and (not first or found[0] in wanted):
                    return serving
    if unit is not None:
        return None if size is None else _counted(food, unit, None, asked)
    called = words(asked)
    named = [s for s in household if (found := words(s.unit)) and found[0] in called]
    counted = named or [s for s in household if _COUNTED.match(s.unit)]
    return counted[0] if counted else None


def _asked_for(unit: str | None, size: str | None) -> list[set[str]]:
    """Return sets of words; a serving whose unit contains one set fits the measure and size."""
    units = [{unit}, *({word} for word in _SYNONYMS.get(unit, ()))] if unit else [set()]
    sizes = [{size}, *({word} for word in _SYNONYMS.get(size, ()))] if size else [set()]
    return [wanted for one in units for other in sizes if (wanted := one | other)]


def _usual(serving: Serving) -> tuple[bool, bool, int]:
    """Return a sort key that puts the default first, then whole pieces, medium, large and small."""
    size = next((i for i, s in enumerate(_COMMON_SIZES) if serving.unit.startswith(s)), 3)
    return not serving.is_default, bool(_PARTIAL.search(serving.unit)), size


def _no_measure(food: Food, unit: str | None) -> InputError:
    units = [f"{s.quantity:g} {s.unit}" for s in food.servings]
    problem = f"must measure {food.name!r} in one of its servings"
    return InputError("meal", problem, unit, allowed=units)
