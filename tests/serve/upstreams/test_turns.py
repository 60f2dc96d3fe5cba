"""Turns of requests, shared by processes through a file."""

import asyncio
import time

import pytest

from postmeal_serve.upstreams.turns import Turns


def test_requests_take_turns_across_processes(tmp_path):
    """The E-utilities allow three requests in any second."""
    turns = [Turns(tmp_path / "turns", 3, max_wait_s=10) for _ in range(2)]
    begun_s = []

    async def take(number: int) -> None:
        assert await turns[number % 2].wait() == 0
        begun_s.append(time.monotonic())

    async def take_all() -> None:
        await asyncio.gather(*(take(number) for number in range(8)))

    asyncio.run(take_all())
    for first_s in begun_s:
        assert sum(first_s <= at_s < first_s + 1 for at_s in begun_s) <= 3


def test_a_turn_that_is_late_is_not_waited_for(tmp_path):
    turns = Turns(tmp_path / "turns", 1, max_wait_s=0.5)
    waits = [asyncio.run(turns.wait()) for _ in range(3)]
    assert waits[0] == 0
    assert all(0.5 < wait_s < 1.2 for wait_s in waits[1:])


@pytest.mark.parametrize("content", ["", "tomorrow", "1e18", "nan"])
def test_a_file_of_turns_from_before_a_restart_is_ignored(tmp_path, content):
    file = tmp_path / "turns"
    file.write_text(content)
    assert asyncio.run(Turns(file, 3, max_wait_s=1).wait()) == 0
