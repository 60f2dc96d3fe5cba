"""The limit on a request's line and headers, on a real server, however the bytes arrive."""

import json
import re
import socket

import pytest

LIMIT = 64 * 1024
"""Bytes, as SECURITY.md states."""


def padded(size: int, method: bytes = b"GET", path: bytes = b"/healthz") -> bytes:
    """A head of so many bytes in all."""
    start = b"%b %b HTTP/1.1\r\nHost: x\r\nX-A: " % (method, path)
    end = b"\r\n\r\n"
    return start + b"a" * (size - len(start) - len(end)) + end


def long_target(size: int) -> bytes:
    start, end = b"GET /healthz?a=", b" HTTP/1.1\r\nHost: x\r\n\r\n"
    return start + b"a" * (size - len(start) - len(end)) + end


def many_headers(size: int) -> bytes:
    start, end = b"GET /healthz HTTP/1.1\r\nHost: x\r\n", b"\r\n"
    left = size - len(start) - len(end)
    number, more = divmod(left, len(b"X-A: 12345\r\n"))
    last = b"X-A: 12345%b\r\n" % (b"6" * more)
    return start + b"X-A: 12345\r\n" * (number - 1) + last + end


def answers_to(port: int, *parts: bytes) -> list[tuple[int, dict[str, str]]]:
    """Status and body of each answer, until the server closes or has answered all it was sent."""
    with socket.create_connection(("127.0.0.1", port), 60) as raw:
        for part in parts:
            raw.sendall(part)
        raw.shutdown(socket.SHUT_WR)
        with raw.makefile("rb") as received:
            content = received.read()
    found = re.findall(rb"HTTP/1\.1 (\d+) .*?\r\n\r\n(\{.*?\})", content, re.DOTALL)
    return [(int(status), json.loads(body)) for status, body in found]


@pytest.mark.parametrize("head", [padded, long_target, many_headers])
def test_a_head_of_64_kb_in_one_segment_is_read_and_a_byte_more_is_not(demo, head):
    """S5, R22: one long header, a long target, and thousands of headers."""
    assert len(head(LIMIT)) == LIMIT
    [(status, body)] = answers_to(demo.port, head(LIMIT))
    assert (status, body) == (200, {"status": "ok"})
    for size in (LIMIT + 1, 70_000, 240_000):
        [(status, body)] = answers_to(demo.port, head(size))
        assert (status, body["code"]) == (400, "invalid_request")
        assert "at most 65536 bytes" in body["message"]


def test_5_000_headers_at_once_are_refused(demo):
    """S5: none of them is long."""
    head = b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X-Some: header\r\n" * 5_000 + b"\r\n"
    [(status, body)] = answers_to(demo.port, head)
    assert (status, body["code"]) == (400, "invalid_request")


def test_a_head_that_is_too_large_ends_the_connection_after_the_answers_before_it(demo):
    """R22: whole requests before it are answered, nothing after it is read."""
    small = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    found = answers_to(demo.port, small, padded(LIMIT + 1), small)
    assert found[0] == (200, {"status": "ok"})
    assert {status for status, _ in found[1:]} <= {400}
    assert len(found) <= 2


def test_a_head_in_two_segments_has_the_same_limit(demo):
    """S5."""
    for size, status in ((LIMIT, 200), (LIMIT + 1, 400)):
        head = padded(size)
        assert answers_to(demo.port, head[:40_000], head[40_000:])[0][0] == status


def test_trailers_count_with_the_head(demo):
    """S5: what follows a chunked body is kept like headers."""
    head = b"POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
    for size, status in ((1_000, 405), (70_000, 400)):
        trailer = b"X-A: %b\r\n\r\n" % (b"a" * size)
        assert answers_to(demo.port, head + trailer)[-1][0] == status
