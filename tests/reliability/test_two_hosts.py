"""Two hosts, each with its own state folder, on one PostgreSQL behind the proxy of serve/deploy."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from api_client import PREDICT, Partner
from few_foods import few_foods
from nginx_proxy import NginxProxy
from raw_client import RawClient
from real_server import RealServer
from sqlalchemy import select

from postmeal_serve.storage.tables import food_log, usage

LOGS, SEARCH = "/v1.2/food-logs", "/v1.2/foods?query=rice&limit=1"
CREDITS, PER_MINUTE, CLIENTS = 300, 40, 4
ADDRESS_PER_MINUTE = 50

pytestmark = [
    pytest.mark.reliability,
    pytest.mark.parametrize("database_url", ["postgresql"], indirect=True),
]


@pytest.fixture
def hosts(tmp_path: Path, database_url: str) -> Iterator[list[RealServer]]:
    """Two servers that share nothing but the database."""
    options = {"database": database_url, "credit_costs": '{"predict_glucose": 1}'}
    options["food_table"] = few_foods(tmp_path)
    folders = [tmp_path / "host-1", tmp_path / "host-2"]
    for folder in folders:
        folder.mkdir()
    first, second = (RealServer(folder, workers=2, **options) for folder in folders)
    with first, second:
        yield [first, second]


@dataclass
class Ledger:
    """What clients asked for, and how it ended."""

    outcomes: dict[str, Counter[str]] = field(
        default_factory=lambda: {"log": Counter(), "predict": Counter(), "search": Counter()}
    )
    asked: set[str] = field(default_factory=set)
    acknowledged: set[str] = field(default_factory=set)
    begun_s: float = field(default_factory=time.monotonic)


@pytest.mark.timeout(600)
def test_a_killed_host_loses_no_acknowledged_write_and_limits_hold_over_both(
    hosts: list[RealServer], tmp_path: Path
) -> None:
    writer = hosts[0].partner("writer")
    buyer = hosts[0].partner("buyer", monthly_credits=CREDITS)
    searcher = hosts[0].partner("searcher", per_minute=PER_MINUTE)
    with NginxProxy(tmp_path, hosts) as proxy:
        ledger = asyncio.run(load_and_kill(proxy, hosts, writer, buyer, searcher))
    outcomes = ledger.outcomes
    with hosts[0].writing() as connection:
        mine = food_log.c.organization_id == writer.id
        stored = connection.execute(select(food_log.c.name).where(mine)).scalars().all()
        of_buyer = usage.c.organization_id == buyer.id
        used = connection.execute(select(usage.c.credits).where(of_buyer)).scalar_one()
    print(f"\ntwo hosts: {len(ledger.acknowledged)} logs acknowledged, {outcomes}, used {used}")
    assert len(stored) == len(set(stored))
    assert ledger.acknowledged <= set(stored) <= ledger.asked

    sold = outcomes["predict"]["200"]
    unknown = outcomes["predict"]["502"]
    assert set(outcomes["predict"]) <= {"200", "502", "429 credit_limit_exceeded"}
    assert outcomes["predict"]["429 credit_limit_exceeded"]
    assert sold <= used <= CREDITS
    assert CREDITS - sold <= unknown  # The killed host had reserved or used their credits.

    windows = 1 + (time.monotonic() - ledger.begun_s) // 60
    assert set(outcomes["search"]) <= {"200", "502", "429 rate_limited"}
    assert outcomes["search"]["429 rate_limited"]
    assert outcomes["search"]["200"] <= PER_MINUTE * windows
    assert outcomes["search"]["200"] + outcomes["search"]["502"] >= PER_MINUTE

    for host in hosts:
        assert {line["status"] for line in host.lines()} >= {200, 201}


async def load_and_kill(
    proxy: NginxProxy,
    hosts: list[RealServer],
    writer: Partner,
    buyer: Partner,
    searcher: Partner,
) -> Ledger:
    """Send requests over TLS, kill the second host among them, start it again, and go on."""
    ledger = Ledger()
    stopping = asyncio.Event()

    async def client(kind: str, number: int) -> None:
        partner = {"log": writer, "predict": buyer, "search": searcher}[kind]
        headers = partner.headers("/v1.2") | {"Service-End-User-ID": "u-1"}
        outcomes = ledger.outcomes[kind]
        async with httpx2.AsyncClient(
            base_url=proxy.address, verify=proxy.tls, headers=headers, timeout=120
        ) as session:
            while not stopping.is_set():
                name = f"{kind} {number} {outcomes.total()}"
                body: dict[str, Any] = {"foods": hosts[0].body["foods"], "name": name}
                if kind == "log":
                    ledger.asked.add(name)
                    response = await session.post(LOGS, json=body)
                    assert response.status_code in (201, 502), response.text
                    if response.status_code == 201:
                        ledger.acknowledged.add(name)
                elif kind == "predict":
                    response = await session.post(PREDICT, json=hosts[0].body)
                else:
                    response = await session.get(SEARCH)
                outcomes[outcome_of(response)] += 1
                if response.status_code == 429:
                    await asyncio.sleep(0.1)

    async def wait_for_logs(more: int) -> None:
        wanted = len(ledger.acknowledged) + more
        while len(ledger.acknowledged) < wanted:
            await asyncio.sleep(0.01)

    async with asyncio.TaskGroup() as group:
        for kind in ledger.outcomes:
            for number in range(CLIENTS):
                group.create_task(client(kind, number))
        await wait_for_logs(100)
        await asyncio.to_thread(hosts[1].kill)
        await wait_for_logs(100)
        await asyncio.to_thread(hosts[1].start)
        await wait_for_logs(100)
        while not ledger.outcomes["predict"]["429 credit_limit_exceeded"]:
            await asyncio.sleep(0.01)
        stopping.set()
    return ledger


def outcome_of(response: httpx2.Response) -> str:
    if response.status_code != 429:
        return str(response.status_code)
    return f"429 {response.json()['code']}"


@pytest.mark.timeout(300)
def test_each_host_counts_addresses_on_its_own(tmp_path: Path, database_url: str) -> None:
    """Two hosts admit up to twice the limit of an address, as the how-to page says."""
    options = {"database": database_url, "address_per_minute": ADDRESS_PER_MINUTE}
    options["food_table"] = few_foods(tmp_path)
    folders = [tmp_path / "host-1", tmp_path / "host-2"]
    for folder in folders:
        folder.mkdir()
    first, second = (RealServer(folder, **options) for folder in folders)
    with first, second:
        begun_s = time.monotonic()
        counts = [asyncio.run(served(host, first)) for host in (first, second)]
        windows = 1 + (time.monotonic() - begun_s) // 60
    for count in counts:
        assert ADDRESS_PER_MINUTE <= count <= ADDRESS_PER_MINUTE * windows


async def served(host: RealServer, keys: RealServer) -> int:
    async with RawClient(host.port, keys.keys["v1.2"]) as client:
        answers = [await client.ask("GET", SEARCH) for _ in range(ADDRESS_PER_MINUTE * 2)]
    return sum(answer.status == 200 for answer in answers)
