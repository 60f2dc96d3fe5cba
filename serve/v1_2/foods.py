"""Foods: search by name, and one food with all its servings."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.foods.food import Food, FoodKind, Serving
from serve.admission import Call, Operation
from serve.answers import JsonResponse, json_bytes, json_response
from serve.parameters import Choice, Integer, Parameter, Text
from serve.v1_2.nutrients import NutrientTable, nutrient_table
from serve.v1_2.version import V1_2

__all__ = ["FOOD_OPERATIONS"]

_QUERY = Text(name="query", required=True, longest=256, about="Words of a food's name.")
_TYPE = Choice(
    name="type",
    values=("generic", "branded", "recipe"),
    about="Only foods of this type; all three in one ranked list when omitted.",
)
_LIMIT = Integer(
    name="limit",
    default=10,
    least=1,
    most=50,
    about="Longest page; a value above 50 is treated as 50.",
)
_OFFSET = Integer(name="offset", default=0, least=0, about="How many of the best to leave out.")
_FOOD_ID = Text(
    name="food_id",
    place="path",
    required=True,
    pattern="[1-9][0-9]{0,9}",
    form="a food id: 1 to 10 digits, the first of them 1 to 9",
    about="The food's id.",
)
_IF_NONE_MATCH = Parameter(
    name="If-None-Match", place="header", about="ETag of an answer that the caller holds."
)


class _Wire(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ServingAnswer(_Wire):
    """One way to measure a food."""

    id: str
    quantity: float = Field(description='How many of the unit: 1 for "1 cup".')
    unit: str
    scaling_factor: float = Field(description="Its nutrients relative to the default serving's.")
    weight_grams: float | None
    is_primary: bool = Field(description="Whether the nutrients are given for this serving.")


class FoodAnswer(_Wire):
    """A food; its nutrients are those of its default serving."""

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    type: FoodKind
    name: str
    brand_name: str | None
    nutrients: NutrientTable
    glycemic_index: float | None = Field(description="Glucose = 100.")
    glycemic_load: float | None
    image_url: str | None
    barcode: str | None
    servings: list[ServingAnswer] = Field(min_length=1)


class FoodPage(_Wire):
    """Foods, the best match first."""

    items: list[FoodAnswer]


def _serving(serving: Serving) -> dict[str, Any]:
    return {
        "id": str(serving.id),
        "quantity": serving.quantity,
        "unit": serving.unit,
        "scaling_factor": serving.scaling_factor,
        "weight_grams": serving.weight_g,
        "is_primary": serving.is_default,
    }


def _food(food: Food, servings: tuple[Serving, ...]) -> dict[str, Any]:
    return {
        "id": str(food.id),
        "type": food.kind,
        "name": food.name,
        "brand_name": food.brand_name,
        "nutrients": nutrient_table(food.nutrients),
        "glycemic_index": food.glycemic_index,
        "glycemic_load": food.glycemic_load,
        "image_url": food.image_url,
        "barcode": food.barcode,
        "servings": [_serving(serving) for serving in servings],
    }


async def search_foods(call: Call) -> Response:
    """Search foods by name.

    The best match comes first, each food with its default serving. The page is empty when nothing
    matches or `offset` is past the end; a page shorter than `limit` is the last.
    """
    query = cast(str, _QUERY.read(call.given))
    kind = cast(FoodKind | None, _TYPE.read(call.given))
    limit, offset = _LIMIT.read(call.given), _OFFSET.read(call.given)
    foods = call.service.catalog.search(query, kind=kind, limit=limit, offset=offset)
    return json_response({"items": [_food(food, (food.default_serving,)) for food in foods]})


async def read_food(call: Call) -> Response:
    """Read one food with all its servings.

    The answer carries an `ETag`; sent back in `If-None-Match`, it saves the body.
    """
    food_id = cast(str, _FOOD_ID.read(call.path_params))
    food = call.service.catalog.food(int(food_id))
    content = json_bytes(_food(food, food.servings))
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    held = ",".join(call.headers.getlist("if-none-match"))
    if {one.strip().removeprefix("W/") for one in held.split(",")} & {tag, "*"}:
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
    ),
    Operation(
        "GET",
        "/foods/{food_id}",
        read_food,
        version=V1_2,
        scope="foods:read",
        answer=FoodAnswer,
        parameters=(_FOOD_ID, _IF_NONE_MATCH),
        refusals=(404,),
        others={304: "The caller holds this answer already."},
    ),
)
