"""PacedExecutor: one piece of work at a time, each followed by a rest in proportion to it."""

import time
from itertools import pairwise

import pytest

from postmeal_serve.storage.paced_executor import PacedExecutor


@pytest.fixture
def executor():
    with PacedExecutor("paced", rest=3.0) as executor:
        yield executor


def test_results_and_errors_are_those_of_the_work(executor):
    assert executor.submit(sum, [1, 2]).result() == 3
    with pytest.raises(ZeroDivisionError):
        executor.submit(lambda: 1 / 0).result()
    assert executor.submit(sum, [3, 4]).result() == 7


def test_work_starts_only_after_the_rest_that_follows_earlier_work(executor):
    def work() -> tuple[float, float]:
        start_s = time.monotonic()
        time.sleep(0.02)
        return start_s, time.monotonic()

    pieces = [executor.submit(work) for _ in range(4)]
    times = [piece.result() for piece in pieces]
    for (start_s, end_s), (next_start_s, _) in pairwise(times):
        assert next_start_s - end_s >= 3 * (end_s - start_s) - 1e-3


def test_the_result_is_there_before_the_rest(executor):
    start_s = time.monotonic()
    executor.submit(time.sleep, 0.5).result()
    assert time.monotonic() - start_s < 1.5
