"""Load generator that sends requests on schedule, even if earlier responses are outstanding.

``python -m benchmarks.steady`` reads a JSON object from standard input. The object contains the
port, the requests as text by kind, the requests per second of each kind, the duration in seconds,
and the number of connections. For each kind, the program prints the times in ms from the moment
when a request was due until its response, and the number of responses by status. A request without
a response within 30 s is recorded with that time and the status ``none``, and its connection is
closed.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from time import perf_counter
from typing import Any

import httptools
import uvloop

__all__ = ["main", "steady_load"]

_WITHIN_S = 30.0


class _Connection(asyncio.Protocol):
    """A connection that sends one request at a time."""

    status: asyncio.Future[int]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def send(self, request: bytes) -> asyncio.Future[int]:
        self.parser = httptools.HttpResponseParser(self)
        self.status = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self.status

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def on_message_complete(self) -> None:
        self.status.set_result(self.parser.get_status_code())

    def connection_lost(self, error: Exception | None) -> None:
        if hasattr(self, "status") and not self.status.done():
            self.status.set_exception(ConnectionError("the server closed the connection"))


async def _load(plan: dict[str, Any]) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    free: asyncio.Queue[_Connection] = asyncio.Queue()
    connections = []
    for _ in range(plan["connections"]):
        _, connection = await loop.create_connection(_Connection, "127.0.0.1", plan["port"])
        connections.append(connection)
        free.put_nowait(connection)
    times: dict[str, list[float]] = {kind: [] for kind in plan["requests"]}
    statuses: dict[str, Counter[str]] = {kind: Counter() for kind in plan["requests"]}
    start = perf_counter() + 0.2  # The clock of the loop counts whole milliseconds.

    async def send(kind: str, due: float, request: bytes) -> None:
        connection = await free.get()
        try:
            async with asyncio.timeout(_WITHIN_S):
                status = str(await connection.send(request))
            free.put_nowait(connection)
        except TimeoutError:
            status = "none"
            connection.transport.abort()
            _, connection = await loop.create_connection(_Connection, "127.0.0.1", plan["port"])
            free.put_nowait(connection)
        times[kind].append((perf_counter() - due) * 1000)
        statuses[kind][status] += 1

    async def keep_pace(kind: str) -> None:
        requests = [text.encode() for text in plan["requests"][kind]]
        pace, tasks = plan["pace"][kind], set()
        for number in range(int(pace * plan["seconds"])):
            due = start + number / pace
            await asyncio.sleep(max(0.0, due - perf_counter()))
            task = asyncio.create_task(send(kind, due, requests[number % len(requests)]))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)

    await asyncio.gather(*(keep_pace(kind) for kind in plan["requests"]))
    for connection in connections:
        connection.transport.close()
    return {kind: {"ms": times[kind], "statuses": statuses[kind]} for kind in times}


def steady_load(plan: dict[str, Any]) -> dict[str, Any]:
    """Run a load in a separate process and return the times and statuses of each kind.

    Parameters
    ----------
    plan : dict
        The JSON object that ``python -m benchmarks.steady`` reads.

    Raises
    ------
    RuntimeError
        The process failed; the message contains its standard error output.
    """
    command = [sys.executable, "-m", "benchmarks.steady"]
    done = subprocess.run(command, input=json.dumps(plan), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    json.dump(uvloop.run(_load(json.load(sys.stdin))), sys.stdout)


if __name__ == "__main__":
    main()
