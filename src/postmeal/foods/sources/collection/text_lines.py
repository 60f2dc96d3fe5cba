"""The lines of a large text file, plain or gzipped, one by one; memory stays bounded.

Nothing of the file is believed: it may be cut, in another encoding, or one line of a gigabyte.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, NamedTuple, cast

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.report import ImportReport

__all__ = ["MAX_LINE_BYTES", "Mark", "TextLines", "csv_rows", "first_line"]

MAX_LINE_BYTES = 8 * 2**20
"""A longer line is skipped and reported."""

_PIECE = 2**20
_OTHER_FILES = (
    (b"\xff\xfe\x00\x00", "is in UTF-32; save it as UTF-8"),
    (b"\xff\xfe", "is in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "is in UTF-16; save it as UTF-8"),
    (b"PK\x03\x04", "is a zip archive or a workbook; unpack it, or save it as CSV"),
    (b"\xfd7zXZ", "is compressed by xz; unpack it"),
    (b"BZh", "is compressed by bzip2; unpack it"),
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd; unpack it"),
    (b"PAR1", "is a Parquet file; take the CSV file, or save it as CSV"),
    (b"SQLite format 3", "is a SQLite database, no text"),
)
_CUT = "ends in the middle of line {}; is it complete?"


class Mark(NamedTuple):
    """How far a file was read: the bytes of its text and its lines."""

    offset: int = 0
    line: int = 0


class TextLines:
    """The lines of a file in UTF-8, each with its line end.

    Of many bare newlines in a row, those after the first are one text: a file may hold millions.
    Lines that are too long, hold a NUL or are not UTF-8 are noted in the report and left out.

    Parameters
    ----------
    path : Path
        The file; gzip is recognised by its first bytes.
    report : ImportReport
        Gets the notes.
    start : Mark
        Where an earlier run stopped.

    Raises
    ------
    DataSetError
        The file cannot be opened, is in another encoding, or its compression is damaged.
    """

    def __init__(self, path: Path, report: ImportReport, start: Mark = Mark()) -> None:
        self.path = path
        self.mark = start
        self.cut = False  # whether the last line lacks its end
        self._again: deque[tuple[str, Mark]] = deque()
        self._report = report
        try:
            self._raw = path.open("rb")
            self.size = path.stat().st_size
            beginning = self._raw.read(4)
            self._raw.seek(0)
        except OSError as error:
            raise DataSetError(f"{path} cannot be read: {error.strerror}") from error
        packed = gzip.GzipFile(fileobj=self._raw) if beginning[:2] == b"\x1f\x8b" else self._raw
        self._text = io.BufferedReader(cast(Any, packed), _PIECE)
        try:
            self._refuse_other_files(self._ahead())
            self._text.seek(start.offset)
        except BaseException:
            self.__exit__(None, None, None)
            raise

    @property
    def read_bytes(self) -> int:
        """How much of the file, as it lies on disk, was read."""
        return self._raw.tell()

    def __enter__(self) -> TextLines:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._text.close()
        self._raw.close()

    def __iter__(self) -> Iterator[str]:
        while True:
            while self._again:
                text, self.mark = self._again.popleft()
                self.cut = not text.endswith("\n")
                yield text
            if not (line := self._line(MAX_LINE_BYTES)):
                return
            offset, number = self.mark
            self.mark = Mark(offset + len(line), number + 1)
            self.cut = line[-1:] != b"\n"
            if self.cut and len(line) == MAX_LINE_BYTES:
                self._skip_rest()
                continue
            if not offset:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if not line.strip(b"\r\n"):
                yield line.decode()
                yield from self._blank_lines()
                continue
            if b"\0" in line:
                self._report.unread(number + 1, "a NUL byte")
                continue
            try:
                text = line.decode()
            except UnicodeDecodeError:
                self._report.unread(number + 1, "not in UTF-8")
                continue
            yield text

    def put_back(self, lines: Iterable[tuple[str, Mark]]) -> None:
        """Give lines that were read last, each with its mark, once more."""
        self._again.extendleft(reversed([*lines]))

    def refuse_if_cut(self) -> None:
        """Raise a DataSetError if the file ended within the line read last."""
        if self.cut:
            raise DataSetError(f"{self.path} {_CUT.format(self.mark.line)}")

    def _line(self, limit: int) -> bytes:
        try:
            return self._text.readline(limit)
        except (EOFError, OSError, zlib.error) as error:
            raise self._damaged() from error

    def _blank_lines(self) -> Iterator[str]:
        """Read the bare newlines that are in the buffer, as one text."""
        try:
            ahead = self._text.peek(1)
        except (EOFError, OSError, zlib.error) as error:
            raise self._damaged() from error
        length = len(ahead) - len(ahead.lstrip(b"\r\n"))
        length = ahead.rfind(b"\n", 0, length) + 1
        if length:
            blank = self._text.read(length)
            offset, number = self.mark
            self.mark = Mark(offset + length, number + blank.count(b"\n"))
            self.cut = False
            yield blank.decode()

    def _damaged(self) -> DataSetError:
        where = f"{self.path} cannot be read beyond line {self.mark.line}"
        problem = "its compressed data end too early or are damaged; is it complete?"
        return DataSetError(f"{where}: {problem}")

    def _skip_rest(self) -> None:
        offset, number = self.mark
        while piece := self._line(_PIECE):
            offset += len(piece)
            if piece[-1:] == b"\n":
                self.cut = False
                break
        self.mark = Mark(offset, number)
        self._report.unread(number, f"longer than {MAX_LINE_BYTES // 2**20} MiB")

    def _ahead(self) -> bytes:
        try:
            return self._text.peek(1)[:4096]
        except (EOFError, OSError, zlib.error) as error:
            raise self._damaged() from error

    def _refuse_other_files(self, beginning: bytes) -> None:
        for sign, problem in _OTHER_FILES:
            if beginning.startswith(sign):
                raise DataSetError(f"{self.path} {problem}")
        if beginning and not beginning.strip(b"\0"):
            raise DataSetError(f"{self.path} begins with zeros, not with text; is it complete?")
        zeros = [beginning[start:200:2].count(0) / 100 for start in (0, 1)]
        if max(zeros) > 0.5 and min(zeros) < 0.1:  # every other byte
            raise DataSetError(f"{self.path} looks like UTF-16; save it as UTF-8")


def first_line(path: Path) -> str:
    """Read a file's first line, without its end.

    Raises
    ------
    DataSetError
        The file cannot be read, is empty, or its first line is no text.
    """
    report = ImportReport(path.name)
    with TextLines(path, report) as lines:
        for line in lines:
            if lines.mark.line > 1:
                break
            return line.rstrip("\r\n")
    problem = "its first line is no text in UTF-8" if report.unreadable else "it is empty"
    raise DataSetError(f"{path} cannot be read: {problem}")


def csv_rows(
    lines: TextLines,
    report: ImportReport,
    wanted: Sequence[str],
    optional: Sequence[str] = (),
    *,
    delimiter: str = ",",
    quoted: bool = True,
) -> Iterator[tuple[str, ...]]:
    """Read the rows of a file with a header, of each the columns that are wanted.

    Parameters
    ----------
    lines : TextLines
        The file, at its beginning or where an earlier run stopped.
    report : ImportReport
        Gets the rows that are no rows of this file.
    wanted, optional : sequence of str
        Columns that must, and that may be there; of a missing one, every value is empty.
    delimiter : str
        What parts the columns.
    quoted : bool
        Whether a field may stand in quotes, and then hold delimiters and line ends.

    Yields
    ------
    tuple of str
        The values of `wanted` and `optional`, in this order.

    Raises
    ------
    DataSetError
        A column is missing, or the file ends in the middle of a row.
    """
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    header = next(csv.reader([first_line(lines.path)], delimiter=delimiter, quoting=quoting))
    header = [name.strip() for name in header]
    if missing := [column for column in wanted if column not in header]:
        raise DataSetError(f"{lines.path} lacks the columns {', '.join(missing)}")
    absent = len(header)  # an empty value is put there
    places = [header.index(name) if name in header else absent for name in (*wanted, *optional)]
    pick = itemgetter(*places, absent)
    read: list[tuple[str, Mark]] = []  # the lines of the row at hand

    def noted() -> Iterator[str]:
        for line in lines:
            read.append((line, lines.mark))
            yield line

    def reader() -> Iterator[list[str]]:
        return csv.reader(noted(), delimiter=delimiter, quoting=quoting, strict=True)

    if lines.mark.line == 0:
        next(iter(lines), None)
    rows = reader()
    while True:
        read.clear()
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            if len(read) == 1:
                lines.refuse_if_cut()
            report.skip(read[0][1].line, f"no row of CSV: {error}")
            lines.put_back(read[1:])  # a quote that nobody closed takes no other row with it
            rows = reader()
            continue
        if len(row) == absent:
            row.append("")
            yield pick(row)[:-1]
        elif row:
            lines.refuse_if_cut()
            report.skip(read[0][1].line, f"{len(row)} columns, not {absent}")
