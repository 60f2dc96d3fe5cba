"""Each run records the outcomes of the tests that name rows, for the current code."""

from pathlib import Path

import pytest
from acceptance_outcomes import Outcome, keep_outcomes, read_outcomes, state_of

pytest_plugins = ["pytester"]

SUPPORT = Path(__file__).parents[1] / "support"
WORKERS = ("-p", "xdist", "-n", "1")
EVERY_KIND = '''
import pytest

@pytest.fixture
def broken():
    raise ValueError

@pytest.fixture
def breaks_down():
    yield
    raise ValueError

@pytest.fixture
def real():
    pytest.skip("no data")

class TestThing:
    def test_method(self):
        """Rows 2, 2."""
        assert True

@pytest.mark.parametrize("case", [0, 1])
def test_cases(case):
    """Rows 3–5."""
    assert case

def test_setup(broken):
    """Row 6."""
    assert True

def test_teardown(breaks_down):
    """Row 7."""
    assert True

def test_skipped_at_runtime(real):
    """Row 8."""
    assert True

@pytest.mark.xfail
def test_expected_to_fail():
    """Row 9."""
    assert False

@pytest.mark.soak
def test_soak():
    """Row 10."""
    assert True

def test_without_a_body():
    """Row 11."""

def test_with_an_idle_body():
    """Row 12."""
    pass
    ...

def test_without_a_row():
    # Row 13
    text = "Row 14"

def helper():
    """Row 15."""
'''
EXPECTED = {
    ("TestThing::test_method", (2,), "passed", ()),
    ("test_cases[0]", (3, 4, 5), "failed", ()),
    ("test_cases[1]", (3, 4, 5), "passed", ()),
    ("test_setup", (6,), "failed", ()),
    ("test_teardown", (7,), "failed", ()),
    ("test_skipped_at_runtime", (8,), "skipped", ("data",)),
    ("test_expected_to_fail", (9,), "skipped", ()),
}


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A separate project with the tests above."""
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("POSTMEAL_DATA", "/nonexistent")
    (pytester.path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p skip_report -p acceptance_plugin -p no:cacheprovider\n"
        "skips = skips.toml\nacceptance_outcomes = kept\nmarkers = soak: long\n"
    )
    (pytester.path / "skips.toml").write_text('[data]\nneeds = "data"\nfixtures = ["real"]\n')
    (pytester.path / "tests").mkdir()
    (pytester.path / "tests" / "test_a.py").write_text(EVERY_KIND)
    return pytester


def kept_in(folder: pytest.Pytester) -> list[Outcome]:
    return read_outcomes(state_of(folder.path), folder.path / "kept")


@pytest.mark.parametrize("options", [(), WORKERS])
def test_the_outcome_of_every_test_that_names_a_row_is_kept(folder, options):
    run = folder.runpytest_subprocess if options else folder.runpytest
    assert run(*options).ret == 1
    kept = kept_in(folder)
    assert len(kept) == len(EXPECTED)
    assert {
        (each.test.removeprefix("tests/test_a.py::"), each.rows, each.result, each.covered_by)
        for each in kept
    } == EXPECTED


def test_runs_of_one_state_of_the_code_are_merged_and_the_later_counts(folder):
    folder.runpytest("-k", "test_method or test_cases")
    folder.runpytest("-k", "test_setup or test_cases")
    assert [each.function.rpartition("::")[2] for each in kept_in(folder)] == [
        "test_method", "test_cases", "test_cases", "test_setup",
    ]  # fmt: skip
    first = Outcome("t.py::test_x", (1,), "failed")
    for each in (first, Outcome("t.py::test_x", (1,), "passed")):
        keep_outcomes([each], state_of(folder.path), folder.path / "kept")
    assert kept_in(folder)[-1].result == "passed"


def test_outcomes_do_not_count_for_changed_code(folder):
    folder.runpytest()
    (folder.path / "src").mkdir()
    (folder.path / "src" / "code.py").write_text("x = 1\n")
    assert kept_in(folder) == []
    folder.runpytest()
    assert len(kept_in(folder)) == len(EXPECTED)
    (folder.path / "src" / "code.py").write_text("x = 2\n")
    assert kept_in(folder) == []
    (folder.path / "src" / "code.py").write_text("x = 1\n")
    assert len(kept_in(folder)) == len(EXPECTED)


def test_a_run_during_which_the_code_changes_keeps_nothing(folder):
    (folder.path / "tests" / "test_b.py").write_text(
        "from pathlib import Path\n\n"
        'def test_change():\n    """Row 1."""\n    Path("tests/new.py").write_text("x = 1")\n'
    )
    assert folder.runpytest("tests/test_b.py").ret == 0
    assert not (folder.path / "kept").exists()


def test_caches_are_no_part_of_the_state_of_the_code(folder):
    before = state_of(folder.path)
    for name in ("__pycache__", ".hypothesis"):
        (folder.path / "tests" / name).mkdir(exist_ok=True)
        (folder.path / "tests" / name / "x.txt").write_text("x")
    assert state_of(folder.path) == before


@pytest.mark.parametrize("options", [(), WORKERS])
def test_the_tests_of_some_rows_can_be_run_alone(folder, options):
    run = folder.runpytest_subprocess if options else folder.runpytest
    assert run("--rows", "2,4-6,11", *options).ret == 1
    assert {each.rows for each in kept_in(folder)} == {(2,), (3, 4, 5), (6,)}
