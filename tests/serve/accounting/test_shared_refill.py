"""A refill is shared by all who wait for it."""

import asyncio

import pytest

from postmeal_serve.accounting.shared_refill import SharedRefill


def test_a_failed_refill_fails_for_all_and_the_next_is_tried_anew():
    runs = []

    async def refill() -> int:
        runs.append(len(runs))
        await asyncio.sleep(0)
        if len(runs) == 1:
            raise OSError("no database")
        return len(runs)

    async def crowd() -> None:
        shared: SharedRefill[int] = SharedRefill()
        both = await asyncio.gather(
            shared.join(refill), shared.join(refill), return_exceptions=True
        )
        assert [str(each) for each in both] == ["no database"] * 2
        assert await shared.join(refill) == 2
        assert shared.waiting == 0

    asyncio.run(crowd())


def test_a_caller_who_goes_away_does_not_end_the_refill_for_the_others():
    async def crowd() -> None:
        shared: SharedRefill[str] = SharedRefill()
        begun = asyncio.Event()

        async def refill() -> str:
            begun.set()
            await asyncio.sleep(0.01)
            return "full"

        first = asyncio.create_task(shared.join(refill))
        await begun.wait()
        second = asyncio.create_task(shared.join(refill))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert await second == "full"

    asyncio.run(crowd())
