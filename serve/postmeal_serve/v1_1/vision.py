"""Corrections of meal scans in plain English."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from starlette.responses import Response

from postmeal.foods.food import MAX_FOODS
from postmeal.scans.corrections.correction import LONGEST_CORRECTION
from postmeal_serve.http.call import Call
from postmeal_serve.http.middleware import FAULT
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.scans import LONGEST_FOOD_NAME, CorrectedFood, correct_scan
from postmeal_serve.runtime.offload import offload
from postmeal_serve.v1_1.meal_text import unread_header
from postmeal_serve.v1_1.person import PARTNER_USER_ID, user_of
from postmeal_serve.v1_1.scan_response import ScanResponse, scan_detection, scan_response
from postmeal_serve.v1_1.scanned_foods import record_scan, were_scanned
from postmeal_serve.v1_1.sent_detection import DETECTION_ACCEPTS, SentDetection
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.request_body import NOT_BLANK, Accepts, RequestModel
from postmeal_serve.wire.responses import json_response

__all__ = ["VISION_OPERATIONS"]


class FixScanRequest(RequestModel):
    """A scan and a description of what to change in it."""

    mealName: str = Field(
        min_length=1,
        max_length=LONGEST_FOOD_NAME,
        pattern=NOT_BLANK,
        description="Name of the meal, which is returned unchanged.",
    )
    detections: list[SentDetection] = Field(
        min_length=1,
        max_length=MAX_FOODS,
        description="Detections, exactly as a scan returned them.",
    )
    userInput: str = Field(
        min_length=1,
        max_length=LONGEST_CORRECTION,
        pattern=NOT_BLANK,
        description="The change in plain English, such as `I ate half of the rice`.",
    )


_ACCEPTS: Accepts = {
    **DETECTION_ACCEPTS,
    "mealName": f"must be a string of 1 to {LONGEST_FOOD_NAME} characters, not blank",
    "detections": f"must be an array of 1 to {MAX_FOODS} detections as returned by a scan",
    "userInput": f"must be a string of 1 to {LONGEST_CORRECTION} characters, not blank",
}


async def fix_scan(call: Call) -> Response:
    """Correct a scan in plain English.

    Send each detection exactly as a scan returned it, and what to change: amounts ("I ate half of
    the rice"), foods that were not eaten ("no honey"), missing foods ("there was also an egg") or
    wrong foods ("the beef was turkey"). A text that is not completely understood changes nothing:
    the scan is returned as it was, and the text is listed in the header `X-Unread`.

    A nutrient may be omitted only if a scan of this user in the last 30 days returned exactly the
    same food. The nutrient then counts as zero. Otherwise, the response is a generic 500.
    """
    user_id = user_of(call)
    body = await call.parse(FixScanRequest, _ACCEPTS)
    partial = [each for each in body.detections if not each.is_complete]
    if not await were_scanned(call, user_id, [each.response(1, "low") for each in partial]):
        raise Refusal(FAULT.code, FAULT.message)
    given = [each.given() for each in body.detections]
    corrected = await offload(correct_scan, call.service.foods, given, body.userInput)
    detections = [_detection(each, body.detections) for each in corrected.foods]
    await record_scan(call, user_id, detections)
    headers = {"X-Unread": unread} if (unread := unread_header(corrected.unread)) else None
    return json_response(scan_response(body.mealName, detections), headers=headers)


async def fix_scan_at_older_path(call: Call) -> Response:
    """Correct a scan in plain English, at the older path.

    This operation behaves like `POST /v1.1/vision/foods/fix-ai`.
    """
    return await fix_scan(call)


def _detection(corrected: CorrectedFood, sent: list[SentDetection]) -> dict[str, Any]:
    if corrected.selection is not None:
        return scan_detection(corrected.selection, corrected.confidence)
    assert corrected.origin is not None  # Only added foods have no origin.
    return sent[corrected.origin].response(corrected.factor, corrected.confidence)


_GRAMS = {
    "protein": 1.29,
    "carbohydrates": 26.95,
    "netCarbohydrates": 23.88,
    "totalFat": 0.389,
    "saturatedFat": 0.132,
    "fiber": 3.07,
    "totalSugars": 14.43,
    "addedSugars": 0,
}
_BANANA = {
    "food": {
        "name": "Banana",
        "id": 2159,
        "brandName": "",
        "nutrients": {
            "calories": {"value": 105.02, "unit": "calories"},
            **{name: {"value": value, "unit": "g"} for name, value in _GRAMS.items()},
            "sodium": {"value": 1.18, "unit": "mg"},
        },
        "servings": [{"id": 6, "quantity": 1, "unit": 'medium (7" to 7-7/8" long)'}],
    },
    "confidenceScore": "medium",
}
_FIX: dict[str, Any] = {
    "version": V1_1,
    "response_model": ScanResponse,
    "body": FixScanRequest,
    "example": {
        "mealName": "Breakfast",
        "detections": [_BANANA],
        "userInput": "I ate half of the banana",
    },
    "parameters": (PARTNER_USER_ID,),
    "refusals": (404, 406, 413),
    "headers": {
        "X-Unread": "Text that was not understood, percent-encoded, at most 1 KB; omitted if the"
        " text was understood.",
    },
}

VISION_OPERATIONS = (
    Operation("POST", "/vision/foods/fix-ai", fix_scan, **_FIX),
    Operation("POST", "/vision/fix-ai", fix_scan_at_older_path, **_FIX),
)
