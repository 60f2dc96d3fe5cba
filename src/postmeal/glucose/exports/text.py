"""The text of an export file: its encoding, its rows with their line numbers, its numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from postmeal.errors import InputError

__all__ = ["first_lines", "number", "read_text", "rows", "separator"]

_SEPARATORS = ",;\t"
_LINE_END = re.compile(r"\r\n|\r|\n")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?", re.ASCII)
_LONGEST_FIELD_LINES = 20
_LARGEST_BYTES = 256 * 2**20


def read_text(path: Path) -> str:
    """Read a text file, or the one CSV file within a zip archive.

    Raises
    ------
    InputError
        The archive does not hold one CSV file, or the file is larger than 256 MiB.
    OSError
        The file cannot be opened.
    """
    if path.stat().st_size > _LARGEST_BYTES:
        raise InputError("file", "must be no larger than 256 MiB")
    data = path.read_bytes()
    if data.startswith(b"PK\x03\x04"):
        data = _only_csv(data)
    return _decoded(data)


def first_lines(text: str, most: int = 10) -> list[str]:
    """Give the first lines that are not blank."""
    lines = (line for line in _LINE_END.split(text[:20_000]) if line.strip())
    return [line for line, _ in zip(lines, range(most), strict=False)]


def separator(header: str) -> str:
    """Tell what separates the fields of a header: a comma, a semicolon or a tab."""
    return max(_SEPARATORS, key=header.count)


def rows(text: str, separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """Split a text into rows of stripped fields, blank lines left out.

    A quoted field may run over several lines. Where a quote is never closed, its line alone is
    lost, not what follows.

    Parameters
    ----------
    text : str
        The file.
    separator : str
        What stands between fields.

    Yields
    ------
    line : int
        Number of the row's first line, from 1.
    fields : list of str or None
        The fields; None where the quotes make no sense.
    """
    lines = _LINE_END.split(text)
    at = 0
    while at < len(lines):
        fields, taken = _row(lines, at, separator)
        if fields is None or any(fields):
            yield at + 1, fields
        at += taken


def number(field: str) -> float | None:
    """Read a number with a decimal point or comma, None where the field holds none.

    Examples
    --------
    >>> number("5,8"), number("112"), number("Low"), number("1e3")
    (5.8, 112.0, None, None)
    """
    return float(field.replace(",", ".")) if _NUMBER.fullmatch(field) else None


def _row(lines: list[str], at: int, separator: str) -> tuple[list[str] | None, int]:
    """Read the row that begins at a line; tell how many lines it took."""
    if '"' not in lines[at]:
        return [field.strip() for field in lines[at].split(separator)], 1
    for taken in range(1, _LONGEST_FIELD_LINES + 1):
        joined = [f"{line}\n" for line in lines[at : at + taken]]
        try:
            fields = next(csv.reader(joined, delimiter=separator, strict=True))
        except csv.Error as error:
            if "unexpected end of data" not in str(error) or at + taken >= len(lines):
                break
        else:
            if taken > 1 and sum(line.count(separator) for line in joined) >= 2 * len(fields):
                break  # the quote that closes the field is another row's
            return [field.strip() for field in fields], taken
    return None, 1


def _only_csv(data: bytes) -> bytes:
    import zipfile  # slow to import, and seldom needed

    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            found = [one for one in archive.infolist() if one.filename.lower().endswith(".csv")]
            if len(found) != 1:
                raise InputError("file", "must hold one CSV file where it is a zip", len(found))
            if found[0].file_size > _LARGEST_BYTES:
                raise InputError("file", "must be no larger than 256 MiB when unpacked")
            return archive.read(found[0])
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InputError("file", f"must be a readable zip archive: {error}") from None


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif b"\0" in data[:200]:
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    else:
        encoding = "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        if encoding.startswith("utf-16"):
            return data[: len(data) // 2 * 2].decode(encoding, errors="replace")
        return data.decode("cp1252", errors="replace")
