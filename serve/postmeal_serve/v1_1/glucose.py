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
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.cgm_history import (
    MOST_CONSUMED_FOODS,
    MOST_READINGS,
    Readings,
    read_meal_history,
    read_trace,
)
from postmeal_serve.resources.model_version import MODEL_VERSION, model_version
from postmeal_serve.resources.personal_models import HistoryFields
from postmeal_serve.resources.predictions import NOTHING, Known, predict
from postmeal_serve.service import Service
from postmeal_serve.v1_1.consumed_food import CONSUMED_ACCEPTS, ConsumedFood
from postmeal_serve.v1_1.food_item import FOOD_ACCEPTS, FoodItem
from postmeal_serve.v1_1.profile import PROFILE_ACCEPTS, UserProfile
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.parameters import Text
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.response_warnings import WARNINGS, WarningCode, warning_header
from postmeal_serve.wire.responses import json_response
from postmeal_serve.wire.times import ISO_8601, local_time
from postmeal_serve.wire.unparsed_body import RequestBody

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
    most 15 minutes old. An older reading counts less, and not at all after 60 minutes. If the
    history has fewer than five complete days, the response is 400, and the message lists what each
    day lacks. If the history cannot be modeled, for example because the readings never change, the
    response is 422. Readings at the same time are averaged. If they differ by more than 20 mg/dL,
    `X-Warnings` contains `readings_averaged`.

    Nothing in the request is stored.
    """
    zone = zone_of(call)
    body, trace, warnings = await call.read(_read, zone)
    what = call.service, zone, body, trace
    response = await call.compute(_food_ids(body), _predict, *what)
    response.headers.update(warning_header(warnings))
    return response


def _read(
    body: RequestBody, zone: ZoneInfo
) -> tuple[GlucosePredictRequest, CgmTrace | None, list[WarningCode]]:
    parsed = body.parse(GlucosePredictRequest, _ACCEPTS)
    if parsed.cgmData is None:
        return parsed, None, []
    if parsed.consumedFoods is None:
        raise InputError("consumedFoods", "is required if cgmData is sent")
    trace, warnings = read_trace(parsed.cgmData, zone, "cgmData")
    return parsed.model_copy(update={"cgmData": None}), trace, warnings


def _food_ids(body: GlucosePredictRequest) -> Iterator[int]:
    """Yield the IDs of the foods in the meal and in the history."""
    yield from (food.choice().food_id for food in body.foods)
    yield from (food.choice().food_id for food in body.consumedFoods or ())


def _predict(
    service: Service, zone: ZoneInfo, body: GlucosePredictRequest, trace: CgmTrace | None
) -> Response:
    known = NOTHING
    if trace is not None:
        consumed = [food.timed_choice() for food in body.consumedFoods or ()]
        meals = read_meal_history(service.foods, consumed, zone, "consumedFoods")
        known = Known(_HISTORY, trace, meals, needs_days=True)
    profile = body.userProfile.profile("userProfile")
    choices = [food.choice() for food in body.foods]
    time = local_time(body.startTime, zone, "startTime")
    prediction = predict(service.predictor, service.foods, profile, choices, time, known)
    return prediction_response(prediction)


def zone_of(call: Call) -> ZoneInfo:
    """Return the time zone of the user."""
    name = TIME_ZONE.present(call.headers)
    assert name is not None  # The header is required.
    return zone_named(name, TIME_ZONE.name)


def prediction_response(prediction: Prediction) -> Response:
    """Return a prediction as a response."""
    curve = zip(prediction.minutes, prediction.glucose_mg_dl, strict=True)
    return json_response(
        {
            "cgp": [(int(minute), rounded(glucose, MG_DL)) for minute, glucose in curve],
            "scoring": f"{prediction.impact}_impact",
            "cgp_min": prediction.cgp_min,
            "cgp_max": prediction.cgp_max,
        },
        headers={"X-Model-Version": model_version(prediction)},
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
        headers=MODEL_VERSION | WARNINGS,
    ),
)
