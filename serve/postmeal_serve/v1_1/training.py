"""Training of personal models on users' CGM readings and meals."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.training_days import TRAINING_DAYS_REQUIRED, require_training_days
from postmeal.glucose.history.wall_clock import zone_named
from postmeal.glucose.personal.model import PersonalModel
from postmeal.people import Profile
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources import personal_models, users
from postmeal_serve.resources.cgm_history import (
    MOST_CONSUMED_FOODS,
    MOST_READINGS,
    History,
    Readings,
    read_meal_history,
    read_trace,
)
from postmeal_serve.resources.food_choices import Foods
from postmeal_serve.resources.local_clock import local_history
from postmeal_serve.resources.personal_models import HistoryFields
from postmeal_serve.resources.users import User
from postmeal_serve.runtime.offload import offload
from postmeal_serve.v1_1.consumed_food import CONSUMED_ACCEPTS, ConsumedFood
from postmeal_serve.v1_1.food_item import FOOD_ACCEPTS
from postmeal_serve.v1_1.glucose import TIME_ZONE
from postmeal_serve.v1_1.person import PARTNER_USER_ID, user_of
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.response_warnings import WARNINGS, WarningCode, warning_header
from postmeal_serve.wire.responses import json_response
from postmeal_serve.wire.unparsed_body import RequestBody

__all__ = ["TRAINING_OPERATIONS"]

_TIME_ZONE = replace(
    TIME_ZONE,
    required=False,
    about="IANA time zone of the user, which determines days and hours. If omitted, the offset of"
    " each timestamp determines them; `Z` and `+00:00` do not state local time.",
)


class TrainingRequest(RequestModel):
    """A CGM history and the foods eaten during it."""

    cgm_data: Readings = Field(
        description=f"At most {MOST_READINGS:,} CGM readings in any order. {TRAINING_DAYS_REQUIRED}"
    )
    consumed_foods: list[ConsumedFood] = Field(
        max_length=MOST_CONSUMED_FOODS,
        description="Foods eaten during the period of `cgm_data`.",
    )


class TrainingResponse(BaseModel):
    """The complete days of the CGM history."""

    model_config = ConfigDict(extra="forbid")

    good_days: list[str] = Field(
        min_length=5,
        description="Complete days in ascending order. Only the latest 90 are used for training.",
        json_schema_extra={"items": {"type": "string", "format": "date"}},
    )


_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    **CONSUMED_ACCEPTS,
    "cgm_data": "must be an array of objects {timestamp, value}",
}
_FIELDS = HistoryFields("cgm_data", "consumed_foods")
_EXAMPLE = {
    "cgm_data": [
        {"timestamp": "2026-01-05T08:00:00-05:00", "value": 98},
        {"timestamp": "2026-01-05T08:15:00-05:00", "value": 112},
        {"timestamp": "2026-01-05T08:30:00-05:00", "value": 131},
    ],
    "consumed_foods": [
        {
            "timestamp": "2026-01-05T08:00:00-05:00",
            "id": 1848,
            "serving": {"id": 2, "quantity": 1},
        },
    ],
}


async def train_user(call: Call) -> Response:
    """Train a personal model for a user.

    The model is fitted to the complete days of the history and replaces any earlier model. If there
    are fewer than five complete days, the response is 400. If the history cannot be modeled, for
    example because the readings never change, the response is 422. A failed request or a later
    change to the profile does not affect the stored model.

    Days and hours are those of the time zone in `x-partner-timezone`. If it is omitted, they have
    the offset of each timestamp, and timestamps in `Z` get the offset of the nearest other one. If
    all timestamps are in `Z`, days are in UTC, the model learns nothing about hours of the day, and
    `X-Warnings` contains `time_zone_unknown`. The offset `+00:00` is treated like `Z`.

    Readings at the same time are averaged. If they differ by more than 20 mg/dL, `X-Warnings`
    contains `readings_averaged`.

    Only the model is stored, in less than 2,048 bytes. Readings and meals are not stored. The
    example request shows the format, but is too short for training.
    """
    service, owner = call.service, call.caller.organization.id
    user_id = user_of(call)
    zone_name = _TIME_ZONE.read(call.headers)
    consumed, (trace, warnings), zone = await call.read(_read, zone_name)
    ids = (food.choice().food_id for food in consumed)
    what = service.foods, consumed, trace, zone
    history, is_clock_known = await call.compute(ids, _history, *what)
    user = await service.database.read(users.find, owner, user_id)
    if user is None:
        raise _unknown_user()
    days, model = await offload(_train, call, user, history)
    now = service.clock.now()
    if not await service.database.write(personal_models.save, owner, user, model, now):
        raise _unknown_user()
    if not is_clock_known:
        warnings = [*warnings, "time_zone_unknown"]
    return json_response({"good_days": days}, headers=warning_header(warnings))


def _read(
    body: RequestBody, zone_name: str | None
) -> tuple[list[ConsumedFood], tuple[CgmTrace, list[WarningCode]], ZoneInfo | None]:
    zone = None if zone_name is None else zone_named(zone_name, _TIME_ZONE.name)
    parsed = body.parse(TrainingRequest, _ACCEPTS)
    return parsed.consumed_foods, read_trace(parsed.cgm_data, zone, _FIELDS.cgm), zone


def _history(
    foods: Foods, consumed: list[ConsumedFood], trace: CgmTrace, zone: ZoneInfo | None
) -> tuple[History, bool]:
    """Return the history, and whether the clock of the user is known."""
    choices = [food.timed_choice() for food in consumed]
    history = History(trace, read_meal_history(foods, choices, zone, _FIELDS.meals))
    return local_history(history) if zone is None else (history, True)


def _train(call: Call, user: User, history: History) -> tuple[list[str], PersonalModel]:
    profile = Profile.imperial(**user.profile)
    model = personal_models.fit(call.service.predictor, profile, history, _FIELDS)
    return [str(day) for day in require_training_days(*history)], model


def _unknown_user() -> Refusal:
    message = f"no registered user has the ID in the header {PARTNER_USER_ID.name}"
    return Refusal("not_found", f"{message}; register the user with POST /v1.1/user")


TRAINING_OPERATIONS = (
    Operation(
        "POST",
        "/user/training",
        train_user,
        version=V1_1,
        stores=True,
        response_model=TrainingResponse,
        body=TrainingRequest,
        example=_EXAMPLE,
        parameters=(PARTNER_USER_ID, _TIME_ZONE),
        refusals=(404, 406, 413, 422),
        links={"v1_1_user_glucose_predict": {}},
        headers=WARNINGS,
    ),
)
