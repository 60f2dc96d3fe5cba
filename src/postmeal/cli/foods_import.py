"""``postmeal foods import | compile``: publishers' files and one's own become a catalog."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from postmeal.errors import PostmealError

__all__ = ["FORMATS", "add_verbs"]

FORMATS = ("auto", "fdc", "off-csv", "off-jsonl", "csv")
"""``auto``, and those of `postmeal.foods.sources.import_file.Format`."""


def add_verbs(verbs: Any) -> None:
    """Add the verbs to ``postmeal foods``."""
    take = verbs.add_parser("import", help="import foods into a collection")
    take.add_argument(
        "files", nargs="+", type=Path, metavar="FILE_OR_FOLDER", help="what to import"
    )
    take.add_argument("--collection", type=Path, required=True, help="file that the foods go to")
    take.add_argument(
        "--format", choices=FORMATS, default="auto", help="told by the content when omitted"
    )
    take.add_argument(
        "--language", action="append", help="of names in the dump of Open Food Facts (en)"
    )
    take.add_argument("--report", type=Path, help="CSV file to write every doubtful row to")
    take.add_argument("--quiet", action="store_true", help="show no progress")
    take.set_defaults(run=_import)

    build = verbs.add_parser("compile", help="make a catalog of a collection")
    build.add_argument("--collection", type=Path, required=True, help="file of the imported foods")
    build.add_argument("--output", type=Path, required=True, help="the .sqlite3 file to replace")
    build.add_argument(
        "--with-incomplete",
        action="store_true",
        help="take what was read of files that were not read to their end",
    )
    build.add_argument("--quiet", action="store_true", help="show no progress")
    build.set_defaults(run=_compile)


def _import(options: argparse.Namespace) -> int:
    from postmeal.foods.sources.collection.collection import Collection
    from postmeal.foods.sources.collection.report import ImportReport
    from postmeal.foods.sources.import_file import import_foods

    form = None if options.format == "auto" else options.format
    shipped = {(food.source, food.key): food.id for food in _shipped()}
    failed = 0
    with ExitStack() as files:
        files.enter_context(_told_of(options.collection, *filter(None, [options.report])))
        notes = None
        if options.report:
            _refuse_to_write_over(options.report, [*options.files, options.collection])
            notes = files.enter_context(
                options.report.open("w", encoding="utf-8", errors="backslashreplace", newline="")
            )
        collection = files.enter_context(Collection(options.collection, shipped))
        for path in options.files:
            report = ImportReport(path.name or str(path), notes)
            with _Bar(options.quiet) as bar:
                try:
                    done = import_foods(
                        path, collection, report, form=form, progress=bar.show,
                        languages=options.language or ("en",),
                    )  # fmt: skip
                except PostmealError as error:
                    failed += 1
                    print(f"postmeal: {error}", file=sys.stderr)
                    continue
            if not any(done) and not report.taken:
                print(f"{path}: imported before, and not changed since")
                continue
            print(report)
            print(f"  {done.new:,} new, {done.changed:,} changed, {done.unchanged:,} as they were")
    return 2 if failed else 0


@contextmanager
def _told_of(*files: Path) -> Iterator[None]:
    """Tell which files an error of the database, or of a write, is about."""
    from postmeal.errors import DataSetError

    try:
        yield
    except (sqlite3.Error, OSError) as error:
        if isinstance(error, BrokenPipeError) or getattr(error, "filename", None) is not None:
            raise  # of what is printed, or told by its name
        named = " or ".join(map(str, files))
        hint = "is the disk full, the file damaged, or in use? What was stored before stays"
        raise DataSetError(f"{named} cannot be read or written: {error}; {hint}") from error


def _refuse_to_write_over(report: Path, others: Iterable[Path]) -> None:
    """Keep the report from replacing what is imported, or where it goes to."""
    from postmeal.errors import DataSetError

    for other in others:
        inside = other.is_dir() and other.resolve() in report.resolve().parents
        if inside or report.resolve() == other.resolve():
            raise DataSetError(f"--report {report} would write over {other}; name another file")


def _compile(options: argparse.Namespace) -> None:
    from postmeal.errors import DataSetError
    from postmeal.foods.sources.collection.collection import Collection
    from postmeal.foods.sources.collection.compile_catalog import compile_catalogue

    if not options.collection.is_file():
        raise DataSetError(f"{options.collection} is not there; `postmeal foods import` makes it")
    with (
        _told_of(options.collection, options.output),
        Collection(options.collection) as collection,
        _Bar(options.quiet, " foods") as bar,
    ):
        number = compile_catalogue(
            collection, _shipped(), options.output,
            with_incomplete=options.with_incomplete, progress=bar.show,
        )  # fmt: skip
    print(f"{options.output}: {number:,} foods")


def _shipped() -> Any:
    from postmeal.assets import asset
    from postmeal.foods.table import read_table

    return read_table(asset("data/foods.csv.xz"))


class _Bar:
    """A line of progress on a terminal: by tqdm where it is installed."""

    def __init__(self, quiet: bool, unit: str = "B") -> None:
        self._unit = unit
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._bar: Any = None
        self._path: Path | None = None
        self._percent = -1

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._percent >= 0:
            print(file=sys.stderr)

    def show(self, path: Path, read: int, size: int) -> None:
        """Show how many bytes of a file were read, or foods written."""
        if not self._shown:
            return
        if path != self._path:
            self.__exit__()
            self._path, self._percent, self._bar = path, -1, None
            try:
                from tqdm import tqdm
            except ModuleNotFoundError:
                pass
            else:
                self._bar = tqdm(desc=path.name, total=size, unit=self._unit, unit_scale=True)
        if self._bar is not None:
            self._bar.update(read - self._bar.n)
        elif (percent := 100 * read // max(size, 1)) > self._percent:
            self._percent = percent
            print(f"\r{path.name}: {percent} %", end="", file=sys.stderr, flush=True)
