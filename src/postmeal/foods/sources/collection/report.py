"""Count, by reason, the rows that an import skipped or imported with a warning."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from typing import TextIO

_SHOWN = 3


class ImportReport:
    """Problems found in the rows of one file."""

    def __init__(self, file: str, notes: TextIO | None = None) -> None:
        self.file = file
        self.taken = 0
        self.unreadable = 0
        self.notes = notes
        self._counts: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], list[str]] = defaultdict(list)

    @property
    def skipped(self) -> int:
        """Number of skipped rows."""
        return sum(count for (outcome, _), count in self._counts.items() if outcome == "skipped")

    @property
    def doubtful(self) -> int:
        """Number of warnings about imported rows."""
        return self._counts.total() - self.skipped

    def skip(self, line: int, reason: str, value: object = "") -> None:
        """Report a row that is skipped."""
        self._note("skipped", line, reason, value)

    def skip_unreadable(self, line: int, reason: str) -> None:
        """Report a line that cannot be read."""
        self.unreadable += 1
        self._note("skipped", line, reason, "")

    def warn(self, line: int, reason: str, value: object = "") -> None:
        """Report a problem with a row that is imported without the invalid value."""
        self._note("taken", line, reason, value)

    def count(self, reason: str) -> int:
        """Return the number of problems with the given reason."""
        return sum(count for (_, other), count in self._counts.items() if other == reason)

    def add(self, other: ImportReport) -> None:
        """Add the problems of another file, but not its number of imported rows."""
        self._counts.update(other._counts)
        self.unreadable += other.unreadable
        for reason, examples in other._examples.items():
            named = (f"{other.file} {example}" for example in examples)
            self._examples[reason] = [*self._examples[reason], *named][:_SHOWN]

    def _note(self, outcome: str, line: int, reason: str, value: object) -> None:
        self._counts[outcome, reason] += 1
        text = str(value)
        text = text if len(text) <= 60 else text[:57] + "..."
        if len(examples := self._examples[outcome, reason]) < _SHOWN:
            location = f"line {line}" if line else ""
            examples.append(": ".join(filter(None, (location, repr(text) if text else ""))))
        if self.notes is not None:
            row = [self.file, line, outcome, reason, text]
            csv.writer(self.notes, lineterminator="\n").writerow(row)

    def __str__(self) -> str:
        lines = [f"{self.file}: {self.taken:,} rows imported, {self.skipped:,} skipped"]
        for (outcome, reason), count in sorted(self._counts.items(), key=lambda item: -item[1]):
            label = "skipped" if outcome == "skipped" else "imported with a warning"
            examples = "; ".join(self._examples[outcome, reason])
            more = "; …" if count > _SHOWN else ""
            lines.append(f"  {label}, {reason}: {count:,} ({examples}{more})")
        return "\n".join(lines)
