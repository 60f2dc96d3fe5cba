"""What must be kept nowhere, planted in every place of a request; then looked for everywhere."""

from __future__ import annotations

import base64
import json
import random
import secrets
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from api_client import PREDICT, ZONE
from real_server import RealServer, free_port
from sqlalchemy import select
from synthetic_wearer import Wearer

from postmeal import Catalog, Predictor
from postmeal_serve.app import OPERATIONS
from postmeal_serve.partners import keys, tokens
from postmeal_serve.partners.tokens import SCOPES
from postmeal_serve.storage.tables import METADATA

WORKERS = 2
PERSON = {"x-partner-user-id": "u-1", "Service-End-User-ID": "u-1"}
KEPT = {"create_food_log", "log_foods", "change_food_log", "create_user", "change_user"}
"""What keeps, of a body that it accepts, the fields that it knows: the canary is in others."""

pytestmark = pytest.mark.reliability


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Iterator[RealServer]:
    given = {"workers": WORKERS, "client_tokens": True, "metrics_port": free_port()}
    with RealServer(tmp_path, database=database_url, log_level="debug", **given) as server:
        yield server


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", [500, pytest.param(10_000, marks=pytest.mark.soak)])
def test_what_is_sent_where_nothing_is_kept_is_found_nowhere(server, number):
    """S12: in unknown fields, values out of range, headers, paths and queries of all endpoints.

    A food log's name and an end user's id are kept, as they should be, and so is the request id
    that a caller chooses, in the log: no canary is put there.
    """
    chance, statuses = random.Random(number), Counter[int]()
    user, training = registered(server), Wearer(Catalog.open(), Predictor.load(), days=5).training
    for turn in range(number):
        canary = f"canary{turn:05}"
        method, path, options = request(server, chance, canary)
        if path.endswith("/user/training") and chance.random() < 0.5:
            method, path, options = training_with(server, user, training, canary)
        answer = server.client.request(method, path, **options)
        assert answer.status_code < 500, (method, path)
        statuses[answer.status_code] += 1
    found = places(server, b"canary")
    server.stop()
    found |= {f"{name}, once stopped": each for name, each in places(server, b"canary").items()}
    total = sum(found.values())
    print(f"\nS12: {number} canaries {dict(statuses)}, found {total} in {len(found)} places")
    assert not total, found
    assert statuses[200] > number / 20


def registered(server: RealServer) -> str:
    body = {"profile": server.old_body["userProfile"]}
    made = server.client.post("/v1.1/user", json=body, headers=server.headers("v1.1"))
    user: str = made.json()["user_id"]
    return user


def training_with(
    server: RealServer, user: str, training: dict[str, Any], canary: str
) -> tuple[str, str, dict[str, Any]]:
    """A training that succeeds, with the canary in each reading and each meal."""
    body = {
        name: [row | {"note": canary, canary: 1} for row in rows] for name, rows in training.items()
    }
    headers = server.headers("v1.1") | {"x-partner-user-id": user}
    return "POST", "/v1.1/user/training", {"json": body, "headers": headers}


def request(
    server: RealServer, chance: random.Random, canary: str
) -> tuple[str, str, dict[str, Any]]:
    """A request to one endpoint with the canary in one of its places."""
    operation = chance.choice(OPERATIONS)
    method, path = operation.method, operation.path
    place = chance.choice(["field", "value", "id", "header", "query", "bytes", "path", "key"])
    headers = ZONE | PERSON | server.headers(operation.version.name)
    queries = {"query": "rice", "start": "2026-01-01", "end": "2026-01-02"}
    names = {each.name for each in operation.parameters if each.place == "query"}
    params = {name: each for name, each in queries.items() if name in names}
    options: dict[str, Any] = {"headers": headers, "params": params}
    if operation.body is not None:
        options["json"] = dict(operation.example or {})
        if operation.endpoint_name == "create_user":
            headers.pop("x-partner-user-id")
    where = canary if place == "path" else "1848"
    path = path.replace("{log_id}", where).replace("{food_id}", where)
    if place == "field" and "json" in options:
        options["json"] |= {canary: canary, "note": {"text": [canary]}}
    elif place == "value" and "json" in options:
        field = chance.choice(sorted(options["json"]))
        options["json"][field] = {canary: canary}
    elif place == "id" and operation.endpoint_name not in KEPT and "json" in options:
        options["json"] |= {"foods": [{"id": canary}], "end_user_id": f"{canary}\n"}
    elif place == "bytes" and "json" in options:
        headers["Content-Type"] = "application/json"
        options["content"] = json.dumps(options.pop("json")).encode() + canary.encode()
    elif place == "query":
        params |= {chance.choice(["note", "start", "timezone", "limit", canary]): canary}
    elif place == "key":
        headers["Authorization"] = chance.choice(
            [f"Bearer sk-v1.2-{canary}", f"Bearer ct-{canary}", f"Basic {canary}", canary]
        )
    elif place == "path" and path == operation.path:
        path = chance.choice([f"/{canary}", f"{path}/{canary}", f"/v1.2/{canary}/logs"])
    else:
        name = chance.choice(["User-Agent", "Cookie", "Referer", "X-Forwarded-For", "Accept",
                              "Origin", "traceparent", "If-None-Match", f"X-{canary}"])  # fmt: skip
        headers[name] = canary if name != "Accept" else f"application/json, text/{canary}"
    return method, path, options


def places(server: RealServer, trace: bytes) -> dict[str, int]:
    """How often a trace is in each file of the state, in each table, and in the metrics."""
    files = [file for file in server.folder.rglob("*") if file.is_file()]
    assert any(file.name == "log" and file.stat().st_size for file in files)
    found = {file.name: file.read_bytes().count(trace) for file in files}
    with server.writing() as connection:
        for table in METADATA.sorted_tables:
            rows = connection.execute(select(table)).all()
            text = repr([tuple(row) for row in rows]).encode()
            found[f"table {table.name}"] = text.count(trace)
    if server.process.poll() is None:
        port = server.environment["POSTMEAL_METRICS_PORT"]
        scraped = httpx2.get(f"http://127.0.0.1:{port}/metrics").content
        assert b"postmeal_requests_total" in scraped
        found["metrics"] = scraped.count(trace)
    return found


def test_no_output_holds_a_secret(server):
    """S15: of keys and tokens that are used, misused, put in the wrong place, and of new ones."""
    secrets_used = used_and_misused(server)
    outputs = b"".join(told for told in answers(server, secrets_used))
    server.stop()
    for secret in secrets_used:
        random_part = secret[-30:-5].encode()
        total = sum(places(server, random_part).values()) + outputs.count(random_part)
        assert total == 0, secret[:8]
    for prefix in (b"sk-v1", b"ct-"):
        found = {name: each for name, each in places(server, prefix).items() if each}
        assert not found
    print(f"\nS15: {len(secrets_used)} secrets, found 0 in answers, log, metrics, files and tables")


def used_and_misused(server: RealServer) -> list[str]:
    """Keys and tokens that serve, were altered, have ended, or were never known."""
    partner = server.partner("secretive")
    used = [*server.keys.values(), *partner.keys.values()]
    now = datetime.now(UTC)
    with server.writing() as connection:
        whose = (partner.id, "u-1", SCOPES)
        used += [tokens.mint(connection, now, *whose, 1800, "test").secret for _ in range(3)]
        past = now - timedelta(hours=1)
        used.append(tokens.mint(connection, past, *whose, 60, "test").secret)
        disabled, key = keys.create(connection, now, partner.id, "v1.2", "ended")
        keys.disable(connection, now, key.id)
        used.append(disabled)
    used += [f"sk-v1.2-{secrets.token_urlsafe(32)}", f"ct-{secrets.token_urlsafe(32)}"]
    return [*used, used[0][:-1] + "~"]


def answers(server: RealServer, secrets_used: list[str]) -> Iterator[bytes]:
    """What comes back, head and body, to secrets in the right place and in every wrong one."""
    for secret in secrets_used:
        basic = base64.b64encode(f"u:{secret}".encode()).decode()
        for path in ("/v1.2/foods?query=rice", "/v1.1/users", "/v1.2/credits", "/nowhere"):
            for authorization in (
                f"Bearer {secret}",
                secret,
                f"Basic {basic}",
                f"bearer  {secret} x",
            ):
                yield told(server, path, {"Authorization": authorization})
            for name in ("X-Request-Id", "X-Api-Key", "Cookie", "User-Agent"):
                yield told(server, path, {name: secret})
                yield told(server, path, {name: f"key={secret}"})
        for path in (PREDICT, "/v1.2/auth/client-tokens", "/v1.2/food-logs"):
            body = dict.fromkeys(("start_time", "timestamp_utc", "scopes", "note"), secret)
            body |= {"end_user_id": f"{secret}\n", "foods": [{"id": secret}]}
            answer = server.client.post(path, json=body, headers=PERSON | server.headers())
            assert answer.status_code in (400, 404)
            yield answer.content
        for path in (f"/v1.2/foods/{secret}", f"/{secret}", f"/v1.2/foods?key={quote(secret)}"):
            yield told(server, path, {"Authorization": f"Bearer {secret}"})


def told(server: RealServer, path: str, headers: dict[str, str]) -> bytes:
    answer = server.client.get(path, headers=headers)
    assert answer.status_code < 500
    return repr(answer.headers.raw).encode() + answer.content
