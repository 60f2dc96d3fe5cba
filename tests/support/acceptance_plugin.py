"""A pytest plugin that stores the outcomes of tests that name acceptance rows.

``--rows 284,290-293,D73`` runs only the tests for these rows and decisions. Soak tests and tests
without a body do not count.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from acceptance_outcomes import Outcome, keep_outcomes, state_of
from acceptance_rows import decisions_in, rows_in, rows_of

_WORST_FIRST = ("failed", "skipped", "passed")


class AcceptancePlugin:
    """The outcomes of one run; with xdist, each worker marks its reports for the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        wanted = config.getoption("rows") or ""
        self.decisions = set(decisions_in(wanted))
        self.wanted = set(
            rows_of(" ".join(each for each in wanted.split(",") if each[:1].isdigit()))
        )
        self.folder = config.rootpath / config.getini("acceptance_outcomes")
        self.outcomes: dict[str, Outcome] = {}
        self.state = ""

    def pytest_sessionstart(self) -> None:
        """Store the state of the code that this run tests."""
        if not hasattr(self.config, "workerinput"):
            self.state = state_of(self.config.rootpath)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Select the tests of the requested rows, if any."""
        if not self.wanted and not self.decisions:
            return
        kept: list[pytest.Item] = []
        others: list[pytest.Item] = []
        for item in items:
            is_wanted = self.wanted.intersection(rows_named_by(item))
            is_wanted = is_wanted or self.decisions.intersection(decisions_named_by(item))
            (kept if is_wanted else others).append(item)
        self.config.hook.pytest_deselected(items=others)
        items[:] = kept

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Add the rows and decisions that a test names to its report."""
        report = yield
        report.rows, report.decisions = rows_named_by(item), decisions_named_by(item)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Store the worst outcome of a test's setup, call and teardown.

        If the worker crashes, the test counts as failed.
        """
        rows, decisions = getattr(report, "rows", []), getattr(report, "decisions", [])
        before = self.outcomes.get(report.nodeid)
        if not (rows or decisions or before):
            return
        results = {report.outcome, before.result if before else report.outcome}
        worst = next(result for result in _WORST_FIRST if result in results)
        rows, covered_by = (before and before.rows) or rows, getattr(report, "covered_by", ())
        self.outcomes[report.nodeid] = Outcome(
            report.nodeid,
            tuple(rows),
            worst,
            (before and before.covered_by) or tuple(covered_by),
            (before and before.decisions) or tuple(decisions),
        )

    def pytest_sessionfinish(self) -> None:
        """Write the outcomes, unless the code has changed during the run."""
        if self.outcomes and self.state and self.state == state_of(self.config.rootpath):
            keep_outcomes(self.outcomes.values(), self.state, self.folder)


def rows_named_by(item: pytest.Item) -> list[int]:
    """Return the rows that a test names; an empty list for soak tests and tests without a body."""
    return list(dict.fromkeys(rows_in(_docstring(item))))


def decisions_named_by(item: pytest.Item) -> list[str]:
    """Return the decisions and extensions that a test names, as `rows_named_by` does."""
    return decisions_in(_docstring(item))


def _docstring(item: pytest.Item) -> str:
    """Return the docstring of a test; none for soak tests and tests without a body."""
    function = getattr(item, "function", None)
    text = getattr(function, "__doc__", None) or ""
    if not text or item.get_closest_marker("soak"):
        return ""
    return "" if function.__name__ in without_body(item.path) else text


@cache
def without_body(file: Path) -> frozenset[str]:
    """Return the names of the functions in a file that contain only constants and ``pass``."""
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and all(
            isinstance(each, ast.Pass)
            or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            for each in node.body
        )
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rows", help="run only the tests of these acceptance rows: 284,290-293,D73")
    parser.addini("acceptance_outcomes", "where outcomes are kept", default="build/acceptance")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(AcceptancePlugin(config), "acceptance-of-this-run")
