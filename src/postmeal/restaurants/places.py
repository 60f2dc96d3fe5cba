"""Search a places file for restaurants and dishes near a point, and for menus."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.arguments import check_type, check_whole, path_of
from postmeal.errors import CatalogError, InputError, UnknownFood
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.restaurants.demo import demo_file
from postmeal.restaurants.file import open_places_file
from postmeal.restaurants.menus import chain_menus, dish_from_text
from postmeal.restaurants.near import Numbers, PlaceIndex
from postmeal.restaurants.place import MenuItem, NearbyPlace, Place, check_coordinates
from postmeal.restaurants.search import FoundDishes, WordSearch

__all__ = ["Places"]

_TIMEOUT_S = 5.0
_COLUMNS = "number, id, name, brand, city, address1, address2, cuisines, diets, source"
_DAMAGE = (IndexError, ValueError, TypeError, KeyError)


class Places:
    """The places in a places file. Threads can share the object.

    Parameters
    ----------
    path : Path
        A file written by `postmeal.restaurants.compile.compile_places`.
    timeout_s : float, default=5
        Time limit for a search, in seconds.

    Attributes
    ----------
    version : str
        Schema version of the file, followed by a digest of its content.

    Raises
    ------
    CatalogError
        The file is missing, damaged or truncated, or has a different schema version.

    Examples
    --------
    >>> places = Places.open()
    >>> nearest, *_ = places.near("mcdonalds", 45.0, -40.0)
    >>> nearest.place.name, round(nearest.distance_m)
    ("Demo Street McDonald's", 125)
    >>> places.menu(nearest.place.id, Catalog.open(), limit=1)[0].brand_name
    "McDonald's"
    """

    def __init__(self, path: Path, *, timeout_s: float = _TIMEOUT_S) -> None:
        self.path = path
        self.timeout_s = timeout_s
        file = open_places_file(path)
        self.version = file.version
        self._file = file.connections
        self.close = weakref.finalize(self, self._file.close)
        try:
            fields = PlaceIndex.__dataclass_fields__
            self._index = PlaceIndex(**{name: file.arrays[name] for name in fields})
            self._name_chains = file.arrays["name_chains"]
            self._name_menus = file.arrays["name_menus"]
            self._dish_menus = file.arrays["dish_menus"]
            self._search = WordSearch(file, timeout_s)
        except KeyError as error:
            raise CatalogError(
                "damaged",
                f"{path.name} is damaged: the array {error} is missing; import the places again",
            ) from error

    @classmethod
    def open(cls, path: Path | str | None = None) -> Places:
        """Open a places file, or the made-up demo places if no file is given.

        Parameters
        ----------
        path : Path or str, optional
            The places file.

        Returns
        -------
        Places
            The places.

        Raises
        ------
        CatalogError
            The file is missing, damaged or truncated, or has a different schema version.
        """
        return cls(demo_file() if path is None else path_of("path", path))

    def __len__(self) -> int:
        return len(self._index.latitudes)

    def near(
        self,
        query: str,
        latitude: float | None = None,
        longitude: float | None = None,
        radius_m: float = 8_000.0,
        limit: int = 10,
    ) -> list[NearbyPlace]:
        """Return the places whose names match a query, nearest first.

        Case, accents, apostrophes and word order are ignored. If no name within the radius contains
        every word, the search treats the last word as a prefix, joins or splits words, and corrects
        misspelled words.

        Parameters
        ----------
        query : str
            Words of a name; an empty query matches every place.
        latitude, longitude : float, optional
            Center of the search in degrees. When omitted, all places are searched.
        radius_m : float, default=8000
            Maximum distance from the center in meters.
        limit : int, default=10
            Maximum number of places.

        Returns
        -------
        list of NearbyPlace
            The places, ordered by distance and ID, or by name and ID without coordinates.

        Raises
        ------
        InputError
            A coordinate is out of range, only one coordinate is given, or the radius or the limit
            is invalid.
        CatalogError
            The file is damaged or cannot be read, or the search timed out.
        """
        check_type("query", query, str, "must be a str")
        center = _center(latitude, longitude)
        _check_amounts(radius_m, limit)
        with self._undamaged():
            is_empty = not query.strip()
            rounds: Iterable[Numbers | None] = [None] if is_empty else self._search.names(query)
            for names in rounds:
                rows, distances = self._nearest(center, radius_m, limit, names)
                if len(rows):
                    return list(map(NearbyPlace, self._places(rows), distances))
        return []

    def place(self, place_id: str) -> Place | None:
        """Return the place with the given ID, or None if the file does not contain it."""
        row = self._row(place_id)
        return None if row is None else self._places(np.array([row]))[0]

    def any_within(self, south: float, west: float, north: float, east: float) -> bool:
        """Return whether any place is within a range of latitudes and longitudes, in degrees."""
        with self._undamaged():
            return self._index.any_within(south, west, north, east)

    def food(self, food_id: int) -> Food:
        """Return an imported menu item by its food ID.

        Parameters
        ----------
        food_id : int
            The food ID.

        Returns
        -------
        Food
            The menu item.

        Raises
        ------
        UnknownFood
            No imported menu item has this ID.
        CatalogError
            The file is damaged or cannot be read.
        """
        for row in self._rows("SELECT id, food FROM dish WHERE id = ?", (food_id,)):
            with self._undamaged():
                return dish_from_text(*row)
        raise UnknownFood(food_id)

    def menu(
        self, place_id: str, catalog: Catalog, limit: int = 100, offset: int = 0
    ) -> list[Food]:
        """Return the menu items of a place, ordered by name and ID.

        Parameters
        ----------
        place_id : str
            ID of the place.
        catalog : Catalog
            Catalog with the foods of the chains.
        limit : int, default=100
            Maximum number of items.
        offset : int, default=0
            Number of items to skip.

        Returns
        -------
        list of Food
            The items; empty if the place is unknown or has no menu.

        Raises
        ------
        InputError
            `limit` or `offset` is not a whole number of 0 or more.
        CatalogError
            The file is damaged or cannot be read, or the query timed out.
        """
        check_whole("limit", limit)
        check_whole("offset", offset)
        row = self._row(place_id)
        if row is None:
            return []
        foods = self._menu(row, catalog)
        return foods[offset : offset + limit]

    def dishes(
        self,
        query: str,
        latitude: float,
        longitude: float,
        radius_m: float = 8_000.0,
        limit: int = 10,
        catalog: Catalog | None = None,
    ) -> list[MenuItem]:
        """Return the dishes that match a query at the places near a point, nearest place first.

        The words of the query are searched for first in the names of the dishes, and then also in
        the names of their restaurants. The query "McDonald's" therefore matches all dishes of
        McDonald's.

        Parameters
        ----------
        query : str
            Words of a dish or a restaurant.
        latitude, longitude : float
            Center of the search in degrees.
        radius_m : float, default=8000
            Maximum distance from the center in meters.
        limit : int, default=10
            Maximum number of dishes.
        catalog : Catalog, optional
            Catalog with the foods of the chains. Defaults to the shipped catalog.

        Returns
        -------
        list of MenuItem
            The dishes, ordered by distance and ID of the place and by name and ID of the dish.

        Raises
        ------
        InputError
            A coordinate is out of range, or the radius or limit is invalid.
        CatalogError
            A file is damaged or cannot be read, or the search timed out.
        """
        check_type("query", query, str, "must be a str")
        center = _center(latitude, longitude)
        _check_amounts(radius_m, limit)
        catalog = catalog or Catalog.open()
        menus = chain_menus(catalog)
        with self._undamaged():
            for found, names in self._search.dishes(query, menus):
                rows, distances = self._nearest(center, radius_m, limit, names)
                if len(rows):
                    return self._items(rows, distances, found, catalog)[:limit]
        return []

    def _items(
        self,
        rows: NDArray[np.int64],
        distances: Sequence[float | None],
        found: FoundDishes,
        catalog: Catalog,
    ) -> list[MenuItem]:
        """Return the menu items of the given places that are among the found dishes."""
        items = []
        for row, place, distance in zip(rows.tolist(), self._places(rows), distances, strict=True):
            menu = int(self._name_menus[self._index.names[row]])
            foods = self._found_in_menu(menu, found) if menu >= 0 else None
            if foods is None:
                wanted = found.chain_foods[place.chain or ""]
                foods = [food for food in self._menu(row, catalog) if food.id in wanted]
            items += [MenuItem(food, place, distance) for food in foods]
        return items

    def _found_in_menu(self, menu: int, found: FoundDishes) -> list[Food]:
        """Return the found dishes that are in an imported menu, whose numbers are consecutive."""
        numbers = found.imported
        menus = self._dish_menus[numbers]
        first, last = np.searchsorted(menus, [menu, menu + 1]).tolist()
        wanted = ",".join(map(str, numbers[first:last].tolist()))
        sql = f"SELECT id, food FROM dish WHERE number IN ({wanted}) ORDER BY number"
        return [dish_from_text(*row) for row in self._rows(sql)]

    def _menu(self, row: int, catalog: Catalog) -> list[Food]:
        """Return the whole menu of the place with the given row number."""
        with self._undamaged():
            name = int(self._index.names[row])
            menu, chain = int(self._name_menus[name]), int(self._name_chains[name])
            if menu < 0:
                return list(chain_menus(catalog).foods(self._search.chains.get(chain)))
            rows = self._rows("SELECT id, food FROM dish WHERE menu = ? ORDER BY number", (menu,))
            return [dish_from_text(*row) for row in rows]

    def _nearest(
        self,
        center: tuple[float, float] | None,
        radius_m: float,
        limit: int,
        names: Numbers | None,
    ) -> tuple[NDArray[np.int64], list[float] | list[None]]:
        if center is None:
            rows = self._index.by_name[:limit].astype(np.int64)
            if names is not None:
                rows = self._index.places_named(names, limit)
            return rows, [None] * len(rows)
        rows, distances = self._index.nearest(*center, radius_m, limit, names)
        return rows, distances.tolist()

    def _row(self, place_id: str) -> int | None:
        rows = self._rows("SELECT number FROM place WHERE id = ?", (place_id,))
        return rows[0][0] if rows else None

    def _places(self, rows: NDArray[np.int64]) -> list[Place]:
        """Return the places with the given row numbers, in the same order."""
        wanted = rows.tolist()
        sql = f"SELECT {_COLUMNS} FROM place WHERE number IN ({','.join(map(str, wanted))})"
        found = {row[0]: row[1:] for row in self._rows(sql)}
        with self._undamaged():
            return [self._place(row, found[row]) for row in wanted]

    def _place(self, row: int, columns: Sequence[Any]) -> Place:
        place_id, name, brand, city, address1, address2, cuisines, diets, source = columns
        return Place(
            place_id,
            name,
            float(self._index.latitudes[row]),
            float(self._index.longitudes[row]),
            brand,
            self._search.chains.get(int(self._name_chains[self._index.names[row]])),
            city,
            address1,
            address2,
            tuple(filter(None, cuisines.split(";"))),
            tuple(filter(None, diets.split(";"))),
            source,
        )

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._file.reading(self.timeout_s) as read:
            return read(sql, values)

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        """Convert errors from a damaged file to a CatalogError."""
        try:
            yield
        except _DAMAGE as error:  # includes the InputError for a place that is not valid
            raise CatalogError(
                "damaged", f"{self.path.name} is damaged: {error}; import or copy it again"
            ) from error


def _center(latitude: float | None, longitude: float | None) -> tuple[float, float] | None:
    """Check and return the coordinates, or return None if neither is given."""
    if latitude is None and longitude is None:
        return None
    for field, degrees in (("latitude", latitude), ("longitude", longitude)):
        if degrees is None:
            raise InputError(field, "is required if the other coordinate is given")
    assert latitude is not None
    assert longitude is not None
    check_coordinates(latitude, longitude)
    return float(latitude), float(longitude)


def _check_amounts(radius_m: float, limit: int) -> None:
    check_type("radius_m", radius_m, Real, "must be a finite number above 0")
    if not 0 < radius_m < math.inf:
        raise InputError("radius_m", "must be a finite number above 0", radius_m)
    check_whole("limit", limit, 1)
