"""Operations on restaurants: search near a location, and the menu of a restaurant."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.restaurants.place import NearbyPlace
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_2.food_response import FoodResponse, food_response
from postmeal_serve.v1_2.location import LOCATION, Location
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.parameters import Integer, Text
from postmeal_serve.wire.responses import json_response

__all__ = ["RESTAURANT_OPERATIONS"]

_QUERY = Text(name="query", required=True, longest=256, about="Name of a restaurant or a chain.")
_RESTAURANT_ID = Text(
    name="restaurant_id",
    place="path",
    required=True,
    pattern="[A-Za-z0-9_-]{1,64}",
    form="1 to 64 letters, digits, underscores or hyphens",
    about="ID of the restaurant.",
)
_LIMIT = Integer(name="limit", default=100, least=1, most=500, about="Maximum number of items.")
_OFFSET = Integer(name="offset", default=0, least=0, about="Number of items to skip.")


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RestaurantResponse(_Wire):
    """A restaurant and its distance from the location of the search."""

    type: Literal["restaurant"]
    id: str = Field(pattern="^[A-Za-z0-9_-]{1,64}$")
    name: str
    is_chain: bool = Field(description="Whether the restaurant belongs to a chain.")
    distance_meters: float = Field(description="Great-circle distance in meters.")
    city: str | None
    address1: str | None = Field(description="Street and house number; null if unknown.")
    address2: str | None


class RestaurantPage(_Wire):
    """Restaurants, nearest first."""

    items: list[RestaurantResponse]


class MenuPage(_Wire):
    """Foods on a menu, ordered by name, each with one serving."""

    items: list[FoodResponse]


async def search_restaurants(call: Call) -> Response:
    """Search restaurants near a location.

    Return the restaurants whose name matches, nearest first. Dishes are not searched; use
    `GET /v1.2/menu-items` for them.
    """
    query = cast(str, _QUERY.read(call.given))
    location = Location.read(call)
    found = await call.service.restaurants.near(query, *location)
    return json_response({"items": [_restaurant(each) for each in found]})


async def read_menu(call: Call) -> Response:
    """List the menu of a restaurant.

    Return the foods ordered by name, each with its default serving; `GET /v1.2/foods/{food_id}`
    returns all servings. The list is empty if the restaurant is unknown or has no menu.
    """
    restaurant_id = cast(str, _RESTAURANT_ID.read(call.path_params))
    limit, offset = _LIMIT.read(call.given), _OFFSET.read(call.given)
    foods = await call.service.restaurants.menu(restaurant_id, limit, offset)
    return json_response({"items": [food_response(food) for food in foods]})


def _restaurant(found: NearbyPlace) -> dict[str, Any]:
    place, distance_m = found
    assert distance_m is not None  # Both coordinates are required.
    return {
        "type": "restaurant",
        "id": place.id,
        "name": place.name,
        "is_chain": place.is_chain,
        "distance_meters": round(distance_m, 1),
        "city": place.city,
        "address1": place.address1,
        "address2": place.address2,
    }


RESTAURANT_OPERATIONS = (
    Operation(
        "GET",
        "/restaurants",
        search_restaurants,
        version=V1_2,
        scope="restaurants:read",
        response_model=RestaurantPage,
        parameters=(_QUERY, *LOCATION),
        refusals=(502, 504),
    ),
    Operation(
        "GET",
        "/restaurants/{restaurant_id}/menu-items",
        read_menu,
        version=V1_2,
        scope="restaurants:read",
        response_model=MenuPage,
        parameters=(_RESTAURANT_ID, _LIMIT, _OFFSET),
        refusals=(502, 504),
    ),
)
"""Operations on restaurants."""
