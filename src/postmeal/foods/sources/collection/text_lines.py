"""Read the lines of large text files, plain or compressed with gzip, with bounded memory.

The files are untrusted: they may be truncated, may not be in UTF-8, or may contain a line of one
gigabyte.
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
from typing import Any, Literal, NamedTuple, cast

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.report import ImportReport

MAX_LINE_BYTES = 8 * 2**20
"""Maximum length of a line; longer lines are skipped and reported."""

_PIECE = 2**20
_OTHER_FORMATS = (
    (b"\xff\xfe\x00\x00", "is in UTF-32; save it as UTF-8"),
    (b"\xff\xfe", "is in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "is in UTF-16; save it as UTF-8"),
    (b"PK\x03\x04", "is a zip archive or a spreadsheet; extract it or save it as CSV"),
    (b"\xfd7zXZ", "is compressed with xz; decompress it first"),
    (b"BZh", "is compressed with bzip2; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd; decompress it first"),
    (b"PAR1", "is a Parquet file; use the CSV file or convert it to CSV"),
    (b"SQLite format 3", "is a SQLite database, not a text file"),
)


class Mark(NamedTuple):
    """A position in a file: the number of bytes of text and the number of lines read so far."""

    offset: int = 0
    line: int = 0


class TextLines:
    """The lines of a UTF-8 file, each with its line end.

    Consecutive empty lines after the first are yielded as one text, because a file may contain
    millions of them. Lines that are too long, contain a NUL byte or are not valid UTF-8 are skipped
    and reported.
    """

    def __init__(self, path: Path, report: ImportReport, start: Mark = Mark()) -> None:
        self.path = path
        self.mark = start
        self.cut = False  # whether the last line that was read has no line end
        self._pushed_back: deque[tuple[str, Mark]] = deque()
        self._report = report
        try:
            self._raw = path.open("rb")
            self.size = path.stat().st_size
            beginning = self._raw.read(4)
            self._raw.seek(0)
        except OSError as error:
            raise DataSetError(
                f"{path} cannot be read: {error.strerror}; check the path and its permissions"
            ) from error
        packed = gzip.GzipFile(fileobj=self._raw) if beginning[:2] == b"\x1f\x8b" else self._raw
        self._text = io.BufferedReader(cast(Any, packed), _PIECE)
        try:
            self._refuse_other_formats(self._ahead())
            self._text.seek(start.offset)
        except BaseException:
            self.__exit__(None, None, None)
            raise

    @property
    def read_bytes(self) -> int:
        """Number of bytes of the file on disk that have been read."""
        return self._raw.tell()

    def __enter__(self) -> TextLines:
        return self

    def __exit__(self, *error: object) -> None:
        self._text.close()
        self._raw.close()

    def __iter__(self) -> Iterator[str]:
        while True:
            while self._pushed_back:
                text, self.mark = self._pushed_back.popleft()
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
                self._report.skip_unreadable(number + 1, "a NUL byte")
                continue
            try:
                text = line.decode()
            except UnicodeDecodeError:
                self._report.skip_unreadable(number + 1, "not in UTF-8")
                continue
            yield text

    def put_back(self, lines: Iterable[tuple[str, Mark]]) -> None:
        """Put back the last lines, each with its mark, so that they are read again."""
        self._pushed_back.extendleft(reversed([*lines]))

    def raise_if_truncated(self) -> None:
        """Raise a DataSetError if the file ends in the middle of the last line read."""
        if self.cut:
            raise DataSetError(
                f"{self.path} ends in the middle of line {self.mark.line}; the file may be"
                " incomplete"
            )

    def _line(self, limit: int) -> bytes:
        try:
            return self._text.readline(limit)
        except (EOFError, OSError, zlib.error) as error:
            raise self._damaged() from error

    def _blank_lines(self) -> Iterator[str]:
        """Yield the empty lines that are in the buffer as one text."""
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
        problem = "its compressed data is truncated or damaged; download or copy it again"
        return DataSetError(f"{where}: {problem}")

    def _skip_rest(self) -> None:
        offset, number = self.mark
        while piece := self._line(_PIECE):
            offset += len(piece)
            if piece[-1:] == b"\n":
                self.cut = False
                break
        self.mark = Mark(offset, number)
        self._report.skip_unreadable(number, f"longer than {MAX_LINE_BYTES // 2**20} MiB")

    def _ahead(self) -> bytes:
        try:
            return self._text.peek(1)[:4096]
        except (EOFError, OSError, zlib.error) as error:
            raise self._damaged() from error

    def _refuse_other_formats(self, beginning: bytes) -> None:
        for signature, problem in _OTHER_FORMATS:
            if beginning.startswith(signature):
                raise DataSetError(f"{self.path} cannot be read because it {problem}")
        if beginning and not beginning.strip(b"\0"):
            raise DataSetError(f"{self.path} starts with NUL bytes instead of text; copy it again")
        zeros = [beginning[start:200:2].count(0) / 100 for start in (0, 1)]
        if max(zeros) > 0.5 and min(zeros) < 0.1:  # every other byte is zero
            raise DataSetError(f"{self.path} seems to be in UTF-16; save it as UTF-8")


def first_line(path: Path) -> str:
    """Return the first line of a file, without its line end."""
    report = ImportReport(path.name)
    with TextLines(path, report) as lines:
        for line in lines:
            if lines.mark.line > 1:
                break
            return line.rstrip("\r\n")
    if report.unreadable:
        raise DataSetError(f"{path} cannot be read: its first line is not valid UTF-8")
    raise DataSetError(f"{path} cannot be read: it is empty")


def header_of(path: Path) -> tuple[list[str], str]:
    """Return the columns of a CSV file, and the supported delimiter that occurs most in them."""
    line = first_line(path)
    delimiter = max(",;\t", key=line.count)
    return [column.strip() for column in next(csv.reader([line], delimiter=delimiter))], delimiter


def check_columns(path: Path, header: Sequence[str], supported: Sequence[str]) -> None:
    """Raise a DataSetError if a column is not supported or occurs twice."""
    if unknown := [column for column in header if column not in supported]:
        columns = "column" if len(unknown) == 1 else "columns"
        raise DataSetError(
            f"{path}, line 1: unknown {columns} {', '.join(map(repr, unknown))};"
            f" supported columns: {', '.join(supported)}"
        )
    if duplicates := sorted({column for column in header if header.count(column) > 1}):
        raise DataSetError(f"{path}, line 1: duplicate columns: {', '.join(duplicates)}")


def csv_rows(
    lines: TextLines,
    report: ImportReport,
    required: Sequence[str],
    optional: Sequence[str] = (),
    *,
    delimiter: str = ",",
    quoted: bool = True,
) -> Iterator[tuple[str, ...]]:
    """Yield the requested columns of every row of a CSV file with a header."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    header = next(csv.reader([first_line(lines.path)], delimiter=delimiter, quoting=quoting))
    header = [name.strip() for name in header]
    if missing := [column for column in required if column not in header]:
        raise DataSetError(f"{lines.path} is missing required columns: {', '.join(missing)}")
    width = len(header)  # index of missing columns; every row has an empty value at this index
    indices = [header.index(name) if name in header else width for name in (*required, *optional)]
    pick = itemgetter(*indices, width)
    read: list[tuple[str, Mark]] = []  # lines of the current row

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
                lines.raise_if_truncated()
            report.skip(read[0][1].line, f"invalid CSV: {error}")
            lines.put_back(read[1:])  # an unclosed quote must not swallow the following rows
            rows = reader()
            continue
        if len(row) == width:
            row.append("")
            yield pick(row)[:-1]
        elif row:
            lines.raise_if_truncated()
            report.skip(read[0][1].line, f"{len(row)} columns instead of {width}")
