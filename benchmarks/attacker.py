"""The attacker: one process that sends requests over many connections until it is stopped.

``python -m benchmarks.attacker`` reads a JSON object from the first line of standard input. The
object contains the port, the files with the requests, the number of connections, the mode, the
pause in seconds between a response and the next request, and the pause in seconds before a closed
connection is reopened. The program runs until standard input is closed, then prints the number of
responses by status. The modes are:

repeat
    Send the requests in turn, each after the pause that follows the previous response.
hold
    Send a request except for its last byte, then wait.
drip
    Send a request at one byte per second.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httptools
import uvloop

__all__ = ["main"]

_SEND_BUFFER = 64 * 1024  # bytes; Linux doubles it


class _Connection(asyncio.Protocol):
    def __init__(self, plan: dict[str, Any], requests: list[bytes], statuses: Counter[str]) -> None:
        self.mode: str = plan["mode"]
        self.pause_s: float = plan["pause"]
        self.requests = requests
        self.statuses = statuses
        self.sent = 0
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        # The kernel's TCP memory is shared with the service here, but not on separate machines.
        socket_ = transport.get_extra_info("socket")
        socket_.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        self.parser = httptools.HttpResponseParser(self)
        self.send()

    def send(self) -> None:
        if self.closed.done():
            return
        request = self.requests[self.sent % len(self.requests)]
        if self.mode == "drip":
            self.transport.write(request[self.sent : self.sent + 1])
            asyncio.get_running_loop().call_later(1.0, self.send)
        else:
            self.transport.write(request)
        self.sent += 1

    def data_received(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.transport.abort()

    def on_message_complete(self) -> None:
        self.statuses[str(self.parser.get_status_code())] += 1
        keeps = self.parser.should_keep_alive()
        self.parser = httptools.HttpResponseParser(self)
        if not keeps:
            self.transport.abort()
        elif self.pause_s:
            asyncio.get_running_loop().call_later(self.pause_s, self.send)
        else:
            self.send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)


async def _attack(plan: dict[str, Any], stopped: asyncio.Event) -> Counter[str]:
    loop = asyncio.get_running_loop()
    requests = [Path(name).read_bytes() for name in plan["files"]]
    if plan["mode"] == "hold":
        requests = [request[:-1] for request in requests]
    statuses: Counter[str] = Counter()

    async def hold_open() -> None:
        while True:
            with suppress(OSError):
                _, connection = await loop.create_connection(
                    lambda: _Connection(plan, requests, statuses), "127.0.0.1", plan["port"]
                )
                await connection.closed
                statuses["closed"] += 1
            await asyncio.sleep(plan["reopens"])

    connections = [asyncio.create_task(hold_open()) for _ in range(plan["connections"])]
    await stopped.wait()
    for connection in connections:
        connection.cancel()
    return statuses


async def _run() -> Counter[str]:
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    plan = json.loads(sys.stdin.readline())
    loop.run_in_executor(None, lambda: (sys.stdin.read(), loop.call_soon_threadsafe(stopped.set)))
    return await _attack(plan, stopped)


def main() -> None:
    json.dump(uvloop.run(_run()), sys.stdout)


if __name__ == "__main__":
    main()
