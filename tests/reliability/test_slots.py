"""Slots of calls in flight, after calls that ended in every way."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from api_client import CHAT, PREDICT
from few_foods import few_foods
from raw_client import RawClient
from real_server import RealServer
from sqlalchemy import func, select

from postmeal_serve.storage.tables import reservation, usage

HELLO = {"model": "service", "messages": [{"role": "user", "content": "hello"}]}
SLOTS, CLIENTS, WORKERS = 4, 16, 2
ENDINGS = ("answered", "refused", "gone at once", "gone half way", "gone while answered")

pytestmark = pytest.mark.reliability


class Asking(NamedTuple):
    """What is asked, and of whom."""

    server: RealServer
    key: str
    path: str
    body: Any

    def client(self) -> RawClient:
        return RawClient(self.server.port, self.key)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("path", [PREDICT, CHAT])
@pytest.mark.parametrize("calls", [1000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_no_slot_stays_taken_however_a_call_ends(
    tmp_path: Path, database_url: str, calls: int, path: str
):
    """R11: after errors, disconnects and the kill of a worker none."""
    given = {"credit_costs": '{"predict_glucose": 1}', "log_level": "error"}
    given["food_table"] = few_foods(tmp_path)
    with RealServer(tmp_path, workers=WORKERS, database=database_url, **given) as server:
        places = {"predict_glucose": SLOTS, "create_chat_completion": SLOTS}
        key = server.partner("busy", in_flight=places).keys["v1.2"]
        asking = Asking(server, key, path, HELLO if path == CHAT else server.body)
        outcomes = asyncio.run(call_in_every_way(asking, calls))
        assert settled(server) == 0
        kill_a_worker_under_load(asking, outcomes)
        assert settled(server) == 0
        with server.writing() as connection:
            used = connection.execute(select(func.max(usage.c.credits))).scalar_one()
        assert used >= outcomes["200"] > 0
        kind = database_url.split(":")[0]
        print(f"\nR11 {path} {kind}: {dict(outcomes)}; 0 slots in use")


def settled(server: RealServer) -> int:
    """The slots in use once nothing is in flight."""
    held = 0
    for _ in range(100):
        with server.writing() as connection:
            held = connection.execute(select(func.count()).select_from(reservation)).scalar_one()
        if not held:
            break
        time.sleep(0.05)
    return held


async def call_in_every_way(asking: Asking, calls: int) -> Counter[str]:
    chance, outcomes = random.Random(calls), Counter[str]()
    endings = iter([chance.choice(ENDINGS) for _ in range(calls)])
    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(run(asking, endings, outcomes))
    return outcomes


async def run(asking: Asking, endings: Iterator[str], seen: Counter[str]) -> None:
    for ending in endings:
        async with asking.client() as client:
            if ending == "answered":
                seen[(await client.ask("POST", asking.path, asking.body)).outcome] += 1
            elif ending == "refused":
                seen[(await client.ask("POST", asking.path, {"foods": []})).outcome] += 1
            else:
                seen[ending] += 1
                await leave(client, asking, ending)


async def leave(client: RawClient, asking: Asking, ending: str) -> None:
    """Send a call, in part or whole, and be gone without a word."""
    if ending == "gone half way":
        head = f"POST {asking.path} HTTP/1.1\r\nHost: x\r\n"
        head += f"Authorization: Bearer {client.secret}\r\n"
        client.writer.write(f"{head}Content-Length: 1000\r\n\r\n{{".encode())
    else:
        client.send("POST", asking.path, asking.body)
    await client.writer.drain()
    if ending == "gone while answered":
        await asyncio.sleep(random.uniform(0, 0.02))
    client.writer.transport.abort()


def kill_a_worker_under_load(asking: Asking, outcomes: Counter[str]) -> None:
    async def load() -> None:
        async def until_it_ends() -> None:
            with contextlib.suppress(ConnectionError):
                async with asking.client() as client:
                    for _ in range(50):
                        answer = await client.ask("POST", asking.path, asking.body)
                        outcomes[answer.outcome] += 1

        async with asyncio.TaskGroup() as group:
            for _ in range(CLIENTS):
                group.create_task(until_it_ends())
            await asyncio.sleep(0.5)
            os.kill(asking.server.worker_pids()[0], signal.SIGKILL)

    asyncio.run(load())
