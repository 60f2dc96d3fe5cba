"""What an import could not take, and what it took with a doubt: counted by reason."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from typing import TextIO

__all__ = ["ImportReport"]

_SHOWN = 3


class ImportReport:
    """Notes on the rows of one file.

    Parameters
    ----------
    file : str
        Name of the file, or of the folder.
    notes : text file, optional
        Gets every note as a line of CSV: file, line, what became of the row, reason, value.

    Attributes
    ----------
    taken : int
        Rows that were taken.
    unreadable : int
        Lines that are no text in UTF-8, or too long; they are among the skipped.

    Examples
    --------
    >>> report = ImportReport("own.csv")
    >>> report.skip(7, "carbs_g must be 0 to 100", "abc")
    >>> print(report)
    own.csv: 0 rows taken, 1 skipped
      skipped, carbs_g must be 0 to 100: 1 (line 7: 'abc')
    """

    def __init__(self, file: str, notes: TextIO | None = None) -> None:
        self.file = file
        self.taken = 0
        self.unreadable = 0
        self.notes = notes
        self._counts: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], list[str]] = defaultdict(list)

    @property
    def skipped(self) -> int:
        """How many rows were not taken."""
        return sum(count for (what, _), count in self._counts.items() if what == "skipped")

    @property
    def doubtful(self) -> int:
        """How many notes there are on rows that were taken."""
        return self._counts.total() - self.skipped

    def skip(self, line: int, reason: str, value: object = "") -> None:
        """Note a row that is not taken."""
        self._note("skipped", line, reason, value)

    def unread(self, line: int, reason: str) -> None:
        """Note a line that cannot be read at all."""
        self.unreadable += 1
        self._note("skipped", line, reason, "")

    def doubt(self, line: int, reason: str, value: object = "") -> None:
        """Note a row that is taken with less than it says."""
        self._note("taken", line, reason, value)

    def count(self, reason: str) -> int:
        """Answer how many notes have this reason."""
        return sum(count for (_, other), count in self._counts.items() if other == reason)

    def add(self, other: ImportReport) -> None:
        """Take over what is noted of another file; the rows that it took do not count."""
        self._counts.update(other._counts)
        self.unreadable += other.unreadable
        for reason, examples in other._first.items():
            named = (f"{other.file} {example}" for example in examples)
            self._first[reason] = [*self._first[reason], *named][:_SHOWN]

    def _note(self, what: str, line: int, reason: str, value: object) -> None:
        self._counts[what, reason] += 1
        text = str(value)
        text = text if len(text) <= 60 else text[:57] + "..."
        if len(first := self._first[what, reason]) < _SHOWN:
            where = f"line {line}" if line else ""
            first.append(": ".join(filter(None, (where, repr(text) if text else ""))))
        if self.notes is not None:
            row = [self.file, line, what, reason, text]
            csv.writer(self.notes, lineterminator="\n").writerow(row)

    def __str__(self) -> str:
        lines = [f"{self.file}: {self.taken:,} rows taken, {self.skipped:,} skipped"]
        for (what, reason), count in sorted(self._counts.items(), key=lambda one: -one[1]):
            kept = "skipped" if what == "skipped" else "taken all the same"
            where = "; ".join(self._first[what, reason])
            more = "; …" if count > _SHOWN else ""
            lines.append(f"  {kept}, {reason}: {count:,} ({where}{more})")
        return "\n".join(lines)
