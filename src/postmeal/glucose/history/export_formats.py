"""Formats of CGM exports that can be read, with the module that reads each of them."""

from __future__ import annotations

READERS: dict[str, str] = {
    "dexcom_clarity": "Dexcom Clarity",
    "libreview": "LibreView",
    "xdrip": "xDrip+",
    "nightscout": "Nightscout",
    "nightscout_csv": "Nightscout",
}
"""Modules of `postmeal.glucose.history.exports`, each with the name of the format that it reads.

The formats are tried in this order. The docstring of each module describes its format.
"""

FORMATS = tuple(dict.fromkeys(READERS.values()))
"""Names of the supported formats."""
