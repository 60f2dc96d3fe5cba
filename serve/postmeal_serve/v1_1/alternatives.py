"""Food alternatives: healthier foods that fit a diet."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from postmeal.foods.alternatives import Alternative
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.alternatives import find_alternatives
from postmeal_serve.runtime.offload import offload
from postmeal_serve.v1_1.nutrients import NutrientResponse, nutrient_object
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.parameters import Text
from postmeal_serve.wire.request_body import MOST_VALUES, Accepts, RequestModel
from postmeal_serve.wire.responses import json_response

__all__ = ["ALTERNATIVES"]

_FOOD_ID = Text(
    name="foodId",
    place="path",
    required=True,
    pattern="[1-9][0-9]{0,9}",
    form="1 to 10 digits without a leading zero",
    about="ID of the food to replace.",
)

Restriction = Literal[
    "None", "Gluten", "Lactose", "Yeast", "Tree nuts", "Peanuts", "Dairy", "Eggs", "Sulfites",
    "Soy", "Wheat", "Shellfish", "Fish", "Mushrooms", "Sesame", "Monosodium glutamate (MSG)",
    "Caffeine", "FODMAPs",
]  # fmt: skip
Preference = Literal[
    "None", "Vegetarian", "Vegan", "Keto", "Paleo", "Pescatarian", "Low carbohydrate",
    "High protein", "Kosher",
]  # fmt: skip

_KEYS = ("calories", "protein", "carbohydrates", "totalFat", "fiber")


class FoodAlternativesRequest(RequestModel):
    """The diet that alternatives must fit; send `["None"]` for no restriction or preference."""

    dietRestrictions: list[Restriction] = Field(
        min_length=1,
        max_length=MOST_VALUES,
        description="Ingredients that alternatives must not contain; `None` is ignored.",
    )
    dietPreferences: list[Preference] = Field(
        min_length=1,
        max_length=MOST_VALUES,
        description="Diets that alternatives must fit; `None` is ignored.",
    )


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RecommendedServingResponse(_Answer):
    """The recommended amount, about as much as the default serving of the replaced food."""

    id: int
    quantity: float = Field(description="Amount in the unit of the serving.")
    unit: str = Field(description="Unit of the serving, such as cup or g.")


_Known = NutrientResponse | SkipJsonSchema[None]

AlternativeNutrients = create_model(
    "AlternativeNutrients",
    __config__=ConfigDict(extra="forbid"),
    __doc__="Nutrients in the recommended serving; unknown and exactly zero amounts are omitted.",
    **dict.fromkeys(_KEYS, (_Known, None)),  # type: ignore[call-overload]
)


class AlternativeFoodResponse(_Answer):
    """An alternative food."""

    name: str
    id: int
    brandName: str = Field(description="Brand; empty for generic foods.")
    nutrients: AlternativeNutrients  # type: ignore[valid-type]
    servings: list[RecommendedServingResponse] = Field(min_length=1, max_length=1)


class FoodAlternativeResponse(_Answer):
    """An entry in the list of alternatives."""

    food: AlternativeFoodResponse


class FoodAlternativesResponse(_Answer):
    """Alternative foods, best match first; empty if no food is suitable."""

    alternatives: list[FoodAlternativeResponse]


_RULES = {"Monosodium glutamate (MSG)": "msg"}
_NONE = "None"


def _rule(value: str) -> str:
    """Return the library's name for a restriction or preference: ``tree_nuts`` for "Tree nuts"."""
    return _RULES.get(value, value.lower().replace(" ", "_"))


_ACCEPTS: Accepts = {
    "dietRestrictions": get_args(Restriction),
    "dietPreferences": get_args(Preference),
}


async def food_alternatives(call: Call) -> Response:
    """Find healthier alternatives to a food.

    Alternatives are of the same kind as the food, such as bread or soft drinks, and are at least as
    healthy according to the UK nutrient profiling model (FSA and Ofcom, 2004-5). They contain no
    restricted ingredients and fit all preferences. Foods with insufficient data are excluded.
    Always check the label, because the data can be out of date. Traces that are not declared on the
    label are not in the data either. The list is empty if no food is suitable.
    """
    food_id = int(cast(str, _FOOD_ID.read(call.path_params)))
    body = await call.parse(FoodAlternativesRequest, _ACCEPTS)
    return await offload(_find, call, food_id, body)


def _find(call: Call, food_id: int, body: FoodAlternativesRequest) -> Response:
    restrictions = [_rule(value) for value in body.dietRestrictions if value != _NONE]
    preferences = [_rule(value) for value in body.dietPreferences if value != _NONE]
    result = find_alternatives(call.service.foods, food_id, restrictions, preferences)
    return json_response({"alternatives": [_alternative(each) for each in result.best]})


def _alternative(alternative: Alternative) -> dict[str, Any]:
    food, amount = alternative.food, alternative.selection
    return {
        "food": {
            "name": food.name,
            "id": food.id,
            "brandName": food.brand_name or "",
            "nutrients": nutrient_object(amount.nutrients, _KEYS),
            "servings": [
                {
                    "id": amount.serving.id,
                    "quantity": amount.quantity,
                    "unit": amount.serving.unit,
                }
            ],
        }
    }


ALTERNATIVES = Operation(
    "POST",
    "/food-alternatives/{foodId}",
    food_alternatives,
    version=V1_1,
    response_model=FoodAlternativesResponse,
    body=FoodAlternativesRequest,
    example={"dietRestrictions": ["Gluten"], "dietPreferences": ["None"]},
    parameters=(_FOOD_ID,),
    refusals=(404, 406, 413),
)
