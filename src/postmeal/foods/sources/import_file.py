"""Import a publisher's file, or one's own, into a collection."""

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
"""Folder of FoodData Central; export and dump of Open Food Facts; one's own foods."""


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

    A file that was imported before, and has not changed, is not read again; an import that was
    stopped goes on.

    Parameters
    ----------
    path : Path
        The file or folder.
    collection : Collection
        Where its foods go.
    report : ImportReport
        Gets what is skipped or doubtful.
    form : {"fdc", "off-csv", "off-jsonl", "csv"}, optional
        What it is; told by its content when omitted.
    languages : sequence of str
        Of names in the dump of Open Food Facts, the preferred one first.
    progress : callable
        Is told how far each file is.

    Returns
    -------
    Put
        What became of the foods that were read now.

    Raises
    ------
    DataSetError
        It is damaged, cut or in another format or encoding, or nothing of it can be used.
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

    known_as = fingerprint(path)
    if form == "off-jsonl":
        known_as += IN_LANGUAGES + ", ".join(languages)  # other names than before are read anew
    file = FileImport(path, collection, report, progress, known_as=known_as)
    if not file.state.complete:
        file.run(read, store)
    return done


def format_of(path: Path) -> Format:
    """Tell by its content what a file or folder is.

    Raises
    ------
    DataSetError
        It cannot be read, or is none that can be imported.
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
        raise DataSetError(f"{path} is one file of FoodData Central; name the folder that holds it")
    accepted = ", ".join(cast(tuple[str, ...], get_args(Format)))
    raise DataSetError(f"{path} is in none of the formats {accepted}")
