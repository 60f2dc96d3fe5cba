"""The framing of requests: a request that two servers could read differently is refused."""

import json
import re
import socket

import pytest
from api_client import PREDICT, Demo, assert_error


def exchange(demo: Demo, sent: str) -> list[tuple[int, bytes]]:
    """Send requests, the last of which ends the connection; return each status and body."""
    with socket.create_connection(("127.0.0.1", demo.port), 60) as raw:
        raw.sendall(sent.encode("latin-1"))
        with raw.makefile("rb") as received:
            content = received.read()
    answers = re.findall(rb"HTTP/1\.1 (\d+) .*?\r\n\r\n(.*?)(?=HTTP/1\.1 |$)", content, re.DOTALL)
    return [(int(status), body) for status, body in answers]


CLOSE = "Connection: close\r\n"


def chunked(fields: str, body: str, trailers: str, path: str = PREDICT) -> str:
    """A request with a chunked body and trailers after it."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\n{fields}Transfer-Encoding: chunked\r\n\r\n"
    return f"{head}{len(body.encode()):x}\r\n{body}\r\n0\r\n{trailers}\r\n"


@pytest.fixture(scope="module")
def key(demo) -> str:
    return f"Authorization: Bearer {demo.keys['v1.2']}\r\n"


def test_a_credential_in_a_trailer_does_not_authenticate(demo, key):
    """Row 20."""
    [(status, body)] = exchange(demo, chunked(CLOSE, "{}", key))
    assert status == 401
    assert_error(json.loads(body), 401, PREDICT)


def test_an_end_user_in_a_trailer_is_not_the_end_user(demo, key):
    """The log would be written to the diary that the trailer names."""
    path, person = "/v1.2/food-logs", "Service-End-User-ID: victim\r\n"
    body = json.dumps({"foods": [{"id": "1848", "serving": {"id": "2"}, "quantity": 1}]})
    [(status, _)] = exchange(demo, chunked(key + person + CLOSE, body, "", path))
    assert status == 201
    [(status, refused)] = exchange(demo, chunked(key + CLOSE, body, person, path))
    assert status == 400
    assert b"Service-End-User-ID" in refused


def test_a_trailer_is_dropped_and_the_connection_goes_on(demo, key):
    """The request after it is answered with its own headers."""
    refused = chunked("", "{}", key)
    health = f"GET /healthz HTTP/1.1\r\nHost: x\r\n{CLOSE}\r\n"
    assert [status for status, _ in exchange(demo, refused + health)] == [401, 200]


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ("GET /healthz HTTP/1.1\r\n\r\n", "one Host header, got 0"),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "one Host header, got 2"),
        ("GET /healthz HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", "one Host header, got 2"),
        ("GET /healthz HTTP/0.9\r\nHost: x\r\n\r\n", "HTTP version"),
        ("GET /healthz\r\n\r\n", "HTTP version"),
    ],
)
def test_an_ambiguous_head_is_400(demo, head, problem):
    [(status, body)] = exchange(demo, head)
    assert status == 400
    assert_error(json.loads(body), 400, "/")
    assert problem in json.loads(body)["message"]


@pytest.mark.parametrize(
    ("version", "fields"),
    [
        ("1.0", "Transfer-Encoding: chunked\r\n"),
        ("1.1", "Transfer-Encoding: identity, chunked\r\n"),
        ("1.1", "Transfer-Encoding: gzip, chunked\r\n"),
        ("1.1", "Transfer-Encoding: chunked, chunked\r\n"),
        ("1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        ("1.1", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"),
        ("1.1", "Transfer-Encoding: identity\r\n"),
    ],
)
def test_an_ambiguous_transfer_encoding_is_400_and_nothing_is_done(demo, key, version, fields):
    head = f"POST {PREDICT} HTTP/{version}\r\nHost: x\r\n{key}{fields}\r\n"
    answers = exchange(demo, f"{head}2\r\n{{}}\r\n0\r\n\r\n")
    assert [status for status, _ in answers] == [400]
    assert re.search("Transfer-Encoding|Invalid HTTP", json.loads(answers[0][1])["message"])


def test_a_chunked_body_in_any_case_is_read(demo, key):
    """Row 9: and HTTP/1.0 works as always, with or without a Host."""
    body = chunked(key + CLOSE, "{}", "").replace("chunked", "Chunked")
    [(status, answer)] = exchange(demo, body)
    assert (status, b"is required" in answer) == (400, True)
    for host in ("Host: x\r\n", ""):
        assert exchange(demo, f"GET /healthz HTTP/1.0\r\n{host}\r\n")[0][0] == 200
