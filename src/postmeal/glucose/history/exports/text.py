"""The text of an export file, out of its zip archive and its encoding."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from postmeal.errors import InputError
from postmeal.glucose.history.exports.archive import LARGEST_BYTES, only_csv
from postmeal.glucose.history.exports.looks import refusal

__all__ = ["read_text"]

_ZIP = b"PK\x03\x04"
_NOT_TEXT = {
    b"SQLite format 3\0": "an SQLite database",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls)",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}


def read_text(path: Path, accepted: Iterable[str]) -> str:
    """Read a text file, or the one CSV file within a zip archive.

    Parameters
    ----------
    path : Path
        The file.
    accepted : iterable of str
        What the caller reads, for the error.

    Returns
    -------
    str
        The text.

    Raises
    ------
    InputError
        The archive does not hold one CSV file, the file is no text, holds nothing, or is larger
        than 256 MiB.
    OSError
        The file cannot be opened.
    """
    if path.stat().st_size > LARGEST_BYTES:
        raise InputError("file", "must be no larger than 256 MiB")
    data = path.read_bytes()
    if data.startswith(_ZIP):
        data = only_csv(data, accepted)
    for start, look in _NOT_TEXT.items():
        if data.startswith(start):
            raise refusal("must be a text file of one of", path.name, look, accepted)
    return _decoded(data)


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
