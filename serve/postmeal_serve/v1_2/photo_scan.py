"""Scans of photos of meals."""

from __future__ import annotations

from pydantic import Field
from starlette.responses import Response

from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources.photo_scans import BARCODE_PHOTO, GivenPhoto, photo_in_text
from postmeal_serve.v1_2.scan_response import ScanResponse, scan_detections, scan_response
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.responses import json_response
from postmeal_serve.wire.unparsed_body import RequestBody

__all__ = ["SCAN_PHOTO"]


class PhotoScanRequest(RequestModel):
    """A photo of a meal."""

    image: str = Field(
        min_length=1,
        description="The photo: an `https` or `http` URL that anyone can fetch, or a data URI in"
        " base64. JPEG, PNG, WEBP or a GIF that is not animated, with at most 40 million pixels"
        " (WEBP: 12 million) and, at a URL, at most 10 MiB.",
    )


_ACCEPTS: Accepts = {
    "image": "must be a URL such as https://example.com/meal.jpg, or a data URI such as"
    " data:image/jpeg;base64,..."
}


async def scan_photo(call: Call) -> Response:
    """Scan a photo of a meal.

    Return the food in the photo with the nutrients in a typical amount, because one photo does not
    show the portion. If the photo shows a barcode, the product is returned with `high` confidence.
    Otherwise, the dish is returned; `detections` is empty if the dish is not recognized with at
    least `low` confidence. Other foods on the plate can be added with a correction. Servers with a
    vision model may return several foods with estimated amounts.

    Neither the photo nor the scan is stored. Metadata such as the location is dropped before the
    photo is processed. A photo that cannot be used gets 400 with the code
    `image_format_unsupported`, `image_corrupt`, `image_invalid_base64`, `image_unreachable` or
    `invalid_request`.
    """
    photo = await call.read(_photo)
    scan = await call.service.photos.scan(photo, call.caller.credential, field="image")
    return json_response(scan_response(scan.meal_name, scan_detections(scan)))


def _photo(body: RequestBody) -> GivenPhoto:
    return photo_in_text(body.parse(PhotoScanRequest, _ACCEPTS).image, "image")


SCAN_PHOTO = Operation(
    "POST",
    "/food-scans/photo",
    scan_photo,
    version=V1_2,
    scope="food_scans:write",
    response_model=ScanResponse,
    body=PhotoScanRequest,
    example={"image": BARCODE_PHOTO},
    refusals=(413, 415, 502, 504),
)
"""Operation that scans a photo."""
