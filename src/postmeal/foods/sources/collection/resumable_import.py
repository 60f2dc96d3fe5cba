"""One file on its way into a collection: in batches, each with the mark up to which it was read."""

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

__all__ = ["FileImport", "Progress", "fingerprint", "import_name"]

Progress = Callable[[Path, int, int], None]
"""Is told of a file how many bytes of how many were read."""

T = TypeVar("T")

_AT_ONCE = 2000
_LOOKED_AT = 2**20
_UNREADABLE = 1000  # more than one line in so many, and the file is damaged or of another encoding


def fingerprint(*paths: Path) -> str:
    """Tell files from others by size, time of the last change, first and last mebibyte.

    It is the same wherever a file lies, and whatever its name.

    Raises
    ------
    DataSetError
        A file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                stat = path.stat()
                digest.update(f"{stat.st_size} {stat.st_mtime_ns} ".encode())
                digest.update(file.read(_LOOKED_AT))
                file.seek(max(0, stat.st_size - _LOOKED_AT))
                digest.update(file.read(_LOOKED_AT))
        except OSError as error:
            raise DataSetError(f"{path} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


def import_name(path: Path) -> str:
    """Write a path so that it can be stored, also where its name is no text."""
    return str(path.resolve()).encode(errors="backslashreplace").decode()


class FileImport:
    """The import of one file, which goes on where an earlier run stopped.

    Parameters
    ----------
    path : Path
        The file.
    collection : Collection
        Where its rows go.
    report : ImportReport
        Gets what is skipped.
    progress : callable
        Is told how far it is.
    name : str, optional
        What the collection calls the import; the file's path when omitted.
    known_as : str, optional
        Its fingerprint; the file's own when omitted.
    """

    def __init__(
        self,
        path: Path,
        collection: Collection,
        report: ImportReport,
        progress: Progress,
        *,
        name: str = "",
        known_as: str = "",
    ) -> None:
        self.path = path
        self.report = report
        self._collection = collection
        self._progress = progress
        self.state = collection.begun(name or import_name(path), known_as or fingerprint(path))

    def run(
        self,
        read: Callable[[TextLines], Iterable[T]],
        store: Callable[[list[T]], None],
        *,
        at_once: int = _AT_ONCE,
        completes: bool = True,
        may_be_empty: bool = False,
    ) -> None:
        """Read the file to its end, and store its rows batch by batch.

        Parameters
        ----------
        read : callable
            Reads rows from lines, one by one: it never looks ahead.
        store : callable
            Stores a batch of rows, within a transaction.
        at_once : int
            Rows of a batch.
        completes : bool
            Whether the import is complete with the end of the file.
        may_be_empty : bool
            Whether a file without rows is in order.

        Raises
        ------
        DataSetError
            The file is damaged, cut, in another encoding, or holds nothing that can be used. What
            was stored of it stays, and the import is marked as incomplete.
        """
        stored, unreadable_before = self.state.mark.line > 0, self.report.unreadable
        try:
            with TextLines(self.path, self.report, self.state.mark) as lines:
                for batch in _batches(read(lines), at_once):
                    with self._collection.writing():
                        store(batch)
                        self._note(mark=lines.mark)
                    stored = True
                    self.report.taken += len(batch)
                    self._progress(self.path, lines.read_bytes, lines.size)
            unreadable = self.report.unreadable - unreadable_before
            if unreadable * _UNREADABLE > lines.mark.line:
                self.state = self.state._replace(mark=Mark())  # to be read all over again
                told = f"{unreadable:,} of {lines.mark.line:,} lines cannot be read"
                raise DataSetError(f"{self.path}: {told}\n{self.report}")
            if not stored and not may_be_empty:
                raise DataSetError(f"{self.path} holds no row that can be used\n{self.report}")
            with self._collection.writing():
                self._note(mark=lines.mark, complete=completes, problem="")
        except DataSetError as error:
            if stored:
                with self._collection.writing():
                    self._note(problem=str(error).partition("\n")[0])
            raise

    def _note(self, **changes: object) -> None:
        self.state = self.state._replace(**changes)  # type: ignore[arg-type]
        self._collection.note(self.state)


def _batches(items: Iterable[T], most: int) -> Iterator[list[T]]:
    source = iter(items)
    while batch := list(islice(source, most)):
        yield batch
