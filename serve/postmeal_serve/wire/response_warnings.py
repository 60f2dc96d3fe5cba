"""Warnings about what a response does not take into account, in the header ``X-Warnings``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

__all__ = ["WARNINGS", "WARNING_MEANINGS", "WarningCode", "warning_header"]

WarningCode = Literal["readings_averaged", "time_zone_unknown"]

WARNING_MEANINGS: dict[WarningCode, str] = {
    "readings_averaged": "readings at the same time differ by more than 20 mg/dL, and their average"
    " is used",
    "time_zone_unknown": "all times are in UTC and no time zone is given, so effects of the hour of"
    " the day are not used",
}
"""Meanings of the codes, as the ends of sentences."""

_HEADER = "X-Warnings"

WARNINGS = {
    _HEADER: "Codes of warnings, separated by commas: "
    + "; ".join(f"`{code}` ({WARNING_MEANINGS[code]})" for code in get_args(WarningCode))
    + ". Omitted if there are none."
}
"""Response header with the warnings, with its description for the documentation."""


def warning_header(codes: Iterable[WarningCode]) -> dict[str, str]:
    """Return the header with the given warnings; empty if there are none."""
    value = ", ".join(codes)
    return {_HEADER: value} if value else {}
