"""Places that serve food in an area, from an Overpass API of OpenStreetMap.

The query language is described at https://wiki.openstreetmap.org/wiki/Overpass_API/Overpass_QL. The
API does not need a key. The data is under the Open Database License.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from postmeal.errors import InputError
from postmeal.restaurants.place import Place
from postmeal.restaurants.sources.geojson import place_from_element
from postmeal.restaurants.sources.tags import EATERIES
from postmeal_serve.resources.cells import Bounds
from postmeal_serve.upstreams.http_client import ResponseModel, ServiceClient, UpstreamError
from postmeal_serve.upstreams.sanitize import plain_text

__all__ = ["MAX_BYTES", "Overpass"]

MAX_BYTES = 4 << 20
"""Maximum size of a response in bytes: about 8,000 places."""

_TIMEOUT_S = 12.0  # seconds until a request times out; searches do not wait that long
_FOOD = f'["amenity"~"^({"|".join(sorted(EATERIES))})$"]'


class _Found(ResponseModel):
    elements: list[dict[str, Any]]
    remark: str | None = None


class Overpass:
    """Client of an Overpass API."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def places(self, areas: Sequence[Bounds]) -> list[Place] | None:
        """Return the places in the given areas, or None if the request failed.

        Elements whose name or location is missing or invalid are skipped.
        """
        query = {"data": _query(areas)}
        try:
            found = await self._client.request("/interpreter", _Found, _TIMEOUT_S, query=query)
        except UpstreamError:
            return None
        if found.remark is not None:  # The query ran out of time or memory, with status 200.
            self._client.count("unusable")
            return None
        return await asyncio.to_thread(_places, found.elements)


def _query(areas: Sequence[Bounds]) -> str:
    """Return the query in Overpass QL; its timeout stops the API when the client stops waiting."""
    parts = "".join(
        f"nwr{_FOOD}({','.join(f'{degrees:.6f}' for degrees in area)});" for area in areas
    )
    return f"[out:json][timeout:{_TIMEOUT_S:.0f}];({parts});out center qt;"


def _places(elements: Sequence[dict[str, Any]]) -> list[Place]:
    return [place for element in elements if (place := _place(element)) is not None]


def _place(element: dict[str, Any]) -> Place | None:
    """Return the place that an element describes; remove markup and invisible characters."""
    try:
        place = place_from_element(element)
        if place is None:
            return None
        return replace(
            place,
            name=plain_text(place.name),
            brand=plain_text(place.brand or "") or None,
            city=plain_text(place.city or "") or None,
            address1=plain_text(place.address1 or "") or None,
            address2=plain_text(place.address2 or "") or None,
            cuisines=tuple(map(plain_text, place.cuisines)),
            diets=tuple(map(plain_text, place.diets)),
        )
    except InputError:
        return None
