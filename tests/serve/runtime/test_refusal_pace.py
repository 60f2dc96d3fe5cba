"""Callers who are refused in a loop wait for each further refusal."""

import pytest

from serve.runtime.refusal_pace import AT_ONCE, LONGEST_S, RefusalPace


@pytest.fixture
def clock() -> list[float]:
    return [5.0]


@pytest.fixture
def pace(clock) -> RefusalPace:
    return RefusalPace(now_s=lambda: clock[0])


def test_the_first_refusals_of_a_second_are_answered_at_once(pace, clock):
    for second in (5.0, 6.5):
        clock[0] = second
        assert {pace.wait_s("a") for _ in range(AT_ONCE)} == {0.0}


def test_later_ones_wait_for_times_that_differ(pace):
    waits = [pace.wait_s("a") for _ in range(AT_ONCE + 50)][AT_ONCE:]
    assert all(0 <= each <= LONGEST_S for each in waits)
    assert len(set(waits)) == 50


def test_another_caller_does_not_wait(pace):
    for _ in range(2 * AT_ONCE):
        pace.wait_s("a")
    assert pace.wait_s("b") == 0.0


def test_callers_of_former_seconds_are_forgotten(pace, clock):
    for number in range(1000):
        pace.wait_s(f"caller {number}")
    clock[0] += 1
    pace.wait_s("a")
    assert len(pace._refused) == 1
