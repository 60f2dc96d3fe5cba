"""Scans of meals that are described in words, and corrections of scans."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.foods.food import MAX_FOODS
from postmeal.scans.corrections.correction import LONGEST_CORRECTION
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.diary import LONGEST_NAME
from postmeal_serve.resources.scans import CorrectedFood, correct_scan, scan_meal_text
from postmeal_serve.runtime.offload import offload
from postmeal_serve.v1_2.scan_response import (
    ReadScanResponse,
    detection,
    scan_detections,
    scan_response,
)
from postmeal_serve.v1_2.sent_detection import DETECTION_ACCEPTS, SentDetection
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.request_body import NO_NUL, NOT_BLANK, Accepts, RequestModel
from postmeal_serve.wire.responses import json_response

__all__ = ["FOOD_SCAN_OPERATIONS"]

_SCOPE = "food_scans:write"
_LONGEST_TEXT = 512
_ALIASES = {"detections": "analysis", "user_input": "instruction"}


class TextScanRequest(RequestModel):
    """A meal in plain English."""

    text: str = Field(
        min_length=1,
        max_length=_LONGEST_TEXT,
        pattern=NOT_BLANK,
        description="The meal, such as `2 eggs and toast`.",
    )


class CorrectionRequest(RequestModel):
    """A scan and a description of what to change in it."""

    detections: list[SentDetection] | None = Field(
        None,
        min_length=1,
        max_length=MAX_FOODS,
        description="Detections of the scan, as they were returned. Required.",
    )
    analysis: list[SentDetection] | None = Field(
        None, min_length=1, max_length=MAX_FOODS, description="Alias of `detections`."
    )
    user_input: str | None = Field(
        None,
        min_length=1,
        max_length=LONGEST_CORRECTION,
        pattern=NOT_BLANK,
        description="The change in plain English, such as `I ate half of the rice`. Required.",
    )
    instruction: str | None = Field(
        None,
        min_length=1,
        max_length=LONGEST_CORRECTION,
        pattern=NOT_BLANK,
        description="Alias of `user_input`.",
    )
    meal_name: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        pattern=NO_NUL,
        description="Name of the meal, which is returned unchanged.",
    )

    @model_validator(mode="after")
    def _require_each_part_once(self) -> CorrectionRequest:
        for name, alias in _ALIASES.items():
            value, other = getattr(self, name), getattr(self, alias)
            if value is None and other is None:
                raise InputError(name, f"is required; it {_ACCEPTS[name]}")
            if None not in (value, other) and value != other:
                raise InputError(alias, f"must not differ from {name}")
        return self

    @property
    def foods(self) -> list[SentDetection]:
        """The detections, from the field or its alias."""
        return self.detections or self.analysis or []

    @property
    def change(self) -> str:
        """The description of the change, from the field or its alias."""
        return self.user_input or self.instruction or ""


_DETECTIONS = f"must be an array of 1 to {MAX_FOODS} detections as returned by a scan"
_INPUT = f"must be a string of 1 to {LONGEST_CORRECTION} characters, not blank and without NUL"
_ACCEPTS: Accepts = {
    **DETECTION_ACCEPTS,
    "text": f"must be a string of 1 to {_LONGEST_TEXT} characters, not blank and without NUL",
    "detections": _DETECTIONS,
    "analysis": _DETECTIONS,
    "user_input": _INPUT,
    "instruction": _INPUT,
    "meal_name": f"must be a string of at most {LONGEST_NAME} characters without NUL, or null",
}


async def scan_text(call: Call) -> Response:
    """Scan a meal that is described in words.

    Return the foods that the text names, each with the nutrients in the stated amount. If no amount
    is stated, a typical amount is used. `confidence_score` is `medium` if the text states the
    amount and clearly names the food, otherwise `low`. Words that match no food are in `unread`.
    Neither the text nor the scan is stored.
    """
    body = await call.parse(TextScanRequest, _ACCEPTS)
    service = call.service
    reader = service.upstreams.meal_reader
    scan = await scan_meal_text(body.text, service.catalog, reader, call.run_in_process)
    return json_response(scan_response(None, scan_detections(scan), unread=scan.unread))


async def correct_food_scan(call: Call) -> Response:
    """Correct a scan in plain English.

    Send the detections of a scan and what to change: amounts ("I ate half of the rice", "2 cups"),
    foods that were not eaten ("no honey"), missing foods ("there was also an egg") or wrong foods
    ("the beef was turkey"). The response is the corrected scan.

    A text that is not completely understood changes nothing: the scan is returned as it was, and
    the text is in `unread`. If one of the ten nutrients of v1.1 is omitted, it counts as zero.
    Neither the text nor the scan is stored.
    """
    body = await call.parse(CorrectionRequest, _ACCEPTS)
    given = [each.given() for each in body.foods]
    corrected = await offload(correct_scan, call.service.foods, given, body.change)
    detections = [_detection(each, body.foods) for each in corrected.foods]
    return json_response(scan_response(body.meal_name, detections, unread=corrected.unread))


def _detection(corrected: CorrectedFood, sent: list[SentDetection]) -> dict[str, Any]:
    if corrected.selection is not None:
        return detection(corrected.selection, corrected.confidence)
    assert corrected.origin is not None  # Only added foods have no origin.
    return sent[corrected.origin].scaled(corrected.factor, corrected.confidence)


_GRAMS = {
    "protein": 1.29,
    "carbohydrates": 26.95,
    "net_carbohydrates": 23.88,
    "total_fat": 0.389,
    "saturated_fat": 0.132,
    "fiber": 3.07,
    "total_sugars": 14.43,
    "added_sugars": 0,
}
_BANANA = {
    "confidence_score": "medium",
    "food": {
        "id": "2159",
        "name": "Banana",
        "brand_name": None,
        "nutrients": {
            "calories": {"value": 105.02, "unit": "kcal"},
            **{name: {"value": value, "unit": "g"} for name, value in _GRAMS.items()},
            "sodium": {"value": 1.18, "unit": "mg"},
        },
        "servings": [
            {
                "id": "6",
                "quantity": 1,
                "unit": 'medium (7" to 7-7/8" long)',
                "scaling_factor": 1,
                "weight_grams": 118,
                "is_primary": True,
            }
        ],
    },
}

FOOD_SCAN_OPERATIONS = (
    Operation(
        "POST",
        "/food-scans/text",
        scan_text,
        version=V1_2,
        scope=_SCOPE,
        response_model=ReadScanResponse,
        body=TextScanRequest,
        example={"text": "1 cup oatmeal with a banana"},
        refusals=(413, 415, 502, 504),
    ),
    Operation(
        "POST",
        "/food-scans/corrections",
        correct_food_scan,
        version=V1_2,
        scope=_SCOPE,
        response_model=ReadScanResponse,
        body=CorrectionRequest,
        example={"detections": [_BANANA], "user_input": "I ate half of the banana"},
        refusals=(404, 413, 415, 502, 504),
    ),
)
