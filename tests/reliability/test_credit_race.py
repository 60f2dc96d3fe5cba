"""The last credits of a month, wanted by many at once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_client import CHAT, PREDICT
from few_foods import few_foods
from raw_client import RawClient
from real_server import RealServer
from sqlalchemy import func, select

from postmeal_serve.storage.tables import reservation, usage

HELLO = {"model": "service", "messages": [{"role": "user", "content": "hello"}]}
CREDITS, CALLS, FAILING, CLIENTS = 1000, 5000, 500, 64
USUAL = {(PREDICT, 0), (CHAT, 1)}
RACES = [
    pytest.param(path, seed, marks=[] if (path, seed) in USUAL else pytest.mark.soak)
    for seed in range(20)
    for path in (PREDICT, CHAT)
]

pytestmark = pytest.mark.reliability


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("path", "seed"), RACES)
def test_the_last_thousand_credits_are_sold_once(
    tmp_path: Path, database_url: str, seed: int, path: str
):
    """R4: what fails costs nothing, the rest gets each credit once, whichever process it asks."""
    settings = {"workers": 3, "database": database_url, "food_table": few_foods(tmp_path)}
    costs = '{"predict_glucose": 1}'
    with RealServer(tmp_path, credit_costs=costs, log_level="warning", **settings) as server:
        places = {"create_chat_completion": CLIENTS}
        racer = server.partner("racer", monthly_credits=CREDITS, in_flight=places)
        outcomes, seen = asyncio.run(race(server, racer.keys["v1.2"], seed, path))
        assert outcomes["200"] == CREDITS
        assert set(outcomes) <= {"200", "429 credit_limit_exceeded", "400 invalid_request"}
        assert outcomes["400 invalid_request"] <= FAILING
        assert sum(outcomes.values()) == CALLS + FAILING
        assert seen == sorted(seen)
        assert seen[-1] == CREDITS
        with server.writing() as connection:
            held = select(func.count()).select_from(reservation)
            assert connection.execute(held).scalar_one() == 0
            assert connection.execute(select(func.max(usage.c.credits))).scalar_one() == CREDITS
        kind = database_url.split(":")[0]
        print(f"\nR4 {path} {kind} seed {seed}: {dict(outcomes)}, used {seen[-1]}")


async def race(
    server: RealServer, key: str, seed: int, path: str
) -> tuple[Counter[str], list[int]]:
    """How many calls ended how, and the credits that were used, as they were seen meanwhile."""
    calls = ["good"] * CALLS + ["bad"] * FAILING
    random.Random(seed).shuffle(calls)
    shared, outcomes, seen = iter(calls), Counter[str](), []
    async with asyncio.TaskGroup() as group:
        clients = [
            group.create_task(run(server, key, shared, outcomes, path)) for _ in range(CLIENTS)
        ]
        async with RawClient(server.port, key) as watcher:
            while not all(client.done() for client in clients):
                seen.append(await balance(watcher))
                await asyncio.sleep(0.02)
            seen.append(await balance(watcher))
    return outcomes, seen


async def run(
    server: RealServer, key: str, calls: Iterator[str], outcomes: Counter[str], path: str
) -> None:
    bodies = {"good": server.body, "bad": {**server.body, "start_time": "soon"}}
    if path == CHAT:
        bodies = {"good": HELLO, "bad": {**HELLO, "stream": True}}
    async with RawClient(server.port, key) as client:
        for call in calls:
            outcomes[(await client.ask("POST", path, bodies[call])).outcome] += 1


async def balance(client: RawClient) -> int:
    """The credits that are used; with what is left they are those included."""
    told = (await client.ask("GET", "/v1.2/credits")).body
    assert told["used_credits"] + told["remaining_credits"] == told["included_credits"] == CREDITS
    used: int = told["used_credits"]
    return used
