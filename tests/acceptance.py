"""The acceptance inventory: which rows of the acceptance table have tests, and which are owed.

The table itself stays outside; `acceptance.toml` holds its row numbers. A test belongs to the rows
that its docstring names, as in "Row 284: …" or "Rows 271, 272–274 and 280: …".
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from serve.app import OPERATIONS

FOLDER = Path(__file__).resolve().parent
_SPAN = r"\d{1,3}(?:[-–]\d{1,3})?"
# A number that follows must be a row's own: the 5 in "Row 9, 5 MiB" is none.
_NEXT = rf"(?:,?\s+and\s+|,\s+)(?:row\s+)?{_SPAN}(?=[,.:;)]|\s+and\b|\Z)"
_ROWS = re.compile(rf"\bRows?\s+({_SPAN}\b(?:{_NEXT})*)")
_NEVER_RUN = re.compile(r"\bmark\.(?:skip|xfail)\b")


@dataclass(frozen=True)
class Group:
    """Neighbouring rows; every row of a finished group has a test or is owed."""

    letter: str
    title: str
    rows: tuple[int, int]
    finished: bool

    @property
    def numbers(self) -> range:
        return range(self.rows[0], self.rows[1] + 1)


@dataclass(frozen=True)
class Debt:
    """Rows that wait for endpoints of a named later piece of work.

    With `partly`, a row has tests already, and those of its further cases are owed.
    """

    rows: tuple[int, ...]
    by: str
    endpoints: tuple[str, ...]
    partly: bool = False


@dataclass(frozen=True)
class Inventory:
    """Groups, debts, the tests of each row and the endpoints that are served."""

    groups: tuple[Group, ...]
    debts: tuple[Debt, ...]
    tests: Mapping[int, list[str]]
    served: frozenset[str]

    @property
    def owed(self) -> set[int]:
        """The rows that wait for endpoints altogether."""
        return {row for debt in self.debts if not debt.partly for row in debt.rows}

    def missing(self, group: Group) -> list[int]:
        """The rows of a finished group that have no test and are not owed."""
        rows = group.numbers if group.finished else ()
        return [row for row in rows if row not in self.tests and row not in self.owed]

    def problems(self) -> list[str]:
        """What is wrong, a sentence each; an empty list when the inventory is complete."""
        return [*self._untested(), *self._unheld(), *self._due()]

    def _untested(self) -> Iterator[str]:
        for group in self.groups:
            if rows := self.missing(group):
                yield f"group {group.letter} is finished, but no test names {spans(rows)}"

    def _unheld(self) -> Iterator[str]:
        held = {row for group in self.groups for row in group.numbers}
        for row in sorted(self.tests.keys() - held):
            yield f"no group holds row {row}, which {self.tests[row][0]} names"
        finished = {row for group in self.groups if group.finished for row in group.numbers}
        for row in sorted({row for debt in self.debts for row in debt.rows} - finished):
            yield f"row {row} is owed, but belongs to no finished group"

    def _due(self) -> Iterator[str]:
        for debt in self.debts:
            for endpoint in debt.endpoints:
                if endpoint_key(endpoint) in self.served:
                    rows = spans(debt.rows)
                    yield f"{endpoint} is served: test it for {rows}, then end the debt"
            for row in debt.rows:
                if row in self.tests and not debt.partly:
                    yield f"row {row} is owed by {debt.by}, but has a test: {self.tests[row][0]}"

    def report(self) -> Iterator[str]:
        """Groups with their counts, then rows with their tests."""
        for group in self.groups:
            rows = set(group.numbers)
            counts = [(rows & self.tests.keys(), "tested"), (rows & self.owed, "owed")]
            if group.finished:
                counts.append((set(self.missing(group)), "missing"))
            state = "  ".join(f"{len(some):3} {word}" for some, word in counts)
            state += "" if group.finished else "  not finished"
            yield f"{group.letter:2} {group.title:32} {len(rows):3} rows  {state}"
        for row in sorted(self.tests):
            yield f"{row:4} {', '.join(self.tests[row])}"


def rows_in(text: str) -> list[int]:
    """The rows that a docstring names, in its order."""
    found: list[int] = []
    for match in _ROWS.finditer(text):
        for span in re.findall(_SPAN, match[1]):
            first, *last = re.split("[-–]", span)
            found += range(int(first), int(last[0] if last else first) + 1)
    return found


def find_tests(folder: Path) -> dict[int, list[str]]:
    """Find the tests of each row, as ``file::function``; one that never runs is none."""
    tests: dict[int, list[str]] = {}
    for file in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if not node.name.startswith("test_") or any(
                _NEVER_RUN.search(ast.unparse(each)) for each in node.decorator_list
            ):
                continue
            for row in dict.fromkeys(rows_in(ast.get_docstring(node) or "")):
                name = f"{file.relative_to(folder).as_posix()}::{node.name}"
                tests.setdefault(row, []).append(name)
    return tests


def endpoint_key(endpoint: str) -> str:
    """Method and path, whatever the names of the path's parameters."""
    return re.sub(r"\{\w+\}", "{}", endpoint)


def spans(rows: Iterable[int]) -> str:
    """Write rows as "rows 1–3, 7"."""
    runs: list[list[int]] = []
    for row in sorted(rows):
        if runs and row == runs[-1][1] + 1:
            runs[-1][1] = row
        else:
            runs.append([row, row])
    texts = [str(first) if first == last else f"{first}–{last}" for first, last in runs]
    return f"row{'' if texts[0].isdecimal() and len(texts) == 1 else 's'} {', '.join(texts)}"


def read_inventory(table: Path, folder: Path, served: Iterable[str]) -> Inventory:
    """Read groups and debts from a file, and the tests of a folder."""
    content = tomllib.loads(table.read_text(encoding="utf-8"))
    return Inventory(
        tuple(Group(**each | {"rows": tuple(each["rows"])}) for each in content["groups"]),
        tuple(
            Debt(**each | {key: tuple(each[key]) for key in ("rows", "endpoints")})
            for each in content.get("owed", ())
        ),
        find_tests(folder),
        frozenset(map(endpoint_key, served)),
    )


def inventory() -> Inventory:
    """This project's own."""
    served = (f"{method} {each.path}" for each in OPERATIONS for method in each.methods or ())
    return read_inventory(FOLDER / "acceptance.toml", FOLDER, served)


def main() -> int:
    """Print the inventory; 1 when something is wrong with it."""
    found = inventory()
    problems = found.problems()
    print(*found.report(), *problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
