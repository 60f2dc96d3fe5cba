"""Meals as people tell them: text becomes amounts of foods.

``reading``     any text, as much of it as can be understood
``strict``      simple phrases, each of which must name a food
``phrases``     a text's phrases; for each food its name and amount
``phrase``      one food as told
``qualifiers``  what is said of a food after its name
``meal_words``  words around foods: sizes, measures, connectors, chatter
``numbers``     numbers of a text as digits
``matching``    which food a name means that no publisher uses
``names``       the names of a catalogue's foods as arrays
``name_words``  what words in names are worth, and what they mean
``household``   grams of "a small bag" or "2 medium slices", by kind of food
``measures``    how much "2 cups" is, by the servings of the food
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postmeal.foods.language.reading import Detection, MealReading, read_meal
    from postmeal.foods.language.strict import parse_meal

__all__ = ["Detection", "MealReading", "parse_meal", "read_meal"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use: `parse_meal` needs half of the modules."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "strict" if name == "parse_meal" else "reading"
    return getattr(import_module(f"{__name__}.{module}"), name)
