"""Live foods: calls for the same product share one look-up."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_client import Api
from upstream_server import COOKIE, UpstreamServer, cookie


@pytest.fixture
def outside() -> Iterator[UpstreamServer]:
    with UpstreamServer(products=[cookie()]) as server:
        yield server


@pytest.fixture
def api(tmp_path: Path, outside: UpstreamServer) -> Iterator[Api]:
    """A service that asks Open Food Facts, which the test plays."""
    asked = {"live_barcodes": ["open_food_facts"], "open_food_facts_url": outside.address}
    with Api(tmp_path, **asked, live_barcodes_within_s=30) as api:
        yield api


def look_up(api: Api) -> "asyncio.Task[bytes]":
    """Begin a call over ASGI, as the server does; return a task with the body of the answer."""
    path = f"/v1.2/foods/barcode/{COOKIE}"
    scope: dict[str, Any] = {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
        "client": ("192.0.2.1", 1), "server": ("testserver", 80), "state": api.client.app_state,
        "headers": [(b"authorization", api.headers(path)["Authorization"].encode())],
    }  # fmt: skip

    async def call() -> bytes:
        sent = bytearray()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b""}

        async def send(message: dict[str, Any]) -> None:
            sent.extend(message.get("body", b""))

        await api.app(scope, receive, send)
        return bytes(sent)

    return asyncio.create_task(call())


@pytest.mark.parametrize("leaver", [0, 1, 2])
def test_a_client_that_hangs_up_leaves_the_look_up_to_the_others(api, outside, leaver):
    """This also holds for the first call, which began the look-up."""
    outside.delay_s = 1.0

    async def run() -> list[bytes]:
        calls = [look_up(api) for _ in range(3)]
        while not outside.asked:  # the server has a thread of its own
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)  # in which the others join
        calls[leaver].cancel()
        return await asyncio.gather(*calls)

    answers = api.client.portal.call(run)
    assert b"Oat cookies" not in answers.pop(leaver)
    assert all(b"Oat cookies" in answer for answer in answers)
    assert len(outside.asked) == 1


def test_a_look_up_that_every_client_left_serves_the_next_call(api, outside):
    """The source was asked once; its answer is not wasted."""
    outside.delay_s = 0.3

    async def run() -> None:
        call = look_up(api)
        while not outside.asked:
            await asyncio.sleep(0.01)
        call.cancel()
        await call

    api.client.portal.call(run)
    assert api.get(f"/v1.2/foods/barcode/{COOKIE}").status_code == 200
    assert len(outside.asked) == 1
