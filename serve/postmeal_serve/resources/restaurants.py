"""Search for restaurants and dishes, in the places file and among live places."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from postmeal.errors import CatalogError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.restaurants.menus import chain_menus
from postmeal.restaurants.place import MenuItem, NearbyPlace
from postmeal.restaurants.places import Places
from postmeal_serve.resources.live_places import LivePlaces
from postmeal_serve.runtime.offload import offload_io

__all__ = ["Restaurants"]

Found = TypeVar("Found")

_LARGE_FILE = 1_000_000  # number of places above which a search runs in a thread

_log = logging.getLogger(__name__)


class Restaurants(NamedTuple):
    """Places that serve food, and their menus."""

    places: Places
    catalog: Catalog
    live: LivePlaces | None = None

    async def near(
        self,
        query: str,
        latitude: float | None = None,
        longitude: float | None = None,
        radius_m: float = 1,
        limit: int = 10,
    ) -> list[NearbyPlace]:
        """Search for places with `Places.near`, and add live places if coordinates are given.

        If the places file is large, it is searched in a thread.
        """
        given = query, latitude, longitude, radius_m, limit
        if len(self.places) > _LARGE_FILE:
            found = await offload_io(self.places.near, *given)
        else:
            found = self.places.near(*given)
        if latitude is None or longitude is None:
            return found
        ids = {each.place.id for each in found}
        more = await self._live(latitude, longitude, lambda live: live.near(*given))
        found += [each for each in more if each.place.id not in ids]
        return sorted(found, key=lambda each: (each.distance_m, each.place.id))[:limit]

    async def menu(self, place_id: str, limit: int, offset: int) -> list[Food]:
        """Return a page of a menu; it is empty if the place is unknown or has no menu."""
        found = await offload_io(self.places.menu, place_id, self.catalog, limit, offset)
        if found or self.live is None:
            return found
        if await offload_io(self.places.place, place_id) is not None:
            return found
        place = await self.live.place(place_id)
        if place is None:
            return []
        foods = (await offload_io(chain_menus, self.catalog)).foods(place.chain)
        return list(foods[offset : offset + limit])

    async def dishes(
        self, query: str, latitude: float, longitude: float, radius_m: float, limit: int
    ) -> list[MenuItem]:
        """Search for dishes with `Places.dishes` in a thread, and add the dishes of live places."""
        given = query, latitude, longitude, radius_m, limit, self.catalog
        found = await offload_io(self.places.dishes, *given)
        ids = {item.place.id for item in found}
        more = await self._live(latitude, longitude, lambda live: live.dishes(*given))
        found += [item for item in more if item.place.id not in ids]
        return sorted(found, key=_order)[:limit]

    async def _live(
        self, latitude: float, longitude: float, search: Callable[[Places], list[Found]]
    ) -> list[Found]:
        """Search the live places around a point; return an empty list if they cannot be read."""
        if self.live is None:
            return []
        live = await self.live.around(latitude, longitude, self.places)
        try:
            return [] if live is None else await offload_io(search, live)
        except CatalogError as error:
            _log.warning("live places cannot be read and are left out: %s", error)
            return []


def _order(item: MenuItem) -> tuple[float, str, str, int]:
    assert item.distance_m is not None  # Searches for dishes always have a location.
    return item.distance_m, item.place.id, item.food.name, item.food.id
