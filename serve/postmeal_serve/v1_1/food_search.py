"""Food search by name or barcode."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.errors import InputError, UnknownBarcode
from postmeal.foods.food import CatalogKind, Food, Serving
from postmeal.foods.nutrients import UNITS
from postmeal.rounding import rounded
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.v1_1.person import OPTIONAL_USER_ID
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.parameters import Choice, Integer, Text
from postmeal_serve.wire.responses import json_response

__all__ = ["FOOD_SEARCH_OPERATIONS", "FoundServingResponse", "serving_response"]

_REACH = 40
"""Maximum number of matches of a name search."""

_QUERY = Text(
    name="query",
    longest=256,
    may_be_blank=True,
    about="Name of a food, or part of it. Cannot be combined with `upc`.",
)
_CATEGORIES: dict[str, CatalogKind] = {
    "branded": "branded",
    "general": "generic",
    "recipe": "dish",
}
_CATEGORY = Choice(
    name="category",
    values=tuple(_CATEGORIES),
    about="Category of a name search. Default: `general`. Ready dishes are in `general` and in"
    " `recipe`.",
)
_UPC = Text(
    name="upc",
    pattern="[0-9]*",
    form="at most 256 digits",
    may_be_blank=True,
    about="Barcode of a product. Cannot be combined with `query`; `category` is ignored.",
)
_LIMIT = Integer(
    name="limit",
    default=10,
    least=1,
    most=400,
    about=f"Maximum number of foods to return. A name search never returns more than {_REACH}.",
)
_OFFSET = Integer(
    name="offset",
    default=0,
    least=0,
    about=f"Number of matches to skip. A name search reaches only the first {_REACH} matches.",
)


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FoundServingResponse(_Answer):
    """A serving of a food."""

    id: int
    quantity: float = Field(description='Number of units in the serving, such as 1 for "1 cup".')
    unit: str = Field(description="Unit of the serving, such as cup or g.")
    scaling_factor: float = Field(
        description="Nutrients of this serving relative to those of the primary serving."
    )
    weight_grams: float | None = Field(description="Weight in grams; null if unknown.")
    is_primary: bool = Field(description="Whether the food's nutrients are for this serving.")


class FoundFoodResponse(_Answer):
    """A food with the nutrients of its primary serving; unknown amounts are null."""

    id: int
    name: str
    brand_name: str | None = Field(description="Brand; null for generic foods.")
    protein: float | None = Field(description="Protein in g.")
    energy: float | None = Field(description="Energy in kcal.")
    carbs: float | None = Field(description="Carbohydrate in g.")
    fat: float | None = Field(description="Fat in g.")
    fat_total_saturated: float | None = Field(description="Saturated fat in g.")
    net_carbs: float | None = Field(description="Carbohydrate minus fiber, in g.")
    sodium: float | None = Field(description="Sodium in mg.")
    sugars: float | None = Field(description="Sugars in g.")
    added_sugars: float | None = Field(description="Added sugars in g.")
    gi: float | None = Field(description="Glycemic index (glucose = 100).")
    gl: float | None = Field(description="Glycemic load.")
    fiber: float | None = Field(description="Fiber in g.")
    potassium: float | None = Field(
        None, description="Potassium in mg; not returned for `category=recipe`."
    )
    cholesterol: float | None = Field(
        None, description="Cholesterol in mg; not returned for `category=recipe`."
    )
    photo_url: str | None
    servings: list[FoundServingResponse] = Field(min_length=1)


class FoundFoodsResponse(_Answer):
    """Foods, best match first."""

    totalCount: int = Field(
        description=f"Number of matches that can be returned; at most {_REACH} for a name search."
    )
    items: list[FoundFoodResponse]


async def search_foods(call: Call) -> Response:
    """Search foods by name or barcode.

    A name search returns the best matches first, and never more than the first 40 matches. A
    barcode search returns the product with that barcode, in any category, or no items. If neither
    `query` nor `upc` is sent, `items` is empty.
    """
    OPTIONAL_USER_ID.read(call.headers)
    query, upc = _QUERY.read(call.given) or "", _UPC.read(call.given)
    kind = _CATEGORIES[_CATEGORY.read(call.given) or "general"]
    limit, offset = _LIMIT.read(call.given), _OFFSET.read(call.given)
    if query and upc:
        raise InputError("upc", "must not be sent together with query")
    if upc:
        foods = await _products(call, upc)
    else:
        foods = await call.service.foods.search(query, kind, _REACH)
    page = foods[offset : offset + limit]
    items = [_food(food, kind == "dish" and not upc) for food in page]
    return json_response({"totalCount": len(foods), "items": items})


async def _products(call: Call, upc: str) -> list[Food]:
    """Return a list with the product that has the barcode; empty if there is no such product."""
    if not 6 <= len(upc) <= 14:
        return []
    try:
        return [await call.service.foods.barcode(upc)]
    except UnknownBarcode:
        return []


def _food(food: Food, as_recipe: bool) -> dict[str, Any]:
    def amount(key: str) -> float:
        """Return an amount, or NaN if it is unknown; NaN becomes null in JSON."""
        return rounded(food.nutrients.amount(key), UNITS[key])

    item = {
        "id": food.id,
        "name": food.name,
        "brand_name": food.brand_name,
        "protein": amount("protein_g"),
        "energy": amount("energy_kcal"),
        "carbs": amount("carbs_g"),
        "fat": amount("fat_g"),
        "fat_total_saturated": amount("saturated_fat_g"),
        "net_carbs": rounded(food.nutrients.net_carbs_g, "g"),
        "sodium": amount("sodium_mg"),
        "sugars": amount("sugars_g"),
        "added_sugars": amount("added_sugars_g"),
        "gi": food.glycemic_index,
        "gl": food.glycemic_load,
        "fiber": amount("fiber_g"),
        "potassium": amount("potassium_mg"),
        "cholesterol": amount("cholesterol_mg"),
        "photo_url": food.image_url,
        "servings": [serving_response(serving) for serving in food.servings],
    }
    if as_recipe or food.kind == "recipe":
        del item["potassium"], item["cholesterol"]
    return item


def serving_response(serving: Serving) -> dict[str, Any]:
    """Return a serving as a JSON-compatible object."""
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
        response_model=FoundFoodsResponse,
        parameters=(OPTIONAL_USER_ID, _QUERY, _CATEGORY, _UPC, _LIMIT, _OFFSET),
        refusals=(406,),
    ),
)
