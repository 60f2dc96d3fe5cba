"""Workers that hang, die or are killed: how soon they are replaced, and what they held is free."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import psutil
import pytest
from api_client import CHAT, ROOT
from few_foods import few_foods
from raw_client import RawClient
from real_server import RealServer, free_port
from sqlalchemy import select

from postmeal_serve.accounting.process_lease import LIFE
from postmeal_serve.storage.tables import process, reservation

HELLO = {"model": "service", "messages": [{"role": "user", "content": "hello"}]}
WITHIN_S = 10
MOST_PSS_MIB = 480
CLIENTS = 8

pytestmark = pytest.mark.reliability


class HangingServer(RealServer):
    """A server whose paths ``/spin`` and ``/wait`` stop the event loop of a worker."""

    program = (str(ROOT / "tests" / "support" / "hanging_server.py"),)

    def call(self, path: str) -> None:
        """Send a request, and leave without an answer."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as raw:
            raw.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            time.sleep(0.2)

    def health(self) -> dict[str, object]:
        """Ask a worker that responds, on a connection of its own."""
        while True:
            with contextlib.suppress(httpx2.TransportError):
                answer = httpx2.get(f"{self.address}/healthz", timeout=0.5)
                assert answer.status_code == 200
                return answer.json()

    def replacements(self, reason: str) -> float:
        port = self.environment["POSTMEAL_METRICS_PORT"]
        text = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=60).text
        name = f'postmeal_worker_replacements_total{{reason="{reason}"}} '
        return float(text.partition(name)[2].split()[0])


def spin(server: HangingServer) -> None:
    server.call("/spin")


def wait(server: HangingServer) -> None:
    server.call("/wait")


def stop(server: HangingServer) -> None:
    os.kill(server.worker_pids()[0], signal.SIGSTOP)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("hang", [spin, wait, stop])
@pytest.mark.parametrize(
    ("database_url", "workers"),
    [
        ("sqlite", 1),
        ("postgresql", 2),
        pytest.param("sqlite", 2, marks=pytest.mark.soak),
        pytest.param("postgresql", 1, marks=pytest.mark.soak),
    ],
    indirect=["database_url"],
)
def test_a_worker_that_hangs_is_replaced_within_10_s_and_its_slots_are_free(
    tmp_path: Path, database_url: str, workers: int, hang: Callable[[HangingServer], None]
):
    """Rows 69, 70: in a pattern, in SQLite, or stopped; health and metrics tell."""
    given = {"workers": workers, "database": database_url, "metrics_port": free_port()}
    given["food_table"] = few_foods(tmp_path)
    with HangingServer(tmp_path, **given) as server:
        before = server.worker_pids()
        assert len(before) == workers
        hold_a_slot_of_each_process(server)
        began_s = time.monotonic()
        hang(server)
        if workers > 1:
            told = {"configured": 2, "responding": 1}
            until(lambda: server.health() == {"status": "ok", "workers": told})
        until(lambda: server.health() == {"status": "ok"})
        replaced_s = time.monotonic() - began_s
        until(lambda: len(server.worker_pids()) == workers)  # a child that ends the lease has ended
        assert len(set(before) - set(server.worker_pids())) == 1
        until(lambda: slots(server) == workers - 1)
        free_s = time.monotonic() - began_s
        assert server.replacements("hung") == 1
        assert server.replacements("exited") == 0
    print(f"\n{hang.__name__}, {workers} workers: replaced {replaced_s:.1f} s, free {free_s:.1f} s")
    assert replaced_s < WITHIN_S
    assert free_s < WITHIN_S


def until(is_true: Callable[[], bool]) -> None:
    ends_s = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < ends_s
        time.sleep(0.05)


def hold_a_slot_of_each_process(server: RealServer) -> None:
    """Reserve a slot in the name of each worker, for longer than the test lasts."""
    owner = server.partner("busy").id
    until(lambda: len(processes(server)) == len(server.worker_pids()))
    with server.writing() as connection:
        for process_id in connection.execute(select(process.c.id)).scalars().all():
            held = {"id": str(uuid.uuid4()), "organization_id": owner, "process_id": process_id}
            held |= {"endpoint": "create_chat_completion", "credits": 0}
            expires_at = datetime.now(UTC) + timedelta(hours=1)
            connection.execute(reservation.insert().values(**held, expires_at=expires_at))


def processes(server: RealServer) -> list[str]:
    with server.writing() as connection:
        return list(connection.execute(select(process.c.id)).scalars())


def slots(server: RealServer) -> int:
    with server.writing() as connection:
        return len(connection.execute(select(reservation.c.id)).all())


@pytest.fixture
def chatty(tmp_path: Path, database_url: str) -> Iterator[tuple[RealServer, str]]:
    """A server with two workers, and the key of a partner with two slots."""
    given = {"workers": 2, "database": database_url, "food_table": few_foods(tmp_path)}
    with RealServer(tmp_path, **given, log_level="error") as server:
        yield server, server.partner("chats", in_flight={"create_chat_completion": 2}).keys["v1.2"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("whole", [False, True])
def test_slots_are_free_within_10_s_after_kill_9(chatty: tuple[RealServer, str], whole: bool):
    """Rows 69, 70, R11: of one worker or of the whole service, while chats are in flight."""
    server, key = chatty

    def kill() -> None:
        if whole:
            server.kill()
        else:
            os.kill(server.worker_pids()[0], signal.SIGKILL)

    for _ in range(3):
        asyncio.run(chat_until(server, key, kill))
        killed_s = time.monotonic()
        with server.writing() as connection:
            left = connection.execute(select(reservation.c.id)).all()
        if whole:
            server.launch()
        while (answer := chat(server, key)) is None or answer.status_code == 429:
            if answer is not None:
                assert time.monotonic() - killed_s < WITHIN_S, answer.text
                assert 1 <= int(answer.headers.get("retry-after", 1)) <= LIFE.total_seconds()
            time.sleep(0.2)
        assert answer.status_code == 200
        print(f"\nwhole={whole}: {len(left)} held, free {time.monotonic() - killed_s:.1f} s after")


async def chat_until(server: RealServer, key: str, kill: Callable[[], None]) -> None:
    """Chat without pause, kill while chats are in flight, and wait until all clients are gone."""

    async def load() -> None:
        with contextlib.suppress(OSError, EOFError, asyncio.IncompleteReadError):
            async with RawClient(server.port, key) as client:
                while not killed:
                    await client.ask("POST", CHAT, HELLO)

    killed = False
    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(load())
        await asyncio.sleep(1)
        kill()
        killed = True


def chat(server: RealServer, key: str) -> httpx2.Response | None:
    """Return the answer to a message; None if the server does not run yet."""
    headers = {"Authorization": f"Bearer {key}"}
    try:
        return httpx2.post(f"{server.address}{CHAT}", json=HELLO, headers=headers, timeout=30)
    except httpx2.TransportError:
        return None


def test_workers_stop_when_their_supervisor_is_killed(tmp_path: Path):
    """Otherwise, they would occupy the port for ever."""
    with RealServer(tmp_path, workers=2, food_table=few_foods(tmp_path)) as server:
        workers = [psutil.Process(pid) for pid in server.worker_pids()]
        server.process.kill()
        server.process.wait()
        assert psutil.wait_procs(workers, timeout=60)[1] == []


@pytest.mark.timeout(600)
def test_four_workers_share_their_memory(tmp_path: Path):
    """After all kinds of calls: 480 MiB with the process that supervises them."""
    with RealServer(tmp_path, workers=4, log_level="warning") as server:
        key = server.partner("busy", in_flight={"create_chat_completion": CLIENTS}).keys["v1.2"]
        idle = pss_mib(server)
        with ThreadPoolExecutor(CLIENTS) as clients:
            list(clients.map(lambda number: use(server, key, number), range(400)))
        used = pss_mib(server)
        print(f"\n4 workers: {idle:.0f} MiB idle, {used:.0f} MiB after 400 calls")
        assert used < MOST_PSS_MIB


def use(server: RealServer, key: str, number: int) -> None:
    meal = ("2 eggs and toast", "a bowl of rice with beans", "coffee with milk")[number // 3 % 3]
    question = {"role": "user", "content": f"What can I eat instead of {meal}?"}
    path, body = (
        ("/v1.2/glucose/predictions", server.body),
        (CHAT, {"model": "service", "messages": [question]}),
        ("/v1.2/foods?query=rice", None),
    )[number % 3]
    headers = {"Authorization": f"Bearer {key}", "Connection": "close"}
    method = "GET" if body is None else "POST"
    answer = httpx2.request(
        method, f"{server.address}{path}", json=body, headers=headers, timeout=60
    )
    assert answer.status_code == 200, answer.text


def pss_mib(server: RealServer) -> float:
    """Proportional memory of the supervisor and all its descendants."""
    main = psutil.Process(server.process.pid)
    total_kib = 0
    for each in (main, *main.children(recursive=True)):
        rollup = Path(f"/proc/{each.pid}/smaps_rollup").read_text()
        total_kib += int(re.search(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)[1])
    return total_kib / 1024
