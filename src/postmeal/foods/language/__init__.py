"""Meals as people tell them: text becomes amounts of foods.

``reading``         any text, as much of it as can be understood: runs the stages
``explanation``     the result of each stage
``strict``          simple phrases, each of which must name a food

The stages:

``tokens``          words, numbers and signs of a text
``foreign``         foods and amounts in other languages, translated
``numbers``         numbers of a text as digits
``segments``        what names foods; corrections, shares and remarks
``run_ons``         foods that follow one another without a comma
``phrases``         a segment's phrases; for each food its name and amount
``spelling``        misspelled names and measures
``amounts``         sizes of brands, and names in order
``candidates``      which food a name means
``joins``           phrases that name one food together
``links``           corrections, shares and what was not eaten, applied
``household``       grams of "a small bag" or "2 medium slices", by kind of food

What they use:

``tuning``          thresholds
``spans``           parts of a text and what replaces them
``phrase``          one food as it is said
``qualifiers``      what is said of a food after its name
``carb_qualifiers`` words that change the carbohydrate
``meal_words``      words around foods: sizes, measures, connectors, chatter
``matching``        which food a name means that no publisher uses
``names``           the names of a catalog's foods as arrays
``name_words``      what words in names are worth, and what they mean
``measures``        how much "2 cups" is, by the servings of the food
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postmeal.foods.language.explanation import Explanation, explain
    from postmeal.foods.language.reading import Detection, MealReading, read_meal
    from postmeal.foods.language.strict import parse_meal

__all__ = [
    "Detection",
    "Explanation",
    "MealReading",
    "explain",
    "parse_meal",
    "read_meal",
]

_MODULES = {
    "parse_meal": "strict",
    "Explanation": "explanation",
    "explain": "explanation",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: `parse_meal` needs half of the modules."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES.get(name, "reading")
    return getattr(import_module(f"{__name__}.{module}"), name)
