"""A flood of unknown tokens behind one address, and whom a real server still serves there."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from client_tokens import FOODS
from few_foods import few_foods
from real_server import RealServer

LIMIT, PER_S, SENDERS = 600, 120, 6
MINTED, SEEN_LATE = 30, 10
TOKENS = "/v1.2/auth/client-tokens"

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(400)]


@contextmanager
def flood(server: RealServer, secrets: list[str]) -> Iterator[Counter[int]]:
    """Send these secrets in turn, 120 a second, until the block ends; count the statuses."""
    statuses, ended = Counter[int](), threading.Event()

    def send(sender: int) -> None:
        number = sender
        with httpx2.Client(base_url=server.address, timeout=60) as client:
            while not ended.wait(SENDERS / PER_S):
                secret = secrets[number % len(secrets)]
                headers = {"Authorization": f"Bearer {secret}"}
                statuses[client.get(FOODS, headers=headers).status_code] += 1
                number += SENDERS

    threads = [threading.Thread(target=send, args=(sender,)) for sender in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        yield statuses
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def served(server: RealServer, secret: str) -> int:
    """Return the status of a call on a connection of its own, which any process may accept."""
    headers = {"Authorization": f"Bearer {secret}", "Connection": "close"}
    return server.client.get(FOODS, headers=headers).status_code


def test_fresh_tokens_and_unseen_keys_are_served_beside_unknown_tokens(
    tmp_path: Path, database_url: str
):
    """Row 48: at the first try, whichever of two processes has minted the token."""
    given = {"workers": 2, "client_tokens": True, "log_level": "error"}
    limits = {"address_failures_per_minute": LIMIT, "food_table": few_foods(tmp_path)}
    with RealServer(tmp_path, database=database_url, **given, **limits) as server:
        unseen = [server.partner(f"unseen {number}").keys["v1.2"] for number in range(SEEN_LATE)]
        unknown = [f"ct-{number:043}" for number in range(10_000)]
        with flood(server, unknown) as statuses:
            while statuses.total() < LIMIT + PER_S:
                time.sleep(0.05)
            slowest_s, answers = 0.0, Counter[int]()
            for number in range(MINTED):
                headers = server.headers() | {"Connection": "close"}
                body = {"end_user_id": f"u-{number}"}
                minted = server.client.post(TOKENS, json=body, headers=headers)
                begun_s = time.monotonic()
                answers[served(server, minted.json()["token"])] += 1
                slowest_s = max(slowest_s, time.monotonic() - begun_s)
            answers.update(served(server, key) for key in unseen)
    print(f"\nflood: {dict(statuses)}; slowest fresh token {slowest_s * 1000:.0f} ms")
    assert answers == {200: MINTED + SEEN_LATE}
    assert set(statuses) == {401, 429}


def test_revoked_tokens_refuse_no_unknown_one(tmp_path: Path):
    """Row 35: they are no guesses, so that a fleet that has not noticed locks nobody out."""
    given = {"client_tokens": True, "log_level": "error", "address_failures_per_minute": 50}
    with RealServer(tmp_path, **given) as server:
        body = {"end_user_id": "u-1"}
        mint = lambda: server.client.post(TOKENS, json=body, headers=server.headers())  # noqa: E731
        revoked = [mint().json()["token"] for _ in range(3)]
        revocations = "/v1.2/auth/client-token-revocations"
        answer = server.client.post(revocations, json=body, headers=server.headers())
        assert answer.json()["revoked_count"] == 3
        with flood(server, revoked) as statuses:
            while statuses.total() < 4 * 50:
                time.sleep(0.05)
            others = Counter(served(server, f"ct-nobody-{number}") for number in range(20))
            assert served(server, mint().json()["token"]) == 200
    assert (set(statuses), others) == ({401}, {401: 20})
