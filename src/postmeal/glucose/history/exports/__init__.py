"""Official export files of CGM makers and apps: the format is told by the file itself.

``dexcom_clarity``  CSV of Dexcom Clarity
``libreview``       CSV of Abbott LibreView
``xdrip``           CSV of xDrip+ (SiDiary's format), alone or in the zip that the app writes
``nightscout``      JSON of Nightscout: entries, treatments, or both
``nightscout_csv``  CSV of Nightscout: its entries, or what its exporter writes

Files of other apps are refused by name (`other_apps`), or with a description (`looks`).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from pathlib import Path

from postmeal.errors import InputError
from postmeal.glucose.history.exports import (
    dexcom_clarity,
    libreview,
    nightscout,
    nightscout_csv,
    xdrip,
)
from postmeal.glucose.history.exports.export import Export, SkippedRow, check_unit
from postmeal.glucose.history.exports.looks import look_of, refusal
from postmeal.glucose.history.exports.merged import merged
from postmeal.glucose.history.exports.text import read_text
from postmeal.glucose.history.wall_clock import zone_of

__all__ = ["FORMATS", "Export", "SkippedRow", "read_export"]

_READERS = (
    ("Dexcom Clarity", dexcom_clarity),
    ("LibreView", libreview),
    ("xDrip+", xdrip),
    ("Nightscout", nightscout),
    ("Nightscout", nightscout_csv),
)

FORMATS = tuple(dict.fromkeys(name for name, _ in _READERS))
"""The formats by name."""


def read_export(
    path: str | Path | Iterable[str | Path],
    zone: tzinfo | str | None = None,
    unit: str | None = None,
    *,
    day_first: bool | None = None,
) -> Export:
    """Read an export file of any of the `FORMATS`, or several files of one of them.

    Rows that cannot be read are skipped and reported. Texts are UTF-8, UTF-16 or Windows-1252,
    fields are separated by commas, semicolons or tabs, and decimals are points or commas.

    Parameters
    ----------
    path : str, Path or iterable of them
        The file; or the files of one wearer and one app, such as the entries and the treatments
        of Nightscout, which are read as one. Overlapping rows count once.
    zone : tzinfo or str, optional
        The wearer's zone, such as ``"Europe/Berlin"``. Dexcom Clarity, LibreView and xDrip+ write
        what the clock showed, without an offset: with a zone the moments are exact, also where
        clocks are changed (see `postmeal.glucose.history.wall_clock.utc_of_wall_clock`); without
        one the clock is taken for UTC, so that days and times of day are still the wearer's.
        Nightscout writes moments: a zone sets the wearer's clock, and without one it is the entry's
        ``utcOffset``.
    unit : {"mg/dL", "mmol/L"}, optional
        Unit of the readings, for a file that does not say.
    day_first : bool, optional
        Whether 03-04-2026 is the third of April, for a file with no day above 12.

    Returns
    -------
    Export
        Readings, logged carbohydrate, and the rows that were skipped.

    Raises
    ------
    InputError
        A file is of none of the formats, cannot be read as one, or holds neither a reading nor
        food that can be read; the error describes it. Or its dates are ambiguous,
        the files are of several formats, or the zone or the unit is wrong.
    OSError
        A file cannot be opened.
    """
    zone = zone_of(zone)
    if unit is not None:
        check_unit(unit)
    if isinstance(path, str | Path):
        return _read(Path(path), zone, unit, day_first)
    paths = [Path(one) for one in path]
    return merged([_read(one, zone, unit, day_first) for one in paths], [one.name for one in paths])


def _read(path: Path, zone: tzinfo | None, unit: str | None, day_first: bool | None) -> Export:
    text = read_text(path, FORMATS)
    if not text.strip():
        raise InputError("file", "must not be empty")
    export: Export | None = None
    for _, reader in _READERS:
        if reader.recognizes(text):
            export = reader.read(text, zone, unit, day_first)
            break
    if export is None:
        raise refusal("must be an export of one of", text, look_of(text), FORMATS)
    if len(export.trace) or len(export.eaten):
        return export
    if not export.skipped:
        problem = "must hold a reading or logged food and be of one of"
        raise refusal(problem, text, look_of(text), FORMATS)
    line, reason = export.skipped[0]
    problem = f"must hold a row that can be read: this is {look_of(text)} of {export.format}"
    count = len(export.skipped)
    raise InputError("file", f"{problem}, {count} rows were skipped, line {line}: {reason}")
