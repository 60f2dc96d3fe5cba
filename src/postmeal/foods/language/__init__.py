"""Parse meal descriptions in plain English into amounts of foods.

Numbers are read by `postmeal.words`.

``meal_reading``             runs all stages on any text and skips what it does not understand
``explanation``              explains the result of each stage
``strict_reading``           raises an error where `read_meal` is not certain

The stages:

``emoji``                    replaces food emoji with words
``translation``              translates foods and amounts from other languages into English
``segments``                 splits a text into foods, corrections, shares and remarks
``phrases``                  splits a segment into phrases: the name and amount of each food
``spelling``                 corrects misspelled names and measures
``converted_measures``       converts amounts such as "a knob" and the cup sizes of coffee chains
``countries``                finds the meaning of common words in the country of the meal
``forms``                    chooses between the dry and the prepared form of a food
``candidates``               chooses the food that a name refers to
``corrections_and_shares``   applies corrections, shares and foods that were not eaten
``measure_weights``          determines the weight of amounts such as "a small bag"

Used by the stages:

``thresholds``               thresholds and other constants
``carb_qualifiers``          words that change the carbohydrate content
``words``                    words of meal texts and of names
``matching``                 matching of names that differ from the names in the catalog
``name_index``               the names of a catalog's foods as arrays
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postmeal.foods.language.explanation import Explanation, explain
    from postmeal.foods.language.meal_reading import Detection, MealReading, read_meal
    from postmeal.foods.language.strict_reading import parse_meal

__all__ = [
    "Detection",
    "Explanation",
    "MealReading",
    "explain",
    "parse_meal",
    "read_meal",
]

_MODULES = {
    "parse_meal": "strict_reading",
    "Explanation": "explanation",
    "explain": "explanation",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES.get(name, "meal_reading")
    return getattr(import_module(f"{__name__}.{module}"), name)
