"""Search for restaurants and dishes, off the event loop."""

from __future__ import annotations

from typing import NamedTuple

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.restaurants.place import MenuItem, NearbyPlace
from postmeal.restaurants.places import Places
from serve.runtime.offload import offload_io

__all__ = ["Restaurants"]


class Restaurants(NamedTuple):
    """Places that serve food, and their menus.

    Attributes
    ----------
    places : Places
        The places.
    catalog : Catalog
        Catalog with the foods of chains.
    """

    places: Places
    catalog: Catalog

    async def near(
        self,
        query: str,
        latitude: float | None = None,
        longitude: float | None = None,
        radius_m: float = 1,
        limit: int = 10,
    ) -> list[NearbyPlace]:
        """Call `Places.near` in a thread."""
        return await offload_io(self.places.near, query, latitude, longitude, radius_m, limit)

    async def menu(self, place_id: str, limit: int, offset: int) -> list[Food]:
        """Return a page of the menu of a place; empty if the place is unknown or has no menu."""
        return await offload_io(self.places.menu, place_id, self.catalog, limit, offset)

    async def dishes(
        self, query: str, latitude: float, longitude: float, radius_m: float, limit: int
    ) -> list[MenuItem]:
        """Call `Places.dishes` in a thread."""
        search = self.places.dishes
        return await offload_io(search, query, latitude, longitude, radius_m, limit, self.catalog)
