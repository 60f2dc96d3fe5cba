"""Query parameters of searches near a location."""

from __future__ import annotations

import math
from typing import NamedTuple, cast

from postmeal_serve.http.call import Call
from postmeal_serve.wire.coordinates import coordinates
from postmeal_serve.wire.number_parameter import Number
from postmeal_serve.wire.parameters import Integer

__all__ = ["LOCATION", "Location"]

_LATITUDE, _LONGITUDE = coordinates(("latitude", "longitude"), ("lat", "lon"), required=True)
_RADIUS = Number(
    name="radius_meters",
    least=1,
    most=50_000,
    default=8000,
    about="Maximum distance in meters, rounded half up to a whole number.",
    other_name="distance",
)
_LIMIT = Integer(name="limit", default=10, least=1, most=100, about="Maximum number of items.")

LOCATION = (_LATITUDE, _LONGITUDE, _RADIUS, _LIMIT)
"""All parameters of a search near a location."""


class Location(NamedTuple):
    """Area of a search: a center and a radius in meters, with a maximum number of items."""

    latitude: float
    longitude: float
    radius_m: float
    limit: int

    @classmethod
    def read(cls, call: Call) -> Location:
        """Read the parameters of a request."""
        return cls(
            cast(float, _LATITUDE.read(call.given)),
            cast(float, _LONGITUDE.read(call.given)),
            math.floor(cast(float, _RADIUS.read(call.given)) + 0.5),
            _LIMIT.read(call.given),
        )
