"""Operations on food logs, which form the diary of a user."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel
from sqlalchemy import Connection
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS
from postmeal_serve.http.call import Call
from postmeal_serve.http.food_log_list import FoodLogList
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.diary import LONGEST_NAME, Diary, FoodLog
from postmeal_serve.resources.logged_food import LoggedFood, foods_writer
from postmeal_serve.v1_1.food_item import FOOD_ACCEPTS, FoodItem
from postmeal_serve.v1_1.nutrients import LOG_KEYS, LogNutrients, nutrient_object
from postmeal_serve.v1_1.person import PARTNER_USER_ID, user_of
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.date_range import Day, Days
from postmeal_serve.wire.parameters import Parameter
from postmeal_serve.wire.request_body import NO_NUL, Accepts, RequestModel
from postmeal_serve.wire.responses import JsonResponse, json_bytes, json_response
from postmeal_serve.wire.times import utc_text

__all__ = ["FOOD_LOG_OPERATIONS"]

_START = Day(name="start", about="First day of the range, in UTC.")
_END = Day(name="end", about="Last day of the range, in UTC, inclusive.")
_LOG_ID = Parameter(name="log_id", place="path", required=True, about="ID of the food log.")
_UTC_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?Z"


class LogFoodsRequest(RequestModel):
    """The foods that were eaten, and when; omit optional fields instead of sending null."""

    foods: list[FoodItem] = Field(
        min_length=1, max_length=MAX_FOODS, description="Foods that were eaten."
    )
    timestampUtc: str = Field(
        default_factory=str,
        description="When the meal was eaten, in UTC, ending in `Z`. Defaults to the current time.",
        json_schema_extra={"pattern": f"^{_UTC_TIME}$"},
    )
    name: str = Field(
        default_factory=str,
        max_length=LONGEST_NAME,
        pattern=NO_NUL,
        description="Name of the meal, such as Breakfast.",
    )


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ConsumedServingResponse(_Answer):
    """The amount that was eaten."""

    id: int = Field(description="ID of the serving.")
    quantity: float = Field(description="Amount in the serving's unit.")


class ServingDetailsResponse(_Answer):
    """The serving as it was when the food was logged."""

    id: int
    unit: str = Field(description="Unit of the serving, such as cup or g.")
    quantity: float = Field(description='Number of units in the serving, such as 1 for "1 cup".')
    weightGrams: float | None = Field(description="Weight in grams; null if unknown.")


class LoggedFoodResponse(_Answer):
    """A food as it was when it was logged."""

    id: int
    name: str
    brandName: str | None = Field(description="Brand; null for generic foods.")
    imageUrl: str | None
    glycemicIndex: float | None = Field(
        description="Glycemic index (glucose = 100); null if unknown."
    )
    glycemicLoad: float | None = Field(
        description="Glycemic load of the amount eaten; null if unknown."
    )
    nutrients: LogNutrients = Field(description="Nutrients in the amount eaten.")
    consumedServing: ConsumedServingResponse
    servingDetails: ServingDetailsResponse


class LogResponse(_Answer):
    """A food log, which contains the foods that a user ate at one time."""

    id: str = Field(description="ID of the food log.")
    foods: list[LoggedFoodResponse]
    timestampUtc: str = Field(
        description="When the meal was eaten, in UTC.", json_schema_extra={"format": "date-time"}
    )
    name: str | None = Field(description="Name of the meal; null if it has none.")


class LogsResponse(RootModel[list[LogResponse]]):
    """Food logs, ordered by time and then by ID."""


class LogDeletedResponse(_Answer):
    """Confirmation that the user has no food log with the given ID."""

    status: Literal["deleted"]


_TIME_ACCEPTS = "must be a UTC time ending in Z, such as 2024-09-13T11:34:56Z"
_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    "timestampUtc": _TIME_ACCEPTS,
    "name": f"must be a string of at most {LONGEST_NAME} characters without NUL",
}
_EXAMPLE = {
    "foods": [{"id": 1848, "serving": {"id": 2, "quantity": 1}}],
    "timestampUtc": "2026-01-05T13:00:00Z",
    "name": "Breakfast",
}


async def log_foods(call: Call) -> Response:
    """Create a food log.

    Each `quantity` is in the serving's unit. The log stores the current names and nutrients of the
    foods, so later changes to the food database do not affect it.
    """
    user_id = user_of(call)
    body = await call.parse(LogFoodsRequest, _ACCEPTS)
    now, steady = call.service.clock.now(), call.service.clock.steady()
    fields_set = body.model_fields_set
    eaten_at = _utc_time(body.timestampUtc) if "timestampUtc" in fields_set else now
    name = body.name if "name" in fields_set else None
    choices = [item.choice() for item in body.foods]
    selections = await call.service.foods.choose(choices)
    foods = [LoggedFood.of(selection) for selection in selections]
    owner = call.caller.organization.id

    def add(connection: Connection) -> FoodLog:
        diary = Diary(connection, owner, user_id)
        call.service.allow_writing(connection, call.caller, diary.person, steady)
        return diary.add(foods, eaten_at, name, steady)

    return JsonResponse(_log(await call.service.database.write(add)))


async def list_logs(call: Call) -> Response:
    """List food logs.

    Return the user's logs from `start` to `end`, both inclusive, ordered by time and then by ID.
    """
    user_id = user_of(call)
    days = Days(_START.read(call.given), _END.read(call.given), UTC)
    owner = call.caller.organization.id

    logs = FoodLogList(call.service.database, owner, user_id, days, b"[", _log, lambda _: b"]")
    return await logs.response()


async def delete_log(call: Call) -> Response:
    """Delete a food log.

    The request succeeds even if the user has no log with this ID.
    """
    user_id, log_id = user_of(call), call.path_params["log_id"]
    owner = call.caller.organization.id

    def remove(connection: Connection) -> None:
        Diary(connection, owner, user_id).remove(log_id)

    await call.service.database.write(remove)
    return json_response({"status": "deleted"})


def _utc_time(text: str) -> datetime:
    try:
        if not re.fullmatch(_UTC_TIME, text):
            raise ValueError(text)
        return datetime.fromisoformat(text)
    except ValueError:
        raise InputError("timestampUtc", _TIME_ACCEPTS, text[:60]) from None


def _log(log: FoodLog) -> bytes:
    return b'{"id":"%s","foods":%s,"timestampUtc":"%s","name":%s}' % (
        log.id.encode(),
        _foods(log.stored_foods),
        utc_text(log.eaten_at).encode(),
        json_bytes(log.name),
    )


def _food(food: LoggedFood) -> dict[str, Any]:
    return {
        "id": food.food_id,
        "name": food.name,
        "brandName": food.brand_name,
        "imageUrl": food.image_url,
        "glycemicIndex": food.glycemic_index,
        "glycemicLoad": food.glycemic_load,
        "nutrients": nutrient_object(food.nutrients, LOG_KEYS),
        "consumedServing": {"id": food.serving_id, "quantity": food.quantity},
        "servingDetails": {
            "id": food.serving_id,
            "unit": food.unit,
            "quantity": food.serving_quantity,
            "weightGrams": food.weight_g,
        },
    }


_foods = foods_writer(_food)


FOOD_LOG_OPERATIONS = (
    Operation(
        "POST",
        "/logs/foods",
        log_foods,
        version=V1_1,
        stores=True,
        response_model=LogResponse,
        body=LogFoodsRequest,
        example=_EXAMPLE,
        parameters=(PARTNER_USER_ID,),
        refusals=(404, 406, 413),
    ),
    Operation(
        "GET",
        "/logs/foods",
        list_logs,
        version=V1_1,
        response_model=LogsResponse,
        parameters=(PARTNER_USER_ID, _START, _END),
        refusals=(406,),
    ),
    Operation(
        "DELETE",
        "/logs/foods/{log_id}",
        delete_log,
        version=V1_1,
        response_model=LogDeletedResponse,
        parameters=(PARTNER_USER_ID, _LOG_ID),
        refusals=(406,),
    ),
)
