"""Tables that compare measurements of postmeal with measurements of peers and with aims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Comparison"]


@dataclass(frozen=True)
class Comparison:
    """A table with one line for postmeal and one for each peer.

    Attributes
    ----------
    title : str
        What was measured.
    columns : sequence of str
        Names of the figures.
    lines : sequence of tuple
        Lines of the table. Each is a name, followed by figures as text.
    aims : sequence of (str, bool)
        Pairs of an aim and whether this run reached it.
    """

    title: str
    columns: Sequence[str]
    lines: Sequence[tuple[str, ...]]
    aims: Sequence[tuple[str, bool]]

    @property
    def missed(self) -> int:
        """Number of aims that this run did not reach."""
        return sum(not met for _, met in self.aims)

    def __str__(self) -> str:
        width = max(len(line[0]) for line in self.lines)
        text = [self.title, " " * width + "".join(f"{column:>16}" for column in self.columns)]
        for name, *figures in self.lines:
            text.append(f"{name:<{width}}" + "".join(f"{figure:>16}" for figure in figures))
        text += [f"aim: {aim}: {'reached' if met else 'MISSED'}" for aim, met in self.aims]
        return "\n".join(text)
