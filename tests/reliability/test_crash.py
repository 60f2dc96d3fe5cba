"""Servers that are killed in the middle of everything, again and again."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest
from api_client import PREDICT, Partner
from few_foods import few_foods
from raw_client import Answer, RawClient
from real_server import RealServer
from sqlalchemy import Connection, func, select, text

from postmeal_serve.accounting.requests import LARGEST_BLOCK
from postmeal_serve.partners.keys import digest
from postmeal_serve.storage.tables import audit, client_token, food_log, reservation, usage

WORKERS, READY_S, BURST = 2, 5.0, 400
WRITERS, PATHS = 4, {"v1.2": "/v1.2/food-logs", "v1.1": "/v1.1/logs/foods"}
TOKENS, REVOCATIONS = "/v1.2/auth/client-tokens", "/v1.2/auth/client-token-revocations"

pytestmark = pytest.mark.reliability


@dataclass
class Ledger:
    """What was asked of the server, and of it what the server acknowledged."""

    asked: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in KINDS})
    told: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in KINDS})
    secrets: dict[str, str] = field(default_factory=dict)

    def add(self, other: Ledger) -> None:
        for name in KINDS:
            self.asked[name] |= other.asked[name]
            self.told[name] |= other.told[name]
        self.secrets |= other.secrets

    def counted(self, which: dict[str, set[str]]) -> int:
        """The calls that count in the monthly requests of the first partner."""
        return len(which["v1.2 logs"]) + len(which["predictions"])


KINDS = ("v1.2 logs", "v1.1 logs", "mints", "revocations", "predictions", "searches")
Ask = Callable[[RawClient, str], Coroutine[Any, Any, Answer]]


@pytest.mark.parametrize(
    "cycles",
    [
        pytest.param(20, marks=pytest.mark.timeout(800)),
        pytest.param(1000, marks=[pytest.mark.soak, pytest.mark.timeout(14_400)]),
    ],
)
def test_what_was_acknowledged_outlives_any_number_of_kills(tmp_path, database_url, cycles):
    """R5: each acknowledged write is there once, no log in part, and all is counted."""
    given = {"credit_costs": '{"predict_glucose": 1}', "client_tokens": True}
    options = {"workers": WORKERS, "database": database_url, "log_level": "error"}
    options["food_table"] = few_foods(tmp_path)
    chance, all_of_it, ready_s = random.Random(cycles), Ledger(), []
    with RealServer(tmp_path, **given, **options) as server:
        main = server.partner("main", monthly_credits=10**8)
        small = server.partner("small", monthly_requests=BURST * 5)
        for cycle in range(cycles):
            wait_s = chance.uniform(0.005, 0.5)
            ledger = asyncio.run(load_and_kill(server, main, small, cycle, wait_s))
            begun = time.monotonic()
            server.launch()
            server.wait_until_ready()
            ready_s.append(time.monotonic() - begun)
            if cycle % 4 == 0:  # otherwise, the next kill comes while most workers start
                server.wait_for_workers()
            all_of_it.add(ledger)
            with server.writing() as connection:
                check_totals(connection, main, small, all_of_it, cycle + 1)
                check_writes(connection, ledger, f"{cycle}-%")
        with server.writing() as connection:
            check_writes(connection, all_of_it, "%")
        asyncio.run(check_tokens(server, main, all_of_it))
    report(database_url, cycles, all_of_it, ready_s)
    crowd = os.getloadavg()[0] / (os.cpu_count() or 1)
    assert statistics.median(ready_s) < READY_S * max(1, crowd)  # on a machine with time for it


def report(database_url: str, cycles: int, ledger: Ledger, ready_s: list[float]) -> None:
    told = {name: len(names) for name, names in ledger.told.items()}
    unknown = {name: len(ledger.asked[name] - ledger.told[name]) for name in KINDS}
    print(f"\nR5 {database_url.split(':')[0]}: {cycles} kills; acknowledged {told}")
    print(f"in flight {unknown}; ready after {statistics.median(ready_s):.1f} s", end="")
    print(f" (median), {max(ready_s):.1f} s (longest)")


async def load_and_kill(
    server: RealServer, main: Partner, small: Partner, cycle: int, wait_s: float
) -> Ledger:
    ledger = Ledger()

    async def log(client: RawClient, name: str) -> Answer:
        body = {"foods": server.body["foods"], "name": name}
        return await client.ask("POST", PATHS["v1.2"], body, Service_End_User_ID="u-1")

    async def log_old(client: RawClient, name: str) -> Answer:
        body = {"foods": server.old_body["foods"], "name": name}
        return await client.ask("POST", PATHS["v1.1"], body, x_partner_user_id="u-1")

    async def mint(client: RawClient, name: str) -> Answer:
        answer = await client.ask("POST", TOKENS, {"end_user_id": name, "ttl_seconds": 7200})
        ledger.secrets[name] = answer.body["token"]
        return answer

    async def revoke(client: RawClient, name: str) -> Answer:
        ledger.asked["mints"].add(name)
        await mint(client, name)
        ledger.told["mints"].add(name)
        return await client.ask("POST", REVOCATIONS, {"end_user_id": name})

    async def predict(client: RawClient, name: str) -> Answer:
        return await client.ask("POST", PREDICT, server.body)

    async def search(client: RawClient, name: str) -> Answer:
        return await client.ask("GET", "/v1.2/foods?query=rice")

    async def write(kind: str, ask: Ask, key: str, number: int) -> None:
        try:
            async with RawClient(server.port, key) as client:
                while True:
                    name = f"{cycle}-{kind}-{number}-{len(ledger.asked[kind])}"
                    ledger.asked[kind].add(name)
                    answer = await ask(client, name)
                    if answer.outcome == "429 rate_limited" and kind == "searches":
                        return
                    assert answer.status < 300, answer
                    ledger.told[kind].add(name)
        except ConnectionError:
            return

    asks = dict(zip(KINDS, (log, log_old, mint, revoke, predict, search), strict=True))
    async with asyncio.TaskGroup() as group:
        for kind, ask in asks.items():
            keys = small.keys if kind == "searches" else main.keys
            key = keys["v1.1" if kind == "v1.1 logs" else "v1.2"]
            for number in range(WRITERS):
                group.create_task(write(kind, ask, key, number))
        enough = any if cycle % 2 else all  # under way in one kind of work, or in each
        while not enough(ledger.told[kind] for kind in KINDS if kind != "searches"):
            await asyncio.sleep(0.001)
        await asyncio.sleep(wait_s)
        await asyncio.to_thread(server.kill)
    return ledger


def check_totals(
    connection: Connection, main: Partner, small: Partner, ledger: Ledger, kills: int
) -> None:
    """Credits and requests lie between what was acknowledged and what was asked."""
    if connection.dialect.name == "sqlite":
        assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
        assert not connection.execute(text("PRAGMA foreign_key_check")).all()
    columns = select(usage.c.organization_id, usage.c.requests, usage.c.credits)
    used = {each.organization_id: each for each in connection.execute(columns)}
    lost = LARGEST_BLOCK * WORKERS * kills
    if main.id in used:
        told, asked = ledger.told, ledger.asked
        assert len(told["predictions"]) <= used[main.id].credits <= len(asked["predictions"])
        requests = used[main.id].requests
        assert ledger.counted(told) <= requests <= ledger.counted(asked) + lost
    if small.id in used:
        assert len(ledger.told["searches"]) <= used[small.id].requests <= BURST
    held = connection.execute(select(func.count()).select_from(reservation)).scalar_one()
    assert held <= WRITERS * kills


def check_writes(connection: Connection, ledger: Ledger, names: str) -> None:
    """Each acknowledged write is there exactly once, and nothing that was never asked for."""
    logs = connection.execute(
        select(food_log.c.name, food_log.c.foods).where(food_log.c.name.like(names))
    ).all()
    found = [log.name for log in logs]
    assert len(found) == len(set(found))
    for kind in ("v1.2 logs", "v1.1 logs"):
        written = {log.name: log.foods for log in logs if kind in log.name}
        assert ledger.told[kind] <= set(written) <= ledger.asked[kind]
        first = next(iter(written.values()), None)
        assert all(foods == first for foods in written.values()), written

    mine = client_token.c.end_user_id.like(names)
    tokens = {
        each.end_user_id: each for each in connection.execute(select(client_token).where(mine))
    }
    for name in ledger.told["mints"]:
        assert tokens[name].sha256 == digest(ledger.secrets[name], b"")
    assert set(tokens) <= ledger.asked["mints"]
    revoked = {name for name, token in tokens.items() if token.revoked_at}
    assert ledger.told["revocations"] <= revoked <= ledger.asked["revocations"]
    of = {
        action: select(func.count()).where(audit.c.action == action)
        for action in ("token minted", "tokens revoked")
    }
    if names == "%":
        assert connection.execute(of["token minted"]).scalar_one() == len(tokens)
        assert connection.execute(of["tokens revoked"]).scalar_one() == len(revoked)


async def check_tokens(server: RealServer, main: Partner, ledger: Ledger) -> None:
    """A token is what its acknowledgement said: it serves, or it is revoked."""
    live = sorted(ledger.told["mints"] - ledger.asked["revocations"])
    revoked = sorted(ledger.told["revocations"])
    async with RawClient(server.port, main.keys["v1.2"]) as client:
        for names, outcome in ((live, "200"), (revoked, "401 token_revoked")):
            for name in names[:200]:
                secret = ledger.secrets[name]
                answer = await client.ask("GET", "/v1.2/foods?query=rice", secret=secret)
                assert answer.outcome == outcome
