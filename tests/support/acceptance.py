"""The acceptance report: the outcome of each row of the acceptance table.

The table itself is not in this repository; `acceptance.toml` holds its groups and the rows that are
still owed, and a file for each version of the API holds the titles of its rows. A row is tested if
a test that names it ran and passed, and none that names it failed. `make test`, `make notebooks`
and `make reliability` record the outcomes; tests of rows without an outcome are run first.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from acceptance_outcomes import Outcome, read_outcomes, state_of
from acceptance_rows import spans
from skip_conditions import read_conditions

from postmeal_serve.app import OPERATIONS

FOLDER = Path(__file__).resolve().parent
TITLES = ("acceptance_v1_2.toml", "acceptance_v1_1.toml")
RUN = ("-m", "pytest", "-m", "not soak", "-n", "2", "--dist", "worksteal", "--timeout", "900")


@dataclass(frozen=True)
class Group:
    """A group of consecutive rows; every row of a finished group must be tested or owed."""

    letter: str
    title: str
    rows: tuple[int, int]
    finished: bool

    @property
    def numbers(self) -> range:
        return range(self.rows[0], self.rows[1] + 1)


@dataclass(frozen=True)
class Debt:
    """Rows that cannot be tested until the endpoints of a later piece of work exist.

    With `partly`, a row already has tests, and only further cases are owed.
    """

    rows: tuple[int, ...]
    by: str
    endpoints: tuple[str, ...]
    partly: bool = False


@dataclass(frozen=True)
class Inventory:
    """Groups, debts, titles, outcomes of tests, missing conditions, and the served endpoints."""

    groups: tuple[Group, ...]
    debts: tuple[Debt, ...]
    titles: Mapping[int, str]
    outcomes: tuple[Outcome, ...]
    missing: Mapping[str, str]
    served: frozenset[str]
    decisions: Mapping[str, str] = field(default_factory=dict)

    @property
    def owed(self) -> set[int]:
        """The rows whose tests all wait for endpoints."""
        return {row for debt in self.debts if not debt.partly for row in debt.rows}

    @cached_property
    def by_row(self) -> dict[int, list[Outcome]]:
        """The outcomes of the tests of each row."""
        found: dict[int, list[Outcome]] = {}
        for outcome in self.outcomes:
            for row in outcome.rows:
                found.setdefault(row, []).append(outcome)
        return found

    def state(self, row: int) -> str:
        """Return the outcome of a row: tested, failed, skipped, not run here or untested."""
        return self._state_of(self.by_row.get(row, []))

    def naming(self, decision: str) -> list[Outcome]:
        """Return the outcomes of the tests that name a decision or an extension."""
        return [each for each in self.outcomes if decision in each.decisions]

    def _state_of(self, outcomes: list[Outcome]) -> str:
        results = {each.result for each in outcomes}
        for result, state in (("failed", "failed"), ("passed", "tested")):
            if result in results:
                return state
        lacking = [any(name in self.missing for name in each.covered_by) for each in outcomes]
        return ("not run here" if all(lacking) else "skipped") if outcomes else "untested"

    def undecided(self) -> list[int]:
        """Return the rows whose tests are still to be run."""
        wanted = {row for group in self.groups if group.finished for row in group.numbers}
        rows = sorted(wanted - self.owed)
        return [row for row in rows if self.state(row) in ("skipped", "untested")]

    def undecided_decisions(self) -> list[str]:
        """Return the decisions and extensions whose tests are still to be run."""
        return [
            each
            for each in self.decisions
            if self._state_of(self.naming(each)) in ("skipped", "untested")
        ]

    def problems(self) -> list[str]:
        """Return the problems, one sentence each."""
        return [*self._untested(), *self._unheld(), *self._due()]

    def _untested(self) -> Iterator[str]:
        undecided = self.undecided()
        for group in self.groups:
            if rows := [row for row in group.numbers if row in undecided]:
                yield f"group {group.letter} is finished, but no test of {spans(rows)} has passed"
        for row in sorted(self.by_row):
            if failed := [each.test for each in self.by_row[row] if each.result == "failed"]:
                yield f"row {row} has a test that failed: {failed[0]}"

        for each in self.undecided_decisions():
            yield f"no test of {each} has passed"
        for each in self.decisions:
            if failed := [one.test for one in self.naming(each) if one.result == "failed"]:
                yield f"{each} has a test that failed: {failed[0]}"

    def _unheld(self) -> Iterator[str]:
        held = {row for group in self.groups for row in group.numbers}
        for row in sorted(self.by_row.keys() - held):
            yield f"no group holds row {row}, which {self.by_row[row][0].function} names"
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
                if row in self.by_row and not debt.partly:
                    test = self.by_row[row][0].function
                    yield f"row {row} is owed by {debt.by}, but has a test: {test}"

    def report(self) -> Iterator[str]:
        """Yield the groups with their counts, then each row: state, title and tests."""
        for group in self.groups:
            states = [self._shown(row, group) for row in group.numbers]
            counts = "  ".join(
                f"{states.count(state):3} {state}" for state in dict.fromkeys(sorted(states))
            )
            yield f"{group.letter:2} {group.title:32} {len(states):3} rows  {counts}"
        for group in self.groups:
            for row in group.numbers:
                tests = dict.fromkeys(each.function for each in self.by_row.get(row, []))
                title = self.titles.get(row, "")
                line = f"{row:4} {self._shown(row, group):12} {title:44} {', '.join(tests)}"
                yield line.rstrip()
        for each, title in self.decisions.items():
            tests = dict.fromkeys(one.function for one in self.naming(each))
            state = self._state_of(self.naming(each))
            yield f"{each:>4} {state:12} {title:44} {', '.join(tests)}".rstrip()
        for debt in self.debts:
            if debt.partly:
                yield f"further cases of {spans(debt.rows)} are owed by {debt.by}"
        for needs, rows in self._not_run().items():
            yield f"not run here: {spans(rows)} need{'s' * (len(rows) == 1)} {needs}"

    def _shown(self, row: int, group: Group) -> str:
        if row in self.owed:
            return "owed"
        return "later" if not group.finished and row not in self.by_row else self.state(row)

    def _not_run(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for row in sorted(self.by_row):
            if self.state(row) == "not run here":
                names = [name for each in self.by_row[row] for name in each.covered_by]
                needs = next(self.missing[name] for name in names if name in self.missing)
                found.setdefault(needs, []).append(row)
        return found


def endpoint_key(endpoint: str) -> str:
    """Return the method and path of an endpoint, without the names of path parameters."""
    return re.sub(r"\{\w+\}", "{}", endpoint)


def read_titles(folder: Path = FOLDER) -> dict[int, str]:
    """Return the title of each row."""
    files = (folder / name for name in TITLES)
    return {
        int(row): title
        for file in files
        for row, title in tomllib.loads(file.read_text(encoding="utf-8")).items()
    }


def read_inventory(
    table: Path,
    outcomes: Iterable[Outcome],
    served: Iterable[str],
    titles: Mapping[int, str] | None = None,
    missing: Mapping[str, str] | None = None,
) -> Inventory:
    """Read groups and debts from a file."""
    content = tomllib.loads(table.read_text(encoding="utf-8"))
    return Inventory(
        tuple(Group(**each | {"rows": tuple(each["rows"])}) for each in content["groups"]),
        tuple(
            Debt(**each | {key: tuple(each[key]) for key in ("rows", "endpoints")})
            for each in content.get("owed", ())
        ),
        titles or {},
        tuple(outcomes),
        missing or {},
        frozenset(map(endpoint_key, served)),
        content.get("decisions", {}),
    )


def inventory() -> Inventory:
    """Return this project's inventory with the outcomes of the current code."""
    outcomes = read_outcomes(state_of())
    asked = {name for each in outcomes for name in each.covered_by}
    conditions = [each for each in read_conditions(FOLDER / "skips.toml") if each.name in asked]
    return read_inventory(
        FOLDER / "acceptance.toml",
        outcomes,
        (f"{method} {each.path}" for each in OPERATIONS for method in (each.method,)),
        read_titles(),
        {each.name: each.needs for each in conditions if not each.is_met},
    )


def main() -> int:
    """Run the tests of undecided rows and print the report; return 1 if there is a problem."""
    found = inventory()
    rows, decisions = found.undecided(), found.undecided_decisions()
    if rows or decisions:
        text = spans(rows).partition(" ")[2].replace(" ", "").replace("–", "-") if rows else ""
        text = ",".join(filter(None, [text, *decisions]))
        subprocess.run(
            [sys.executable, *RUN, f"--rows={text}", FOLDER.parent], cwd=FOLDER.parents[1]
        )
        found = inventory()
    problems = found.problems()
    print(*found.report(), *problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
