"""The head and the body of a response are sent together, and nothing of either is lost."""

import json
import socket
import struct

import pytest
from api_client import PREDICT
from real_server import RealServer

N_REQUESTS = 40
DATA_SEGMENTS_RECEIVED = struct.Struct("=152xI")
"""`tcp_info` of Linux up to the number of received segments that contain data."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with RealServer(tmp_path_factory.mktemp("joined")) as server:
        yield server


def request(server: RealServer, *, method: str = "POST", body: bytes | None = None) -> bytes:
    content = json.dumps(server.body).encode() if body is None else body
    head = f"{method} {PREDICT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    head += f"Authorization: Bearer {server.keys['v1.2']}\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


def read_response(file) -> tuple[bytes, bytes]:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = file.readline()
        assert line, "the connection ended within a response"
        head += line
    (length,) = (
        int(line.split(b":")[1])
        for line in head.splitlines()
        if line.lower().startswith(b"content-length:")
    )
    return head, file.read(length)


@pytest.mark.reliability
def test_a_response_is_one_segment(server):
    """Its head and its body do not wait for each other, and cost one system call."""
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        file = client.makefile("rb")
        for _ in range(N_REQUESTS):
            client.sendall(request(server))
            head, body = read_response(file)
            assert head.startswith(b"HTTP/1.1 200")
            assert json.loads(body)
        info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, DATA_SEGMENTS_RECEIVED.size)
    assert DATA_SEGMENTS_RECEIVED.unpack(info)[0] == N_REQUESTS


def test_pipelined_requests_are_answered_in_order_and_whole(server):
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        client.sendall(request(server) * 5 + request(server, body=b"{") + request(server))
        file = client.makefile("rb")
        statuses = [read_response(file)[0].split()[1] for _ in range(7)]
    assert statuses == [b"200"] * 5 + [b"400", b"200"]


def test_a_response_without_a_body_is_sent_at_once(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        client.sendall(b"HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.makefile("rb").readline().startswith(b"HTTP/1.1 ")


def test_the_last_response_of_a_connection_is_whole(server):
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        last = request(server).replace(b"Host: x", b"Host: x\r\nConnection: close")
        client.sendall(last)
        file = client.makefile("rb")
        head, body = read_response(file)
        assert head.startswith(b"HTTP/1.1 200")
        assert json.loads(body)
        assert file.read() == b""
