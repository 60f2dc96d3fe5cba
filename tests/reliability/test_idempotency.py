"""Duplicates of one request, sent at once, while the server is killed."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2
import pytest
from diary_client import NEW
from few_foods import few_foods
from real_server import RealServer

KEYS, DUPLICATES, KILLS = 100, 20, 3
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 20))]

pytestmark = pytest.mark.reliability


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_request_that_is_sent_often_is_done_once(tmp_path: Path, database_url: str, seed: int):
    """R7: one log a key, answers alike to the byte, another body refused, whoever is killed."""
    settings = {"workers": 4, "database": database_url, "food_table": few_foods(tmp_path)}
    with RealServer(tmp_path, log_level="warning", **settings) as server:
        seen, answers = asyncio.run(storm(server, random.Random(seed)))
        assert set(seen) <= {"201", "409 idempotency_key_in_flight", "gone"}
        assert seen["201"] == KEYS * DUPLICATES
        assert all(len(each) == 1 for each in answers.values())
        logs = listed(server)
        assert len(logs) == KEYS
        assert {log["id"] for log in logs} == {first_id(each) for each in answers.values()}
        for key, [answer] in answers.items():
            other = send(server, key, "another name")
            assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
            assert send(server, key, key).content == answer
        assert len(listed(server)) == KEYS
        print(f"\nR7 {database_url.split(':')[0]} seed {seed}: {dict(seen)}")


async def storm(
    server: RealServer, chance: random.Random
) -> tuple[Counter[str], dict[str, set[bytes]]]:
    """Send every key's duplicates at once, each until it is answered; kill the server meanwhile."""
    seen, answers = Counter[str](), {f"k-{n}": set[bytes]() for n in range(KEYS)}
    limits = httpx2.Limits(max_connections=100)

    async def insist(client: httpx2.AsyncClient, key: str, start_s: float) -> None:
        await asyncio.sleep(start_s)
        while True:
            outcome = await attempt(client, server, key)
            if isinstance(outcome, bytes):
                seen["201"] += 1
                answers[key].add(outcome)
                return
            seen[outcome] += 1
            await asyncio.sleep(chance.uniform(0.2, 0.8))

    async def kill() -> None:
        for _ in range(KILLS):
            await asyncio.sleep(chance.uniform(0.5, 2))
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)

    async with (
        httpx2.AsyncClient(limits=limits, timeout=60) as client,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(kill())
        for key in answers:
            start_s = chance.uniform(0, 12)
            for _ in range(DUPLICATES):
                group.create_task(insist(client, key, start_s))
    return seen, answers


async def attempt(client: httpx2.AsyncClient, server: RealServer, key: str) -> bytes | str:
    """The answer of a success, or how it failed."""
    try:
        answer = await client.post(**request(server, key, key))
    except httpx2.TransportError:
        return "gone"
    if answer.status_code == 201:
        return answer.content
    return f"{answer.status_code} {answer.json()['code']}"


def request(server: RealServer, key: str, name: str) -> dict[str, Any]:
    person = {"Service-End-User-ID": "someone", "Idempotency-Key": key}
    body = {"foods": server.body["foods"], "name": name, "timestamp_utc": "2026-01-05T13:00:00Z"}
    url = f"{server.address}{NEW}"
    return {"url": url, "json": body, "headers": server.headers() | person}


def send(server: RealServer, key: str, name: str) -> httpx2.Response:
    return server.client.post(**request(server, key, name))


def listed(server: RealServer) -> list[dict[str, Any]]:
    sent = request(server, "", "")["headers"]
    days = {"start": "2026-01-05", "end": "2026-01-05"}
    found: list[dict[str, Any]] = server.client.get(NEW, params=days, headers=sent).json()["items"]
    return found


def first_id(answers: set[bytes]) -> str:
    [answer] = answers
    found: str = httpx2.Response(201, content=answer).json()["id"]
    return found
