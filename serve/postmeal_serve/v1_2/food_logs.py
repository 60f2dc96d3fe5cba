"""Operations on food logs, which form the diary of an end user."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import Field
from sqlalchemy import Connection
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS, Selection
from postmeal.glucose.history.wall_clock import zone_named
from postmeal_serve.http.call import Call
from postmeal_serve.http.cursor import CURSOR, cursor_at, position_of
from postmeal_serve.http.food_log_list import FoodLogList
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.diary import LONGEST_NAME, Diary, FoodLog, Position
from postmeal_serve.resources.idempotency import KEY_HEADER, KEY_LIFETIME, REPLAYED, Claim, claim
from postmeal_serve.resources.logged_food import LoggedFood
from postmeal_serve.resources.users import stored_user_id
from postmeal_serve.v1_2.food_item import FOOD_ACCEPTS, FoodItem
from postmeal_serve.v1_2.food_log_response import FoodLogPage, FoodLogResponse, food_log
from postmeal_serve.v1_2.person import END_USER_ID, end_user
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.date_range import Day, Days
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.parameters import OptionalInteger, Parameter, Text
from postmeal_serve.wire.request_body import NO_NUL, Accepts, RequestModel
from postmeal_serve.wire.responses import JsonResponse, json_bytes
from postmeal_serve.wire.times import ISO_8601, instant

__all__ = ["FOOD_LOG_OPERATIONS"]

_START = Day(name="start", about="First day of the range.")
_END = Day(name="end", about="Last day of the range, inclusive.")
_TIME_ZONE = Text(
    name="timezone",
    about="IANA time zone of `start` and `end`, such as America/New_York. Default: UTC.",
)
_LIMIT = OptionalInteger(
    name="limit",
    about="Maximum number of logs per page. If omitted, all logs are returned.",
    least=1,
    most=1000,
)
_IDEMPOTENCY_KEY = Text(
    name=KEY_HEADER,
    place="header",
    pattern="[!-~]{1,255}",
    form="1 to 255 visible ASCII characters",
    about="Unique key of this request, such as a UUID. Repeating the request with the same key"
    f" within {KEY_LIFETIME // timedelta(hours=1)} hours does not create a second log and returns"
    " the first response again.",
)
_LOG_ID = Parameter(name="log_id", place="path", required=True, about="ID of the food log.")
_TIME_PATTERN: dict[str, Any] = {"pattern": f"^{ISO_8601}$"}
_TIME_NAMES = ("timestamp_utc", "eaten_at")
_ALIAS = "Alias of `timestamp_utc`."


class FoodLogRequest(RequestModel):
    """The foods that were eaten, and when."""

    foods: list[FoodItem] = Field(
        min_length=1, max_length=MAX_FOODS, description="Foods that were eaten."
    )
    timestamp_utc: str | None = Field(
        None,
        description="When the meal was eaten: ISO 8601 with `Z` or an offset. Defaults to the"
        " current time.",
        json_schema_extra=_TIME_PATTERN,
    )
    eaten_at: str | None = Field(None, description=_ALIAS, json_schema_extra=_TIME_PATTERN)
    name: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        pattern=NO_NUL,
        description="Name of the meal, such as Breakfast.",
    )


class FoodLogChange(RequestModel):
    """The fields to change; omitted fields keep their values."""

    foods: list[FoodItem] = Field(
        default_factory=list,
        min_length=1,
        max_length=MAX_FOODS,
        description="Foods that replace all foods of the log.",
    )
    timestamp_utc: str = Field(
        default_factory=str,
        description="When the meal was eaten: ISO 8601 with `Z` or an offset.",
        json_schema_extra=_TIME_PATTERN,
    )
    eaten_at: str = Field(default_factory=str, description=_ALIAS, json_schema_extra=_TIME_PATTERN)
    name: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        pattern=NO_NUL,
        description="Name of the meal; null removes it.",
    )


_TIME_ACCEPTS = "must be an ISO 8601 time with Z or an offset, such as 2026-01-05T13:00:00Z"
_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    "timestamp_utc": _TIME_ACCEPTS,
    "eaten_at": _TIME_ACCEPTS,
    "name": f"must be a string of at most {LONGEST_NAME} characters without NUL",
}
_EXAMPLE = {
    "foods": [{"id": "1848", "serving": {"id": "2"}, "quantity": 1}],
    "timestamp_utc": "2026-01-05T13:00:00Z",
    "name": "Breakfast",
}


_LOG_LINK = {
    "path.log_id": "$response.body#/id",
    "header.Service-End-User-ID": "$request.header.Service-End-User-ID",
}


async def create_food_log(call: Call) -> Response:
    """Create a food log.

    Each `quantity` is in the serving's unit. The log stores the current names and nutrients of the
    foods, so later changes to the food database do not affect it.

    With an `Idempotency-Key`, repeating a request does not create a second log and returns the
    first response again. Using the key for a different request returns 422. Repeating the request
    while the first is still in progress returns 409. If the log has since been deleted, the
    response is 404, and the log is not created again.
    """
    end_user_id = end_user(call)
    key = _IDEMPOTENCY_KEY.read(call.headers)
    body = await call.parse(FoodLogRequest, _ACCEPTS)
    owner, database = call.caller.organization.id, call.service.database
    now, steady = call.service.clock.now(), call.service.clock.steady()
    eaten_at = _eaten_at(body)
    choices = [item.choice() for item in body.foods]
    foods = _logged(await call.service.foods.choose(choices))
    own_claim: Claim | None = None
    if key is not None:
        request_sha256 = hashlib.sha256(json_bytes((choices, eaten_at, body.name))).digest()
        result = await database.write(_claim, call, end_user_id, key, request_sha256, steady)
        if isinstance(result, bytes):
            return _created(result, dict.fromkeys(REPLAYED, "true"))
        own_claim = result

    def add(connection: Connection) -> bytes:
        diary = Diary(connection, owner, end_user_id)
        call.service.allow_writing(connection, call.caller, diary.person, steady)
        log = diary.add(foods, eaten_at or now, body.name, steady)
        content = food_log(log)
        if own_claim is not None:
            own_claim.complete(connection, content, log.id)
        return content

    return _created(await database.write(add), {})


async def list_food_logs(call: Call) -> Response:
    """List food logs.

    Return the end user's logs from `start` to `end`, both inclusive, ordered by time and then by
    ID. Without `limit`, the response contains all of them.

    With `limit`, the response contains a `next_cursor` as long as more logs follow. To get the next
    page, repeat the request with this value as `cursor`, for the same end user, days and time zone.
    Logs that are added, deleted or moved to another time while you read the pages may be missing;
    moved logs may also appear twice.
    """
    end_user_id = end_user(call)
    start, end = _START.read(call.given), _END.read(call.given)
    zone_name = _TIME_ZONE.read(call.given)
    days = Days(start, end, UTC if zone_name is None else zone_named(zone_name, "timezone"))
    limit, cursor = _LIMIT.number(call.given), CURSOR.read(call.given)
    owner = call.caller.organization.id
    request = (str(owner), end_user_id, str(start), str(end), zone_name or "UTC")
    after = None if cursor is None else position_of(cursor, request)

    def closing(last: Position | None) -> bytes:
        if last is None:
            return b"]}"
        return b'],"next_cursor":"%s"}' % cursor_at(last, request).encode()

    database = call.service.database
    logs = FoodLogList(database, owner, end_user_id, days, b'{"items":[', food_log, closing)
    return await logs.response(after, limit)


async def read_food_log(call: Call) -> Response:
    """Get a food log."""
    end_user_id, log_id = end_user(call), call.path_params["log_id"]
    owner = call.caller.organization.id

    def find(connection: Connection) -> FoodLog | None:
        return Diary(connection, owner, end_user_id).find(log_id)

    return _response(await call.service.database.read(find))


async def change_food_log(call: Call) -> Response:
    """Update a food log.

    Omitted fields keep their values. Set `name` to null to remove it.
    """
    end_user_id, log_id = end_user(call), call.path_params["log_id"]
    body = await call.parse(FoodLogChange, _ACCEPTS)
    owner, steady = call.caller.organization.id, call.service.clock.steady()
    changes: dict[str, Any] = {}
    if "foods" in body.model_fields_set:
        choices = [item.choice() for item in body.foods]
        changes["foods"] = _logged(await call.service.foods.choose(choices))
    if (eaten_at := _eaten_at(body)) is not None:
        changes["eaten_at"] = eaten_at
    if "name" in body.model_fields_set:
        changes["name"] = body.name

    def change(connection: Connection) -> FoodLog | None:
        diary = Diary(connection, owner, end_user_id)
        call.service.allow_writing(connection, call.caller, diary.person, steady)
        return diary.change(log_id, changes)

    return _response(await call.service.database.write(change))


async def delete_food_log(call: Call) -> Response:
    """Delete a food log.

    The response is 204 even if the end user has no log with this ID.
    """
    end_user_id, log_id = end_user(call), call.path_params["log_id"]
    owner = call.caller.organization.id

    def remove(connection: Connection) -> None:
        Diary(connection, owner, end_user_id).remove(log_id)

    await call.service.database.write(remove)
    return Response(status_code=204)


def _logged(selections: Iterable[Selection]) -> list[LoggedFood]:
    return [LoggedFood.of(selection) for selection in selections]


def _eaten_at(body: FoodLogRequest | FoodLogChange) -> datetime | None:
    """Return the time of the meal from `timestamp_utc` or its alias; None if both are missing."""
    texts = {name: getattr(body, name) for name in _TIME_NAMES if name in body.model_fields_set}
    times = {instant(text, name) for name, text in texts.items() if text is not None}
    if len(times) > 1:
        raise InputError("eaten_at", "must not differ from timestamp_utc")
    return times.pop() if times else None


def _claim(
    connection: Connection,
    call: Call,
    end_user_id: str,
    key: str,
    request_sha256: bytes,
    steady: datetime,
) -> Claim | bytes:
    owner = call.caller.organization.id
    person = stored_user_id(connection, owner, end_user_id)
    call.service.allow_writing(connection, call.caller, person, steady)
    return claim(connection, owner, person, key, request_sha256, steady)


def _created(content: bytes, headers: Mapping[str, str]) -> Response:
    log_id = json.loads(content)["id"]
    return JsonResponse(content, 201, {"Location": f"/v1.2/food-logs/{log_id}", **headers})


def _response(log: FoodLog | None) -> Response:
    if log is None:
        raise Refusal(
            "not_found",
            "this end user has no food log with this ID; list the food logs to find the ID",
        )
    return JsonResponse(food_log(log))


FOOD_LOG_OPERATIONS = (
    Operation(
        "POST",
        "/food-logs",
        create_food_log,
        version=V1_2,
        stores=True,
        scope="food_logs:write",
        status_code=201,
        response_model=FoodLogResponse,
        body=FoodLogRequest,
        example=_EXAMPLE,
        parameters=(END_USER_ID, _IDEMPOTENCY_KEY),
        headers={"Location": "Path of the created log.", **REPLAYED},
        refusals=(404, 409, 413, 415, 422, 504),
        links=dict.fromkeys(
            ("v1_2_read_food_log", "v1_2_change_food_log", "v1_2_delete_food_log"), _LOG_LINK
        ),
    ),
    Operation(
        "GET",
        "/food-logs",
        list_food_logs,
        version=V1_2,
        scope="food_logs:read",
        response_model=FoodLogPage,
        parameters=(END_USER_ID, _START, _END, _TIME_ZONE, _LIMIT, CURSOR),
    ),
    Operation(
        "GET",
        "/food-logs/{log_id}",
        read_food_log,
        version=V1_2,
        scope="food_logs:read",
        response_model=FoodLogResponse,
        parameters=(END_USER_ID, _LOG_ID),
        refusals=(404,),
    ),
    Operation(
        "PATCH",
        "/food-logs/{log_id}",
        change_food_log,
        version=V1_2,
        scope="food_logs:write",
        response_model=FoodLogResponse,
        body=FoodLogChange,
        example=_EXAMPLE,
        parameters=(END_USER_ID, _LOG_ID),
        refusals=(404, 413, 415, 504),
    ),
    Operation(
        "DELETE",
        "/food-logs/{log_id}",
        delete_food_log,
        version=V1_2,
        scope="food_logs:write",
        status_code=204,
        response_model=None,
        parameters=(END_USER_ID, _LOG_ID),
    ),
)
