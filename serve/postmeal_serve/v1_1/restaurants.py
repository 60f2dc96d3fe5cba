"""Search for restaurants and for dishes on their menus."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.id_ranges import FIRST_MENU_ID
from postmeal.foods.nutrients import UNITS
from postmeal.restaurants.place import MenuItem, NearbyPlace
from postmeal.rounding import rounded
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_1.food_search import FoundServingResponse, serving_response
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.coordinates import coordinates
from postmeal_serve.wire.number_parameter import Number
from postmeal_serve.wire.parameters import Integer, Parameter, Text
from postmeal_serve.wire.responses import json_response

__all__ = ["RESTAURANT_OPERATIONS"]

_RESTAURANT = Text(
    name="query",
    required=True,
    may_be_blank=True,
    about="Name of a restaurant. An empty value returns the nearest restaurants.",
)
_DISH = Text(name="query", required=True, about="Name of a dish or of a restaurant.")
_DISTANCE = Number(
    name="distance",
    least=1,
    most=17_000,
    default=16_093,
    about="Maximum distance in meters.",
    other_name="radius_meters",
)
_LIMIT = Integer(name="limit", default=50, least=1, most=100, about="Maximum number of items.")
_OPTIONAL, _REQUIRED = (
    coordinates(("lat", "lon"), ("latitude", "longitude"), required=required, note=note)
    for required, note in (
        (False, "Must be sent together with the other coordinate."),
        (True, ""),
    )
)


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RestaurantItemResponse(_Wire):
    """A restaurant. The last four fields are present only if coordinates were sent."""

    type: Literal["restaurant"]
    id: str
    name: str
    is_chain: bool
    distance: float = Field(0, description="Great-circle distance in meters.")
    city: str | None = None
    address1: str | None = None
    address2: str | None = None


class MenuItemResponse(_Wire):
    """A dish of a restaurant with the nutrients of its serving; unknown amounts are null."""

    type: Literal["menu_item"]
    id: str = Field(description="ID of the food.")
    name: str
    restaurant_name: str
    is_chain: bool
    data_source_id: int = Field(
        description="Data source of the dish: 1 for the food catalog, 2 for an imported menu."
    )
    source_original_id: str = Field(description="ID of the dish in the data source.")
    protein: float | None = Field(description="Protein in g.")
    energy: float | None = Field(description="Energy in kcal.")
    carbs: float | None = Field(description="Carbohydrate in g.")
    net_carbs: float | None = Field(description="Carbohydrate minus fiber, in g.")
    sugars: float | None = Field(description="Sugars in g.")
    added_sugars: float | None = Field(description="Added sugars in g.")
    fat: float | None = Field(description="Fat in g.")
    gi: float | None = Field(description="Glycemic index (glucose = 100).")
    gl: float | None = Field(description="Glycemic load.")
    fiber: float | None = Field(description="Fiber in g.")
    photo_url: str | None
    servings: list[FoundServingResponse] = Field(min_length=1, max_length=1)
    distance: float = Field(description="Great-circle distance in meters.")


class RestaurantItemsResponse(_Wire):
    """Restaurants, or dishes if no restaurant matches."""

    items: list[RestaurantItemResponse | MenuItemResponse]


class MenuItemsResponse(_Wire):
    """Dishes, nearest restaurant first."""

    items: list[MenuItemResponse]


async def search_restaurants(call: Call) -> Response:
    """Search restaurants by name.

    With `lat` and `lon`, return the restaurants within `distance`, nearest first. If no restaurant
    matches `query`, return matching dishes of nearby restaurants instead. Without coordinates,
    return the restaurants whose name matches, without their distance and address.
    """
    query = cast(str, _RESTAURANT.read(call.given)).strip()
    latitude, longitude = (each.read(call.given) for each in _OPTIONAL)
    radius_m, limit = cast(float, _DISTANCE.read(call.given)), _LIMIT.read(call.given)
    restaurants = call.service.restaurants
    if latitude is None or longitude is None:
        if latitude is not None or longitude is not None:
            name = "lat" if latitude is None else "lon"
            raise InputError(name, "must be sent together with the other coordinate")
        named = await restaurants.near(query, limit=limit)
        return json_response({"items": [_restaurant(each) for each in named]})
    near = await restaurants.near(query, latitude, longitude, radius_m, limit)
    if near or not query:
        return json_response({"items": [_restaurant(each) for each in near]})
    dishes = await restaurants.dishes(query, latitude, longitude, radius_m, limit)
    return json_response({"items": [_menu_item(each) for each in dishes]})


async def search_menus(call: Call) -> Response:
    """Search dishes of restaurants near a location.

    Return the dishes that match `query` by their own name or by the name of their restaurant,
    nearest restaurant first.
    """
    query = cast(str, _DISH.read(call.given))
    latitude, longitude = (cast(float, each.read(call.given)) for each in _REQUIRED)
    radius_m, limit = cast(float, _DISTANCE.read(call.given)), _LIMIT.read(call.given)
    dishes = await call.service.restaurants.dishes(query, latitude, longitude, radius_m, limit)
    return json_response({"items": [_menu_item(each) for each in dishes]})


def _restaurant(found: NearbyPlace) -> dict[str, Any]:
    place, distance_m = found
    item = {
        "type": "restaurant",
        "id": place.id,
        "name": place.name,
        "is_chain": place.is_chain,
    }
    if distance_m is None:
        return item
    return item | {
        "distance": round(distance_m, 1),
        "city": place.city,
        "address1": place.address1,
        "address2": place.address2,
    }


def _menu_item(item: MenuItem) -> dict[str, Any]:
    food, place, distance_m = item
    assert distance_m is not None  # Searches for dishes always have a location.

    def amount(key: str) -> float:
        """Return an amount, or NaN if it is unknown; NaN becomes null in JSON."""
        return rounded(food.nutrients.amount(key), UNITS[key])

    return {
        "type": "menu_item",
        "id": str(food.id),
        "name": food.name,
        "restaurant_name": place.name,
        "is_chain": place.is_chain,
        "data_source_id": 1 if food.id < FIRST_MENU_ID else 2,
        "source_original_id": str(food.id),
        "protein": amount("protein_g"),
        "energy": amount("energy_kcal"),
        "carbs": amount("carbs_g"),
        "net_carbs": rounded(food.nutrients.net_carbs_g, "g"),
        "sugars": amount("sugars_g"),
        "added_sugars": amount("added_sugars_g"),
        "fat": amount("fat_g"),
        "gi": food.glycemic_index,
        "gl": food.glycemic_load,
        "fiber": amount("fiber_g"),
        "photo_url": food.image_url,
        "servings": [serving_response(food.default_serving)],
        "distance": round(distance_m, 1),
    }


def _operation(
    path: str, handler: Any, response_model: type[BaseModel], *parameters: Parameter
) -> Operation:
    return Operation(
        "GET",
        path,
        handler,
        version=V1_1,
        response_model=response_model,
        parameters=(*parameters, _DISTANCE, _LIMIT),
        refusals=(406,),
    )


RESTAURANT_OPERATIONS = (
    _operation(
        "/search/restaurants",
        search_restaurants,
        RestaurantItemsResponse,
        _RESTAURANT,
        *_OPTIONAL,
    ),
    _operation("/search/restaurants/menu", search_menus, MenuItemsResponse, _DISH, *_REQUIRED),
)
"""Operations on restaurants and menus."""
