"""Services outside that fail in every way while many ask: bounded answers, nothing lost or kept."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from api_client import assert_error
from databases_tried import ON_POSTGRESQL, ON_SQLITE
from few_foods import few_foods
from real_server import RealServer
from sqlalchemy import Connection, Table, func, select
from stored_people import all_rows
from upstream_server import FAULTS, UpstreamServer, cookie

from postmeal_serve.storage.tables import absent_product, live_food, usage

WITHIN_S = 1.0
SLACK_S = 4.0  # for a busy machine: without the deadline, answers take far longer
CLIENTS, WORKERS, PHASE_S = 16, 2, 2.0
EXPECTED = dict.fromkeys(FAULTS, 502) | {"silence": 504, "dripping": 504, "429": 503}
RECOVERED_S = 10
LATE_S = 0.3
SAID = "two eggs and a canary sandwich"
EXISTING = 20  # of a hundred

pytestmark = pytest.mark.reliability


class Outcome(NamedTuple):
    status: int
    seconds: float
    retry_after: str | None


def barcode(number: int) -> str:
    """A code of GS1's examples with a right check digit."""
    digits = f"952{number:09d}"
    odd, even = (sum(int(digit) for digit in digits[start::2]) for start in (0, 1))
    return f"{digits}{-(odd + 3 * even) % 10}"


class Shelf(list[dict[str, Any]]):
    """Products as they are asked for: of every hundred numbers the first few exist."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(cookie(code=barcode(number)) for number in list(self.wanted))

    def __init__(self) -> None:
        super().__init__()
        self.wanted = [10**8]


@pytest.fixture
def outside() -> Iterator[UpstreamServer]:
    with UpstreamServer() as server:
        yield server


def server_with(folder: Path, database: str, outside: UpstreamServer) -> RealServer:
    return RealServer(
        folder,
        workers=WORKERS,
        database=database,
        food_table=few_foods(folder),
        log_level="info",
        live_barcodes='["open_food_facts"]',
        live_barcodes_within_s=WITHIN_S,
        live_barcodes_in_flight=CLIENTS,
        open_food_facts_url=outside.address,
        open_food_facts_per_minute=10**6,
        meal_reader_url=f"{outside.address}/v1",
        meal_reader_model="small",
        meal_reader_within_s=WITHIN_S,
        credit_costs='{"read_barcode": 1}',
    )


def asked_by_all(
    server: RealServer, path: Callable[[], str], version: str, seconds: float
) -> list[Outcome]:
    """What all clients were answered, one after the other for so long."""
    until = time.monotonic() + seconds

    def ask(_: int) -> list[Outcome]:
        found = []
        with httpx2.Client(base_url=server.address, timeout=30) as client:
            while time.monotonic() < until:
                wanted = path()
                begun = time.monotonic()
                answer = client.get(wanted, headers=server.headers(version))
                took_s = time.monotonic() - begun
                if answer.status_code >= 400:
                    assert_error(answer.json(), answer.status_code, wanted)
                wait = answer.headers.get("retry-after")
                found.append(Outcome(answer.status_code, took_s, wait))
        return found

    with ThreadPoolExecutor(CLIENTS) as clients:
        return [one for found in clients.map(ask, range(CLIENTS)) for one in found]


def recovery_s(is_recovered: Callable[[], bool]) -> float:
    """Return the seconds until a call is answered as if nothing had happened, at most 60."""
    begun = time.monotonic()
    while not is_recovered() and time.monotonic() - begun < 60:
        time.sleep(0.05)
    return time.monotonic() - begun


def largest_rss_mb(server: RealServer) -> float:
    largest = 0.0
    for pid in server.worker_pids():
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        assert found
        largest = max(largest, int(found[1]) / 1024)
    return largest


@pytest.mark.timeout(600)
@ON_POSTGRESQL
def test_barcodes_while_the_source_fails_in_every_way(
    tmp_path: Path, database_url: str, outside: UpstreamServer
) -> None:
    """R12, S9: answered in time, no credit and no row for a failure, recovered at once."""
    shelf = Shelf()
    outside.products = shelf
    numbers, lock = count(), threading.Lock()

    def next_path(exists: bool | None = None) -> str:
        with lock:
            number = next(numbers)
            if number % 100 < EXISTING if exists is None else exists:
                shelf.wanted.append(number)
                del shelf.wanted[:-64]  # of those just asked for
        return f"/v1.2/foods/barcode/{barcode(number)}"

    def is_found() -> bool:
        answer = server.client.get(next_path(True), headers=server.headers())
        statuses["none"].update([answer.status_code])
        return answer.status_code == 200

    statuses: dict[str, Counter[int]] = defaultdict(Counter)
    slowest_s: dict[str, float] = {}
    recovered_s: dict[str, float] = {}
    with server_with(tmp_path, database_url, outside) as server:
        assert all(is_found() for _ in range(10 * WORKERS))  # tables load once: no growth
        begun_mb = largest_rss_mb(server)
        for fault, expected in EXPECTED.items():
            if fault == "unreachable":
                outside.stop()
            outside.fault = fault
            outcomes = asked_by_all(server, next_path, "v1.2", PHASE_S)
            statuses[fault].update(outcome.status for outcome in outcomes)
            slowest_s[fault] = max(outcome.seconds for outcome in outcomes)
            if expected == 503:
                assert all(outcome.retry_after == "60" for outcome in outcomes)
            if fault == "unreachable":
                outside.start()
            outside.fault = ""
            recovered_s[fault] = recovery_s(is_found)
            again = asked_by_all(server, next_path, "v1.2", 0.5)
            statuses["none"].update(outcome.status for outcome in again)
        outside.delay_s = LATE_S
        late = asked_by_all(server, next_path, "v1.2", PHASE_S)
        statuses["none"].update(outcome.status for outcome in late)
        grown_mb = largest_rss_mb(server) - begun_mb
        with server.writing() as connection:
            kept, absent = number_of_rows(connection, live_food, absent_product)
            credits = connection.execute(select(func.sum(usage.c.credits))).scalar_one()
        log = server.log()

    print(f"\nR12 {database_url.split(':')[0]}: { ({f: dict(c) for f, c in statuses.items()}) }")
    print(f"slowest {max(slowest_s.values()):.2f} s, grown by {grown_mb:.0f} MB")
    print(f"recovered within {max(recovered_s.values()):.2f} s")
    for fault, expected in EXPECTED.items():
        assert set(statuses[fault]) == {expected}, fault
        assert slowest_s[fault] <= WITHIN_S + SLACK_S, fault
        assert recovered_s[fault] < RECOVERED_S, fault
    assert set(statuses["none"]) == {200, 404}
    assert LATE_S <= max(outcome.seconds for outcome in late) <= WITHIN_S + SLACK_S
    found = sum(each[200] for each in statuses.values())
    assert kept == credits == found
    assert absent == sum(each[404] for each in statuses.values())
    assert grown_mb < 100
    check_no_barcode_is_logged(log)


def number_of_rows(connection: Connection, *tables: Table) -> list[int]:
    return [
        connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables
    ]


def check_no_barcode_is_logged(log: str) -> None:
    lines = [json.loads(line) for line in log.splitlines()]
    said = [value for line in lines for name, value in line.items() if name != "request_id"]
    assert not [value for value in said if re.search(r"952\d{10}", str(value))]
    assert "/v1.2/foods/barcode/{barcode}" in {line.get("route") for line in lines}


@pytest.mark.timeout(600)
@ON_SQLITE
def test_meals_while_the_language_model_fails_in_every_way(
    tmp_path: Path, database_url: str, outside: UpstreamServer
) -> None:
    """R12, S9: the library reads in time instead, nothing is written, the model reads again."""
    path = f"/v1.1/search/foods/nlp?query={SAID.replace(' ', '+')}"
    outside.reply = lambda text: '{"foods": [{"food": "banana", "quantity": 3}]}'
    with server_with(tmp_path, database_url, outside) as server:
        outside.stop()
        alone = server.client.get(path, headers=server.headers("v1.1")).json()
        outside.start()
        by_model = server.client.get(path, headers=server.headers("v1.1")).json()
        assert alone["detections"]
        assert by_model != alone
        with server.writing() as connection:
            before = all_rows(connection)
        slowest_s: dict[str, float] = {}
        recovered_s: dict[str, float] = {}

        def is_read_by_model() -> bool:
            return server.client.get(path, headers=server.headers("v1.1")).json() == by_model

        for fault in EXPECTED:
            if fault == "another product":
                continue  # no fault of a language model
            if fault == "unreachable":
                outside.stop()
            outside.fault = fault
            assert server.client.get(path, headers=server.headers("v1.1")).json() == alone
            outcomes = asked_by_all(server, lambda: path, "v1.1", PHASE_S)
            assert {outcome.status for outcome in outcomes} == {200}
            slowest_s[fault] = max(outcome.seconds for outcome in outcomes)
            if fault == "unreachable":
                outside.start()
            outside.fault = ""
            recovered_s[fault] = recovery_s(is_read_by_model)
        with server.writing() as connection:
            assert all_rows(connection) == before
            credits = connection.execute(select(func.sum(usage.c.credits))).scalar_one()
        log = server.log()
    print(f"\nR12 {database_url.split(':')[0]}: slowest reading {max(slowest_s.values()):.2f} s")
    print(f"read by the model again within {max(recovered_s.values()):.2f} s")
    assert max(slowest_s.values()) <= WITHIN_S + SLACK_S
    assert max(recovered_s.values()) < RECOVERED_S
    assert not credits
    assert "canary" not in log
