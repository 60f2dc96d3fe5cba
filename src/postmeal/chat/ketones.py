"""Ketones in the blood that a text states."""

from __future__ import annotations

import re

_KETONES = re.compile(
    r"\bketones?\b[^.!?\d]{0,25}(\d{1,3}(?:[.,]\d{1,2})?)"
    r"|(\d{1,3}(?:[.,]\d{1,2})?) ?(?:mmol\S* )?(?:\w+ )?ketones?\b"
)


def ketones_mmol_l(text: str) -> float | None:
    """Return the blood ketones that a plain text states, in mmol/L, or None."""
    match = _KETONES.search(text)
    return float((match.group(1) or match.group(2)).replace(",", ".")) if match else None
