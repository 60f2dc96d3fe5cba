"""Parse meal descriptions in plain English into amounts of foods.

``reading``            runs the stages on any text and understands as much of it as possible
``explanation``        explains the result of each stage
``strict``             reads simple phrases; each phrase must name a food

The stages:

``tokens``             splits a text into words, numbers and punctuation marks
``emoji``              writes emoji of foods as words
``foreign``            translates foods and amounts from other languages into English
``numbers``            writes the numbers of a text as digits
``segments``           splits a text into foods, corrections, shares and remarks
``run_ons``            separates foods that follow one another without a comma
``phrases``            splits a segment into phrases: the name and amount of each food
``spelling``           corrects misspelled names and measures
``amounts``            adjusts names and amounts, for example to the sizes of a brand
``uncertain``          removes uncertain parts: "or pasta", unknown measures
``forms``              chooses between the dry and the prepared form of a food
``countries``          finds the meaning of common words in the country of the meal
``candidates``         chooses the food that a name refers to
``joins``              joins phrases that together name a single food
``links``              applies corrections, shares and foods that were not eaten
``measure_weights``    determines the weight of amounts such as "a small bag"

Used by the stages:

``tuning``             thresholds and other constants
``spans``              parts of a text and their replacements
``phrase``             a food and its amount, as written in the text
``qualifiers``         descriptions after the name of a food
``carb_qualifiers``    words that change the carbohydrate content
``sizes_and_measures`` names of sizes and household measures
``filler_words``       filler words before and after the names of foods
``qualifier_words``    words that only describe a food
``connectors``         words that connect foods, ingredients and masses
``negations``          words before a food that was not eaten
``purposes``           words that begin a clause about a reason
``matching``           matching of names that differ from the names in the catalog
``names``              the names of a catalog's foods as arrays
``name_words``         weights and meanings of the words in names
``measures``           conversion of amounts such as "2 cups" to a food's servings
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
    """Import a public name on first use, because `parse_meal` needs only half of the modules."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULES.get(name, "reading")
    return getattr(import_module(f"{__name__}.{module}"), name)
