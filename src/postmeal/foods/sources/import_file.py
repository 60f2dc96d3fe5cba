"""Import files of publishers and the user's own files into a collection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, cast, get_args

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import IN_LANGUAGES, Collection, Imported, Put
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.resumable_import import FileImport, Progress, fingerprint
from postmeal.foods.sources.collection.text_lines import TextLines, first_line
from postmeal.foods.sources.fooddata_central.folder import import_fdc
from postmeal.foods.sources.open_food_facts.csv_export import (
    read_open_food_facts_csv,
    read_open_food_facts_jsonl,
)
from postmeal.foods.sources.own_csv import read_own_csv

__all__ = ["Format", "format_of", "import_foods"]

Format = Literal["fdc", "off-csv", "off-jsonl", "csv"]
"""Supported formats: a FoodData Central folder, the CSV export and the JSONL dump of Open Food
Facts, and a CSV file of the user's own foods."""

_SHOWN_LETTERS = 100


def import_foods(
    path: Path,
    collection: Collection,
    report: ImportReport,
    *,
    form: Format | None = None,
    languages: Sequence[str] = ("en",),
    progress: Progress = lambda path, read, size: None,
) -> Put:
    """Import the foods of a file or folder.

    A file that has already been imported is skipped unless it has changed. An interrupted import is
    resumed.

    Parameters
    ----------
    path : Path
        The file or folder.
    collection : Collection
        The collection to import into.
    report : ImportReport
        Receives skipped rows and warnings.
    form : {"fdc", "off-csv", "off-jsonl", "csv"}, optional
        The format; detected from the content when omitted.
    languages : sequence of str
        Languages of the names to read from the Open Food Facts dump, preferred language first.
    progress : callable
        Function that is called with the progress of each file.

    Returns
    -------
    Put
        Number of foods in this run that were new, changed and unchanged.

    Raises
    ------
    DataSetError
        The file is damaged or truncated, its format or encoding is not supported, or it has no
        usable rows.
    """
    form = form or format_of(path)
    if form == "fdc":
        return import_fdc(path, collection, report, progress)
    done = Put()

    def read(lines: TextLines) -> Iterable[Imported]:
        if form == "off-csv":
            return read_open_food_facts_csv(lines, report)
        if form == "off-jsonl":
            return read_open_food_facts_jsonl(lines, report, languages)
        return read_own_csv(lines, report)

    def store(batch: list[Imported]) -> None:
        nonlocal done
        done += collection.put(batch)

    identity = fingerprint(path)
    if form == "off-jsonl":
        identity += IN_LANGUAGES + ", ".join(languages)  # other languages require a new import
    file = FileImport(path, collection, report, progress, identity=identity)
    if not file.state.complete:
        file.run(read, store)
    return done


def format_of(path: Path) -> Format:
    """Detect the format of a file or folder from its content.

    Raises
    ------
    DataSetError
        The file cannot be read, or its format is not supported.
    """
    if path.is_dir():
        return "fdc"
    line = first_line(path)
    header = {column.strip(' "') for column in line.replace(";", ",").replace("\t", ",").split(",")}
    if line.lstrip().startswith("{"):
        return "off-jsonl"
    if "\t" in line and {"code", "product_name"} <= header:
        return "off-csv"
    if "name" in header:
        return "csv"
    if "fdc_id" in header:
        raise DataSetError(f"{path} is a FoodData Central file; import the folder that contains it")
    accepted = ", ".join(cast(tuple[str, ...], get_args(Format)))
    raise DataSetError(
        f"{path} is not in a supported format; supported formats: {accepted}; a csv file must have"
        f" the column 'name'; the first line of the file is {line[:_SHOWN_LETTERS].strip()!r}"
    )
