"""Official export files of CGM makers and apps: the format is told by the file itself.

``dexcom_clarity``  CSV of Dexcom Clarity
``libreview``       CSV of Abbott LibreView
``xdrip``           CSV of xDrip+ (SiDiary's format), alone or in the zip that the app writes
``nightscout``      JSON of Nightscout: entries, treatments, or both
"""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path

from postmeal.errors import InputError
from postmeal.glucose.clock import zone_of
from postmeal.glucose.exports import dexcom_clarity, libreview, nightscout, xdrip
from postmeal.glucose.exports.export import Export, SkippedRow, check_unit
from postmeal.glucose.exports.text import read_text

__all__ = ["FORMATS", "Export", "SkippedRow", "read_export"]

FORMATS = {
    "Dexcom Clarity": dexcom_clarity,
    "LibreView": libreview,
    "xDrip+": xdrip,
    "Nightscout": nightscout,
}
"""The formats by name."""


def read_export(
    path: str | Path,
    zone: tzinfo | str | None = None,
    unit: str | None = None,
    *,
    day_first: bool | None = None,
) -> Export:
    """Read an export file of any of the `FORMATS`.

    Rows that cannot be read are skipped and reported. Texts are UTF-8, UTF-16 or Windows-1252,
    fields are separated by commas, semicolons or tabs, and decimals are points or commas.

    Parameters
    ----------
    path : str or Path
        The file.
    zone : tzinfo or str, optional
        The wearer's zone, such as ``"Europe/Berlin"``. Dexcom Clarity, LibreView and xDrip+ write
        what the clock showed, without an offset: with a zone the moments are exact, also where
        clocks are changed (see `postmeal.glucose.clock.utc_of_wall_clock`); without one the clock
        is taken for UTC, so that days and times of day are still the wearer's. Nightscout writes
        moments: a zone sets the wearer's clock, and without one it is the entry's ``utcOffset``.
    unit : {"mg/dL", "mmol/L"}, optional
        Unit of the readings, for a file that does not say.
    day_first : bool, optional
        Whether 03-04-2026 is the third of April, for a LibreView file that does not tell.

    Returns
    -------
    Export
        Readings, logged carbohydrate, and the rows that were skipped.

    Raises
    ------
    InputError
        The file is of none of the formats or cannot be read as one, its dates are ambiguous,
        or the zone or the unit is wrong.
    OSError
        The file cannot be opened.
    """
    zone = zone_of(zone)
    if unit is not None:
        check_unit(unit)
    text = read_text(Path(path))
    if not text.strip():
        raise InputError("file", "must not be empty")
    for publisher in FORMATS.values():
        if publisher.recognizes(text):
            export: Export = publisher.read(text, zone, unit, day_first)
            return export
    raise InputError("file", "must be an export of one of", allowed=FORMATS)
