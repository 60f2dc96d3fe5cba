"""``postmeal foods import | compile``: import food data and compile it into a catalog."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from postmeal.cli.arguments import report_file
from postmeal.cli.progress_bar import ProgressBar
from postmeal.errors import DataSetError, PostmealError

_MOST_LISTED = 10

FORMATS = ("auto", "fdc", "off-csv", "off-jsonl", "csv")
"""``auto`` and the formats of `postmeal.foods.sources.import_file.Format`."""


def add_verbs(verbs: Any) -> None:
    """Add the verbs ``import`` and ``compile`` to ``postmeal foods``."""
    importer = verbs.add_parser("import", help="import foods into a collection")
    importer.add_argument(
        "files", nargs="+", type=Path, metavar="FILE_OR_FOLDER", help="files or folders to import"
    )
    importer.add_argument(
        "--collection", type=Path, required=True, help="collection file to add the foods to"
    )
    importer.add_argument(
        "--format",
        choices=FORMATS,
        default="auto",
        help="format of the files (default: detected from each file)",
    )
    importer.add_argument(
        "--language",
        action="append",
        help="language of the food names to import from an Open Food Facts dump, such as de; can be"
        " repeated (default: en)",
    )
    importer.add_argument(
        "--report", type=Path, help="CSV file to write skipped rows and warnings to"
    )
    importer.add_argument("--quiet", action="store_true", help="do not show progress")
    importer.set_defaults(run=_import)

    compiler = verbs.add_parser("compile", help="compile a collection into a catalog")
    compiler.add_argument("--collection", type=Path, required=True, help="collection file to read")
    compiler.add_argument(
        "--output", type=Path, required=True, help=".sqlite3 catalog file to create or replace"
    )
    compiler.add_argument(
        "--with-incomplete",
        action="store_true",
        help="include foods from partially imported files",
    )
    compiler.add_argument(
        "--glycemic-index",
        type=Path,
        metavar="FILE",
        help="CSV file of measured glycemic indices, with the columns food (ID or name),"
        " glycemic_index and sd",
    )
    compiler.add_argument("--quiet", action="store_true", help="do not show progress")
    compiler.set_defaults(run=_compile)


def _import(options: argparse.Namespace) -> int:
    from postmeal.foods.sources.collection.collection import Collection
    from postmeal.foods.sources.collection.report import ImportReport
    from postmeal.foods.sources.import_file import import_foods

    file_format = None if options.format == "auto" else options.format
    shipped = {(food.source, food.key): food.id for food in _shipped()}
    failed = 0
    with ExitStack() as files:
        files.enter_context(
            _name_files_in_errors(options.collection, *filter(None, [options.report]))
        )
        others = (*options.files, options.collection)
        notes = files.enter_context(report_file(options.report, others))
        collection = files.enter_context(Collection(options.collection, shipped))
        for path in options.files:
            report = ImportReport(path.name or str(path), notes)
            with ProgressBar(options.quiet) as bar:
                try:
                    counts = import_foods(
                        path, collection, report, form=file_format, progress=bar.show,
                        languages=options.language or ("en",),
                    )  # fmt: skip
                except PostmealError as error:
                    failed += 1
                    print(f"postmeal: {error}", file=sys.stderr)
                    continue
            if not any(counts) and not report.taken:
                print(f"{path}: already imported and unchanged")
                continue
            print(report)
            print(
                f"  {counts.new:,} new, {counts.changed:,} changed, {counts.unchanged:,} unchanged"
            )
    return 2 if failed else 0


@contextmanager
def _name_files_in_errors(*files: Path) -> Iterator[None]:
    """Convert database and file access errors to a DataSetError that names the files."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if isinstance(error, BrokenPipeError) or getattr(error, "filename", None) is not None:
            raise  # the error is about standard output or already names its file
        names = " or ".join(map(str, files))
        raise DataSetError(
            f"{names} cannot be read or written: {error}; check that the disk is not full, and"
            " that no file is damaged or in use; the foods that were stored earlier are kept"
        ) from error


def _compile(options: argparse.Namespace) -> None:
    from postmeal.foods.sources.collection.collection import Collection
    from postmeal.foods.sources.collection.compile_catalog import compile_catalog
    from postmeal.foods.sources.own_glycemic_index import OwnIndices

    indices = None if options.glycemic_index is None else OwnIndices(options.glycemic_index)
    if not options.collection.is_file():
        raise DataSetError(
            f"the collection {options.collection} does not exist; create it with"
            " `postmeal foods import`"
        )
    with (
        _name_files_in_errors(options.collection, options.output),
        Collection(options.collection) as collection,
        ProgressBar(options.quiet, " foods") as bar,
    ):
        count = compile_catalog(
            collection, _shipped(), options.output,
            with_incomplete=options.with_incomplete, progress=bar.show,
            changed=iter if indices is None else indices.applied,
        )  # fmt: skip
    print(f"wrote {options.output}: {count:,} foods")
    if indices is not None:
        print(f"  {len(indices):,} foods with a measured glycemic index in the file")
        if indices.unused:
            names = "; ".join(sorted(indices.unused)[:_MOST_LISTED])
            print(f"  {len(indices.unused):,} of them are not in the catalog, such as {names}")


def _shipped() -> Any:
    from postmeal.assets import asset
    from postmeal.foods.table import read_table

    return read_table(asset("data/foods.csv.xz"))
