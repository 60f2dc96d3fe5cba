"""Uploads whose last bytes never come: they fill neither the memory nor the line of others."""

import re
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from api_client import PREDICT
from readable_sockets import readable_of
from real_server import RealServer

from postmeal_serve.wire.upload_limits import LARGEST_BODY, MOST_UNFINISHED

pytestmark = pytest.mark.reliability

HELD = 300


@pytest.fixture
def server(tmp_path):
    with RealServer(tmp_path, client_tokens=True) as server:
        yield server


def rss_mb(server: RealServer) -> float:
    status = Path(f"/proc/{server.worker_pids()[0]}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1000


def token(server: RealServer) -> str:
    body = {"end_user_id": "Ada", "ttl_seconds": 1800, "scopes": ["glucose:read"]}
    answer = server.client.post("/v1.2/auth/client-tokens", json=body, headers=server.headers())
    assert answer.status_code == 201, answer.text
    return answer.json()["token"]


def upload(server: RealServer, stack: ExitStack, secret: str, size: int) -> socket.socket:
    """Send all of a body but its last 100 bytes."""
    raw = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 30))
    head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n"
    with suppress(ConnectionError):  # refused before its end
        raw.sendall(f"{head}Content-Length: {size}\r\n\r\n".encode() + b" " * (size - 100))
    return raw


def first_lines(held: list[socket.socket]) -> list[bytes]:
    """Return the status lines of those that are answered within three seconds.

    A small body counts as unfinished after a second, and refusals take up to two.
    """
    time.sleep(3.5)
    return [each.recv(12) for each in readable_of(held)]


def test_300_held_uploads_of_one_token_grow_the_memory_by_less_than_300_mb(server):
    """S5: and others upload and predict meanwhile."""
    secret = token(server)
    assert server.client.post(PREDICT, json=server.body, headers=server.headers()).is_success
    before_mb = rss_mb(server)
    with ExitStack() as stack:
        held, most_mb = [], 0.0
        for _ in range(HELD):
            held.append(upload(server, stack, secret, LARGEST_BODY))
            most_mb = max(most_mb, rss_mb(server) - before_mb)
        answers = first_lines(held)
        print(f"\nS5: {HELD} held uploads of one token: RSS grows by {most_mb:.0f} MB", end="")
        assert most_mb < 300
        assert set(answers) == {b"HTTP/1.1 429"}
        assert HELD - len(answers) <= MOST_UNFINISHED
        own = server.body | {"unknown": "x" * 1_000_000}
        for body in (server.body, own):
            answer = server.client.post(PREDICT, json=body, headers=server.headers())
            assert answer.status_code == 200


def test_the_51st_unfinished_body_of_a_credential_is_429(server):
    """S5: another credential is not concerned, and a body that ends makes room."""
    secret = token(server)
    with ExitStack() as stack:
        held = [upload(server, stack, secret, 1000) for _ in range(MOST_UNFINISHED)]
        assert first_lines(held) == []
        assert first_lines([upload(server, stack, secret, 1000)]) == [b"HTTP/1.1 429"]
        answer = server.client.post(PREDICT, json=server.body, headers=server.headers())
        assert answer.status_code == 200
        held[0].sendall(b" " * 100)
        assert held[0].recv(12) == b"HTTP/1.1 400"
        assert first_lines([upload(server, stack, secret, 1000)]) == []
