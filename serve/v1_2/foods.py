"""Foods: search by name, one product by its barcode, one food with all its servings."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from postmeal.foods.food import FoodKind
from serve.http.call import Call
from serve.http.operation import Operation
from serve.v1_2.food_answer import FoodAnswer, food_answer
from serve.v1_2.version import V1_2
from serve.wire.parameters import Choice, Integer, Parameter, Text
from serve.wire.responses import JsonResponse, json_bytes, json_response

__all__ = ["FOOD_ID", "FOOD_OPERATIONS"]

_QUERY = Text(name="query", required=True, longest=256, about="Words of a food's name.")
_TYPE = Choice(
    name="type",
    values=("generic", "branded", "recipe"),
    about="Only foods of this type; all three in one ranked list when omitted.",
    other_name="category",
)
_LIMIT = Integer(
    name="limit",
    default=10,
    least=1,
    most=50,
    clamped=True,
    about="Longest page; a value above 50 is treated as 50.",
)
_OFFSET = Integer(name="offset", default=0, least=0, about="How many of the best to leave out.")
FOOD_ID = Text(
    name="food_id",
    place="path",
    required=True,
    pattern="[1-9][0-9]{0,9}",
    form="a food id: 1 to 10 digits, the first of them 1 to 9",
    about="The food's id.",
)
"""A food in the path of whatever is about it."""

_BARCODE = Text(
    name="barcode",
    place="path",
    required=True,
    pattern="[0-9]{6,14}",
    form="a barcode: 6 to 14 digits",
    about="UPC-E, UPC-A, EAN-8, EAN-13 or GTIN-14; leading zeros do not count.",
)
_IF_NONE_MATCH = Parameter(
    name="If-None-Match", place="header", about="ETag of an answer that the caller holds."
)
_HELD = {304: "The caller holds this answer already."}


class FoodPage(BaseModel):
    """Foods, the best match first."""

    model_config = ConfigDict(extra="forbid")

    items: list[FoodAnswer]


async def search_foods(call: Call) -> Response:
    """Search foods by name.

    The best match comes first, each food with its default serving. The page is empty when nothing
    matches or `offset` is past the end; a page shorter than `limit` is the last.
    """
    query = cast(str, _QUERY.read(call.given))
    kind = cast(FoodKind | None, _TYPE.read(call.given))
    limit, offset = _LIMIT.read(call.given), _OFFSET.read(call.given)
    foods = await call.service.foods.search(query, kind, limit, offset)
    return json_response({"items": [food_answer(food) for food in foods]})


async def read_barcode(call: Call) -> Response:
    """Read the product that has a barcode, with its default serving.

    A code whose check digit is wrong is no product's. The answer carries an `ETag`; sent back in
    `If-None-Match`, it saves the body.
    """
    barcode = cast(str, _BARCODE.read(call.path_params))
    food = await call.service.foods.barcode(barcode)
    return _unless_held(call, food_answer(food))


async def read_food(call: Call) -> Response:
    """Read one food with all its servings.

    The answer carries an `ETag`; sent back in `If-None-Match`, it saves the body.
    """
    food_id = cast(str, FOOD_ID.read(call.path_params))
    food = await call.service.foods.look_up(int(food_id))
    return _unless_held(call, food_answer(food, food.servings))


def _unless_held(call: Call, answer: dict[str, Any]) -> Response:
    """Send an answer, but not to a caller who holds it."""
    content = json_bytes(answer)
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    held = ",".join(call.headers.getlist("if-none-match"))
    if {each.strip().rpartition("W/")[2] for each in held.split(",")} & {tag, "*"}:
        return Response(status_code=304, headers=headers)
    return JsonResponse(content, headers=headers)


FOOD_OPERATIONS = (
    Operation(
        "GET",
        "/foods",
        search_foods,
        version=V1_2,
        scope="foods:read",
        answer=FoodPage,
        parameters=(_QUERY, _TYPE, _LIMIT, _OFFSET),
        refusals=(502, 504),
    ),
    Operation(
        "GET",
        "/foods/barcode/{barcode}",
        read_barcode,
        version=V1_2,
        scope="foods:read",
        answer=FoodAnswer,
        parameters=(_BARCODE, _IF_NONE_MATCH),
        refusals=(404, 502, 504),
        others=_HELD,
    ),
    Operation(
        "GET",
        "/foods/{food_id}",
        read_food,
        version=V1_2,
        scope="foods:read",
        answer=FoodAnswer,
        parameters=(FOOD_ID, _IF_NONE_MATCH),
        refusals=(404, 502, 504),
        others=_HELD,
    ),
)
