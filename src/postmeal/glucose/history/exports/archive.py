"""Extract the CSV file of a zip archive, or raise an error that describes the archive."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from postmeal.errors import InputError
from postmeal.glucose.history.exports.descriptions import join_names, unsupported_file

if TYPE_CHECKING:
    from zipfile import ZipFile

MAX_BYTES = 256 * 2**20
"""Maximum size of a file after decompression."""

_WORKBOOK = "xl/workbook.xml"
_CELLS = ("xl/sharedStrings.xml", "xl/worksheets/sheet1.xml")
_SHEET_NAME = re.compile(r"<(?:\w+:)?sheet\b[^>]*?\bname=\"([^\"]*)\"")
_CELL = re.compile(r"<(?:\w+:)?t(?:\s[^>]*)?>([^<]+)</")
_MAX_BYTES_SCANNED = 100_000


def extract_csv(data: bytes, accepted: Iterable[str]) -> bytes:
    """Extract the only CSV file of a zip archive."""
    import zipfile  # imported here because it is slow to import and rarely required

    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
            if _WORKBOOK in names:
                raise _unsupported_workbook(archive, accepted)
            members = [
                member for member in archive.infolist() if member.filename.lower().endswith(".csv")
            ]
            if len(members) == 1:
                if (size := members[0].file_size) > MAX_BYTES:
                    raise InputError(
                        "file",
                        f"must be at most {MAX_BYTES:,} bytes when decompressed, got {size:,}",
                    )
                return archive.read(members[0])
            description = (
                f"a zip archive of {join_names(names)}" if names else "an empty zip archive"
            )
            raise unsupported_file(
                f"must contain exactly one CSV file if it is a zip archive, got {len(members)};"
                " supported formats",
                ",".join(names),
                description,
                allowed=accepted,
            )
    except InputError:
        raise
    except Exception as error:  # Damaged archives raise errors of many types, such as zlib.error.
        raise InputError("file", f"must be a readable zip archive: {error}") from None


def _unsupported_workbook(archive: ZipFile, accepted: Iterable[str]) -> InputError:
    sheets = _find_texts(archive, _WORKBOOK, _SHEET_NAME)
    members = set(archive.namelist())
    cells = [
        text for name in _CELLS if name in members for text in _find_texts(archive, name, _CELL)
    ]
    text = f"sheets: {','.join(sheets)}\n{','.join(cells)}"
    description = (
        f"an xlsx workbook with the sheets {join_names(sheets)} and the cells {join_names(cells)}"
    )
    problem = "must be a text file, not a workbook; save the sheet as CSV, in one of these formats"
    return unsupported_file(problem, text, description, allowed=accepted)


def _find_texts(archive: ZipFile, name: str, pattern: re.Pattern[str]) -> list[str]:
    with archive.open(name) as member:
        text = member.read(_MAX_BYTES_SCANNED).decode("utf-8", errors="replace")
    return [html.unescape(match).strip() for match in pattern.findall(text)]
