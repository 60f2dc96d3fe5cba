"""Importer for CSV files of places, including exports from Foursquare and Overture."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from postmeal.errors import DataSetError, InputError
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.text_lines import TextLines, csv_rows, header_of
from postmeal.foods.sources.labels.label_text import clean
from postmeal.foods.sources.labels.numbers_in_text import amount
from postmeal.restaurants.chains import chain_of
from postmeal.restaurants.place import Place

PLACE_COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("fsq_place_id", "fsq_id"),
    "name": ("names.primary", "primary_name"),
    "latitude": ("lat", "bbox.ymin"),
    "longitude": ("lon", "lng", "bbox.xmin"),
    "brand": ("brand.names.primary",),
    "brand_wikidata": ("brand.wikidata",),
    "city": ("locality", "addresses.locality"),
    "address1": ("address", "addresses.freeform"),
    "address2": ("address_extended",),
    "cuisines": ("fsq_category_labels", "categories.primary"),
    "diets": (),
    "source": (),
}
"""Supported columns, with their names in exports from Foursquare and Overture."""

_REQUIRED = ("name", "latitude", "longitude")
_LIST = re.compile(r"[;,|\[\]'\"]+")
_MAX_TEXT = 200


def read_place_table(path: Path, report: ImportReport) -> Iterator[Place]:
    """Yield the places in a CSV file that is delimited by commas, semicolons or tabs."""
    header, delimiter = header_of(path)
    columns = {
        name: next(iter(found))
        for name, others in PLACE_COLUMNS.items()
        if (found := [each for each in (name, *others) if each in header])
    }
    if missing := [name for name in _REQUIRED if name not in columns]:
        raise DataSetError(f"{path} is missing required columns: {', '.join(missing)}")
    with TextLines(path, report) as lines:
        for row in csv_rows(lines, report, list(columns.values()), delimiter=delimiter):
            values = dict(zip(columns, (clean(text, _MAX_TEXT) for text in row), strict=True))
            try:
                place = place_from_columns(values, columns.get("id", ""))
            except InputError as error:
                report.skip(lines.mark.line, f"{error.field} {error.problem}", values["name"])
                continue
            report.taken += 1
            yield place


def stable_id(prefix: str, name: str, latitude: float, longitude: float) -> str:
    """Derive an ID from the name and coordinates of a place, for places without an ID."""
    text = f"{name.casefold()} {latitude:.5f} {longitude:.5f}"
    return f"{prefix}-{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"


def place_from_columns(row: Mapping[str, str], id_column: str = "") -> Place:
    """Build a place from a row of a table, by the column names in `PLACE_COLUMNS`."""
    latitude, longitude = (_degrees(row, name) for name in ("latitude", "longitude"))
    name, brand = row["name"], row.get("brand", "")
    if not name:
        raise InputError("name", "must not be empty")
    place_id = row.get("id", "")
    if place_id and id_column.startswith("fsq"):
        place_id = f"fsq-{place_id}"
    city, address1 = row.get("city", ""), row.get("address1", "")
    chain = chain_of(name, brand, row.get("brand_wikidata"), (city, address1))
    return Place(
        id=place_id or stable_id("own", name, latitude, longitude),
        name=name,
        latitude=latitude,
        longitude=longitude,
        brand=brand or None,
        chain=chain.name if chain else None,
        city=city or None,
        address1=address1 or None,
        address2=row.get("address2") or None,
        cuisines=_list(row.get("cuisines", "")),
        diets=_list(row.get("diets", "")),
        source=row.get("source") or ("Foursquare" if id_column.startswith("fsq") else "own"),
    )


def _degrees(row: Mapping[str, str], name: str) -> float:
    degrees = amount(row[name])
    if degrees is None:
        raise InputError(name, "must be a number", row[name])
    return degrees


def _list(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in _LIST.split(text))))
