"""Scans of photos of meals."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.scans.picture import data_uri_bytes
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.photo_scans import BARCODE_PHOTO, GivenPhoto, photo_in_text
from postmeal_serve.v1_1.person import PARTNER_USER_ID, user_of
from postmeal_serve.v1_1.scan_response import ScanResponse, scan_detections, scan_response
from postmeal_serve.v1_1.scanned_foods import record_scan
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.responses import json_response
from postmeal_serve.wire.unparsed_body import RequestBody

__all__ = ["SCAN_PHOTO"]


class PhotoScanRequest(RequestModel):
    """A photo of a meal: its URL or its content."""

    photoUrl: str | None = Field(
        None,
        min_length=1,
        description="`https` or `http` URL of a photo of at most 10 MiB that anyone can fetch. If"
        " it is sent, `photoBase64` is ignored.",
    )
    photoBase64: str | None = Field(
        None,
        min_length=1,
        description="A JPEG file in base64, or a data URL that states the media type of the file.",
    )

    @model_validator(mode="before")
    @classmethod
    def _prefer_url(cls, given: Any) -> Any:
        if isinstance(given, dict) and given.get("photoUrl") is not None:
            return {**given, "photoBase64": None}
        return given


_ACCEPTS: Accepts = {
    "photoUrl": "must be a URL such as https://example.com/meal.jpg",
    "photoBase64": "must be a JPEG file in base64, or a data URL such as data:image/png;base64,...",
}


async def scan_photo(call: Call) -> Response:
    """Scan a photo of a meal.

    Return the food in the photo with the nutrients in a typical amount, because one photo does not
    show the portion. If the photo shows a barcode, the product is returned with `high` confidence.
    Otherwise, the dish is returned; `detections` is empty if the dish is not recognized with at
    least `low` confidence. Other foods on the plate can be added with `POST
    /v1.1/vision/foods/fix-ai`.

    The photo is not stored. Metadata such as the location is dropped before the photo is processed.
    The foods are recorded in the scan history of the user, as fingerprints.
    """
    user_id = user_of(call)
    photo, field = await call.read(_photo)
    scan = await call.service.photos.scan(photo, call.caller.credential, field=field)
    detections = scan_detections(scan)
    await record_scan(call, user_id, detections)
    return json_response(scan_response(scan.meal_name, detections))


def _photo(body: RequestBody) -> tuple[GivenPhoto, str]:
    """Return the photo, and the name of the field that contains it."""
    given = body.parse(PhotoScanRequest, _ACCEPTS)
    if given.photoUrl is not None:
        if given.photoUrl[:5].lower() == "data:":
            problem = "must be a URL such as https://example.com/meal.jpg"
            raise InputError("photoUrl", problem, given.photoUrl[:40])
        return photo_in_text(given.photoUrl, "photoUrl"), "photoUrl"
    if given.photoBase64 is None:
        raise InputError("photoUrl", "is required if photoBase64 is omitted")
    text = given.photoBase64
    if text[:5].lower() != "data:":
        text = f"data:image/jpeg;base64,{text}"
    data, media_type = data_uri_bytes(text, field="photoBase64")
    return GivenPhoto(None, data, media_type), "photoBase64"


SCAN_PHOTO = Operation(
    "POST",
    "/vision/foods",
    scan_photo,
    version=V1_1,
    response_model=ScanResponse,
    body=PhotoScanRequest,
    example={"photoBase64": BARCODE_PHOTO},
    parameters=(PARTNER_USER_ID,),
    refusals=(406, 413),
)
"""Operation that scans a photo."""
