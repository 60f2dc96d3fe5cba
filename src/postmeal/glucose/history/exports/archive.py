"""Zip archives: the only CSV file in them, or an error that describes the archive."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

from postmeal.errors import InputError
from postmeal.glucose.history.exports.looks import listed, refusal

if TYPE_CHECKING:
    from zipfile import ZipFile

__all__ = ["LARGEST_BYTES", "only_csv"]

LARGEST_BYTES = 256 * 2**20
"""The largest file that is read, unpacked."""

_WORKBOOK = "xl/workbook.xml"
_CELLS = ("xl/sharedStrings.xml", "xl/worksheets/sheet1.xml")
_SHEET_NAME = re.compile(r"<(?:\w+:)?sheet\b[^>]*?\bname=\"([^\"]*)\"")
_CELL = re.compile(r"<(?:\w+:)?t(?:\s[^>]*)?>([^<]+)</")
_BEGINNING = 100_000


def only_csv(data: bytes, accepted: Iterable[str]) -> bytes:
    """Unpack the one CSV file of a zip archive.

    Parameters
    ----------
    data : bytes
        The archive.
    accepted : iterable of str
        Supported formats, for the error.

    Returns
    -------
    bytes
        The CSV file.

    Raises
    ------
    InputError
        The archive is damaged or a workbook, does not hold exactly one CSV file, or holds one of
        more than 256 MiB.
    """
    import zipfile  # slow to import, and seldom needed

    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
            if _WORKBOOK in names:
                raise _refused_workbook(archive, accepted)
            found = [one for one in archive.infolist() if one.filename.lower().endswith(".csv")]
            if len(found) == 1:
                if found[0].file_size > LARGEST_BYTES:
                    raise InputError("file", "must be no larger than 256 MiB when unpacked")
                return archive.read(found[0])
            problem = f"must hold one CSV file where it is a zip, got {len(found)}"
            look = f"a zip archive of {listed(names)}" if names else "an empty zip archive"
            raise refusal(f"{problem}; accepted is one of", ",".join(names), look, accepted)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InputError("file", f"must be a readable zip archive: {error}") from None


def _refused_workbook(archive: ZipFile, accepted: Iterable[str]) -> InputError:
    sheets = _found(archive, _WORKBOOK, _SHEET_NAME)
    members = set(archive.namelist())
    cells = [one for name in _CELLS if name in members for one in _found(archive, name, _CELL)]
    text = f"sheets: {','.join(sheets)}\n{','.join(cells)}"
    look = f"an xlsx workbook with the sheets {listed(sheets)} and the cells {listed(cells)}"
    return refusal("must be a text file, not a workbook, of one of", text, look, accepted)


def _found(archive: ZipFile, name: str, pattern: re.Pattern[str]) -> list[str]:
    with archive.open(name) as member:
        text = member.read(_BEGINNING).decode("utf-8", errors="replace")
    return [html.unescape(one).strip() for one in pattern.findall(text)]
