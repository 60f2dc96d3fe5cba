"""Glucose: the curve that a meal will draw."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS
from serve.admission import Call, Operation
from serve.answers import json_response
from serve.bodies import Accepts, Wire, parse_body
from serve.local_time import ISO_8601, local_time, time_zone
from serve.parameters import Text
from serve.predictions import predict
from serve.v1_1.food_item import FOOD_ACCEPTS, FoodItem
from serve.v1_1.profile import PROFILE_ACCEPTS, UserProfile
from serve.v1_1.version import V1_1

__all__ = ["GLUCOSE_OPERATIONS"]

_TIME_ZONE = Text(
    name="x-partner-timezone",
    place="header",
    required=True,
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
    cgmData: Any = Field(None, description="Not available yet: a request that holds it is refused.")
    consumedFoods: Any = Field(None, description="Without `cgmData` it is not used.")


class GlucosePredictAnswer(BaseModel):
    """The curve of the two hours from the first bite."""

    model_config = ConfigDict(extra="forbid")

    cgp: list[tuple[int, float]] = Field(description="Pairs of minute and glucose in mg/dL.")
    scoring: Literal["low_impact", "medium_impact", "high_impact"]
    cgp_min: int = Field(description="Lower end of the person's own range, mg/dL.")
    cgp_max: int = Field(description="Upper end of the person's own range, mg/dL.")


_ACCEPTS: Accepts = {
    **FOOD_ACCEPTS,
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


async def glucose_predict(call: Call) -> Response:
    """Predict glucose after a meal.

    Nine points over the two hours from the first bite. Prediction from a person's own CGM history
    is not available yet: `cgmData` is refused, never silently ignored.
    """
    zone_name = _TIME_ZONE.present(call.headers)
    assert zone_name is not None  # it is required
    zone = time_zone(zone_name, _TIME_ZONE.name)
    body = parse_body(call.content, GlucosePredictRequest, _ACCEPTS)
    if body.cgmData is not None:
        if body.consumedFoods is None:
            raise InputError("consumedFoods", "is required with cgmData")
        problem = "cannot be used: personal prediction from CGM history is not available yet"
        raise InputError("cgmData", problem)
    prediction = predict(
        call.service,
        body.userProfile.profile("userProfile"),
        [food.choice() for food in body.foods],
        local_time(body.startTime, zone, "startTime"),
    )
    curve = zip(prediction.minutes, prediction.glucose_mg_dl, strict=True)
    return json_response(
        {
            "cgp": [(int(minute), glucose) for minute, glucose in curve],
            "scoring": f"{prediction.impact}_impact",
            "cgp_min": prediction.cgp_min,
            "cgp_max": prediction.cgp_max,
        }
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
        parameters=(_TIME_ZONE,),
        refusals=(404, 406, 413),
    ),
)
