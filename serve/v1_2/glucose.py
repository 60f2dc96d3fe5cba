"""Glucose predictions for a meal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pydantic import AliasChoices, Field
from starlette.datastructures import Headers
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.training_days import TRAINING_DAYS_REQUIRED
from postmeal.glucose.history.wall_clock import TIME_ZONE_ACCEPTS, zone_named
from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources.cgm_history import (
    MOST_CONSUMED_FOODS,
    MOST_READINGS,
    History,
    Readings,
    read_meal_history,
    read_trace,
)
from serve.resources.food_choices import FoodChoice
from serve.resources.model_version import MODEL_VERSION, model_version
from serve.resources.personal_models import HistoryFields
from serve.resources.predictions import predict, predict_from
from serve.resources.previous_meals import PREVIOUS_HOURS, hours_since_previous_meal
from serve.runtime.offload import offload
from serve.service import Service
from serve.v1_2.consumed_food import CONSUMED_ACCEPTS, ConsumedFood
from serve.v1_2.food_item import FOOD_ACCEPTS, FoodItem
from serve.v1_2.prediction_response import INCLUDED, PredictionResponse, prediction_response
from serve.v1_2.profile import PROFILE_ACCEPTS, UserProfile
from serve.v1_2.version import V1_2
from serve.wire.parameters import Choice, Choices, Text
from serve.wire.request_body import Accepts, RequestModel
from serve.wire.responses import json_response
from serve.wire.times import ISO_8601, local_time
from serve.wire.unparsed_body import RequestBody

__all__ = ["GLUCOSE_OPERATIONS"]

_BAND = Choice(
    name="band",
    values=("true", "false"),
    about="Whether each point includes `lower` and `upper`, the bounds of the 90% band; the same as"
    " `include=band`. Default: false.",
)
_INCLUDE = Choices(
    name="include",
    values=INCLUDED,
    about="What to include in the response, separated by commas: `band` (bounds of the 90% band of"
    " each point), `nutrients` (of the meal), `contributions` (of each food to the peak),"
    " `chances` (probabilities of high peaks and large rises) and `notes` (caveats of the"
    " prediction).",
)
_TIME_ZONE = Text(
    name="x-end-user-timezone",
    place="header",
    about="IANA time zone of the end user, used if the body has no `timezone`.",
)


class PredictionRequest(RequestModel):
    """The end user's profile, the meal and, optionally, a CGM history."""

    user_profile: UserProfile = Field(
        validation_alias=AliasChoices("user_profile", "profile"),
        description="Profile of the end user; also accepted as `profile`.",
    )
    foods: list[FoodItem] = Field(
        min_length=1, max_length=MAX_FOODS, description="Foods of the meal."
    )
    start_time: str | None = Field(
        None,
        description="Start of the meal in ISO 8601. `Z` or an offset is required unless a time zone"
        " is given. Defaults to the current time.",
        json_schema_extra={"pattern": f"^{ISO_8601}$"},
    )
    timezone: str | None = Field(
        None, description="IANA time zone of the end user, such as America/New_York."
    )
    cgm_data: Readings | None = Field(
        None,
        description=f"CGM readings from before the meal, in any order, at most {MOST_READINGS:,}."
        f" Requires `consumed_foods`. {TRAINING_DAYS_REQUIRED}",
    )
    consumed_foods: list[ConsumedFood] | None = Field(
        None,
        max_length=MOST_CONSUMED_FOODS,
        description="Foods eaten during the period of `cgm_data`. Requires `cgm_data`.",
    )
    previous_meals: list[ConsumedFood] | None = Field(
        None,
        max_length=MAX_FOODS,
        description=f"Foods eaten within the {PREVIOUS_HOURS:g} hours before `start_time`, in any"
        " order. Foods within 15 minutes of each other are one meal. Foods in `consumed_foods` are"
        " previous meals as well. The latest of all previous meals is used.",
    )


_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    **CONSUMED_ACCEPTS,
    **PROFILE_ACCEPTS,
    "previous_meals": f"must be an array of at most {MAX_FOODS} objects"
    " {timestamp, id, serving: {id}, quantity}",
    "start_time": "must be an ISO 8601 date and time, such as 2026-01-05T08:00:00-05:00",
    "timezone": TIME_ZONE_ACCEPTS,
}
_EXAMPLE = {
    "user_profile": {
        "age": 45,
        "sex": "female",
        "height": {"value": 66, "unit": "in"},
        "weight": {"value": 150, "unit": "lb"},
        "activity_level": "lightly_active",
        "health_conditions": ["prediabetes"],
    },
    "foods": [{"id": "1848", "serving": {"id": "2"}, "quantity": 1}],
    "start_time": "2026-01-05T08:00:00-05:00",
}


_HISTORY = HistoryFields("cgm_data", "consumed_foods")


async def predict_glucose(call: Call) -> Response:
    """Predict glucose after a meal.

    Return a two-hour glucose curve, an impact score and bounds for a chart. `include` adds more.

    With `cgm_data` and `consumed_foods`, the prediction is personalized: a model is fitted to the
    readings and foods from before the meal, and the curve starts at the last reading if that is at
    most 15 minutes old. If the history has fewer than five complete days, the response is 400, and
    the message lists what each day lacks. If the history cannot be modeled, for example because the
    readings never change, the response is 422.

    `previous_meals` lists the foods eaten in the hours before the meal, because they may still
    affect glucose. If a history is sent, its last meal is taken into account as well.

    Nothing in the request is stored.
    """
    request = await call.read(_read, call.given, call.headers)
    if "contributions" in request.included:  # takes milliseconds
        return await offload(_predict, call.service, request)
    return await call.compute(_food_ids(request), _predict, call.service, request)


class _Request(NamedTuple):
    body: PredictionRequest
    choices: tuple[FoodChoice, ...]
    included: frozenset[str]
    zone: ZoneInfo | None
    trace: CgmTrace | None


def _read(body: RequestBody, query: Mapping[str, str], headers: Headers) -> _Request:
    parsed = body.parse(PredictionRequest, _ACCEPTS)
    choices = tuple(item.choice() for item in parsed.foods)
    included = _INCLUDE.read(query)
    if _BAND.read(query) == "true":
        included |= {"band"}
    zone = _zone(parsed, headers)
    if parsed.cgm_data is None and parsed.consumed_foods is None:
        return _Request(parsed, choices, included, zone, None)
    if parsed.consumed_foods is None:
        raise InputError("consumed_foods", "is required if cgm_data is sent")
    if parsed.cgm_data is None:
        raise InputError("cgm_data", "is required if consumed_foods is sent")
    trace = read_trace(parsed.cgm_data, zone, "cgm_data")
    parsed = parsed.model_copy(update={"cgm_data": None})
    return _Request(parsed, choices, included, zone, trace)


def _food_ids(request: _Request) -> Iterator[int]:
    """Yield the IDs of the foods in the meal, in the history and in the previous meals."""
    yield from (choice.food_id for choice in request.choices)
    for foods in (request.body.previous_meals, request.body.consumed_foods):
        yield from (food.choice().food_id for food in foods or ())


def _predict(service: Service, request: _Request) -> Response:
    body, choices, included, zone, trace = request
    history = None
    if trace is not None:
        consumed = [food.timed_choice() for food in body.consumed_foods or ()]
        meals = read_meal_history(service.foods, consumed, zone, "consumed_foods")
        history = History(trace, meals)
    if body.start_time is None:
        time = service.clock.now().astimezone(zone or UTC)
    else:
        time = local_time(body.start_time, zone, "start_time")
    since_meal_h = _since_meal_h(service, body, zone, time)
    profile = body.user_profile.profile("user_profile")
    predictor, what = service.predictor, (service.foods, profile, choices, time)
    if history is None:
        prediction = predict(predictor, *what, since_meal_h)
    else:
        prediction = predict_from(predictor, *what, history, _HISTORY, since_meal_h)
    contributions = None
    if "contributions" in included:
        contributions = predictor.contributions(profile, prediction.meal)
    version = model_version(prediction, own=history is not None)
    content = prediction_response(prediction, included, contributions)
    return json_response(content, headers={"X-Model-Version": version})


def _since_meal_h(
    service: Service, body: PredictionRequest, zone: ZoneInfo | None, start: datetime
) -> float | None:
    """Return the hours since the latest of the previous meals in the body."""
    if not body.previous_meals:
        return None
    choices = [food.timed_choice() for food in body.previous_meals]
    meals = read_meal_history(service.foods, choices, zone, "previous_meals")
    times = [text for text, _ in choices]
    return hours_since_previous_meal(meals, times, start, "previous_meals")


def _zone(body: PredictionRequest, headers: Headers) -> ZoneInfo | None:
    if body.timezone is not None:
        return zone_named(body.timezone, "timezone")
    name = _TIME_ZONE.read(headers)
    return None if name is None else zone_named(name, _TIME_ZONE.name)


GLUCOSE_OPERATIONS = (
    Operation(
        "POST",
        "/glucose/predictions",
        predict_glucose,
        version=V1_2,
        scope="glucose:read",
        response_model=PredictionResponse,
        body=PredictionRequest,
        example=_EXAMPLE,
        parameters=(_BAND, _INCLUDE, _TIME_ZONE),
        refusals=(404, 413, 415, 422, 504),
        headers=MODEL_VERSION,
    ),
)
