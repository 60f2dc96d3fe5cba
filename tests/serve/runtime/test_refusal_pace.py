"""Callers who are refused in a loop wait for each further refusal."""

import pytest

from postmeal_serve.runtime.refusal_pace import LONGEST_S, PER_SECOND, UPLOAD, RefusalPace


@pytest.fixture
def clock() -> list[float]:
    return [5.0]


@pytest.fixture
def pace(clock) -> RefusalPace:
    return RefusalPace(now_s=lambda: clock[0])


def test_the_first_refusals_after_a_second_without_any_are_not_delayed(pace, clock):
    for second in (5.0, 6.5):
        clock[0] = second
        assert [pace.wait_s("a") for _ in range(PER_SECOND)] == pytest.approx([0.0] * PER_SECOND)


def test_further_refusals_are_sent_at_a_constant_rate(pace):
    waits_s = [pace.wait_s("a") for _ in range(3 * PER_SECOND)][PER_SECOND:]
    expected_s = [number / PER_SECOND for number in range(1, 2 * PER_SECOND + 1)]
    assert waits_s == pytest.approx(expected_s)


def test_a_caller_who_waits_for_each_refusal_gets_the_rate_and_no_more(pace, clock):
    for _ in range(PER_SECOND):
        pace.wait_s("a")
    started_s = clock[0]
    for _ in range(5 * PER_SECOND):
        clock[0] += pace.wait_s("a")
    assert clock[0] - started_s == pytest.approx(5.0)


def test_a_refused_upload_counts_as_several_refusals(pace):
    waits_s = [pace.wait_s("a", UPLOAD) for _ in range(PER_SECOND // UPLOAD + 2)]
    assert waits_s[-2:] == pytest.approx([UPLOAD / PER_SECOND, 2 * UPLOAD / PER_SECOND])


def test_no_delay_is_longer_than_the_longest_and_the_longest_delays_differ(pace):
    waits_s = [pace.wait_s("a") for _ in range(PER_SECOND * int(LONGEST_S + 2))]
    assert max(waits_s) <= LONGEST_S
    last_s = waits_s[-PER_SECOND // 2 :]
    assert min(last_s) >= LONGEST_S / 2
    assert len(set(last_s)) == len(last_s)


def test_another_caller_does_not_wait(pace):
    for _ in range(2 * PER_SECOND):
        pace.wait_s("a")
    assert pace.wait_s("b") == 0.0


def test_callers_who_were_not_refused_lately_are_forgotten(pace, clock):
    for number in range(1000):
        pace.wait_s(f"caller {number}")
    clock[0] += 2
    pace.wait_s("a")
    assert list(pace._due_s) == ["a"]
