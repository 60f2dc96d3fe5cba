"""Classes for restaurants and the dishes that they serve."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.foods.food import Food

__all__ = ["MenuItem", "NearbyPlace", "Place"]

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Place:
    """A restaurant, café or other place that serves food.

    Attributes
    ----------
    id : str
        1 to 64 letters, digits, underscores and hyphens. Every import assigns the same ID.
    name : str
        Name of the place.
    latitude, longitude : float
        WGS 84 coordinates in degrees: -90 to 90 and -180 to 180.
    brand : str or None
        Brand in the source; None if unknown.
    chain : str or None
        Name of the chain in `postmeal.restaurants.chains`; None if the place is not in a chain.
    city, address1, address2 : str or None
        Town, street address and second address line; None if unknown.
    cuisines, diets : tuple of str
        Kinds of food and diets in the source, such as ``pizza`` and ``vegan``.
    source : str
        Publisher of the data, such as ``OpenStreetMap``.

    Raises
    ------
    InputError
        The ID is invalid, the name is empty, or a coordinate is out of range.

    Examples
    --------
    >>> cafe = Place("osm-n1", "Corner Café", 60.17, 24.94)
    >>> cafe.is_chain
    False
    """

    id: str
    name: str
    latitude: float
    longitude: float
    brand: str | None = None
    chain: str | None = None
    city: str | None = None
    address1: str | None = None
    address2: str | None = None
    cuisines: tuple[str, ...] = ()
    diets: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _ID.fullmatch(self.id):
            problem = "must be 1 to 64 letters, digits, underscores or hyphens"
            raise InputError("id", problem, self.id)
        check_type("name", self.name, str, "must be a str")
        if not self.name.strip():
            raise InputError("name", "must not be empty", self.name)
        check_coordinates(self.latitude, self.longitude)

    @property
    def is_chain(self) -> bool:
        """Whether the place belongs to a known chain, or its source states a brand."""
        return self.chain is not None or self.brand is not None


class NearbyPlace(NamedTuple):
    """A place and its great-circle distance in meters; None if no coordinates were given."""

    place: Place
    distance_m: float | None


class MenuItem(NamedTuple):
    """A dish, the place that serves it, and the distance of the place in meters."""

    food: Food
    place: Place
    distance_m: float | None


def check_coordinates(latitude: float, longitude: float) -> None:
    """Raise an InputError unless both coordinates are in range."""
    for field, degrees, most in (("latitude", latitude, 90), ("longitude", longitude, 180)):
        if isinstance(degrees, bool) or not isinstance(degrees, (int, float)):
            raise InputError(field, "must be a number", degrees)
        if not -most <= degrees <= most:
            raise InputError(field, f"must be {-most} to {most} degrees", degrees)
