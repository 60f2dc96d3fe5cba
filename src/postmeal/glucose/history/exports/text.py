"""Read the text of an export file: unpack zip archives and decode."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from postmeal.errors import InputError
from postmeal.glucose.history.exports.archive import MAX_BYTES, extract_csv
from postmeal.glucose.history.exports.descriptions import unsupported_file

_ZIP = b"PK\x03\x04"
_BINARY_SIGNATURES = {
    b"SQLite format 3\0": "an SQLite database",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook (.xls)",
    b"\x1f\x8b": "a gzip archive",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
}


def read_text(path: Path, accepted: Iterable[str]) -> str:
    """Read a text file, or the only CSV file of a zip archive."""
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise InputError("file", f"must be at most {MAX_BYTES:,} bytes, got {size:,}")
    data = path.read_bytes()
    if data.startswith(_ZIP):
        data = extract_csv(data, accepted)
    for signature, description in _BINARY_SIGNATURES.items():
        if data.startswith(signature):
            problem = "must be a text file in one of these formats"
            raise unsupported_file(problem, path.name, description, accepted, path.name)
    return _decode(data)


def _decode(data: bytes) -> str:
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
