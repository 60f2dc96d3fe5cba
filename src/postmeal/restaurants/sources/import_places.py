"""Detect the format of files with places, and import them into one places file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.restaurants.compile import compile_places
from postmeal.restaurants.place import Place
from postmeal.restaurants.sources.geojson import read_geojson
from postmeal.restaurants.sources.menu_table import read_menu_table
from postmeal.restaurants.sources.open_street_map import read_open_street_map
from postmeal.restaurants.sources.place_table import read_place_table

__all__ = ["ImportedPlaces", "import_places"]

_JSON = (".json", ".geojson", ".geojsonl", ".geojsonseq")
_BEGINNING = 64  # bytes

Reporter = Callable[[Path], ImportReport]


class ImportedPlaces(NamedTuple):
    """Result of importing places and menus.

    Attributes
    ----------
    places, in_chains, dishes : int
        Number of places, number of places that belong to a chain, and number of menu items.
    reports : tuple of ImportReport
        One report per file.
    """

    places: int
    in_chains: int
    dishes: int
    reports: tuple[ImportReport, ...]


def import_places(
    files: Sequence[Path],
    output: Path,
    menus: Sequence[Path] = (),
    *,
    reporter: Reporter = lambda path: ImportReport(path.name),
) -> ImportedPlaces:
    """Import files with places and menus into a places file.

    Parameters
    ----------
    files : sequence of Path
        Extracts of OpenStreetMap (``.osm.pbf``), GeoJSON (``.json``, ``.geojson``) or tables of
        places. If several files contain the same place, the place from the first file is imported.
    output : Path
        The places file to write. An existing file is replaced only after all files were read.
    menus : sequence of Path
        Tables of menu items.
    reporter : callable, optional
        Function that creates the report for a file.

    Returns
    -------
    ImportedPlaces
        Numbers of places and menu items, and one report per file.

    Raises
    ------
    DataSetError
        A file cannot be read or is damaged, or no place was found.
    """
    reports = []
    dishes = []
    for path in menus:
        reports.append(reporter(path))
        dishes += list(read_menu_table(path, reports[-1]))
    in_chains = 0

    def places() -> Iterator[Place]:
        nonlocal in_chains
        for path in files:
            reports.append(reporter(path))
            for place in _read(path, reports[-1]):
                in_chains += place.chain is not None
                yield place
        if not any(report.taken for report in reports[len(menus) :]):
            found = "\n".join(map(str, reports[len(menus) :]))
            raise DataSetError(f"the files contain no places that serve food:\n{found}")

    def duplicate(place_id: str) -> None:
        reports[-1].taken -= 1
        reports[-1].skip(0, "the id occurs more than once; the first place is kept", place_id)

    count = compile_places(places(), output, dishes, duplicate=duplicate)
    return ImportedPlaces(count, in_chains, len(dishes), tuple(reports))


def _read(path: Path, report: ImportReport) -> Iterator[Place]:
    if path.name.endswith(".pbf"):
        return read_open_street_map(path, report)
    if path.suffix in _JSON or _beginning(path).lstrip(b"\xef\xbb\xbf\x1e \r\n\t")[:1] == b"{":
        return read_geojson(path, report)
    return read_place_table(path, report)


def _beginning(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_BEGINNING)
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}; check the path") from error
