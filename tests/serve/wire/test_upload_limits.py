"""Bodies that are arriving: counted per credential, bounded in bytes, ended when they are slow."""

import asyncio
import gc
import socket
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import uvicorn
from api_client import VirtualClock
from asgi_client import AsgiClient, Thing, make_operation
from partner_records import NOW

from postmeal_serve.process import connection_limits
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.upload_limits import LARGEST_BODY, SMALL_BODY, Uploads

LARGE = SMALL_BODY + 1
CHUNKS = (b" " * (LARGEST_BODY // 2),) * 3
"""A chunked body that is too large."""


@pytest.fixture
def service(tmp_path) -> Iterator[Service]:
    settings = Settings(
        state_dir=tmp_path, credit_costs={"work": 2}, address_per_minute=2, v1_1_per_minute=2
    )
    service = Service(settings, VirtualClock(NOW))
    yield service
    service.close()


@pytest.fixture
def client(service) -> AsgiClient:
    return AsgiClient(service, per_minute=2, in_flight={"work": 1})


def refusal_of(act: Any, *args: Any) -> Refusal:
    with pytest.raises(Refusal) as refused:
        act(*args)
    assert refused.value.headers["Connection"] == "close"
    return refused.value


# How many.


def test_a_credential_has_a_number_of_unfinished_bodies():
    uploads = Uploads(most_unfinished=1)
    with uploads.of("a") as first, uploads.of("a") as second, uploads.of("b") as other:
        first.begin()
        refused = refusal_of(second.begin)
        assert (refused.code, refused.headers.get("Retry-After")) == ("rate_limited", None)
        other.begin()
        first.finish()
        second.begin()
    with uploads.of("a") as again:  # all have ended
        again.begin()


def test_a_credential_keeps_a_quarter_of_the_bytes_and_all_together_the_whole():
    uploads = Uploads(most_bytes=8 * LARGE)
    with ExitStack() as calls:
        for credential in "abcd":
            upload = calls.enter_context(uploads.of(credential))
            upload.keep(LARGE)
            upload.keep(2 * LARGE)
            again = calls.enter_context(uploads.of(credential))
            assert refusal_of(again.keep, LARGE).code == "rate_limited"
        assert uploads.held_bytes == 8 * LARGE
        late = calls.enter_context(uploads.of("e"))
        refused = refusal_of(late.keep, LARGE)
        assert (refused.code, refused.headers["Retry-After"]) == ("service_unavailable", "5")
        late.keep(SMALL_BODY)
    assert uploads.held_bytes == 0


# When they are refused.


def test_an_empty_rate_is_429_before_a_body_is_read(client):
    """Row 16: of known or unknown length; what is announced as too large is 413 before."""
    operation = make_operation(body=Thing)
    for _ in range(2):
        assert client.call(operation).status == 200
    for parts in (CHUNKS, ()):
        answer = client.call(operation, parts=parts)
        assert (answer.status, answer.json["code"]) == (429, "rate_limited")
    for size, closes in ((SMALL_BODY, False), (LARGE, True)):  # what is not read must not come
        answer = client.call(operation, parts=(), content_length=str(size))
        assert (answer.status, "connection" in answer.headers) == (429, closes)
        whole = client.call(operation, whole=True, content_length=str(size))
        assert (whole.status, "connection" in whole.headers) == (429, False)
    answer = client.call(operation, parts=(), content_length=str(LARGEST_BODY + 1))
    assert answer.status == 413


@pytest.mark.parametrize("version", [V1_1, V1_2])
@pytest.mark.parametrize(("parts", "status"), [(CHUNKS, 413), ((), None)])
def test_a_body_that_does_not_arrive_is_not_counted(client, version, parts, status):
    """Rows 9, 63: too large without an announcement, or given up."""
    operation = make_operation(version=version, body=Thing)
    json = {"content_type": "application/json"}
    for _ in range(5):
        assert client.call(operation, parts=parts, **json).status == status
    assert client.counted() == (0, 0, 0)
    for _ in range(2):  # neither the limit of the endpoint nor that of the address is used
        assert client.call(operation, **json).status == 200
    assert client.call(operation, **json).status == 429


def test_no_slot_is_held_while_a_body_arrives(client):
    """Row 69: calls in flight are those that are worked on."""

    async def run() -> list[int | None]:
        sends = asyncio.Event()
        operation = make_operation(body=Thing)
        arriving = asyncio.create_task(client.ask(operation, sends=sends))
        while "key" not in str(client.service.uploads._unfinished_of):
            await asyncio.sleep(0.01)
        quick = await client.ask(operation)
        sends.set()
        return [quick.status, (await arriving).status]

    assert asyncio.run(run()) == [200, 200]


def test_unfinished_and_kept_bodies_are_counted_until_their_call_ends(client):
    client.service.uploads = uploads = Uploads(most_bytes=8 * LARGE, most_unfinished=0)
    answer = client.call(make_operation(body=Thing))
    assert (answer.status, answer.headers["connection"]) == (429, "close")
    assert client.call(make_operation(body=Thing), whole=True).status == 200
    uploads.most_unfinished = 1
    seen = []

    async def work(call: Any) -> Any:
        seen.append(uploads.held_bytes)
        raise Refusal("not_found", "nothing")

    assert client.call(make_operation(work, body=Thing), parts=(b" " * LARGE,)).status == 404
    assert (seen, uploads.held_bytes) == ([LARGE], 0)
    answer = client.call(make_operation(body=Thing), parts=(b" " * LARGE,) * 3)
    assert (answer.status, uploads.held_bytes) == (429, 0)
    assert client.counted() == (2, 2, 0)


def test_a_small_body_counts_as_unfinished_after_a_second(client):
    """Heads that arrive before their bodies are no attack, however many there are."""
    client.service.uploads = Uploads(most_unfinished=0)

    async def run() -> list[int | None]:
        never, operation = asyncio.Event(), make_operation(body=Thing)
        small = {"content_length": "2"}
        return [
            (await client.ask(operation, **small)).status,
            (await client.ask(operation, sends=never, **small)).status,
        ]

    assert asyncio.run(run()) == [200, 429]


def test_a_refused_body_is_freed_at_once(client):
    """Not when the garbage collector runs: bodies are large."""
    calls = []

    async def work(call: Any) -> Any:
        calls.append(weakref.ref(call))
        raise Refusal("invalid_request", "no")

    gc.disable()
    try:
        assert client.call(make_operation(work, body=Thing)).status == 400
        assert [each() for each in calls] == [None]
    finally:
        gc.enable()


# How slow.


@pytest.fixture
def port(monkeypatch) -> Iterator[int]:
    """A server that gives a body 0.2 s, and then wants 10 bytes a second."""
    monkeypatch.setattr(connection_limits, "BODY_GRACE_S", 0.2)
    monkeypatch.setattr(connection_limits, "BODY_RATE", 10)
    monkeypatch.setattr(connection_limits, "_CHECKED_EVERY_S", 0.05)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        options = {"ws": "none", "lifespan": "off", "log_level": "error", "log_config": None}
        config = uvicorn.Config(app, http=connection_limits.Connection, **options)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


def test_a_body_below_the_rate_is_ended_and_one_above_it_is_not(port):
    """S5: the rate is that of the whole body, so that a pause is made up by what came before."""
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"
    with (
        socket.create_connection(("127.0.0.1", port), 60) as slow,
        socket.create_connection(("127.0.0.1", port), 60) as quick,
    ):
        slow.sendall(head + b" ")
        quick.sendall(head + b" " * 10_000)
        assert slow.recv(1) == b""
        quick.settimeout(1)
        with pytest.raises(TimeoutError):
            quick.recv(1)
