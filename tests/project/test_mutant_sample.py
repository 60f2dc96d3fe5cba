"""The sample that `make mutants SAMPLE=600` tests, and what it prints of it."""

import pytest
from mutant_sample import interval, sample
from mutation import Module, among, table, together, verdict

NAMES = [f"postmeal.units.x_grams__mutmut_{n}" for n in range(1000)]


def test_a_sample_is_the_same_in_each_run_and_for_any_order_of_the_names() -> None:
    assert sample(reversed(NAMES), 100) == sample(NAMES, 100)


def test_a_sample_has_as_many_mutants_as_asked_for_or_all_that_there_are() -> None:
    assert len(set(sample(NAMES, 100))) == 100
    assert sorted(sample(NAMES, 5000)) == sorted(NAMES)


def test_a_sample_that_skips_the_first_shares_no_mutant_with_it() -> None:
    first, second = sample(NAMES, 100), sample(NAMES, 100, skip=100)
    assert len(second) == 100
    assert set(first).isdisjoint(second)


def test_a_sample_comes_from_the_whole_code() -> None:
    """Of ten functions with 100 mutants each, a tenth has about ten of each."""
    names = [f"module.x_{function}__mutmut_{n}" for function in "abcdefghij" for n in range(100)]
    chosen = sample(names, 100)
    counts = [sum(name.startswith(f"module.x_{each}_") for name in chosen) for each in "abcdefghij"]
    assert min(counts) >= 3
    assert max(counts) <= 20


def test_the_interval_holds_the_true_share_in_95_of_100_samples() -> None:
    """Wilson's formula asks which shares lie within 1.96 standard errors of what was seen."""
    low, high = interval(90, 100)
    for limit in (low, high):
        assert abs(0.9 - limit) / (limit * (1 - limit) / 100) ** 0.5 == pytest.approx(
            1.96, abs=1e-3
        )
    assert low < 0.9 < high


def test_the_interval_of_a_sample_without_survivors_is_no_certainty() -> None:
    low, high = interval(50, 50)
    assert 0.9 < low < 0.95
    assert high == pytest.approx(1.0)


def module_with(killed: int, survived: int) -> Module:
    names = iter(NAMES)
    status = {next(names): "killed" for _ in range(killed)}
    return Module(
        "src/postmeal/units.py", status | {next(names): "survived" for _ in range(survived)}
    )


def test_a_sample_is_said_to_be_one() -> None:
    text, reached = verdict(module_with(killed=85, survived=15), population=1000)
    assert text.splitlines() == [
        "This is a sample: 100 of 1,000 mutants.",
        "killed: 85.0%, 95% interval 76.7% to 90.7%",
        "aim 90%: MISSED",
    ]
    assert not reached


def test_all_mutants_are_no_sample() -> None:
    assert verdict(module_with(killed=90, survived=10), population=100) == (
        "aim 90%: reached",
        True,
    )


def test_the_table_counts_the_mutants_of_the_sample_alone() -> None:
    module = module_with(killed=3, survived=2)
    other = Module("src/postmeal/other.py", {"postmeal.other.x_f__mutmut_1": "not checked"})
    found = among([module, other], {NAMES[0], NAMES[1], NAMES[4]})
    assert [line.split() for line in table(found).splitlines()] == [
        ["mutants", "killed", "hung", "survived", "other", "%"],
        ["src/postmeal/units.py", "3", "2", "0", "1", "0", "66.7%"],
        ["all", "3", "2", "0", "1", "0", "66.7%"],
    ]
    assert len(together([module, other]).status) == 6
