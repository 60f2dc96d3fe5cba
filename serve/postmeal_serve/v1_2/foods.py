"""Operations on foods: search by name, and lookup by barcode or ID."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.foods.food import FoodKind
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_2.food_response import FoodResponse, food_response
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.parameters import Choice, Integer, Parameter, Text
from postmeal_serve.wire.responses import JsonResponse, json_bytes, json_response

__all__ = ["FOOD_ID", "FOOD_OPERATIONS"]

_QUERY = Text(name="query", required=True, longest=256, about="Name of a food, or part of it.")
_TYPE = Choice(
    name="type",
    values=("generic", "branded", "recipe"),
    about="Type of food; if omitted, all three types are searched and ranked together.",
    other_name="category",
)
_LIMIT = Integer(
    name="limit",
    default=10,
    least=1,
    most=50,
    clamped=True,
    about="Maximum number of foods to return; values above 50 are treated as 50.",
)
_OFFSET = Integer(name="offset", default=0, least=0, about="Number of matches to skip.")
FOOD_ID = Text(
    name="food_id",
    place="path",
    required=True,
    pattern="[1-9][0-9]{0,9}",
    form="1 to 10 digits without a leading zero",
    about="ID of the food.",
)
"""Path parameter with the ID of a food."""

_BARCODE = Text(
    name="barcode",
    place="path",
    required=True,
    pattern="[0-9]{6,14}",
    form="6 to 14 digits",
    about="UPC-E, UPC-A, EAN-8, EAN-13 or GTIN-14. Leading zeros are ignored.",
)
_IF_NONE_MATCH = Parameter(
    name="If-None-Match",
    place="header",
    about="`ETag` of an earlier response. If the food is unchanged, the response is 304 without a"
    " body.",
)
_NOT_MODIFIED = {304: "The food is unchanged since the response with this `ETag`."}


class FoodPage(BaseModel):
    """Foods, best match first."""

    model_config = ConfigDict(extra="forbid")

    items: list[FoodResponse]
    matched_without: list[str] | None = Field(
        None,
        description="Words of the query that were dropped to find the foods, as typed; omitted if"
        " there are none.",
    )


async def search_foods(call: Call) -> Response:
    """Search foods by name.

    Return the best matches first, each food with its default serving. The list is empty if nothing
    matches or `offset` is past the end. A page with fewer than `limit` foods is the last page. If
    words of the query had to be dropped to find foods, `matched_without` lists them.
    """
    query = cast(str, _QUERY.read(call.given))
    kind = cast(FoodKind | None, _TYPE.read(call.given))
    limit, offset = _LIMIT.read(call.given), _OFFSET.read(call.given)
    foods = await call.service.foods.search(query, kind, limit, offset)
    page: dict[str, Any] = {"items": [food_response(food) for food in foods]}
    if foods.matched_without:
        page["matched_without"] = list(foods.matched_without)
    return json_response(page)


async def read_barcode(call: Call) -> Response:
    """Look up a food by barcode.

    Return the food with its default serving. A barcode with a wrong check digit returns 404. To
    save bandwidth, send the `ETag` of an earlier response as `If-None-Match`.
    """
    barcode = cast(str, _BARCODE.read(call.path_params))
    food = await call.service.foods.barcode(barcode)
    return _unless_unchanged(call, food_response(food))


async def read_food(call: Call) -> Response:
    """Get a food.

    Return the food with all its servings; the nutrients are for the default serving. To save
    bandwidth, send the `ETag` of an earlier response as `If-None-Match`.
    """
    food_id = cast(str, FOOD_ID.read(call.path_params))
    food = await call.service.foods.look_up(int(food_id))
    return _unless_unchanged(call, food_response(food, food.servings))


def _unless_unchanged(call: Call, food: dict[str, Any]) -> Response:
    """Return the food, or a 304 response if the client already has it."""
    content = json_bytes(food)
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    known_tags = ",".join(call.headers.getlist("if-none-match"))
    if {each.strip().rpartition("W/")[2] for each in known_tags.split(",")} & {tag, "*"}:
        return Response(status_code=304, headers=headers)
    return JsonResponse(content, headers=headers)


FOOD_OPERATIONS = (
    Operation(
        "GET",
        "/foods",
        search_foods,
        version=V1_2,
        scope="foods:read",
        response_model=FoodPage,
        parameters=(_QUERY, _TYPE, _LIMIT, _OFFSET),
        refusals=(502, 504),
    ),
    Operation(
        "GET",
        "/foods/barcode/{barcode}",
        read_barcode,
        version=V1_2,
        scope="foods:read",
        response_model=FoodResponse,
        parameters=(_BARCODE, _IF_NONE_MATCH),
        refusals=(404, 502, 504),
        others=_NOT_MODIFIED,
    ),
    Operation(
        "GET",
        "/foods/{food_id}",
        read_food,
        version=V1_2,
        scope="foods:read",
        response_model=FoodResponse,
        parameters=(FOOD_ID, _IF_NONE_MATCH),
        refusals=(404, 502, 504),
        others=_NOT_MODIFIED,
    ),
)
