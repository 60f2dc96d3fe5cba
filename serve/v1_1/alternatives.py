"""Alternatives: healthier foods that fit a diet, in version 1.1's words."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from postmeal.foods.alternatives import Alternative
from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources.alternatives import find_alternatives
from serve.runtime.offload import offload
from serve.v1_1.nutrients import NutrientAnswer, nutrient_object
from serve.v1_1.version import V1_1
from serve.wire.parameters import Text
from serve.wire.request_body import MOST_VALUES, Accepts, Wire
from serve.wire.responses import json_response

__all__ = ["ALTERNATIVES"]

_FOOD_ID = Text(
    name="foodId",
    place="path",
    required=True,
    pattern="[1-9][0-9]{0,9}",
    form="a food id: 1 to 10 digits, the first of them 1 to 9",
    about="The id of the food to replace.",
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


class FoodAlternativesRequest(Wire):
    """What must not be in an alternative, and what it must keep to; `["None"]` for nothing."""

    dietRestrictions: list[Restriction] = Field(
        min_length=1,
        max_length=MOST_VALUES,
        description="What must not be in it; `None` beside others does nothing.",
    )
    dietPreferences: list[Preference] = Field(
        min_length=1,
        max_length=MOST_VALUES,
        description="What it must keep to; `None` beside others does nothing.",
    )


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class RecommendedServingAnswer(_Answer):
    """How much to eat: about as much as the default serving of the food that is replaced."""

    id: int
    quantity: float = Field(description="How many of the unit.")
    unit: str


_Known = NutrientAnswer | SkipJsonSchema[None]

AlternativeNutrients = create_model(
    "AlternativeNutrients",
    __config__=ConfigDict(extra="forbid"),
    __doc__="Of the recommended serving; what is not known or exactly zero is left out.",
    **dict.fromkeys(_KEYS, (_Known, None)),  # type: ignore[call-overload]
)


class AlternativeFoodAnswer(_Answer):
    """A food to eat instead."""

    name: str
    id: int
    brandName: str = Field(description="Empty for generic foods.")
    nutrients: AlternativeNutrients  # type: ignore[valid-type]
    servings: list[RecommendedServingAnswer] = Field(min_length=1, max_length=1)


class FoodAlternativeAnswer(_Answer):
    """An alternative."""

    food: AlternativeFoodAnswer


class FoodAlternativesAnswer(_Answer):
    """Foods to eat instead, the best match first; none where nothing is suitable."""

    alternatives: list[FoodAlternativeAnswer]


_RULES = {"Monosodium glutamate (MSG)": "msg"}
_NONE = "None"


def _rule(value: str) -> str:
    """Name the rule of a value: "Tree nuts" is ``tree_nuts``."""
    return _RULES.get(value, value.lower().replace(" ", "_"))


_ACCEPTS: Accepts = {
    "dietRestrictions": get_args(Restriction),
    "dietPreferences": get_args(Preference),
}


async def food_alternatives(call: Call) -> Response:
    """Find healthier foods to eat instead.

    Each is eaten as the same thing, is no less healthy by the nutrient profiling model of the
    United Kingdom (FSA and Ofcom, 2004-5), has nothing in it that is restricted and keeps to every
    preference. What is not known of a food never passes; still, read the label: traces that no
    label tells of are not known here. The list is empty where nothing is suitable.
    """
    food_id = int(cast(str, _FOOD_ID.read(call.path_params)))
    body = await call.parse(FoodAlternativesRequest, _ACCEPTS)
    return await offload(_found, call, food_id, body)


def _found(call: Call, food_id: int, body: FoodAlternativesRequest) -> Response:
    restrictions = [_rule(value) for value in body.dietRestrictions if value != _NONE]
    preferences = [_rule(value) for value in body.dietPreferences if value != _NONE]
    found = find_alternatives(call.service.foods, food_id, restrictions, preferences)
    return json_response({"alternatives": [_alternative(one) for one in found.best]})


def _alternative(one: Alternative) -> dict[str, Any]:
    food, amount = one.food, one.selection
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
    answer=FoodAlternativesAnswer,
    body=FoodAlternativesRequest,
    example={"dietRestrictions": ["Gluten"], "dietPreferences": ["None"]},
    parameters=(_FOOD_ID,),
    refusals=(404, 406, 413),
)
