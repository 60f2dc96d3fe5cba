"""Resumable import of a file into a collection.

Each batch of foods is stored together with the position in the file, at which the next run
continues.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import Collection
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.collection.text_lines import Mark, TextLines

Progress = Callable[[Path, int, int], None]
"""Function that is called with a file, the amount of work done so far and the total amount."""

T = TypeVar("T")

_BATCH = 2000
_SAMPLE = 2**20
_UNREADABLE = 1000  # a file is damaged if more than 1 in 1000 lines is unreadable


def fingerprint(*paths: Path) -> str:
    """Return a hash of the sizes, times, and first and last mebibytes of files."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                stat = path.stat()
                digest.update(f"{stat.st_size} {stat.st_mtime_ns} ".encode())
                digest.update(file.read(_SAMPLE))
                file.seek(max(0, stat.st_size - _SAMPLE))
                digest.update(file.read(_SAMPLE))
        except OSError as error:
            raise DataSetError(
                f"{path} cannot be read: {error.strerror}; check the path and its permissions"
            ) from error
    return digest.hexdigest()


def import_name(path: Path) -> str:
    """Return a path as text that can be stored, even if its name is not valid Unicode."""
    return str(path.resolve()).encode(errors="backslashreplace").decode()


class FileImport:
    """The import of one file, which resumes an interrupted import."""

    def __init__(
        self,
        path: Path,
        collection: Collection,
        report: ImportReport,
        progress: Progress,
        *,
        name: str = "",
        identity: str = "",
    ) -> None:
        self.path = path
        self.report = report
        self._collection = collection
        self._progress = progress
        self.state = collection.resume(name or import_name(path), identity or fingerprint(path))

    def run(
        self,
        read: Callable[[TextLines], Iterable[T]],
        store: Callable[[list[T]], None],
        *,
        batch_size: int = _BATCH,
        completes: bool = True,
        may_be_empty: bool = False,
    ) -> None:
        """Read the file to its end and store its rows in batches."""
        stored, unreadable_before = self.state.mark.line > 0, self.report.unreadable
        try:
            with TextLines(self.path, self.report, self.state.mark) as lines:
                for batch in _batches(read(lines), batch_size):
                    with self._collection.writing():
                        store(batch)
                        self._save(mark=lines.mark)
                    stored = True
                    self.report.taken += len(batch)
                    self._progress(self.path, lines.read_bytes, lines.size)
            unreadable = self.report.unreadable - unreadable_before
            if unreadable * _UNREADABLE > lines.mark.line:
                # The next run starts from the beginning.
                self.state = self.state._replace(mark=Mark())
                raise DataSetError(
                    f"{self.path}: {unreadable:,} of {lines.mark.line:,} lines cannot be read\n"
                    f"{self.report}"
                )
            if not stored and not may_be_empty:
                raise DataSetError(f"{self.path} contains no usable rows\n{self.report}")
            with self._collection.writing():
                self._save(mark=lines.mark, complete=completes, problem="")
        except DataSetError as error:
            if stored:
                with self._collection.writing():
                    self._save(problem=str(error).partition("\n")[0])
            raise

    def _save(self, **changes: object) -> None:
        self.state = self.state._replace(**changes)  # type: ignore[arg-type]
        self._collection.save(self.state)


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
