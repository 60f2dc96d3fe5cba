"""Units in which foods are counted, and the volumes of units in milliliters."""

from __future__ import annotations

from postmeal.words.units import VOLUME_ML

__all__ = [
    "BARE",
    "SYNONYMS",
    "UNITS",
    "USUAL",
    "VESSELS_ML",
    "VOLUMES_ML",
    "nominal",
    "unit_named",
]

BARE = ""
"""Unit of a count without a unit, as in "two eggs"."""

USUAL = "usual"
"""Unit of an unspecified amount."""

VOLUMES_ML: dict[str, float] = {
    unit: VOLUME_ML[unit]
    for unit in ("cup", "tablespoon", "teaspoon", "fl oz", "pint", "quart", "gallon", "ml", "liter")
}
"""Milliliters in each unit of volume of the portion model."""

VESSELS_ML: dict[str, float] = {
    "glass": 240.0, "mug": 240.0, "bowl": 340.0, "plate": 375.0, "handful": 60.0, "scoop": 65.0,
    "splash": 15.0, "shot": 44.0, "jigger": 44.0, "pinch": 0.3, "dash": 0.6, "drizzle": 5.0,
    "dollop": 15.0, "squeeze": 5.0, "ladle": 120.0,
}  # fmt: skip
"""Typical volumes of containers and informal measures, in milliliters. The volumes of a bowl and a
plate are medians of the volumes of dishes."""

UNITS: frozenset[str] = frozenset((
    BARE, *VOLUMES_ML, *VESSELS_ML, "slice", "piece", "serving", "bar", "packet", "package",
    "patty", "fillet", "ear", "stick", "pat", "clove", "leaf", "stalk", "spear", "strip", "link",
    "stack", "wedge", "container", "carton", "pouch", "bag", "box", "order", "roll", "loaf",
    "head", "square", "bunch", "cube", "sheet", "half", "breast", "thigh", "drumstick", "wing",
    "leg", "can", "bottle", "jar", "drink", "nugget", "ball", "rib", "chunk", "section", "sprig",
    "ring", "cone", "tray", "meal", "basket", "bucket", "pot", "kernel", "sandwich", "submarine",
    "pie", "pizza", "tube", "floweret", "cracker", "round", "block", "log", "twist", "steak",
    "chop", "rack", "bundle", "cluster", "skewer", "wrap", "cake", "biscuit", "finger", "rod",
    "sleeve", "burger", "quarter", "tortilla", "chip", "bun", "cookie", "pancake", "waffle",
    "fish", "salad", "cut", "taco", "burrito", "muffin", "bagel", "doughnut", "surface inch",
    "cubic inch", "linear inch",
))  # fmt: skip
"""Units in the singular, as named in the portion model."""

SYNONYMS: dict[str, str] = {
    "tbsp": "tablespoon", "tsp": "teaspoon", "fluid ounce": "fl oz", "milliliter": "ml",
    "millilitre": "ml", "litre": "liter", "l": "liter", "spoonful": "tablespoon",
    "spoon": "tablespoon", "pack": "package", "sachet": "packet", "envelope": "packet",
    "tin": "can", "rasher": "slice", "helping": "serving", "portion": "serving", "filet": "fillet",
    "side": "serving", "platter": "plate", "dish": "bowl", "tub": "container", "floret": "floweret",
    "segment": "section", "sub": "submarine", "frankfurter": "link", "entree": "meal",
    "hamburger": "burger", "cheeseburger": "burger", "item": BARE, "unit": BARE, "each": BARE,
    "whole": BARE, "single": BARE, "fruit": BARE, "nlea serving": "serving", "pastry": BARE,
    "patties": "patty", "sandwiches": "sandwich", "bite": BARE, "halve": "half",
    "canister": "can", "stein": "mug", "cocktail": "drink", "hoagie": "submarine",
    "medallion": "piece", "cutlet": "fillet", "scoopful": "scoop",
}  # fmt: skip
"""Synonyms and abbreviations of units, each with the name in `UNITS`."""


def unit_named(unit: str) -> str:
    """Return the name of a unit in the portion model."""
    return SYNONYMS.get(unit, unit)


def nominal(unit: str) -> float:
    """Return the milliliters in a unit of volume, or 1 for any other unit."""
    return VOLUMES_ML.get(unit, 1.0)
