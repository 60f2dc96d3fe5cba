"""A run fails on a skip that is not listed, or if the machine has what the test needs."""

from pathlib import Path

import pytest
from skip_conditions import PROBES, read_conditions

pytest_plugins = ["pytester"]

SUPPORT = Path(__file__).parents[1] / "support"
WORKERS = ("-p", "xdist", "-n", "1")
LIST = """
[data]
needs = "the real data (set POSTMEAL_DATA)"
fixtures = ["real"]
[archives]
needs = "the archives"
tests = ["test_a.py::test_archives", "test_a.py::test_more"]
"""
ALL_LISTED = """
import pytest

@pytest.fixture
def real():
    pytest.skip("no data")

@pytest.mark.parametrize("case", [1, 2, 3])
def test_real(real, case): ...

@pytest.mark.skip(reason="no archives")
def test_archives(): ...

@pytest.mark.skip(reason="no archives")
def test_more(): ...

def test_that_runs(): ...
"""


class Folder:
    """A folder with separate tests and a list of their allowed skips."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        monkeypatch.setenv("POSTMEAL_DATA", "/nonexistent")
        monkeypatch.delenv("POSTMEAL_ARCHIVES", raising=False)
        self.pytester = pytester
        (pytester.path / "pytest.ini").write_text(
            "[pytest]\naddopts = -p skip_report -p no:cacheprovider\nskips = skips.toml\n"
            "testpaths = test_a.py\n"
        )

    def run(self, *options: str, tests: str = ALL_LISTED, skips: str = LIST) -> tuple[int, str]:
        (self.pytester.path / "skips.toml").write_text(skips)
        (self.pytester.path / "test_a.py").write_text(tests)
        run = self.pytester.runpytest_subprocess if options == WORKERS else self.pytester.runpytest
        done = run(*options)
        return int(done.ret), done.stdout.str()


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Folder:
    return Folder(pytester, monkeypatch)


def section(printed: str) -> list[str]:
    """Return the lines of the section on skips."""
    lines = [line for line in printed.splitlines() if line]
    begin = next((at for at, line in enumerate(lines) if line.strip(" =") == "skips"), None)
    if begin is None:
        return []
    rest = lines[begin + 1 :]
    return rest[: next(at for at, line in enumerate(rest) if line.startswith("==="))]


@pytest.mark.parametrize("options", [(), WORKERS])
def test_listed_skips_are_counted_and_named_by_what_they_need(folder, options):
    status, printed = folder.run(*options)
    assert status == 0
    assert section(printed) == [
        "not run here: 3 tests need the real data (set POSTMEAL_DATA)",
        "    test_a.py::test_real (3 cases)",
        "not run here: 2 tests need the archives",
        "    test_a.py::test_archives",
        "    test_a.py::test_more",
    ]


def test_a_run_without_skips_prints_no_section(folder):
    status, printed = folder.run(tests="def test_that_runs(): ...", skips="")
    assert status == 0
    assert section(printed) == []


def test_a_skip_that_is_not_listed_fails_the_run(folder):
    more = ALL_LISTED + '\ndef test_other():\n    pytest.skip("some day")\n'
    status, printed = folder.run(tests=more)
    assert status == 1
    assert section(printed)[-1] == (
        "FAILED test_a.py::test_other is skipped (some day), but skips.toml does not list it"
    )


def test_a_skip_fails_the_run_if_its_condition_is_met(folder, monkeypatch, tmp_path):
    (tmp_path / "cgm" / "set").mkdir(parents=True)
    (tmp_path / "cgm" / "set" / "readings.csv").write_text("time,glucose\n")
    monkeypatch.setenv("POSTMEAL_DATA", str(tmp_path))
    status, printed = folder.run()
    assert status == 1
    assert section(printed)[-3:] == [
        f"FAILED test_a.py::test_real[{case}] is skipped (no data), "
        "but the real data (set POSTMEAL_DATA) is here"
        for case in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("tests", "name"),
    [
        ("import pytest\npytest.skip('x', allow_module_level=True)", "test_a.py"),
        ("import pytest\npytest.importorskip('no_such_module')", "test_a.py"),
        ("import pytest\n@pytest.mark.xfail\ndef test_x():\n    assert 0", "test_a.py::test_x"),
        (
            "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_x(x): ...",
            "test_a.py::test_x[NOTSET]",
        ),
        (
            "import unittest\nclass TestX(unittest.TestCase):\n"
            "    @unittest.skip('y')\n    def test_x(self): ...",
            "test_a.py::TestX::test_x",
        ),
    ],
)
def test_every_way_to_skip_is_seen(folder, tests, name):
    status, printed = folder.run(tests=tests, skips="")
    assert status == 1
    assert section(printed)[0].startswith(f"FAILED {name} is skipped (")


@pytest.mark.parametrize("options", [(), WORKERS])
def test_an_entry_that_covers_no_test_fails_a_run_of_all_tests(folder, options):
    more = LIST + '[node]\nneeds = "node"\ntests = ["test_a.py::test_gone"]\nfixtures = ["page"]\n'
    status, printed = folder.run(*options, skips=more)
    assert status == 1
    assert section(printed)[-2:] == [
        "FAILED skips.toml: [node] test_a.py::test_gone covers no test",
        "FAILED skips.toml: [node] page covers no test",
    ]


def test_an_entry_that_covers_none_of_the_selected_tests_is_allowed(folder):
    more = LIST + '[node]\nneeds = "node"\ntests = ["test_b.py::test_other"]\n'
    assert folder.run("test_a.py", skips=more)[0] == 0


def test_an_entry_is_not_held_against_tests_that_a_run_deselects(folder):
    status, printed = folder.run("-k", "test_that_runs")
    assert status == 0
    assert section(printed) == []


def test_a_failure_and_a_collection_error_keep_their_exit_status(folder):
    assert folder.run(tests="def test_x(): assert 0", skips="")[0] == 1
    assert folder.run(tests="import no_such_module", skips="")[0] == 2


@pytest.mark.parametrize(
    ("skips", "error"),
    [
        ('[weather]\nneeds = "sun"\n', KeyError),
        ('[node]\ntests = ["a.py::b"]\n', KeyError),
        ('[node]\nneeds = "node"\nfiles = ["a.py"]\n', TypeError),
    ],
)
def test_a_malformed_list_is_refused(tmp_path, skips, error):
    (tmp_path / "skips.toml").write_text(skips)
    with pytest.raises(error):
        read_conditions(tmp_path / "skips.toml")


def test_every_probe_has_its_section_and_each_needs_something():
    conditions = read_conditions(SUPPORT / "skips.toml")
    assert {each.name for each in conditions} == set(PROBES)
    assert all(each.tests or each.fixtures for each in conditions)


@pytest.mark.parametrize("name", ["node", "curl", "strace", "mount", "pipes"])
def test_a_probe_of_a_program_fails_without_the_program(name, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not PROBES[name]()


@pytest.mark.parametrize(
    ("name", "variable", "value"),
    [
        ("data", "POSTMEAL_DATA", "/nonexistent"),
        ("specification", "POSTMEAL_SPEC", "/nonexistent"),
        ("postgresql", "POSTMEAL_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:1"),
        ("archives", "POSTMEAL_ARCHIVES", ""),
    ],
)
def test_a_probe_looks_where_the_environment_points(name, variable, value, monkeypatch):
    monkeypatch.setenv(variable, value)
    assert not PROBES[name]()
