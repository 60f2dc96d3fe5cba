"""Compile a catalog from a collection and the shipped table, and replace the file atomically."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

from postmeal.errors import DataSetError
from postmeal.foods.catalog.file import APPLICATION_ID, KINDS, build_catalog_file
from postmeal.foods.sources.collection.collection import IN_LANGUAGES, Collection, ImportState
from postmeal.foods.sources.collection.resumable_import import Progress
from postmeal.foods.table import TableFood

_PROGRESS_EVERY = 1000
_APPLICATION = slice(68, 72)
"""Position of the application ID in a SQLite file (https://www.sqlite.org/fileformat2.html,
section 1.3)."""


def compile_catalog(
    collection: Collection,
    shipped: Sequence[TableFood],
    output: Path,
    *,
    with_incomplete: bool = False,
    changed: Callable[[Iterable[TableFood]], Iterable[TableFood]] = iter,
    progress: Progress = lambda path, written, all_foods: None,
) -> int:
    """Write a catalog file, replacing an existing catalog atomically or not at all."""
    _refuse_to_replace(output, collection)
    if not with_incomplete and (unfinished := collection.incomplete()):
        raise DataSetError(_how_to_resume(output, collection, unfinished))
    written, expected = 0, len(collection) + len(shipped)

    def counted() -> Iterator[TableFood]:
        nonlocal written
        for food in changed(catalog_foods(collection, shipped)):
            written += 1
            if written % _PROGRESS_EVERY == 0:
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


def _how_to_resume(output: Path, collection: Collection, unfinished: list[ImportState]) -> str:
    lines = [f"{output} was not written because some imports are incomplete:"]
    for state in unfinished:
        problem = state.problem or f"stopped after line {state.mark.line:,}"
        if Path(state.name).exists():
            _, _, languages = state.fingerprint.partition(IN_LANGUAGES)
            options = (f"--language {quote(code)}" for code in languages.split(", ") if code)
            command = ("postmeal foods import", quote(state.name), *options, "--collection")
            hint = f"to resume: {' '.join(command)} {quote(str(collection.path))}"
        else:
            hint = "the file is missing; to resume, import it from its new location"
        lines.append(f"  {state.name} ({problem}); {hint}")
    return "\n".join([*lines, "to compile without the missing foods, add --with-incomplete"])


def _refuse_to_replace(output: Path, collection: Collection) -> None:
    """Raise a DataSetError if writing the catalog would replace a file that is not a catalog."""
    if not output.exists():
        return
    if collection.path.exists() and output.samefile(collection.path):
        raise DataSetError(f"{output} is the collection; choose another file for the catalog")
    if not output.is_file():
        raise DataSetError(f"{output} is not a file; give the path of the .sqlite3 file to write")
    with output.open("rb") as file:
        header = file.read(_APPLICATION.stop)
    if header and header[_APPLICATION] != APPLICATION_ID.to_bytes(4, "big"):
        raise DataSetError(f"{output} exists and is not a postmeal catalog; choose another file")


def catalog_foods(collection: Collection, shipped: Sequence[TableFood]) -> Iterator[TableFood]:
    """Yield the foods of the shipped table and of a collection in catalog order.

    Within each kind, the shipped foods come first, in the order of the table. The imported foods
    follow, most popular first. Imported official data updates the amounts and portions of shipped
    foods. If several foods have the same barcode, only one of them keeps it: the user's own food
    or, if there is none, the food with the most known amounts.
    """
    official = collection.official()
    shipped_ids = {food.id for food in shipped}
    own_barcodes = collection.own_barcodes()
    for kind in KINDS:
        for food in shipped:
            if food.kind == kind:  # shipped foods precede all imported foods of their kind
                yield _updated(replace(food, popularity=math.inf), official.get(food.id))
        for food in official.values():
            if food.kind == kind and food.id not in shipped_ids:
                yield replace(food, popularity=math.inf)
        for food in collection.foods(kind):
            is_duplicate = food.source != "own" and (
                food.barcode in own_barcodes or collection.has_better_twin(food)
            )
            yield replace(food, barcode="") if is_duplicate else food


def _updated(food: TableFood, official: TableFood | None) -> TableFood:
    if official is None:
        return food
    return replace(
        food,
        per_100_g=food.per_100_g | official.per_100_g,
        portions=official.portions if len(official.portions) > 1 else food.portions,
    )
