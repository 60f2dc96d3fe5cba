"""A catalog of thousands or millions of foods in one immutable SQLite file.

``catalog``         the class Catalog: lookup by ID or barcode, search by name, typeahead
``search``          full-text search in the file
``readings``        interpretations of a query: as typed, as a prefix, corrected, shortened
``vocabulary``      how many foods contain each word, and spelling correction
``ranking``         ranking of the matching foods
``confidence``      whether the best match is likely to be the food that was meant
``found_foods``     the list that a search returns
``completions``     names that a partly typed text begins
``suggestion``      typeahead suggestions
``file``            building the file
``row``             a food as a row of the file
``packed_amounts``  compact encoding of nutrient amounts
``connections``     connections to the file, with a time limit for queries
"""

from postmeal.foods.catalog.catalog import Catalog, ShippedName
from postmeal.foods.catalog.found_foods import FoundFoods
from postmeal.foods.catalog.suggestion import Suggestion

__all__ = ["Catalog", "FoundFoods", "ShippedName", "Suggestion"]
