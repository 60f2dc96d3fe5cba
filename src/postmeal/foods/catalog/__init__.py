"""A catalog of thousands or millions of foods in one immutable SQLite file.

``catalog``         the class Catalog: lookup by ID or barcode, search by name, typeahead
``search``          full-text search in the file
``readings``        interpretations of a query: as typed, as a prefix, corrected, shortened
``vocabulary``      number of foods that contain each word, and spelling correction
``ranking``         ranking of the matching foods
``confidence``      probability that the best match is the food that the user meant
``found_foods``     the list of foods that a search returns
``completions``     food names that begin with a partly typed text
``suggestion``      typeahead suggestions
``file``            construction of the file
``row``             a food as a row of the file
``packed_amounts``  compact encoding of nutrient amounts
``connections``     connections to the file, with a time limit for queries
"""

from postmeal.foods.catalog.catalog import Catalog, ShippedName
from postmeal.foods.catalog.found_foods import FoundFoods
from postmeal.foods.catalog.suggestion import Suggestion

__all__ = ["Catalog", "FoundFoods", "ShippedName", "Suggestion"]
