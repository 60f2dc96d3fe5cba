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

from postmeal.foods.language.reading import Detection, MealReading, read_meal
from postmeal.foods.language.strict import parse_meal

__all__ = ["Detection", "MealReading", "parse_meal", "read_meal"]
