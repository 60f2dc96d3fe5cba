"""A pytest plugin that reports skips and fails on those that are not listed.

At the end of a run, it prints what the skipped tests require, and which blocks of the documentation
were not run. The run fails if `skips.toml` does not cover a skip, or if the machine meets the
requirements of a skipped test. Expected failures count as skips. A run of all tests also fails if
an entry of the list does not cover any test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from doc_blocks import blocks_not_run
from skip_conditions import Condition, read_conditions


class SkipReport:
    """The skips of one run; with xdist, each worker marks its reports for the controller."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.file = config.rootpath / config.getini("skips")
        self.conditions = {each.name: each for each in read_conditions(self.file)}
        self.skipped: dict[str, tuple[list[str], str]] = {}
        self.unused: list[str] = []
        self.met: dict[str, bool] = {}
        self.ran_pages = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Find the entries that do not cover any test, before tests are deselected."""
        functions = {function_of(item.nodeid) for item in items}
        fixtures = {name for item in items for name in fixtures_of(item)}
        self.unused = [
            f"[{each.name}] {entry}"
            for each in self.conditions.values()
            for entries, known in ((each.tests, functions), (each.fixtures, fixtures))
            for entry in entries
            if entry not in known
        ]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Add the conditions that cover a test to its report."""
        report = yield
        if report.skipped:
            function, fixtures = function_of(item.nodeid), fixtures_of(item)
            report.covered_by = [
                each.name for each in self.conditions.values() if each.covers(function, fixtures)
            ]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran_pages |= report.nodeid.startswith("tests/project/test_doc_blocks.py")
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped:
            covered_by = getattr(report, "covered_by", [])
            self.skipped[report.nodeid] = covered_by, reason_of(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the run if there is a problem; an xdist worker passes on its unused entries."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["unused_skips"] = self.unused
        elif self.problems() and session.exitstatus in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receive the unused entries of an xdist worker; a crashed worker does not send any."""
        self.unused = getattr(node, "workeroutput", {}).get("unused_skips", self.unused)

    def missing(self, names: list[str]) -> Condition | None:
        """Return the first of these conditions that this machine does not meet."""
        for name in names:
            if name not in self.met:
                self.met[name] = self.conditions[name].is_met
        return next((self.conditions[name] for name in names if not self.met[name]), None)

    def problems(self) -> list[str]:
        """Return the problems that fail the run, one sentence each."""
        found = []
        for test, (covered_by, reason) in self.skipped.items():
            if not covered_by:
                found.append(f"{test} is skipped ({reason}), but {self.file.name} does not list it")
            elif self.missing(covered_by) is None:
                needs = ", ".join(self.conditions[name].needs for name in covered_by)
                found.append(f"{test} is skipped ({reason}), but {needs} is here")
        if self.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
            found += [f"{self.file.name}: {entry} covers no test" for entry in self.unused]
        return found

    def not_run(self) -> Iterator[str]:
        """Yield a line for each missing condition, followed by its tests."""
        tests: dict[str, list[str]] = {}
        for test, (covered_by, _) in self.skipped.items():
            if condition := self.missing(covered_by):
                tests.setdefault(condition.needs, []).append(test)
        for needs, its in tests.items():
            number = "1 test needs" if len(its) == 1 else f"{len(its)} tests need"
            yield f"not run here: {number} {needs}"
            for function, cases in sorted(Counter(map(function_of, its)).items()):
                yield f"    {function}" + (f" ({cases} cases)" if cases > 1 else "")
        if self.ran_pages:
            for (page, reason), number in sorted(blocks_not_run().items()):
                yield f"not run here: {number} block{'s' * (number > 1)} of {page}: {reason}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        lines, problems = list(self.not_run()), self.problems()
        if lines or problems:
            terminalreporter.section("skips")
        for line in lines:
            terminalreporter.line(line)
        for problem in problems:
            terminalreporter.line(f"FAILED {problem}", red=True)


def function_of(test: str) -> str:
    """Return ``file::function``, without the parameters of the case."""
    return test.partition("[")[0]


def fixtures_of(item: pytest.Item) -> list[str]:
    """Return the names of the fixtures that a test uses; notebooks do not use fixtures."""
    return getattr(item, "fixturenames", [])


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Return the reason why a test was skipped or was expected to fail."""
    if hasattr(report, "wasxfail"):
        return f"expected to fail: {report.wasxfail}"
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return report.longreprtext


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("skips", "the list of allowed skips", default="tests/support/skips.toml")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(SkipReport(config), "skip-report-of-this-run")
