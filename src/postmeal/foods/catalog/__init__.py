"""A catalogue of foods, of thousands or of millions: one SQLite file that is never changed.

``catalog``         Catalog: look up by id or barcode, search by name, complete what is typed
``search``          which places of the file hold the words of a query, and in what order
``readings``        ways to understand a query: begun, mistyped, with a word too many
``vocabulary``      the words of a catalogue, and what a mistyped one may mean
``ranking``         which of the matching foods is meant
``suggestion``      what typeahead shows of a food
``file``            the file, and how it is built
``row``             how one food lies in it
``packed_amounts``  its amounts of nutrients in few bytes
``connections``     connections to the file, with a deadline
"""

from postmeal.foods.catalog.catalog import Catalog, ListedFood
from postmeal.foods.catalog.suggestion import Suggestion

__all__ = ["Catalog", "ListedFood", "Suggestion"]
