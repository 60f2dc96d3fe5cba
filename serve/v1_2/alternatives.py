"""Alternatives: healthier foods that fit a diet."""

from __future__ import annotations

from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.alternatives import Alternative
from postmeal.foods.diets.verdicts import PREFERENCES, RESTRICTIONS
from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources.alternatives import find_alternatives
from serve.runtime.offload import offload
from serve.v1_2.food_answer import ServingAnswer
from serve.v1_2.foods import FOOD_ID
from serve.v1_2.nutrients import NutrientTable, nutrient_table
from serve.v1_2.profile import PROFILE_ACCEPTS, UserProfile
from serve.v1_2.version import V1_2
from serve.wire.request_body import MOST_VALUES, Accepts, Wire
from serve.wire.responses import json_response

__all__ = ["ALTERNATIVES"]

Restriction = Literal[
    "gluten", "lactose", "yeast", "tree_nuts", "peanuts", "dairy", "eggs", "sulfites", "soy",
    "wheat", "shellfish", "fish", "mushrooms", "sesame", "msg", "caffeine", "fodmaps",
]  # fmt: skip
Preference = Literal[
    "vegetarian", "vegan", "keto", "paleo", "pescatarian", "low_carbohydrate", "high_protein",
    "kosher", "halal",
]  # fmt: skip
_ALSO_CALLED = {
    "diet_restrictions": "dietary_restrictions",
    "diet_preferences": "dietary_preferences",
}


class AlternativesRequest(Wire):
    """What must not be in an alternative, and what it must keep to."""

    diet_restrictions: list[Restriction] = Field(
        [], max_length=MOST_VALUES, description="What must not be in it."
    )
    dietary_restrictions: list[Restriction] = Field(
        [], max_length=MOST_VALUES, description="Another name of `diet_restrictions`."
    )
    diet_preferences: list[Preference] = Field(
        [], max_length=MOST_VALUES, description="What it must keep to."
    )
    dietary_preferences: list[Preference] = Field(
        [], max_length=MOST_VALUES, description="Another name of `diet_preferences`."
    )
    user_profile: UserProfile | None = Field(
        None,
        description="The person who eats: what is predicted to raise their glucose less comes"
        " earlier, and each alternative tells the predicted peak.",
    )

    @model_validator(mode="after")
    def _one_array_each(self) -> AlternativesRequest:
        """Refuse two arrays of which one would be passed over: someone may be allergic."""
        for name, other in _ALSO_CALLED.items():
            both = {name, other} <= self.model_fields_set
            if both and getattr(self, name) != getattr(self, other):
                raise InputError(other, f"must not differ from {name}")
        return self


class AlternativeAnswer(BaseModel):
    """A food to eat instead, in the recommended amount."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    name: str
    brand_name: str | None
    nutrients: NutrientTable = Field(description="Of the recommended amount.")
    servings: list[ServingAnswer] = Field(
        min_length=1,
        max_length=1,
        description="The recommended amount: `quantity` of the serving's unit, about as much as the"
        " default serving of the food that is replaced.",
    )
    predicted_peak_mg_dl: float | SkipJsonSchema[None] = Field(
        None, description="Of the recommended amount alone, at noon; only with `user_profile`."
    )


class AlternativesAnswer(BaseModel):
    """Foods to eat instead, the best match first; none where nothing is suitable."""

    model_config = ConfigDict(extra="forbid")

    alternatives: list[AlternativeAnswer]


_ACCEPTS: Accepts = {
    "diet_restrictions": RESTRICTIONS,
    "dietary_restrictions": RESTRICTIONS,
    "diet_preferences": PREFERENCES,
    "dietary_preferences": PREFERENCES,
    **PROFILE_ACCEPTS,
}


async def food_alternatives(call: Call) -> Response:
    """Find healthier foods to eat instead.

    Each is eaten as the same thing, is no less healthy by the nutrient profiling model of the
    United Kingdom (FSA and Ofcom, 2004-5), has nothing in it that is restricted and keeps to every
    preference. What is not known of a food never passes; still, read the label: traces that no
    label tells of are not known here. The list is empty where nothing is suitable.
    """
    food_id = int(cast(str, FOOD_ID.read(call.path_params)))
    body = await call.parse(AlternativesRequest, _ACCEPTS)
    return await offload(_found, call, food_id, body)


def _found(call: Call, food_id: int, body: AlternativesRequest) -> Response:
    eater = None
    if body.user_profile is not None:
        eater = call.service.predictor, body.user_profile.profile("user_profile")
    found = find_alternatives(
        call.service.foods,
        food_id,
        body.diet_restrictions or body.dietary_restrictions,
        body.diet_preferences or body.dietary_preferences,
        eater,
    )
    return json_response({"alternatives": [_alternative(one) for one in found.best]})


def _alternative(one: Alternative) -> dict[str, Any]:
    food, amount = one.food, one.selection
    answer: dict[str, Any] = {
        "id": str(food.id),
        "name": food.name,
        "brand_name": food.brand_name,
        "nutrients": nutrient_table(amount.nutrients),
        "servings": [
            {
                "id": str(amount.serving.id),
                "quantity": amount.quantity,
                "unit": amount.serving.unit,
                "scaling_factor": amount.factor,
                "weight_grams": amount.weight_g,
                "is_primary": True,
            }
        ],
    }
    if one.peak_mg_dl is not None:
        answer["predicted_peak_mg_dl"] = one.peak_mg_dl
    return answer


ALTERNATIVES = Operation(
    "POST",
    "/foods/{food_id}/alternatives",
    food_alternatives,
    version=V1_2,
    scope="foods:read",
    answer=AlternativesAnswer,
    body=AlternativesRequest,
    example={"diet_restrictions": ["gluten"], "diet_preferences": ["vegetarian"]},
    parameters=(FOOD_ID,),
    refusals=(404, 413, 415, 502, 504),
)
