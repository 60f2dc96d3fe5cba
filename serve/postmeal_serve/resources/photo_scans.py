"""Scans of photos, which a separate process decodes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple, Protocol

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language.meal_reading import read_phrases
from postmeal.scans import Scan, ScannedFood
from postmeal.scans.photo import scan_evidence
from postmeal.scans.picture import data_uri_bytes
from postmeal_serve.runtime.offload import offload
from postmeal_serve.runtime.pictures import Pictures
from postmeal_serve.wire.errors import Refusal

__all__ = ["BARCODE_PHOTO", "GivenPhoto", "PhotoReader", "PhotoScans", "photo_in_text"]

BARCODE_PHOTO = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAARIAAAAwAQAAAAD1X8gHAAAAQUlEQVR42mP8z0AI"
    "HGRiIAxG1dBTzd8LR0wOnmVhvHDB8OPZC18czjIYmlz4IsB7YTR8RtWMqqFADeNoeTik1AAA02YRrYtD"
    "bqcAAAAASUVORK5CYII="
)
"""A picture of a barcode for use in examples, which can be scanned without the dish model."""

_NO_MODEL = (
    "dishes cannot be recognized on this server because the dish model is missing; to install it,"
    " run `postmeal photos fetch` (or `make photo-model` in a checkout); photos of barcodes work"
    " without the model"
)


class GivenPhoto(NamedTuple):
    """A photo as a client sent it, either as a URL or as the bytes of a file."""

    url: str | None = None
    data: bytes = b""
    media_type: str | None = None


def photo_in_text(text: str, field: str) -> GivenPhoto:
    """Return the photo at a URL or in a data URI."""
    scheme = text[:8].lower()
    if scheme.startswith(("https://", "http://")):
        return GivenPhoto(text)
    if not scheme.startswith("data:"):
        problem = (
            "must be an https:// or http:// URL, or a data URI such as data:image/jpeg;base64,..."
        )
        raise InputError(field, problem, text[:40])
    data, media_type = data_uri_bytes(text, field=field)
    return GivenPhoto(None, data, media_type)


class PhotoReader(Protocol):
    """Interface of vision models, such as `upstreams.picture_reader.PictureReader`."""

    async def phrases(self, jpeg: bytes) -> list[str]:
        """Return one phrase, such as ``118 g banana``, for each food in a JPEG photo."""


class PhotoScans(NamedTuple):
    """The components that scan photos."""

    pictures: Pictures
    catalog: Catalog
    fetch: Callable[..., Awaitable[bytes]]
    reader: PhotoReader | None

    async def scan(self, given: GivenPhoto, credential: str, *, field: str) -> Scan:
        """Scan a photo, which is neither stored nor logged.

        If the photo shows a barcode of a product in the catalog, the scan returns this product.
        Otherwise, the vision model names the foods; without a vision model, the dish model names
        the dish.
        """
        data = given.data
        if given.url is not None:
            data = await self.fetch(credential, given.url, field=field)
        evidence = await self.pictures.read(
            credential,
            data,
            given.media_type,
            field=field,
            dishes=self.reader is None,
            jpeg=self.reader is not None,
        )
        if evidence.barcodes:
            scan = (await offload(scan_evidence, evidence.barcodes, (), self.catalog)).scan
            if scan.foods or self.reader is None:
                return scan
        if self.reader is not None:
            return await self._described(await self.reader.phrases(evidence.jpeg))
        if evidence.candidates is None:
            raise Refusal("service_unavailable", _NO_MODEL)
        return (await offload(scan_evidence, (), evidence.candidates, self.catalog)).scan

    async def _described(self, phrases: list[str]) -> Scan:
        """Return the foods that a vision model named, all with low confidence."""
        reading = await offload(partial(read_phrases, phrases, self.catalog))
        foods = tuple(
            ScannedFood(each.selection.food.name, weight_g, each.selection.food, "low", "photo")
            for each in reading.detections
            if (weight_g := each.selection.weight_g)
        )
        return Scan(foods, unread=reading.unread, may_hold_more=bool(reading.unread))
