"""Importer for OpenStreetMap extracts (``.osm.pbf``), which requires the package ``osmium``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from postmeal.errors import DataSetError, InputError
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.restaurants.place import Place
from postmeal.restaurants.sources.tags import place_from_tags, serves_food

_Points = list[tuple[float, float]]


def read_open_street_map(path: Path, report: ImportReport) -> Iterator[Place]:
    """Yield the places that serve food in an extract; a building is at the mean of its corners."""
    relations: dict[int, tuple[dict[str, str], set[tuple[str, int]]]] = {}
    for entry in _objects(path):
        tags = {tag.k: tag.v for tag in entry.tags}
        if not serves_food(tags):
            continue
        if entry.is_relation():
            relations[entry.id] = tags, {(member.type, member.ref) for member in entry.members}
            continue
        yield from _place(entry.type_str(), entry.id, _points(entry), tags, report)
    points: defaultdict[tuple[str, int], _Points] = defaultdict(list)
    members = {member for _, found in relations.values() for member in found}
    if members:
        ids = {kind: [ref for each, ref in members if each == kind] for kind in "nw"}
        for entry in _objects(path, ids):
            key = entry.type_str(), entry.id
            if key in members:
                points[key] += _points(entry)
    for number, (tags, found) in sorted(relations.items()):
        corners = [point for member in sorted(found) for point in points[member]]
        yield from _place("r", number, corners, tags, report)


def _objects(path: Path, ids: dict[str, list[int]] | None = None) -> Iterator[Any]:
    """Yield the objects with the tag ``amenity``, or the nodes and ways with the given IDs."""
    try:
        import osmium
    except ModuleNotFoundError as error:
        raise DataSetError(
            f"{path} cannot be read, because osmium is not installed; install postmeal[places]"
        ) from error
    if not path.is_file():
        raise DataSetError(f"{path} cannot be read: it is not a file; check the path")
    try:
        objects = osmium.FileProcessor(osmium.io.File(str(path), "pbf")).with_locations()
        if ids is None:
            objects = objects.with_filter(osmium.filter.KeyFilter("amenity"))
        else:
            wanted = osmium.filter.IdFilter([*ids["n"], *ids["w"]])
            objects = objects.with_filter(wanted)
        yield from objects
    except (RuntimeError, ValueError, OSError) as error:
        raise DataSetError(
            f"{path} cannot be read: it is damaged, truncated or not an .osm.pbf file ({error})"
        ) from error


def _place(
    kind: str, number: int, points: _Points, tags: dict[str, str], report: ImportReport
) -> Iterable[Place]:
    """Build a place from an object; return a tuple that is empty if name or location is missing."""
    if not points:
        report.skip(0, "the location is missing in the file", f"{kind}{number}")
        return ()
    latitude, longitude = (sum(each) / len(points) for each in zip(*points, strict=True))
    try:
        place = place_from_tags(kind, number, latitude, longitude, tags)
    except InputError as error:
        report.skip(0, f"{error.field} {error.problem}", f"{kind}{number}")
        return ()
    report.taken += 1
    return (place,)


def _points(entry: Any) -> _Points:
    """Return the location of a node, or those of a way's nodes without the repeated last node."""
    if entry.is_node():
        return [(entry.lat, entry.lon)] if entry.location.valid() else []
    nodes = [(node.lat, node.lon) for node in entry.nodes if node.location.valid()]
    return nodes[:-1] if len(nodes) > 1 and nodes[0] == nodes[-1] else nodes
