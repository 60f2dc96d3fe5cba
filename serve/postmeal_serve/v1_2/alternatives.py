"""Food alternatives: healthier foods that fit a diet."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.alternatives import Alternative
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS, Preference, Restriction
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.alternatives import find_alternatives
from postmeal_serve.runtime.offload import offload
from postmeal_serve.v1_2.food_response import ServingResponse
from postmeal_serve.v1_2.foods import FOOD_ID
from postmeal_serve.v1_2.nutrients import NutrientTable, nutrient_table
from postmeal_serve.v1_2.profile import PROFILE_ACCEPTS, UserProfile
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.request_body import MOST_VALUES, Accepts, RequestModel
from postmeal_serve.wire.responses import json_response

__all__ = ["ALTERNATIVES"]

_ALIASES = {
    "diet_restrictions": "dietary_restrictions",
    "diet_preferences": "dietary_preferences",
}


class AlternativesRequest(RequestModel):
    """The diet that alternatives must fit."""

    diet_restrictions: list[Restriction] = Field(
        [], max_length=MOST_VALUES, description="Ingredients that alternatives must not contain."
    )
    dietary_restrictions: list[Restriction] = Field(
        [], max_length=MOST_VALUES, description="Alias of `diet_restrictions`."
    )
    diet_preferences: list[Preference] = Field(
        [], max_length=MOST_VALUES, description="Diets that alternatives must fit."
    )
    dietary_preferences: list[Preference] = Field(
        [], max_length=MOST_VALUES, description="Alias of `diet_preferences`."
    )
    user_profile: UserProfile | None = Field(
        None,
        description="Profile of the end user. With it, foods with a lower predicted glucose peak"
        " rank higher, and each alternative has a `predicted_peak_mg_dl`.",
    )

    @model_validator(mode="after")
    def _check_aliases(self) -> AlternativesRequest:
        """Refuse a field that differs from its alias; ignoring either could hide an allergy."""
        for name, alias in _ALIASES.items():
            both = {name, alias} <= self.model_fields_set
            if both and getattr(self, name) != getattr(self, alias):
                raise InputError(alias, f"must not differ from {name}")
        return self


class AlternativeResponse(BaseModel):
    """An alternative food with its recommended amount."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(pattern="^[1-9][0-9]{0,9}$")
    name: str
    brand_name: str | None = Field(description="Brand; null for generic foods.")
    nutrients: NutrientTable = Field(description="Nutrients in the recommended amount.")
    servings: list[ServingResponse] = Field(
        min_length=1,
        max_length=1,
        description="The recommended amount, about as much as the default serving of the replaced"
        " food; `quantity` is in the serving's unit.",
    )
    predicted_peak_mg_dl: float | SkipJsonSchema[None] = Field(
        None,
        description="Predicted glucose peak in mg/dL after eating only the recommended amount at"
        " noon; present only with `user_profile`.",
    )


class AlternativesResponse(BaseModel):
    """Alternative foods, best match first; empty if no food is suitable."""

    model_config = ConfigDict(extra="forbid")

    alternatives: list[AlternativeResponse]


_ACCEPTS: Accepts = {
    "diet_restrictions": RESTRICTIONS,
    "dietary_restrictions": RESTRICTIONS,
    "diet_preferences": PREFERENCES,
    "dietary_preferences": PREFERENCES,
    **PROFILE_ACCEPTS,
}


async def food_alternatives(call: Call) -> Response:
    """Find healthier alternatives to a food.

    Alternatives are of the same kind as the food, such as bread or soft drinks, and are at least as
    healthy according to the UK nutrient profiling model (FSA and Ofcom, 2004-5). They contain no
    restricted ingredients and fit all preferences. Foods with insufficient data are excluded.
    Always check the label, because the data can be out of date. Traces that are not declared on the
    label are not in the data either. The list is empty if no food is suitable.
    """
    food_id = int(cast(str, FOOD_ID.read(call.path_params)))
    body = await call.parse(AlternativesRequest, _ACCEPTS)
    return await offload(_find, call, food_id, body)


def _find(call: Call, food_id: int, body: AlternativesRequest) -> Response:
    person = None
    if body.user_profile is not None:
        person = call.service.predictor, body.user_profile.profile("user_profile")
    result = find_alternatives(
        call.service.foods,
        food_id,
        body.diet_restrictions or body.dietary_restrictions,
        body.diet_preferences or body.dietary_preferences,
        person,
    )
    return json_response({"alternatives": [_alternative(each) for each in result.best]})


def _alternative(alternative: Alternative) -> dict[str, Any]:
    food, amount = alternative.food, alternative.selection
    item: dict[str, Any] = {
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
    if alternative.peak_mg_dl is not None:
        item["predicted_peak_mg_dl"] = alternative.peak_mg_dl
    return item


ALTERNATIVES = Operation(
    "POST",
    "/foods/{food_id}/alternatives",
    food_alternatives,
    version=V1_2,
    scope="foods:read",
    response_model=AlternativesResponse,
    body=AlternativesRequest,
    example={"diet_restrictions": ["gluten"], "diet_preferences": ["vegetarian"]},
    parameters=(FOOD_ID,),
    refusals=(404, 413, 415, 502, 504),
)
