"""Search for restaurants near a point, and for their menus and dishes.

``place``     Place, NearbyPlace and MenuItem
``places``    the class Places: search for places, menus and dishes
``near``      exact search for the nearest places
``names``     interpretations of a query: as typed, as a prefix, with corrections
``search``    names and dishes that match a query
``chains``    restaurant chains and the spellings of their names
``menus``     menus of chains from the food catalog, and imported menu items
``file``      the places file
``compile``   compiles places and menus into a places file
``demo``      made-up places that are used if no file is given
``sources``   importers for places and menus
"""

from postmeal.restaurants.place import MenuItem, NearbyPlace, Place
from postmeal.restaurants.places import Places

__all__ = ["MenuItem", "NearbyPlace", "Place", "Places"]
