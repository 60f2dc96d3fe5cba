"""Glucose predictions with the stored model of a trained user."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pydantic import ConfigDict, Field
from starlette.datastructures import Headers
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS, Meal, Selection
from postmeal.people import Profile
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources import personal_models
from postmeal_serve.resources.food_choices import Foods, selection_of_nutrients
from postmeal_serve.resources.model_version import MODEL_VERSION
from postmeal_serve.resources.previous_meals import hours_since_diary_meal
from postmeal_serve.v1_1.food_item import FOOD_ACCEPTS, FoodItem
from postmeal_serve.v1_1.glucose import (
    TIME_ZONE,
    GlucosePredictResponse,
    prediction_response,
    zone_of,
)
from postmeal_serve.v1_1.nutrients import READ_KEYS, read_nutrients
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.person_header import PersonHeader
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.times import ISO_8601, local_time
from postmeal_serve.wire.unparsed_body import RequestBody

__all__ = ["USER_GLUCOSE_OPERATIONS"]

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class _UuidHeader(PersonHeader):
    """A header with the UUID of a registered user."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the value."""
        return {"type": "string", "format": "uuid", "pattern": f"^{_UUID.pattern}$"}

    def read(self, headers: Headers) -> str:
        """Return the UUID in the header."""
        user_id = super().read(headers) or ""
        if not _UUID.fullmatch(user_id):
            raise InputError(
                self.name, "must be the UUID returned by POST /v1.1/user", user_id[:60]
            )
        return user_id


_USER_ID = _UuidHeader(
    name="x-partner-user-id",
    place="header",
    required=True,
    longest=128,
    about="UUID of a registered user. Your own ID for the user is not accepted.",
)
_AMOUNTS: dict[str, Any] = {
    "type": "object",
    "properties": {key: {"type": "number", "minimum": 0, "maximum": 1e6} for key in READ_KEYS},
    "anyOf": [{"required": [key]} for key in READ_KEYS],
}


class UserGlucosePredictRequest(RequestModel):
    """The meal, as `foods` or `nutrients`, and its start."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["foods"]},
                {"required": ["nutrients"], "properties": {"nutrients": _AMOUNTS}},
            ]
        }
    )

    startTime: str = Field(
        default_factory=str,
        description="Start of the meal in ISO 8601. Without an offset, it is local time in the zone"
        " of `x-partner-timezone`. Defaults to the current time.",
        json_schema_extra={"pattern": f"^{ISO_8601}$"},
    )
    foods: list[FoodItem] = Field(
        default_factory=list, min_length=1, max_length=MAX_FOODS, description="Foods of the meal."
    )
    nutrients: Any = Field(
        default_factory=dict,
        description="Nutrients of the meal, used only if `foods` is omitted: an object with at"
        f" least one of {', '.join(READ_KEYS)}. Amounts are in g, except `energy` in kcal, `sodium`"
        " in mg and `vit_a_iu` in IU. `carbohydrate` matters most; if omitted, it is the sum of"
        " `sugars` and `fiber`. `protein` and `fat_total_lipid` default to 0.",
    )


_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    "startTime": "must be an ISO 8601 date and time, such as 2026-01-05T08:00:00",
}
_EXAMPLE = {
    "foods": [{"id": 1848, "serving": {"id": 2, "quantity": 1}}],
    "startTime": "2026-01-05T08:00:00",
}


async def user_glucose_predict(call: Call) -> Response:
    """Predict glucose after a meal for a trained user.

    The prediction uses the stored profile and the user's personal model. If the personal model was
    not more accurate than the population model on held-out days, the population model is used and
    reported in `X-Model-Version`. If your agreement includes this option, the prediction also takes
    into account the last meal in the food logs from the six hours before the start.

    The response is 400 if the user has not been trained, or if the population model used in
    training has been retired. It is 503 if the stored model cannot be read. In each of these cases,
    train the user to resolve the error.
    """
    zone = zone_of(call)
    user_id = _USER_ID.read(call.headers)
    body = await call.read(_read)
    if "startTime" in body.model_fields_set:
        time = local_time(body.startTime, zone, "startTime")
    else:
        time = call.service.clock.now().astimezone(zone)
    meal = Meal(await _selections(body, call.service.foods), time)
    owner = call.caller.organization.id
    trained = await call.service.database.read(personal_models.find, owner, user_id)
    if trained is None:
        raise Refusal(
            "not_found",
            f"no registered user has the ID in the header {_USER_ID.name}; register the user with"
            " POST /v1.1/user",
        )
    if trained.model is None:
        message = "this user has not been trained; call POST /v1.1/user/training first"
        raise Refusal("invalid_request", message, field=_USER_ID.name)
    profile = Profile.imperial(**trained.user.profile)
    since_meal_h = None
    if call.caller.organization.diary_meals:
        read = call.service.database.read
        since_meal_h = await read(hours_since_diary_meal, owner, user_id, time)
    predictor = call.service.predictor_for(trained.model.base)
    prediction = predictor.predict(profile, meal, personal=trained.model, since_meal_h=since_meal_h)
    return prediction_response(prediction)


def _read(body: RequestBody) -> UserGlucosePredictRequest:
    """Parse the body and drop unknown nutrients, of which there may be many."""
    parsed = body.parse(UserGlucosePredictRequest, _ACCEPTS)
    if "nutrients" not in parsed.model_fields_set:
        return parsed
    nutrients, known = parsed.nutrients, None
    if isinstance(nutrients, dict):
        known = {name: amount for name, amount in nutrients.items() if name in READ_KEYS}
    return parsed.model_copy(update={"nutrients": known})


async def _selections(body: UserGlucosePredictRequest, foods: Foods) -> tuple[Selection, ...]:
    if body.foods:
        return await foods.choose([food.choice() for food in body.foods])
    if "nutrients" not in body.model_fields_set:
        raise InputError("foods", "is required if nutrients is omitted")
    if not isinstance(body.nutrients, dict):
        problem = "must be an object with at least one of the keys"
        raise InputError("nutrients", problem, allowed=READ_KEYS)
    return (selection_of_nutrients(read_nutrients(body.nutrients)),)


USER_GLUCOSE_OPERATIONS = (
    Operation(
        "POST",
        "/cgm/user-glucose-predict",
        user_glucose_predict,
        version=V1_1,
        response_model=GlucosePredictResponse,
        body=UserGlucosePredictRequest,
        example=_EXAMPLE,
        parameters=(_USER_ID, TIME_ZONE),
        refusals=(404, 406, 413),
        headers=MODEL_VERSION,
    ),
)
