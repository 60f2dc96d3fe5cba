"""Glucose of a trained user: the curve that their own model draws."""

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
from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources import personal_models
from serve.resources.food_choices import Foods, of_nutrients
from serve.resources.predictions import MODEL_VERSION
from serve.v1_1.food_item import FOOD_ACCEPTS, FoodItem
from serve.v1_1.glucose import TIME_ZONE, GlucosePredictAnswer, answer, zone_of
from serve.v1_1.nutrients import READ_KEYS, read_nutrients
from serve.v1_1.version import V1_1
from serve.wire.errors import Refusal
from serve.wire.person_header import PersonHeader
from serve.wire.request_body import Accepts, Wire
from serve.wire.times import ISO_8601, local_time
from serve.wire.unparsed_body import RequestBody

__all__ = ["USER_GLUCOSE_OPERATIONS"]

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class _UuidHeader(PersonHeader):
    """A header that names a registered user by the UUID that the service gave."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        return {"type": "string", "format": "uuid", "pattern": f"^{_UUID.pattern}$"}

    def read(self, headers: Headers) -> str:
        """Answer the UUID.

        Raises
        ------
        InputError
            It is missing, or no UUID.
        """
        given = super().read(headers) or ""
        if not _UUID.fullmatch(given):
            raise InputError(
                self.name, "must be the UUID that POST /v1.1/user answered", given[:60]
            )
        return given


_USER_ID = _UuidHeader(
    name="x-partner-user-id",
    place="header",
    required=True,
    longest=128,
    about="UUID of a registered user; the partner's own id is not taken here.",
)
_AMOUNTS: dict[str, Any] = {
    "type": "object",
    "properties": {key: {"type": "number", "minimum": 0, "maximum": 1e6} for key in READ_KEYS},
    "anyOf": [{"required": [key]} for key in READ_KEYS],
}


class UserGlucosePredictRequest(Wire):
    """What is eaten, and when; `foods` or `nutrients`."""

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
        description="ISO 8601 time of the first bite; without an offset it is local time in the"
        " zone of `x-partner-timezone`. Now when omitted.",
        json_schema_extra={"pattern": f"^{ISO_8601}$"},
    )
    foods: list[FoodItem] = Field(
        default_factory=list, min_length=1, max_length=MAX_FOODS, description="What is eaten."
    )
    nutrients: Any = Field(
        default_factory=dict,
        description="Used where `foods` is left out: an object with at least one of"
        f" {', '.join(READ_KEYS)}. Grams, but `energy` in kcal, `sodium` in mg and `vit_a_iu` in"
        " IU; zero or more. `carbohydrate` decides the curve: left out, it is taken as `sugars` and"
        " `fiber`, `protein` and `fat_total_lipid` as none.",
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
    """Predict glucose after a meal of a trained user.

    From the stored profile and the model that training stored. Where that was no better than the
    population on days that were left out, the population's curve is answered, and
    `X-Model-Version` says so. A user who was not trained is refused with 400, and so is one who was
    trained on a model that is served no more; a stored model that cannot be read is 503, never
    passed over.
    """
    zone = zone_of(call)
    given = _USER_ID.read(call.headers)
    body = await call.read(_read)
    if "startTime" in body.model_fields_set:
        time = local_time(body.startTime, zone, "startTime")
    else:
        time = call.service.clock.now().astimezone(zone)
    meal = Meal(await _eaten(body, call.service.foods), time)
    owner = call.caller.organization.id
    trained = await call.service.database.read(personal_models.find, owner, given)
    if trained is None:
        raise Refusal("not_found", f"no user has the id in {_USER_ID.name}")
    if trained.model is None:
        message = "this user was not trained yet: POST /v1.1/user/training comes first"
        raise Refusal("invalid_request", message, field=_USER_ID.name)
    profile = Profile.imperial(**trained.person.profile)
    predictor = call.service.predictor_for(trained.model.base)
    return answer(predictor.predict(profile, meal, personal=trained.model), own=True)


def _read(body: RequestBody) -> UserGlucosePredictRequest:
    """Parse the body; of its nutrients, which may be large, only known ones are kept."""
    sent = body.parse(UserGlucosePredictRequest, _ACCEPTS)
    if "nutrients" not in sent.model_fields_set:
        return sent
    given, known = sent.nutrients, None
    if isinstance(given, dict):
        known = {name: amount for name, amount in given.items() if name in READ_KEYS}
    return sent.model_copy(update={"nutrients": known})


async def _eaten(body: UserGlucosePredictRequest, foods: Foods) -> tuple[Selection, ...]:
    if body.foods:
        return await foods.choose([food.choice() for food in body.foods])
    if "nutrients" not in body.model_fields_set:
        raise InputError("foods", "is required where there are no nutrients")
    if not isinstance(body.nutrients, dict):
        raise InputError("nutrients", "must be an object of amounts", allowed=READ_KEYS)
    return (of_nutrients(read_nutrients(body.nutrients)),)


USER_GLUCOSE_OPERATIONS = (
    Operation(
        "POST",
        "/cgm/user-glucose-predict",
        user_glucose_predict,
        version=V1_1,
        answer=GlucosePredictAnswer,
        body=UserGlucosePredictRequest,
        example=_EXAMPLE,
        parameters=(_USER_ID, TIME_ZONE),
        refusals=(404, 406, 413),
        headers=MODEL_VERSION,
    ),
)
