"""Compile a catalogue from a collection and the shipped table, and put it in place in one step."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from postmeal.errors import DataSetError
from postmeal.foods.catalog.file import APPLICATION_ID, KINDS, build_catalog_file
from postmeal.foods.sources.collection.collection import IN_LANGUAGES, Collection, ImportState
from postmeal.foods.sources.collection.resumable_import import Progress
from postmeal.foods.table import TableFood

__all__ = ["catalogue_foods", "compile_catalogue"]

_AT_ONCE = 1000
_APPLICATION = slice(68, 72)
"""Where a SQLite file tells whose it is (https://www.sqlite.org/fileformat2.html, section 1.3)."""


def compile_catalogue(
    collection: Collection,
    shipped: Sequence[TableFood],
    output: Path,
    *,
    with_incomplete: bool = False,
    progress: Progress = lambda path, written, all_foods: None,
) -> int:
    """Write a catalogue file; one that is there is replaced in one step, or left as it is.

    Parameters
    ----------
    collection : Collection
        The imported foods.
    shipped : sequence of TableFood
        The shipped table, the most popular food first.
    output : Path
        The catalogue's ``.sqlite3`` file.
    with_incomplete : bool, default=False
        Whether to take what was read by imports that have not come to their end.
    progress : callable
        Is told of the output how many foods of about how many were written.

    Returns
    -------
    int
        How many foods the catalogue holds.

    Raises
    ------
    DataSetError
        An import is incomplete, or the output is there and no catalogue.
    """
    _refuse_to_replace(output, collection)
    if not with_incomplete and (unfinished := collection.incomplete()):
        raise DataSetError(_how_to_go_on(output, collection, unfinished))
    written, expected = 0, len(collection) + len(shipped)

    def counted() -> Iterator[TableFood]:
        nonlocal written
        for food in catalogue_foods(collection, shipped):
            written += 1
            if written % _AT_ONCE == 0:
                progress(output, written, expected)
            yield food

    output.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.", suffix=".part", dir=output.parent)
    os.close(handle)
    part = Path(name)
    try:
        build_catalog_file(counted(), part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(0o644)
        os.replace(part, output)
    finally:
        part.unlink(missing_ok=True)
    return written


def _how_to_go_on(output: Path, collection: Collection, unfinished: list[ImportState]) -> str:
    told = [f"{output} stays as it is: not imported to the end:"]
    for state in unfinished:
        problem = state.problem or f"it was stopped after line {state.mark.line:,}"
        if Path(state.name).exists():
            _, _, languages = state.fingerprint.partition(IN_LANGUAGES)
            spoken = (f"--language {quote(one)}" for one in languages.split(", ") if one)
            command = ("postmeal foods import", quote(state.name), *spoken, "--collection")
            way = f"to go on: {' '.join(command)} {quote(str(collection.path))}"
        else:
            way = "it is not there now; import it from where it is, and it goes on"
        told.append(f"  {state.name} ({problem}); {way}")
    return "\n".join([*told, "or compile with what was read of them: --with-incomplete"])


def _refuse_to_replace(output: Path, collection: Collection) -> None:
    """Keep everything that is no catalogue from being replaced by one."""
    if not output.exists():
        return
    if collection.path.exists() and output.samefile(collection.path):
        raise DataSetError(f"{output} is the collection; name another file for the catalogue")
    if not output.is_file():
        raise DataSetError(f"{output} is no file; name the .sqlite3 file to write")
    with output.open("rb") as file:
        header = file.read(_APPLICATION.stop)
    if header and header[_APPLICATION] != APPLICATION_ID.to_bytes(4, "big"):
        raise DataSetError(f"{output} is there and no catalogue of postmeal; name another file")


def catalogue_foods(collection: Collection, shipped: Sequence[TableFood]) -> Iterator[TableFood]:
    """Give the foods of the shipped table and of a collection the order of a catalogue.

    Kind by kind: the shipped foods in their everyday order, then the imported ones by popularity.
    A shipped food of which something official was imported has its amounts and portions. Of foods
    with one barcode one's own has it, else the one of which most is known.

    Parameters
    ----------
    collection : Collection
        The imported foods.
    shipped : sequence of TableFood
        The shipped table, the most popular food first.

    Yields
    ------
    TableFood
        A food; all generic ones first, then all recipes, then all branded ones.
    """
    official = collection.official()
    known = {food.id for food in shipped}
    own = collection.own_barcodes()
    for kind in KINDS:
        for food in shipped:
            if food.kind == kind:  # before every imported food of its kind
                yield _updated(replace(food, popularity=math.inf), official.get(food.id))
        for food in official.values():
            if food.kind == kind and food.id not in known:
                yield replace(food, popularity=math.inf)
        for food in collection.foods(kind):
            is_anothers = food.source != "own" and (
                food.barcode in own or collection.has_better_twin(food)
            )
            yield replace(food, barcode="") if is_anothers else food


def _updated(food: TableFood, official: TableFood | None) -> TableFood:
    if official is None:
        return food
    return replace(
        food,
        per_100_g=food.per_100_g | official.per_100_g,
        portions=official.portions if len(official.portions) > 1 else food.portions,
    )
