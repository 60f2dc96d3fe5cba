"""Minutes: windows of calls, exact to the call in one process, shared by several."""

import multiprocessing
from multiprocessing.process import BaseProcess

from postmeal_serve.accounting.minutes import Minutes

CONTEXT = multiprocessing.get_context("fork")


def taken(minutes: Minutes, name: str, limit: int, now_s: float) -> int:
    """Count a call if the limit allows it; return the seconds to wait."""
    wait_s = minutes.wait_s(name, limit, now_s)
    if not wait_s:
        minutes.count(name, now_s)
    return wait_s


def test_a_name_over_its_limit_gets_the_whole_seconds_to_its_next_window():
    """Row 158: rounded up, so that a caller who waits that long is admitted."""
    minutes = Minutes()
    assert [taken(minutes, "a", 2, at) for at in (100.0, 130.0)] == [0, 0]
    assert [taken(minutes, "a", 2, at) for at in (130.0, 130.5, 159.0, 159.5)] == [30, 30, 1, 1]
    assert [taken(minutes, "a", 2, 160.0) for _ in range(3)] == [0, 0, 60]


def test_names_are_counted_separately():
    minutes = Minutes()
    assert [taken(minutes, name, 1, 0.0) for name in "abab"] == [0, 0, 60, 60]


def test_one_name_may_have_several_limits():
    minutes = Minutes()
    for _ in range(3):
        minutes.count("a", 5.0)
    assert [minutes.wait_s("a", limit, 6.0) for limit in (2, 3, 4)] == [59, 59, 0]


def test_a_call_that_is_put_back_may_be_made_again():
    """Row 73: a call of a window that has ended is not put back into the next."""
    minutes = Minutes()
    assert [taken(minutes, "a", 2, 0.0) for _ in range(3)] == [0, 0, 60]
    minutes.undo("a", 1.0)
    assert [taken(minutes, "a", 2, 1.0) for _ in range(2)] == [0, 59]
    assert [taken(minutes, "a", 2, 60.0) for _ in range(2)] == [0, 0]
    minutes.undo("a", 59.0)
    assert taken(minutes, "a", 2, 60.0) == 60
    minutes.undo("b", 60.0)
    assert [taken(minutes, "b", 2, 60.0) for _ in range(3)] == [0, 0, 60]


def test_a_flood_of_names_takes_no_memory_and_forgets_nobody():
    """Row 158: the memory is the same, and the first is still refused."""
    minutes = Minutes()
    taken(minutes, "first", 1, 0.0)
    size = len(minutes._cells) * minutes._cells.itemsize
    for number in range(20_000):
        minutes.count(f"{number}", 1.0)
    assert taken(minutes, "first", 1, 59.0) == 1
    assert len(minutes._cells) * minutes._cells.itemsize == size == 8 * 2**20


def test_nobody_is_refused_for_the_calls_of_another():
    """Row 158: 20,000 names at their limits leave as many others all of theirs."""
    minutes = Minutes()
    for number in range(20_000):
        minutes.count(f"busy {number}", 1.0)
    refused = sum(taken(minutes, f"quiet {number}", 1, 2.0) > 0 for number in range(20_000))
    assert refused <= 2


def test_where_the_memory_is_full_the_fewest_calls_are_forgotten(monkeypatch):
    monkeypatch.setattr("postmeal_serve.accounting.minutes._CELLS", 16)
    minutes = Minutes()
    minutes._key = bytes(16)  # With a random key, about 1 run in 80 mistakes a name for "busy".
    for _ in range(10):
        minutes.count("busy", 0.0)
    for number in range(1000):
        assert taken(minutes, f"{number}", 10, 1.0) == 0
    assert minutes.wait_s("busy", 10, 1.0) == 59


def test_a_million_calls_are_counted_and_no_more():
    minutes = Minutes()
    minutes.count("a", 0.0)
    place = next(place for place, cell in enumerate(minutes._cells) if cell)
    minutes._cells[place] += 2**20 - 3
    for calls in (2**20 - 2, 2**20 - 1, 2**20 - 1):
        assert minutes.wait_s("a", calls, 1.0) == 59
        assert minutes.wait_s("a", calls + 1, 1.0) == 0
        minutes.count("a", 1.0)


def test_windows_end_after_any_uptime():
    """Time is counted modulo 2**28 ticks, that is 48.5 days."""
    minutes = Minutes()
    for start_s in (0.0, 4194304.0, 4194303.5, 8e6, 3e9):
        assert [taken(minutes, "a", 1, start_s + age_s) for age_s in (0, 59, 60)] == [0, 1, 0]
        minutes.undo("a", start_s + 60)


def _count(minutes: Minutes, limit: int, admitted: "multiprocessing.Queue[int]") -> None:
    admitted.put(sum(not taken(minutes, "a", limit, 0.0) for _ in range(limit)))


def test_processes_share_one_limit():
    """Row 158: what one process has admitted, the next refuses."""
    minutes, admitted = Minutes(), CONTEXT.Queue()
    for number in range(2):
        process: BaseProcess = CONTEXT.Process(target=_count, args=(minutes, 20 + number, admitted))
        process.start()
        assert admitted.get(timeout=300) == (20, 1)[number]
        process.join()
    assert taken(minutes, "a", 21, 0.0) == 60
    admitted.close()
    admitted.join_thread()
