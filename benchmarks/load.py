"""Load generator, a process that calls several servers in turn over persistent connections.

``python -m benchmarks.load`` reads a JSON object from standard input. The object contains the
calls, the number of connections, the number of rounds, and the duration of a turn in seconds. Each
call has a name, a port, and a request as text or a list of requests that are sent in turn. The
program prints the responses per second of each call in every round. It fails if a response does not
have the status 200.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from itertools import cycle
from time import perf_counter
from typing import Any

import httptools
import uvloop

__all__ = ["main"]


class _Caller(asyncio.Protocol):
    """A connection that sends a request as soon as the previous response has arrived."""

    def __init__(self, requests: Iterator[bytes]) -> None:
        self.requests = requests
        self.responses = 0
        self.is_calling = True
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self.parser.feed_data(data)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError("the server closed the connection"))

    def on_message_complete(self) -> None:
        if (status := self.parser.get_status_code()) != 200:
            problem = f"the server must return status 200, got {status}"
            self.done.set_exception(RuntimeError(problem))
        elif self.is_calling:
            self.responses += 1
            self.call()
        else:
            self.done.set_result(None)

    def call(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.transport.write(next(self.requests))


async def _load(plan: dict[str, Any]) -> dict[str, list[float]]:
    rates: dict[str, list[float]] = {call["name"]: [] for call in plan["calls"]}
    for turn in range(plan["rounds"] + 1):
        for call in plan["calls"]:
            rate = await _turn(call, plan["connections"], plan["seconds"])
            if turn:  # the first round is a warm-up
                rates[call["name"]].append(rate)
    return rates


async def _turn(call: dict[str, Any], connections: int, seconds: float) -> float:
    loop, given = asyncio.get_running_loop(), call["request"]
    texts = [given] if isinstance(given, str) else given
    requests = cycle([text.encode() for text in texts])
    callers: list[_Caller] = []
    for _ in range(connections):
        address = ("127.0.0.1", call["port"])
        _, caller = await loop.create_connection(lambda: _Caller(requests), *address)
        callers.append(caller)
    start = perf_counter()
    for caller in callers:
        caller.call()
    await asyncio.wait(
        [caller.done for caller in callers],
        timeout=seconds,
        return_when=asyncio.FIRST_EXCEPTION,
    )
    elapsed = perf_counter() - start
    responses = sum(caller.responses for caller in callers)
    for caller in callers:
        caller.is_calling = False
    await asyncio.gather(*(caller.done for caller in callers))
    for caller in callers:
        caller.transport.close()
    return responses / elapsed


def main() -> None:
    json.dump(uvloop.run(_load(json.load(sys.stdin))), sys.stdout)


if __name__ == "__main__":
    main()
