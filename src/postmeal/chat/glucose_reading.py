"""A glucose reading with its unit."""

from __future__ import annotations

from dataclasses import dataclass

MG_DL_PER_MMOL_L = 18.016
"""Conversion factor for glucose, which is its molar mass of 180.16 g/mol divided by 10."""
LIKELY_MG_DL = 20.0
"""Smallest number that is likely to be a reading in mg/dL."""
_BELOW = 1e-6  # difference of a reading that is said to be below a number


@dataclass(frozen=True, slots=True)
class Reading:
    """A glucose reading."""

    said: float
    unit: str | None
    is_stated: bool
    display: str = ""
    is_limit: bool = False

    @property
    def mg_dl(self) -> float | None:
        """The reading in mg/dL; None if its unit is unknown."""
        if self.unit is None:
            return None
        said = self.said - _BELOW if self.is_limit else self.said
        return said * MG_DL_PER_MMOL_L if self.unit == "mmol/L" else said

    @property
    def is_dangerous_in_both(self) -> bool:
        """Whether the unit is unknown and the value is dangerous in either unit."""
        return self.unit is None and self.said >= LIKELY_MG_DL

    @property
    def text(self) -> str:
        """The reading in both units, or only its number if the unit is unknown."""
        if self.display:
            return self.display
        limit = "below " if self.is_limit else ""
        if self.unit is None:
            return f"{limit}{self.said:g}"
        if self.unit == "mmol/L":
            return f"{limit}{self.said:g} mmol/L ({self.said * MG_DL_PER_MMOL_L:.0f} mg/dL)"
        return f"{limit}{self.said:g} mg/dL ({self.said / MG_DL_PER_MMOL_L:.1f} mmol/L)"
