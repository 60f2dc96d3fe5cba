"""Restaurants near a place, their menus, and dishes.

``place``     Place, NearbyPlace and MenuItem
``places``    the class Places: search for places, menus and dishes
``near``      exact search for the nearest places
``distance``  great-circle distances
``names``     readings of a query: as typed, as a prefix, corrected
``search``    names and dishes that match a query
``chains``    restaurant chains and their spellings
``menus``     menus of chains in the food catalog, and imported menu items
``dishes``    dishes that match a query
``file``      the places file
``compile``   compiling places and menus into a places file
``demo``      made-up places, used until a file is given
``sources``   importers for places and menus
"""

from postmeal.restaurants.place import MenuItem, NearbyPlace, Place
from postmeal.restaurants.places import Places

__all__ = ["MenuItem", "NearbyPlace", "Place", "Places"]
