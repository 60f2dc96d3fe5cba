"""Plain-English food search: the foods and amounts in a meal text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.meal_text import LONGEST_MEAL_TEXT, read_meal_text
from postmeal_serve.v1_1.detection import DetectionResponse, detection, total_nutrients
from postmeal_serve.v1_1.nutrients import DetectedNutrients
from postmeal_serve.v1_1.person import OPTIONAL_USER_ID
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.parameters import Text
from postmeal_serve.wire.responses import json_response

__all__ = ["MEAL_TEXT_OPERATIONS", "unread_header"]

_LONGEST_HEADER = 1024  # bytes, and also ASCII characters
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

    Return the foods that the text names, each with the nutrients in the stated amount. If no amount
    is stated, a typical amount is used. Text that matches no food is listed in the header
    `X-Unread`; if no food is found, `totalNutrients` and `detections` are empty.
    """
    OPTIONAL_USER_ID.read(call.headers)
    service = call.service
    text = _QUERY.read(call.given) or ""
    reader = service.upstreams.meal_reader
    reading = await read_meal_text(text, service.catalog, reader, call.run_in_process)
    detections = [detection(each.selection) for each in reading.detections]
    headers = {"X-Unread": unread} if (unread := unread_header(reading.unread)) else None
    body = {"totalNutrients": total_nutrients(detections), "detections": detections}
    return json_response(body, headers=headers)


def unread_header(unread: Iterable[str]) -> str:
    """Return the phrases that match no food, as a header value of at most 1 KB.

    Each phrase is percent-encoded. Phrases that do not fit are omitted. If the first phrase does
    not fit, its beginning is returned, so that the header always shows that something was not read.
    """
    value = ""
    for phrase in unread:
        if not value:
            value = _beginning(phrase)
            continue
        longer = f"{value},{quote(phrase, safe='')}"
        if len(longer) <= _LONGEST_HEADER:
            value = longer
    return value


def _beginning(phrase: str) -> str:
    encoded = [quote(character, safe="") for character in phrase]
    lengths = accumulate(len(each) for each in encoded)
    fitting = sum(length <= _LONGEST_HEADER for length in lengths)
    return "".join(encoded[:fitting])


MEAL_TEXT_OPERATIONS = (
    Operation(
        "GET",
        "/search/foods/nlp",
        search_meal_text,
        version=V1_1,
        response_model=MealTextResponse,
        parameters=(OPTIONAL_USER_ID, _QUERY),
        refusals=(406,),
        headers={
            "X-Unread": "Phrases that match no food, percent-encoded and separated by commas, at"
            " most 1 KB; omitted if everything was read.",
        },
    ),
)
