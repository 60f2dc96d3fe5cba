"""Readers for export files of CGM apps.

The format is detected from the content of the file. There is one module per format;
`postmeal.glucose.history.export_formats` lists them.

Error messages for unsupported files name the app if it is recognized (`other_apps`), and describe
the file otherwise (`descriptions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import tzinfo
from importlib import import_module
from pathlib import Path

from postmeal.arguments import check_type, path_of
from postmeal.errors import InputError
from postmeal.glucose.history.export_formats import FORMATS, READERS
from postmeal.glucose.history.exports.descriptions import describe_text, unsupported_file
from postmeal.glucose.history.exports.export import Export, ExportBuilder, SkippedRow, check_unit
from postmeal.glucose.history.exports.merged import merge_files
from postmeal.glucose.history.exports.text import read_text
from postmeal.glucose.history.repeated_rows import raise_if_asked
from postmeal.glucose.history.wall_clock import zone_of

__all__ = ["FORMATS", "Export", "SkippedRow", "read_export"]

_READERS = [import_module(f"{__name__}.{name}") for name in READERS]


def read_export(
    path: str | Path | Iterable[str | Path],
    zone: tzinfo | str | None = None,
    unit: str | None = None,
    *,
    day_first: bool | None = None,
    device: str | None = None,
    errors: str = "report",
) -> Export:
    """Read one or more export files in any of the `FORMATS`.

    Rows that cannot be read or are not certain are skipped and reported; see
    `postmeal.glucose.history.repeated_rows`. Supported encodings are UTF-8, UTF-16 and
    Windows-1252. Fields are separated by commas, semicolons or tabs, and the decimal separator is a
    point or a comma.

    Parameters
    ----------
    path : str, Path or iterable of them
        The file, or several files of the same wearer and app to merge, such as the entries and the
        treatments of Nightscout. Rows that occur in several files are read only once.
    zone : tzinfo or str, optional
        Time zone of the wearer, such as ``"Europe/Berlin"``. Many apps write local times without an
        offset. With a zone, they are converted to exact times, even around DST changes (see
        `postmeal.glucose.history.wall_clock.utc_of_wall_clock`). Without a zone, they are treated
        as UTC, which preserves the wearer's local days and times of day. Some formats, such as that
        of Nightscout, contain exact times with their offset from UTC. Without a zone, the local
        times follow from this offset.
    unit : {"mg/dL", "mmol/L"}, optional
        Unit of the readings, if the file does not state it.
    day_first : bool, optional
        Whether 03-04-2026 means April 3. Required if no valid row has a day above 12.
    device : str, optional
        Device whose readings are used, such as ``"xDrip"``: its name in the file or a part of it.
    errors : {"report", "raise"}, default="report"
        Whether skipped rows are listed in `Export.skipped`, or raise an error.

    Returns
    -------
    Export
        Readings, logged food and skipped rows.

    Raises
    ------
    InputError
        A file is not in a supported format, or contains no valid reading and no valid food; dates
        are ambiguous; the files have different formats; the zone, the unit or the device is
        invalid; or `errors` is ``"raise"`` and a row is skipped.
    OSError
        A file cannot be opened.
    """
    zone = zone_of(zone)
    if unit is not None:
        check_unit(unit)
    if isinstance(path, str | Path):
        paths = [Path(path)]
        files = [_read(paths[0], zone, unit, day_first)]
    else:
        check_type("path", path, Iterable, "must be a path or a list of paths")
        paths = [path_of("path", item) for item in path]
        if not paths:
            raise InputError("files", "must contain at least one file", [])
        files = [_read_one_of_several(file, zone, unit, day_first) for file in paths]
    export = merge_files(files, [file.name for file in paths], device)
    if not (len(export.trace) or len(export.meals)):
        raise _no_row(" and ".join(file.name for file in paths), export.format, export.skipped)
    raise_if_asked(errors, export.skipped, lambda line: f"line {line}")
    return export


def _read_one_of_several(
    path: Path, zone: tzinfo | None, unit: str | None, day_first: bool | None
) -> ExportBuilder:
    """Read a file; errors about its content name it."""
    try:
        return _read(path, zone, unit, day_first)
    except InputError as error:
        if error.field == "file" and path.name not in str(error):
            raise error.within(path.name) from None
        raise


def _read(
    path: Path, zone: tzinfo | None, unit: str | None, day_first: bool | None
) -> ExportBuilder:
    text = read_text(path, FORMATS)
    if not text.strip():
        raise InputError("file", f"must not be empty: {path.name}")
    content: ExportBuilder | None = None
    for reader in _READERS:
        if reader.recognizes(text):
            content = reader.read(text, zone, unit, day_first)
            break
    if content is None:
        raise unsupported_file(
            "must be an export from one of these apps",
            text,
            describe_text(text),
            allowed=FORMATS,
            name=path.name,
        )
    if content.readings or content.foods:
        return content
    if not content.skipped:
        raise unsupported_file(
            "must contain readings or food in one of these formats",
            text,
            describe_text(text),
            allowed=FORMATS,
            name=path.name,
        )
    raise _no_row(path.name, content.format, content.skipped)


def _no_row(name: str, format: str, skipped: Sequence[SkippedRow]) -> InputError:
    line, reason = skipped[0]
    return InputError(
        "file",
        f"must contain a readable row; {name} is in the format of {format}, and all"
        f" {len(skipped)} rows were skipped; line {line}: {reason}",
    )
