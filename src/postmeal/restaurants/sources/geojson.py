"""Importer for GeoJSON (RFC 7946), including files with one feature per line, and Overpass JSON."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from postmeal.errors import DataSetError, InputError
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.restaurants.place import Place
from postmeal.restaurants.sources.place_table import PLACE_COLUMNS, place_from_columns
from postmeal.restaurants.sources.tags import place_from_tags, serves_food

_LIST = re.compile(r'"(?:features|elements)"\s*:\s*\[')
_OSM_ID = re.compile(r"(node|way|relation|n|w|r)/?(\d{1,19})")
_PIECE = 2**20
_MAX_OBJECT = 8 * 2**20
_DECODER = json.JSONDecoder()
_SPACE = " \t\r\n,\x1e"


def read_geojson(path: Path, report: ImportReport) -> Iterator[Place]:
    """Yield the places in a feature collection, lines of features or an Overpass response."""
    for position, item in _items(path, report):
        try:
            place = _place(item)
        except InputError as error:
            report.skip(position, f"{error.field} {error.problem}", _name(item))
            continue
        if place is not None:
            report.taken += 1
            yield place


def place_from_element(element: Mapping[str, Any]) -> Place | None:
    """Build a place from an element of an Overpass response; None if it does not serve food."""
    tags = _texts(element.get("tags"))
    if not serves_food(tags):
        return None
    center = element.get("center")
    where = center if isinstance(center, dict) else element
    kind, number = element.get("type"), element.get("id")
    if kind not in ("node", "way", "relation") or type(number) is not int or number < 1:
        raise InputError("id", "must be the positive ID of a node, way or relation", number)
    latitude, longitude = (_degrees(where.get(name), name) for name in ("lat", "lon"))
    return place_from_tags(kind, number, latitude, longitude, tags)


def place_from_feature(feature: Mapping[str, Any]) -> Place | None:
    """Build a place from a GeoJSON feature.

    A feature from OpenStreetMap has its tags as properties, and an ``id`` or ``@id`` such as
    ``node/123`` or ``n123``. Any other feature must have properties named as in `PLACE_COLUMNS`.
    """
    properties = feature.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    tags = _texts(properties) | _texts(properties.get("tags"))
    given = str(feature.get("id") or properties.get("@id") or properties.get("id") or "")
    found = _OSM_ID.fullmatch(given)
    if (found or "amenity" in tags) and not serves_food(tags):
        return None
    latitude, longitude = _center(feature.get("geometry"))
    if found:
        return place_from_tags(found[1], int(found[2]), latitude, longitude, tags)
    columns = {name: tags[name] for name in PLACE_COLUMNS if name in tags}
    columns |= {"latitude": repr(latitude), "longitude": repr(longitude)}
    return place_from_columns({"name": "", **columns} | ({"id": given} if given else {}))


def _place(item: object) -> Place | None:
    if not isinstance(item, dict):
        raise InputError("feature", "must be a JSON object")
    return place_from_feature(item) if item.get("type") == "Feature" else place_from_element(item)


def _items(path: Path, report: ImportReport) -> Iterator[tuple[int, object]]:
    """Yield the position and value of each feature or element."""
    buffer, pieces, position = "", _pieces(path), 0
    for piece in pieces:
        buffer += piece
        if (found := _LIST.search(buffer)) or len(buffer) >= _PIECE:
            break
    is_list = found is not None if buffer else False
    if not buffer.lstrip(_SPACE).startswith("{"):
        raise DataSetError(f"{path} is not GeoJSON: the file must start with a JSON object")
    at = found.end() if found else 0
    while True:
        while at < len(buffer) and buffer[at] in _SPACE:
            at += 1
        if at < len(buffer) and is_list and buffer[at] == "]":
            return
        try:
            if at >= len(buffer):
                raise ValueError("the buffer does not contain a complete JSON value")
            item, end = _DECODER.raw_decode(buffer, at)
        except (ValueError, RecursionError) as error:
            piece = next(pieces, "") if len(buffer) - at < _MAX_OBJECT else ""
            if piece:
                buffer, at = buffer[at:] + piece, 0
                continue
            if at >= len(buffer) and not is_list:
                return
            line_end = buffer.find("\n", at)
            if line_end < 0:
                raise DataSetError(
                    f"{path} ends in the middle of feature {position + 1}; download or copy the"
                    " file again"
                ) from error
            position += 1
            report.skip(position, "feature must be valid JSON", buffer[at : at + 60])
            at = line_end
            continue
        position, at = position + 1, end
        yield position, item


def _pieces(path: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    try:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield decoder.decode(piece)
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}; check the path") from error


def _center(geometry: object) -> tuple[float, float]:
    """Return the latitude and longitude of a point, or the mean of a geometry's corners."""
    if not isinstance(geometry, dict):
        raise InputError("geometry", "must not be empty")
    points = list(_points(geometry.get("coordinates")))
    if not points:
        raise InputError("geometry", "must have coordinates")
    if len(points) > 1 and points[0] == points[-1]:
        points.pop()
    longitudes = [longitude for longitude, _ in points]
    if max(longitudes) - min(longitudes) > 180:  # the geometry crosses the antimeridian
        longitudes = [each + 360 if each < 0 else each for each in longitudes]
    longitude = sum(longitudes) / len(points)
    latitude = sum(latitude for _, latitude in points) / len(points)
    return latitude, longitude - 360 if longitude > 180 and len(points) > 1 else longitude


def _points(coordinates: object) -> Iterator[tuple[float, float]]:
    if not isinstance(coordinates, list) or not coordinates:
        raise InputError("geometry", "must have coordinates")
    if isinstance(coordinates[0], list):
        for part in coordinates:
            yield from _points(part)
        return
    if len(coordinates) < 2:
        raise InputError("geometry", "must have a longitude and a latitude")
    yield _degrees(coordinates[0], "longitude"), _degrees(coordinates[1], "latitude")


def _degrees(value: object, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(field, "must be a number", value)
    try:
        return float(value)
    except OverflowError:
        raise InputError(field, "must be a finite number") from None


def _texts(properties: object) -> dict[str, str]:
    if not isinstance(properties, dict):
        return {}
    return {key: str(value) for key, value in properties.items() if isinstance(value, (str, int))}


def _name(item: object) -> str:
    if not isinstance(item, dict):
        return ""
    inner = item.get("properties") or item.get("tags")
    return str(inner.get("name", "")) if isinstance(inner, dict) else ""
