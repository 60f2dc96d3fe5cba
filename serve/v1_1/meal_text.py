"""Plain-English food search: the foods and amounts in a meal text."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources.meal_text import LONGEST_MEAL_TEXT, read_meal_text
from serve.v1_1.detection import DetectionResponse, detection, total_nutrients
from serve.v1_1.nutrients import DetectedNutrients
from serve.v1_1.person import OPTIONAL_USER_ID
from serve.v1_1.version import V1_1
from serve.wire.parameters import Text
from serve.wire.responses import json_response

__all__ = ["MEAL_TEXT_OPERATIONS"]

_QUERY = Text(
    name="query",
    longest=LONGEST_MEAL_TEXT,
    may_be_blank=True,
    about="Meal in plain English, such as `2 eggs and toast`. If omitted, nothing is detected.",
)


class MealTextResponse(BaseModel):
    """The foods in a meal text and their total nutrients."""

    model_config = ConfigDict(extra="forbid")

    totalNutrients: DetectedNutrients
    detections: list[DetectionResponse]


async def search_meal_text(call: Call) -> Response:
    """Search foods in plain English.

    Return the foods that the text names, each with the nutrients in the stated amount, or in a
    typical amount if none is stated. Text that matches no food is ignored; if no food is found,
    `totalNutrients` and `detections` are empty.
    """
    OPTIONAL_USER_ID.read(call.headers)
    service = call.service
    text = _QUERY.read(call.given) or ""
    reading = await read_meal_text(text, service.catalog, service.upstreams.meal_reader)
    detections = [detection(each.selection) for each in reading.detections]
    return json_response({"totalNutrients": total_nutrients(detections), "detections": detections})


MEAL_TEXT_OPERATIONS = (
    Operation(
        "GET",
        "/search/foods/nlp",
        search_meal_text,
        version=V1_1,
        response_model=MealTextResponse,
        parameters=(OPTIONAL_USER_ID, _QUERY),
        refusals=(406,),
    ),
)
