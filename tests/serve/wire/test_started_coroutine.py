"""A started coroutine returns at once, or behaves like the coroutine when it is awaited."""

import asyncio
from typing import NoReturn

import pytest

from postmeal_serve.wire.started_coroutine import StartedCoroutine


async def _next(queue: asyncio.Queue[int]) -> int:
    return await queue.get() + await queue.get()


async def _raises() -> NoReturn:
    raise ValueError("at once")


def test_a_coroutine_that_does_not_wait_is_done_at_once() -> None:
    async def main() -> int:
        queue: asyncio.Queue[int] = asyncio.Queue()
        queue.put_nowait(1)
        queue.put_nowait(2)
        started = StartedCoroutine(_next(queue))
        assert started.is_done
        assert await started == started.result
        return started.result

    assert asyncio.run(main()) == 3


def test_a_coroutine_that_waits_twice_is_awaited_to_its_end() -> None:
    async def main() -> int:
        queue: asyncio.Queue[int] = asyncio.Queue()
        started = StartedCoroutine(_next(queue))
        assert not started.is_done
        for delay_s, number in ((0.01, 1), (0.02, 2)):
            asyncio.get_running_loop().call_later(delay_s, queue.put_nowait, number)
        return await started

    assert asyncio.run(main()) == 3


def test_an_error_before_the_first_wait_is_raised_at_once() -> None:
    async def main() -> None:
        with pytest.raises(ValueError, match="at once"):
            StartedCoroutine(_raises())

    asyncio.run(main())


def test_a_timeout_cancels_the_coroutine_where_it_waits() -> None:
    seen: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("canceled")
            raise

    async def main() -> None:
        started = StartedCoroutine(waits())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await started

    asyncio.run(main())
    assert seen == ["canceled"]


def test_an_error_of_the_awaited_event_reaches_the_coroutine() -> None:
    async def handles(future: asyncio.Future[None]) -> str:
        try:
            await future
        except ConnectionError:
            return "handled"
        return "no error"

    async def main() -> str:
        future = asyncio.get_running_loop().create_future()
        started = StartedCoroutine(handles(future))
        future.set_exception(ConnectionError())
        return await started

    assert asyncio.run(main()) == "handled"


def test_a_started_coroutine_that_is_dropped_ends_its_blocks() -> None:
    seen: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            seen.append("ended")

    async def main() -> None:
        started = StartedCoroutine(waits())
        assert not started.is_done
        del started

    asyncio.run(main())
    assert seen == ["ended"]
