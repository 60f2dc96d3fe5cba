"""Attacks for `benchmarks.attack`, with their requests and numbers of connections."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from benchmarks.cgm_history import history
from benchmarks.over_http import body_of

__all__ = ["LARGE_DIARY", "Credentials", "Shape", "shapes"]

LARGE_DIARY = "large-diary"
"""ID of the user whose diary contains 700 food logs with 100 foods each."""

_BODY = 5 * 1024 * 1024
_LOGS = "/v1.2/food-logs"
_PREDICTIONS = "/v1.2/glucose/predictions"


@dataclass(frozen=True)
class Credentials:
    """Credentials of the attackers.

    Attributes
    ----------
    key, old_key : str
        API keys of a partner with very high limits, for API versions 1.2 and 1.1 respectively.
    free_token : str
        Client token of a partner with the free plan.
    """

    key: str
    old_key: str
    free_token: str


@dataclass(frozen=True)
class Shape:
    """An attack: its requests and how they are sent.

    Attributes
    ----------
    name : str
        Name of the attack, shown in its row of the table.
    requests : tuple of bytes
        Requests to send in turn.
    connections : int
        Number of concurrent connections.
    mode : str
        ``repeat``, ``hold`` or ``drip``; see `benchmarks.attacker`.
    pause : float
        Seconds between a response and the next request.
    reopens : float
        Seconds until a closed connection is reopened.
    locks : bool
        Whether the food log table is locked during the attack, which requires PostgreSQL.
    """

    name: str
    requests: tuple[bytes, ...]
    connections: int
    mode: str = "repeat"
    pause: float = 0.0
    reopens: float = 0.1
    locks: bool = False


def shapes(credentials: Credentials, today: str) -> list[Shape]:
    """Return all attacks.

    Parameters
    ----------
    credentials : Credentials
        Credentials of the attackers.
    today : str
        Date of the logs in the large diary, in ISO 8601 format.
    """
    free = {"Authorization": f"Bearer {credentials.free_token}"}
    key = {"Authorization": f"Bearer {credentials.key}", "Service-End-User-ID": "attacker"}
    diary = {**key, "Service-End-User-ID": LARGE_DIARY}
    old = {"Authorization": f"Bearer {credentials.old_key}", "x-partner-timezone": "UTC"}
    items = _filled('{"foods":[', '{"id":"1848","serving":{"id":"2"},"quantity":1}', 3_600_000)
    numbers = _filled('{"foods":[', "1234567", _BODY)
    unknown = "{" + ",".join(f'"key {n}":{{}}' for n in range(149_000)) + "}"
    brackets = "[" * _BODY
    cgm = body_of() | history(80_000, 1, 3)
    log = json.dumps({"foods": body_of()["foods"], "name": "Breakfast"})
    meal = ", ".join(f"{n} g of cooked white rice with beans" for n in range(1, 40))[:996]
    words = " ".join(("chicken rice soup milk bread cheese apple tomato " * 3).split())[:200]
    unknown_keys = tuple(
        _get("/v1.2/foods?query=rice", {"Authorization": f"Bearer sk-v1.2-{_random()}"})
        for _ in range(2000)
    )
    return [
        Shape("74,000 items, free token", (_post(_LOGS, free, items),), 2),
        Shape("5 MiB of numbers, free token", (_post(_LOGS, free, numbers),), 4),
        Shape("74,000 items, unlimited key", (_post(_LOGS, key, items),), 2),
        Shape("5 MiB of numbers, unlimited key", (_post(_LOGS, key, numbers),), 4),
        Shape("5 MiB of [, unlimited key", (_post(_LOGS, key, brackets),), 4),
        Shape("149,000 unknown fields", (_post(_LOGS, key, unknown),), 4),
        Shape("80,000 CGM readings", (_post(_PREDICTIONS, key, json.dumps(cgm)),), 2),
        Shape("300 unfinished uploads", (_post(_LOGS, free, numbers),), 300, "hold", reopens=5.0),
        Shape("300 refused uploads, retried at once", (_post(_LOGS, free, numbers),), 300, "hold"),
        Shape("200 slow headers", (b"GET /healthz HTTP/1.1\r\nX-A: " + b"a" * 1000,), 200, "drip"),
        Shape("unknown keys", unknown_keys, 8),
        Shape("one end user's searches", (_get("/v1.2/foods?query=rice", free),), 8),
        Shape("six large diaries", (_get(f"{_LOGS}?start={today}&end={today}", diary),), 6),
        Shape("meals of 120 words", (_get(_query("/v1.1/search/foods/nlp", meal), old),), 4),
        Shape("searches of many words", (_get(_query("/v1.2/foods", words), key),), 4),
        Shape("food_log locked", (_post(_LOGS, key, log),), 14, locks=True),
    ]


def _filled(start: str, item: str, size: int) -> str:
    number = (size - len(start) - 2) // (len(item) + 1)
    return start + ",".join([item] * number) + "]}"


def _query(path: str, words: str) -> str:
    return f"{path}?query={quote(words)}"


def _get(path: str, headers: Mapping[str, Any]) -> bytes:
    return f"GET {path} HTTP/1.1\r\n{_lines(headers)}\r\n".encode()


def _post(path: str, headers: Mapping[str, Any], content: str) -> bytes:
    sized = {**headers, "Content-Type": "application/json", "Content-Length": len(content)}
    return f"POST {path} HTTP/1.1\r\n{_lines(sized)}\r\n{content}".encode()


def _lines(headers: Mapping[str, Any]) -> str:
    lines = {"Host": "127.0.0.1", **headers}
    return "".join(f"{name}: {value}\r\n" for name, value in lines.items())


def _random() -> str:
    return secrets.token_urlsafe(32)
