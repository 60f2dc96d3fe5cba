"""Search for dishes on the menus of restaurants near a location."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.restaurants.place import MenuItem
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_2.food_response import ServingResponse, serving_answer
from postmeal_serve.v1_2.location import LOCATION, Location
from postmeal_serve.v1_2.nutrients import NutrientTable, nutrient_table
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.parameters import Text
from postmeal_serve.wire.responses import json_response

__all__ = ["SEARCH_MENU_ITEMS"]

_QUERY = Text(name="query", required=True, longest=256, about="Name of a dish, or part of it.")


class MenuItemResponse(BaseModel):
    """A dish of a restaurant, as a food with one serving."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["menu_item"]
    id: str = Field(pattern="^[1-9][0-9]{0,9}$", description="ID of the food.")
    name: str
    restaurant_name: str
    is_chain: bool = Field(description="Whether the restaurant belongs to a chain.")
    nutrients: NutrientTable = Field(description="Nutrients in the serving.")
    glycemic_index: float | None
    glycemic_load: float | None
    image_url: str | None
    distance_meters: float = Field(description="Great-circle distance in meters.")
    servings: list[ServingResponse] = Field(min_length=1, max_length=1)


class MenuItemPage(BaseModel):
    """Dishes, nearest restaurant first."""

    model_config = ConfigDict(extra="forbid")

    items: list[MenuItemResponse]


async def search_menu_items(call: Call) -> Response:
    """Search dishes of restaurants near a location.

    Return the dishes whose name matches, nearest restaurant first. Only restaurants with a menu are
    searched.
    """
    query = cast(str, _QUERY.read(call.given))
    found = await call.service.restaurants.dishes(query, *Location.read(call))
    return json_response({"items": [_menu_item(each) for each in found]})


def _menu_item(item: MenuItem) -> dict[str, Any]:
    food, place, distance_m = item
    assert distance_m is not None  # Both coordinates are required.
    return {
        "type": "menu_item",
        "id": str(food.id),
        "name": food.name,
        "restaurant_name": place.name,
        "is_chain": place.is_chain,
        "nutrients": nutrient_table(food.nutrients),
        "glycemic_index": food.glycemic_index,
        "glycemic_load": food.glycemic_load,
        "image_url": food.image_url,
        "distance_meters": round(distance_m, 1),
        "servings": [serving_answer(food.default_serving)],
    }


SEARCH_MENU_ITEMS = Operation(
    "GET",
    "/menu-items",
    search_menu_items,
    version=V1_2,
    scope="restaurants:read",
    response_model=MenuItemPage,
    parameters=(_QUERY, *LOCATION),
    refusals=(502, 504),
)
"""Operation that searches for dishes."""
