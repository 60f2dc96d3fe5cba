"""Outcomes of the tests that name acceptance rows, kept under `build/acceptance`.

Each file contains the outcomes for one state of the code, one test per line; a later line replaces
an earlier line for the same test. Outcomes for other states are ignored.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "acceptance"
SOURCES = ("src", "serve", "tests", "tools", "models", "data", "notebooks", "pyproject.toml")
_DAY_S = 86_400


@dataclass(frozen=True)
class Outcome:
    """Outcome of a test: passed, failed or skipped, and the conditions that allow the skip.

    `decisions` are the decisions and extensions that the test names beside the rows.
    """

    test: str
    rows: tuple[int, ...]
    result: str
    covered_by: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """Name of the test without the parameters of the case."""
        return self.test.partition("[")[0]


def state_of(root: Path = ROOT) -> str:
    """Return a digest of the code, the tests and the shipped data."""
    digest = hashlib.sha256()
    for source in SOURCES:
        top = root / source
        for file in sorted([top, *top.rglob("*")]):
            hidden = any(part.startswith((".", "__")) for part in file.parts[len(root.parts) : -1])
            if file.is_file() and not hidden and file.suffix != ".pyc":
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                digest.update(f"{file.relative_to(root).as_posix()} {content}\n".encode())
    return digest.hexdigest()[:16]


def read_outcomes(state: str, folder: Path = FOLDER) -> list[Outcome]:
    """Return the last outcome of each test at a state of the code."""
    file = folder / f"{state}.jsonl"
    if not file.exists():
        return []
    last = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        last[found["test"]] = Outcome(
            found["test"],
            tuple(found["rows"]),
            found["result"],
            tuple(found["covered_by"]),
            tuple(found["decisions"]),
        )
    return list(last.values())


def keep_outcomes(outcomes: Iterable[Outcome], state: str, folder: Path = FOLDER) -> None:
    """Add outcomes to those for a state of the code, and delete files older than a day."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{state}.jsonl").open("a", encoding="utf-8") as file:
        file.write("".join(f"{json.dumps(asdict(each))}\n" for each in outcomes))
    for file in folder.glob("*.jsonl"):
        if time.time() - file.stat().st_mtime > _DAY_S:
            file.unlink(missing_ok=True)
