"""The usual run and `make reliability` share the cases of a sampled test."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SUPPORT = Path(__file__).parents[1] / "support"
TESTS = """
import pytest

@pytest.mark.sampled
@pytest.mark.parametrize("case", range(12))
def test_case(case): ...

@pytest.mark.sampled(cases=50)
def test_number(cases): ...

def test_usual(): ...
"""


def run_of(pytester: pytest.Pytester, selection: str) -> list[str]:
    """Return the tests that pytest selects."""
    shown = pytester.runpytest_subprocess(
        "-p", "sampled_cases", "-p", "no:cacheprovider", "--collect-only", "-q", "-m", selection
    )
    return [line.partition("::")[2] for line in shown.outlines if "::" in line]


def test_each_case_is_in_one_of_both_runs(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    (pytester.path / "pytest.ini").write_text("[pytest]\nmarkers = sampled\n    reliability\n")
    pytester.makepyfile(test_a=TESTS)
    usual, others = (run_of(pytester, one) for one in ("not reliability", "reliability"))
    assert usual == [
        "test_case[0]",
        "test_case[5]",
        "test_case[10]",
        "test_number[10]",
        "test_usual",
    ]
    left = [f"test_case[{case}]" for case in (1, 2, 3, 4, 6, 7, 8, 9, 11)]
    assert others == [*left, "test_number[50]"]
