"""A food and its amount, as written in a meal text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrase:
    """A food and its amount, as written in a meal text."""

    said: str
    name: str
    count: float | None = None
    unit: str = ""
    size: str = ""
    mass_g: float | None = None
    volume_ml: float | None = None
    in_ounces: bool = False
    joined_by: str = "."
    starts_food: bool = False
    includes_next: bool = False
    refers_back: bool = False
    is_excluded: bool = False
    is_description: bool = False
    is_reason: bool = False

    @property
    def amount_said(self) -> bool:
        """Whether the phrase contains an amount."""
        return not (self.count is None and self.mass_g is None and self.volume_ml is None)

    @property
    def amount(self) -> str:
        """Summary of the name and the amount, such as ``bread: 2 large slice, 80 g``."""
        counted = [f"{self.count:g}" if self.count is not None else "", self.size, self.unit]
        said = [" ".join(filter(None, counted))]
        said += [f"{self.mass_g:g} g"] if self.mass_g is not None else []
        said += [f"{self.volume_ml:g} ml"] if self.volume_ml is not None else []
        return f"{self.name}: {', '.join(filter(None, said)) or 'no amount'}"
