"""Report of an import: the records that were stored, omitted or unreadable."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from postmeal.errors import PostmealError

_MAX_FAULTS = 1000
_SHOWN_FAULTS = 10


@dataclass(frozen=True, slots=True)
class Fault:
    """A part of a file that could not be read."""

    file: str
    byte: int
    problem: str

    def __str__(self) -> str:
        return f"{self.file}, byte {self.byte:,}: {self.problem}"


@dataclass(slots=True)
class ImportReport:
    """Counts of the records of one file."""

    file: str
    stored: int = 0
    omitted: Counter[str] = field(default_factory=Counter)
    deleted: int = 0
    faults: list[Fault] = field(default_factory=list)
    n_faults: int = 0

    def fault(self, byte: int, problem: str) -> None:
        """Add an unreadable part."""
        self.n_faults += 1
        if len(self.faults) < _MAX_FAULTS:
            self.faults.append(Fault(self.file, byte, problem))

    @contextmanager
    def guard(self, byte: int) -> Iterator[None]:
        """Record an unexpected error in a record as an unreadable part, and continue."""
        try:
            yield
        except (PostmealError, OSError, sqlite3.Error, MemoryError):
            raise
        except Exception as error:
            self.fault(byte, f"the record cannot be read: {type(error).__name__}: {error}")

    def to_json(self) -> str:
        """Return the report as JSON, which `from_json` can read."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps({**values, "faults": [asdict(fault) for fault in self.faults]})

    @classmethod
    def from_json(cls, text: str) -> ImportReport:
        """Restore a report from the JSON that `to_json` returned."""
        values = json.loads(text)
        values["omitted"] = Counter(values["omitted"])
        values["faults"] = [Fault(**fault) for fault in values["faults"]]
        return cls(**values)

    def __str__(self) -> str:
        reasons = ", ".join(f"{count:,} {why}" for why, count in sorted(self.omitted.items()))
        text = f"{self.file}: {self.stored:,} articles stored"
        if reasons:
            text += f"; omitted: {reasons}"
        if self.deleted:
            text += f"; {self.deleted:,} removed"
        lines = [text, *(f"  {fault}" for fault in self.faults[:_SHOWN_FAULTS])]
        if self.n_faults > _SHOWN_FAULTS:
            lines.append(f"  and {self.n_faults - _SHOWN_FAULTS:,} more unreadable parts")
        return "\n".join(lines)
