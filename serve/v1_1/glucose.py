"""Glucose predictions for a meal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS
from postmeal.glucose.history.cgm_trace import CgmTrace
from postmeal.glucose.history.training_days import TRAINING_DAYS_REQUIRED
from postmeal.glucose.history.wall_clock import TIME_ZONE_ACCEPTS, zone_named
from postmeal.glucose.prediction import Prediction
from postmeal.rounding import MG_DL, rounded
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
from serve.resources.model_version import MODEL_VERSION, model_version
from serve.resources.personal_models import HistoryFields
from serve.resources.predictions import predict, predict_from
from serve.service import Service
from serve.v1_1.consumed_food import CONSUMED_ACCEPTS, ConsumedFood
from serve.v1_1.food_item import FOOD_ACCEPTS, FoodItem
from serve.v1_1.profile import PROFILE_ACCEPTS, UserProfile
from serve.v1_1.version import V1_1
from serve.wire.parameters import Text
from serve.wire.request_body import Accepts, RequestModel
from serve.wire.responses import json_response
from serve.wire.times import ISO_8601, local_time
from serve.wire.unparsed_body import RequestBody

__all__ = [
    "GLUCOSE_OPERATIONS",
    "TIME_ZONE",
    "GlucosePredictResponse",
    "prediction_response",
    "zone_of",
]

TIME_ZONE = Text(
    name="x-partner-timezone",
    place="header",
    required=True,
    form=TIME_ZONE_ACCEPTS.removeprefix("must be "),
    about="IANA time zone of the user, such as America/New_York.",
)


class GlucosePredictRequest(RequestModel):
    """The user's profile, the meal and, optionally, a CGM history."""

    userProfile: UserProfile
    foods: list[FoodItem] = Field(
        min_length=1, max_length=MAX_FOODS, description="Foods of the meal."
    )
    startTime: str = Field(
        description="Start of the meal in ISO 8601. Without an offset, it is local time in the zone"
        " of `x-partner-timezone`.",
        json_schema_extra={"pattern": f"^{ISO_8601}$"},
    )
    cgmData: Readings | None = Field(
        None,
        description=f"CGM readings from before the meal, in any order, at most {MOST_READINGS:,}."
        f" Requires `consumedFoods`. {TRAINING_DAYS_REQUIRED}",
    )
    consumedFoods: list[ConsumedFood] | None = Field(
        None,
        max_length=MOST_CONSUMED_FOODS,
        description="Foods eaten during the period of `cgmData`; ignored without `cgmData`.",
    )


class GlucosePredictResponse(BaseModel):
    """The predicted glucose curve over the two hours from the start of the meal."""

    model_config = ConfigDict(extra="forbid")

    cgp: list[tuple[int, float]] = Field(
        description="Pairs of minutes since the start of the meal and glucose in mg/dL."
    )
    scoring: Literal["low_impact", "medium_impact", "high_impact"] = Field(
        description="How strongly the meal is predicted to raise glucose."
    )
    cgp_min: int = Field(description="Lower bound of the user's glucose range in mg/dL.")
    cgp_max: int = Field(description="Upper bound of the user's glucose range in mg/dL.")


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

    Return a two-hour glucose curve of nine points and an impact score.

    With `cgmData` and `consumedFoods`, the prediction is personalized: a model is fitted to the
    readings and foods from before the meal, and the curve starts at the last reading if that is at
    most 15 minutes old. If the history has fewer than five complete days, the response is 400, and
    the message lists what each day lacks. If the history cannot be modeled, for example because the
    readings never change, the response is 422.

    Nothing in the request is stored.
    """
    zone = zone_of(call)
    body, trace = await call.read(_read, zone)
    return await call.compute(_food_ids(body), _predict, call.service, zone, body, trace)


def _read(body: RequestBody, zone: ZoneInfo) -> tuple[GlucosePredictRequest, CgmTrace | None]:
    parsed = body.parse(GlucosePredictRequest, _ACCEPTS)
    if parsed.cgmData is None:
        return parsed, None
    if parsed.consumedFoods is None:
        raise InputError("consumedFoods", "is required if cgmData is sent")
    trace = read_trace(parsed.cgmData, zone, "cgmData")
    return parsed.model_copy(update={"cgmData": None}), trace


def _food_ids(body: GlucosePredictRequest) -> Iterator[int]:
    """Yield the IDs of the foods in the meal and in the history."""
    yield from (food.choice().food_id for food in body.foods)
    yield from (food.choice().food_id for food in body.consumedFoods or ())


def _predict(
    service: Service, zone: ZoneInfo, body: GlucosePredictRequest, trace: CgmTrace | None
) -> Response:
    history = None
    if trace is not None:
        consumed = [food.timed_choice() for food in body.consumedFoods or ()]
        meals = read_meal_history(service.foods, consumed, zone, "consumedFoods")
        history = History(trace, meals)
    profile = body.userProfile.profile("userProfile")
    choices = [food.choice() for food in body.foods]
    time = local_time(body.startTime, zone, "startTime")
    if history is None:
        prediction = predict(service.predictor, service.foods, profile, choices, time)
    else:
        prediction = predict_from(
            service.predictor, service.foods, profile, choices, time, history, _HISTORY
        )
    return prediction_response(prediction, own=history is not None)


def zone_of(call: Call) -> ZoneInfo:
    """Return the time zone of the user.

    Raises
    ------
    InputError
        The header is missing or not an IANA time zone.
    """
    name = TIME_ZONE.present(call.headers)
    assert name is not None  # The header is required.
    return zone_named(name, TIME_ZONE.name)


def prediction_response(prediction: Prediction, *, own: bool) -> Response:
    """Return a prediction as a response; `own` states whether the user has a personal model."""
    curve = zip(prediction.minutes, prediction.glucose_mg_dl, strict=True)
    return json_response(
        {
            "cgp": [(int(minute), rounded(glucose, MG_DL)) for minute, glucose in curve],
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
        response_model=GlucosePredictResponse,
        body=GlucosePredictRequest,
        example=_EXAMPLE,
        parameters=(TIME_ZONE,),
        refusals=(404, 406, 413, 422),
        headers=MODEL_VERSION,
    ),
)
