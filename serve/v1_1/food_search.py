"""Food search: foods by their names, or the product that has a barcode."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.errors import InputError, UnknownBarcode
from postmeal.foods.food import Food, FoodKind, Serving
from serve.http.call import Call
from serve.http.operation import Operation
from serve.v1_1.person import OPTIONAL_USER_ID
from serve.v1_1.version import V1_1
from serve.wire.parameters import Choice, Integer, Text
from serve.wire.responses import json_response

__all__ = ["FOOD_SEARCH_OPERATIONS"]

_REACH = 40
"""How many of the best matches of a name can be had."""

_QUERY = Text(
    name="query", longest=256, may_be_blank=True, about="Words of a food's name; not with `upc`."
)
_CATEGORIES: dict[str, FoodKind] = {
    "branded": "branded",
    "general": "generic",
    "recipe": "recipe",
}
_CATEGORY = Choice(
    name="category",
    values=tuple(_CATEGORIES),
    about="Which foods are searched by name; `general` when omitted.",
)
_UPC = Text(
    name="upc",
    pattern="[0-9]*",
    form="a barcode: digits alone, 256 at most",
    may_be_blank=True,
    about="A product's barcode; not with `query`. The category does not matter then.",
)
_LIMIT = Integer(
    name="limit",
    default=10,
    least=1,
    most=400,
    about=f"Longest page; a search by name never answers more than {_REACH}.",
)
_OFFSET = Integer(
    name="offset",
    default=0,
    least=0,
    about=f"How many of the best to leave out; of a name the first {_REACH} can be had.",
)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FoundServingAnswer(_Answer):
    """One way to measure a food."""

    id: int
    quantity: float = Field(description='How many of the unit: 1 for "1 cup".')
    unit: str
    scaling_factor: float = Field(description="Its nutrients relative to the primary serving's.")
    weight_grams: float | None
    is_primary: bool = Field(description="Whether the nutrients are given for this serving.")


class FoundFoodAnswer(_Answer):
    """A food; its nutrients are those of its primary serving, null where unknown."""

    id: int
    name: str
    brand_name: str | None
    protein: float | None = Field(description="In g.")
    energy: float | None = Field(description="In kcal.")
    carbs: float | None = Field(description="In g.")
    fat: float | None = Field(description="In g.")
    fat_total_saturated: float | None = Field(description="In g.")
    net_carbs: float | None = Field(description="Carbohydrate less fiber, in g.")
    sodium: float | None = Field(description="In mg.")
    sugars: float | None = Field(description="In g.")
    added_sugars: float | None = Field(description="In g.")
    gi: float | None = Field(description="Glycemic index, glucose = 100.")
    gl: float | None = Field(description="Glycemic load.")
    fiber: float | None = Field(description="In g.")
    potassium: float | None = Field(None, description="In mg; not of recipes.")
    cholesterol: float | None = Field(None, description="In mg; not of recipes.")
    photo_url: str | None
    servings: list[FoundServingAnswer] = Field(min_length=1)


class FoundFoodsAnswer(_Answer):
    """Foods, the best match first."""

    totalCount: int = Field(description=f"How many can be had; at most {_REACH} by name.")
    items: list[FoundFoodAnswer]


async def search_foods(call: Call) -> Response:
    """Search foods by name or barcode.

    By name, the best match comes first and the first 40 can be had; `totalCount` says how many
    there are. A barcode finds its product, whatever its category, or nothing. With neither, the
    page is empty.
    """
    OPTIONAL_USER_ID.read(call.headers)
    query, upc = _QUERY.read(call.given) or "", _UPC.read(call.given)
    kind = _CATEGORIES[_CATEGORY.read(call.given) or "general"]
    limit, offset = _LIMIT.read(call.given), _OFFSET.read(call.given)
    if query and upc:
        raise InputError("upc", "must not be sent together with query")
    if upc:
        found = await _products(call, upc)
    else:
        found = await call.service.foods.search(query, kind, _REACH)
    items = [_food(food) for food in found[offset : offset + limit]]
    return json_response({"totalCount": len(found), "items": items})


async def _products(call: Call, upc: str) -> list[Food]:
    """Find the product of a barcode; digits that can be no barcode are no product's."""
    if not 6 <= len(upc) <= 14:
        return []
    try:
        return [await call.service.foods.barcode(upc)]
    except UnknownBarcode:
        return []


def _food(food: Food) -> dict[str, Any]:
    amount = food.nutrients.amount  # NaN, which is written as null, where unknown
    item = {
        "id": food.id,
        "name": food.name,
        "brand_name": food.brand_name,
        "protein": amount("protein_g"),
        "energy": amount("energy_kcal"),
        "carbs": amount("carbs_g"),
        "fat": amount("fat_g"),
        "fat_total_saturated": amount("saturated_fat_g"),
        "net_carbs": food.nutrients.net_carbs_g,
        "sodium": amount("sodium_mg"),
        "sugars": amount("sugars_g"),
        "added_sugars": amount("added_sugars_g"),
        "gi": food.glycemic_index,
        "gl": food.glycemic_load,
        "fiber": amount("fiber_g"),
        "potassium": amount("potassium_mg"),
        "cholesterol": amount("cholesterol_mg"),
        "photo_url": food.image_url,
        "servings": [_serving(serving) for serving in food.servings],
    }
    if food.kind == "recipe":
        del item["potassium"], item["cholesterol"]
    return item


def _serving(serving: Serving) -> dict[str, Any]:
    return {
        "id": serving.id,
        "quantity": serving.quantity,
        "unit": serving.unit,
        "scaling_factor": serving.scaling_factor,
        "weight_grams": serving.weight_g,
        "is_primary": serving.is_default,
    }


FOOD_SEARCH_OPERATIONS = (
    Operation(
        "GET",
        "/search/foods",
        search_foods,
        version=V1_1,
        answer=FoundFoodsAnswer,
        parameters=(OPTIONAL_USER_ID, _QUERY, _CATEGORY, _UPC, _LIMIT, _OFFSET),
        refusals=(406,),
    ),
)
