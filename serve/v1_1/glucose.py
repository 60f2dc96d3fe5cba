"""Glucose: the curve that a meal will draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.training_days import TRAINING_DAYS_NEEDED
from postmeal.glucose.history.wall_clock import TIME_ZONE_ACCEPTS, zone_named
from postmeal.glucose.prediction import Prediction
from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources.cgm_history import (
    MOST_EATEN,
    MOST_READINGS,
    History,
    Readings,
    read_eaten,
    read_trace,
)
from serve.resources.personal_models import HistoryFields
from serve.resources.predictions import MODEL_VERSION, model_version, predict, predict_from
from serve.service import Service
from serve.v1_1.consumed_food import CONSUMED_ACCEPTS, ConsumedFood
from serve.v1_1.food_item import FOOD_ACCEPTS, FoodItem
from serve.v1_1.profile import PROFILE_ACCEPTS, UserProfile
from serve.v1_1.version import V1_1
from serve.wire.parameters import Text
from serve.wire.request_body import Accepts, Wire
from serve.wire.responses import json_response
from serve.wire.times import ISO_8601, local_time
from serve.wire.unparsed_body import RequestBody

__all__ = ["GLUCOSE_OPERATIONS", "TIME_ZONE", "GlucosePredictAnswer", "answer", "zone_of"]

TIME_ZONE = Text(
    name="x-partner-timezone",
    place="header",
    required=True,
    form=TIME_ZONE_ACCEPTS.removeprefix("must be "),
    about="IANA time zone of the eater, such as America/New_York.",
)


class GlucosePredictRequest(Wire):
    """Who eats what, when."""

    userProfile: UserProfile
    foods: list[FoodItem] = Field(min_length=1, max_length=MAX_FOODS)
    startTime: str = Field(
        description="ISO 8601 time of the first bite; without an offset it is local time in the"
        " zone of `x-partner-timezone`.",
        json_schema_extra={"pattern": f"^{ISO_8601}$"},
    )
    cgmData: Readings | None = Field(
        None,
        description=f"What a sensor read before the meal, at most {MOST_READINGS} readings in any"
        f" order; requires `consumedFoods`. {TRAINING_DAYS_NEEDED}",
    )
    consumedFoods: list[ConsumedFood] | None = Field(
        None,
        max_length=MOST_EATEN,
        description="What was eaten during `cgmData`; without it, it is not used.",
    )


class GlucosePredictAnswer(BaseModel):
    """The curve of the two hours from the first bite."""

    model_config = ConfigDict(extra="forbid")

    cgp: list[tuple[int, float]] = Field(description="Pairs of minute and glucose in mg/dL.")
    scoring: Literal["low_impact", "medium_impact", "high_impact"]
    cgp_min: int = Field(description="Lower end of the person's own range, mg/dL.")
    cgp_max: int = Field(description="Upper end of the person's own range, mg/dL.")


_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
    **CONSUMED_ACCEPTS,
    "userProfile": "must be an object with age, gender, height, weight, activityLevel and"
    " healthConditions",
    **PROFILE_ACCEPTS,
    "startTime": "must be an ISO 8601 date and time, such as 2026-01-05T08:00:00",
}
_EXAMPLE = {
    "userProfile": {
        "age": 45,
        "gender": "female",
        "height": 66,
        "weight": 150,
        "activityLevel": "lightly_active",
        "healthConditions": ["Prediabetes"],
    },
    "foods": [{"id": 1848, "serving": {"id": 2, "quantity": 1}}],
    "startTime": "2026-01-05T08:00:00",
}


_HISTORY = HistoryFields("cgmData", "consumedFoods")


async def glucose_predict(call: Call) -> Response:
    """Predict glucose after a meal.

    Nine points over the two hours from the first bite. With `cgmData` and `consumedFoods` from the
    person's own CGM history: what was read and eaten before the first bite is learned from, and the
    curve starts at a reading of the 15 minutes before it. With fewer than five complete days the
    answer is 400 and says what each lacks; a history that cannot be modelled, such as one of a
    sensor that never moves, is 422. Nothing of the request is stored.
    """
    zone = zone_of(call)
    body, trace = await call.read(_read, zone)
    return await call.compute(_food_ids(body), _predicted, call.service, zone, body, trace)


def _read(body: RequestBody, zone: ZoneInfo) -> tuple[GlucosePredictRequest, CgmTrace | None]:
    sent = body.parse(GlucosePredictRequest, _ACCEPTS)
    if sent.cgmData is None:
        return sent, None
    if sent.consumedFoods is None:
        raise InputError("consumedFoods", "is required with cgmData")
    trace = read_trace(sent.cgmData, zone, "cgmData")
    return sent.model_copy(update={"cgmData": None}), trace


def _food_ids(body: GlucosePredictRequest) -> Iterator[int]:
    """Yield the id of each food, of the meal and eaten before."""
    yield from (food.choice().food_id for food in body.foods)
    yield from (food.choice().food_id for food in body.consumedFoods or ())


def _predicted(
    service: Service, zone: ZoneInfo, body: GlucosePredictRequest, trace: CgmTrace | None
) -> Response:
    history = None
    if trace is not None:
        eaten = [food.eaten() for food in body.consumedFoods or ()]
        history = History(trace, read_eaten(service.foods, eaten, zone, "consumedFoods"))
    profile = body.userProfile.profile("userProfile")
    choices = [food.choice() for food in body.foods]
    time = local_time(body.startTime, zone, "startTime")
    if history is None:
        prediction = predict(service.predictor, service.foods, profile, choices, time)
    else:
        prediction = predict_from(
            service.predictor, service.foods, profile, choices, time, history, _HISTORY
        )
    return answer(prediction, own=history is not None)


def zone_of(call: Call) -> ZoneInfo:
    """Read the zone of the eater.

    Raises
    ------
    InputError
        The header is missing, or names no zone.
    """
    name = TIME_ZONE.present(call.headers)
    assert name is not None  # it is required
    return zone_named(name, TIME_ZONE.name)


def answer(prediction: Prediction, *, own: bool) -> Response:
    """Answer with a prediction; `own` tells that a person's own model was there to use."""
    curve = zip(prediction.minutes, prediction.glucose_mg_dl, strict=True)
    return json_response(
        {
            "cgp": [(int(minute), glucose) for minute, glucose in curve],
            "scoring": f"{prediction.impact}_impact",
            "cgp_min": prediction.cgp_min,
            "cgp_max": prediction.cgp_max,
        },
        headers={"X-Model-Version": model_version(prediction, own=own)},
    )


GLUCOSE_OPERATIONS = (
    Operation(
        "POST",
        "/cgm/glucose-predict",
        glucose_predict,
        version=V1_1,
        answer=GlucosePredictAnswer,
        body=GlucosePredictRequest,
        example=_EXAMPLE,
        parameters=(TIME_ZONE,),
        refusals=(404, 406, 413, 422),
        headers=MODEL_VERSION,
    ),
)
