"""Food logs: an end user's diary."""

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
from serve.http.call import Call
from serve.http.cursor import CURSOR, cursor_at, position_of
from serve.http.food_log_list import FoodLogList
from serve.http.operation import Operation
from serve.resources.diary import LONGEST_NAME, Diary, FoodLog, Position
from serve.resources.idempotency import FORGOTTEN_AFTER, REPLAYED, Claim, claim
from serve.resources.logged_food import LoggedFood
from serve.resources.users import one_person
from serve.v1_2.food_item import FOOD_ACCEPTS, FoodItem
from serve.v1_2.food_log_answer import FoodLogAnswer, FoodLogPage, food_log
from serve.v1_2.person import END_USER_ID, end_user
from serve.v1_2.version import V1_2
from serve.wire.date_range import Day, Days
from serve.wire.errors import Refusal
from serve.wire.parameters import OptionalInteger, Parameter, Text
from serve.wire.request_body import Accepts, Wire
from serve.wire.responses import JsonResponse, json_bytes
from serve.wire.times import ISO_8601, instant

__all__ = ["FOOD_LOG_OPERATIONS"]

_START = Day(name="start", about="The first day.")
_END = Day(name="end", about="The last day, included.")
_TIME_ZONE = Text(
    name="timezone",
    about="IANA time zone whose days are meant, such as America/New_York; UTC when omitted.",
)
_LIMIT = OptionalInteger(
    name="limit", about="Logs on a page; all of them when omitted.", least=1, most=1000
)
_IDEMPOTENCY_KEY = Text(
    name="Idempotency-Key",
    place="header",
    pattern="[!-~]{1,255}",
    form="1 to 255 visible ASCII characters",
    about="A request that is repeated with the same key within"
    f" {FORGOTTEN_AFTER // timedelta(hours=1)} hours is done once, and gets the first answer"
    " again.",
)
_LOG_ID = Parameter(name="log_id", place="path", required=True, about="The log's id.")
_NO_NUL = r"^[^\u0000]*$"
_TIME_PATTERN: dict[str, Any] = {"pattern": f"^{ISO_8601}$"}
_TIME_NAMES = ("timestamp_utc", "eaten_at")
_OTHER_NAME = "Another name of `timestamp_utc`."


class FoodLogRequest(Wire):
    """What was eaten, and when."""

    foods: list[FoodItem] = Field(min_length=1, max_length=MAX_FOODS)
    timestamp_utc: str | None = Field(
        None,
        description="ISO 8601 time with Z or an offset; now when omitted.",
        json_schema_extra=_TIME_PATTERN,
    )
    eaten_at: str | None = Field(None, description=_OTHER_NAME, json_schema_extra=_TIME_PATTERN)
    name: str | None = Field(
        None, max_length=LONGEST_NAME, pattern=_NO_NUL, description="What the meal is called."
    )


class FoodLogChange(Wire):
    """What to change; a field that is left out stays as it is."""

    foods: list[FoodItem] = Field(default_factory=list, min_length=1, max_length=MAX_FOODS)
    timestamp_utc: str = Field(
        default_factory=str,
        description="ISO 8601 time with Z or an offset.",
        json_schema_extra=_TIME_PATTERN,
    )
    eaten_at: str = Field(
        default_factory=str, description=_OTHER_NAME, json_schema_extra=_TIME_PATTERN
    )
    name: str | None = Field(
        None, max_length=LONGEST_NAME, pattern=_NO_NUL, description="null takes the name away."
    )


_TIME_ACCEPTS = "must be an ISO 8601 time with Z or an offset, such as 2026-01-05T13:00:00Z"
_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    "timestamp_utc": _TIME_ACCEPTS,
    "eaten_at": _TIME_ACCEPTS,
    "name": f"must be text of at most {LONGEST_NAME} characters, without NUL",
}
_EXAMPLE = {
    "foods": [{"id": "1848", "serving": {"id": "2"}, "quantity": 1}],
    "timestamp_utc": "2026-01-05T13:00:00Z",
    "name": "Breakfast",
}


_OF_THE_SAME = {
    "path.log_id": "$response.body#/id",
    "header.Service-End-User-ID": "$request.header.Service-End-User-ID",
}


async def create_food_log(call: Call) -> Response:
    """Log what an end user ate.

    A `quantity` counts in the serving's unit. The log keeps names and nutrients as they are known
    now. With an `Idempotency-Key`, a request that is sent again is done once and gets the first
    answer again; the key is refused for another request, and while the first is in flight. Once
    the log was deleted, the answer is 404: a late repetition does not bring it back.
    """
    person = end_user(call)
    key = _IDEMPOTENCY_KEY.read(call.headers)
    body = await call.parse(FoodLogRequest, _ACCEPTS)
    owner, database = call.caller.organization.id, call.service.database
    now, steady = call.service.clock.now(), call.service.clock.steady()
    told = _eaten_at(body)
    choices = [item.choice() for item in body.foods]
    foods = _logged(await call.service.foods.choose(choices))
    held: Claim | None = None
    if key is not None:
        asked = hashlib.sha256(json_bytes((choices, told, body.name))).digest()
        found = await database.write(_claim, call, person, key, asked, steady)
        if isinstance(found, bytes):
            return _created(found, dict.fromkeys(REPLAYED, "true"))
        held = found

    def add(connection: Connection) -> bytes:
        diary = Diary(connection, owner, person)
        call.service.allow_writing(connection, call.caller, diary.person, steady)
        log = diary.add(foods, told or now, body.name, steady)
        content = food_log(log)
        if held is not None:
            held.complete(connection, content, log.id)
        return content

    return _created(await database.write(add), {})


async def list_food_logs(call: Call) -> Response:
    """List what an end user ate from one day to another.

    Both days are included. The logs are ordered by time, then by id. Without `limit`, all of them
    are sent, however many there are. With it, `next_cursor` is present while more follow; sent as
    `cursor` with the same person, days and time zone, it continues after the last log of the page.
    A log that is there while the pages are read is on one of them; one that is added, removed or
    moved to another time meanwhile may be missing or, if moved, be on two.
    """
    person = end_user(call)
    start, end = _START.read(call.given), _END.read(call.given)
    zone_name = _TIME_ZONE.read(call.given)
    days = Days(start, end, UTC if zone_name is None else zone_named(zone_name, "timezone"))
    limit, cursor = _LIMIT.number(call.given), CURSOR.read(call.given)
    owner = call.caller.organization.id
    request = (str(owner), person, str(start), str(end), zone_name or "UTC")
    after = None if cursor is None else position_of(cursor, request)

    def closing(last: Position | None) -> bytes:
        if last is None:
            return b"]}"
        return b'],"next_cursor":"%s"}' % cursor_at(last, request).encode()

    database = call.service.database
    logs = FoodLogList(database, owner, person, days, b'{"items":[', food_log, closing)
    return await logs.response(after, limit)


async def read_food_log(call: Call) -> Response:
    """Read one log."""
    person, log_id = end_user(call), call.path_params["log_id"]
    owner = call.caller.organization.id

    def found(connection: Connection) -> FoodLog | None:
        return Diary(connection, owner, person).find(log_id)

    return _answer(await call.service.database.read(found))


async def change_food_log(call: Call) -> Response:
    """Change a log.

    What is left out stays as it is; `name` may be null, which takes the name away.
    """
    person, log_id = end_user(call), call.path_params["log_id"]
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

    def changed(connection: Connection) -> FoodLog | None:
        diary = Diary(connection, owner, person)
        call.service.allow_writing(connection, call.caller, diary.person, steady)
        return diary.change(log_id, changes)

    return _answer(await call.service.database.write(changed))


async def delete_food_log(call: Call) -> Response:
    """Delete a log.

    The answer is the same where the end user has no such log.
    """
    person, log_id = end_user(call), call.path_params["log_id"]
    owner = call.caller.organization.id

    def removed(connection: Connection) -> None:
        Diary(connection, owner, person).remove(log_id)

    await call.service.database.write(removed)
    return Response(status_code=204)


def _logged(selections: Iterable[Selection]) -> list[LoggedFood]:
    return [LoggedFood.of(selection) for selection in selections]


def _eaten_at(body: FoodLogRequest | FoodLogChange) -> datetime | None:
    """Answer when it was eaten, under whichever name it was sent; None where it was not."""
    sent = {name: getattr(body, name) for name in _TIME_NAMES if name in body.model_fields_set}
    told = {instant(text, name) for name, text in sent.items() if text is not None}
    if len(told) > 1:
        raise InputError("eaten_at", "must not differ from timestamp_utc")
    return told.pop() if told else None


def _claim(
    connection: Connection, call: Call, given: str, key: str, asked: bytes, steady: datetime
) -> Claim | bytes:
    owner = call.caller.organization.id
    person = one_person(connection, owner, given)
    call.service.allow_writing(connection, call.caller, person, steady)
    return claim(connection, owner, person, key, asked, steady)


def _created(content: bytes, headers: Mapping[str, str]) -> Response:
    log_id = json.loads(content)["id"]
    return JsonResponse(content, 201, {"Location": f"/v1.2/food-logs/{log_id}", **headers})


def _answer(log: FoodLog | None) -> Response:
    if log is None:
        raise Refusal("not_found", "this end user has no food log with this id")
    return JsonResponse(food_log(log))


FOOD_LOG_OPERATIONS = (
    Operation(
        "POST",
        "/food-logs",
        create_food_log,
        version=V1_2,
        scope="food_logs:write",
        status_code=201,
        answer=FoodLogAnswer,
        body=FoodLogRequest,
        example=_EXAMPLE,
        parameters=(END_USER_ID, _IDEMPOTENCY_KEY),
        headers={"Location": "Path of the new log.", **REPLAYED},
        refusals=(404, 409, 413, 415, 422, 504),
        links=dict.fromkeys(
            ("v1_2_read_food_log", "v1_2_change_food_log", "v1_2_delete_food_log"), _OF_THE_SAME
        ),
    ),
    Operation(
        "GET",
        "/food-logs",
        list_food_logs,
        version=V1_2,
        scope="food_logs:read",
        answer=FoodLogPage,
        parameters=(END_USER_ID, _START, _END, _TIME_ZONE, _LIMIT, CURSOR),
    ),
    Operation(
        "GET",
        "/food-logs/{log_id}",
        read_food_log,
        version=V1_2,
        scope="food_logs:read",
        answer=FoodLogAnswer,
        parameters=(END_USER_ID, _LOG_ID),
        refusals=(404,),
    ),
    Operation(
        "PATCH",
        "/food-logs/{log_id}",
        change_food_log,
        version=V1_2,
        scope="food_logs:write",
        answer=FoodLogAnswer,
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
        answer=None,
        parameters=(END_USER_ID, _LOG_ID),
    ),
)
