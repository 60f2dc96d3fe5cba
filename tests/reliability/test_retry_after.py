"""Retry-After is honest: at that second a call is admitted, a second before it is not."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest
from api_client import PREDICT, Api, VirtualClock
from client_tokens import CREDITS, FOODS, MINT, REVOKE
from sqlalchemy import Connection
from stored_people import prepared

from postmeal_serve.accounting.minutes import Minutes
from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.rates import lease_calls
from postmeal_serve.accounting.requests import lease_requests
from postmeal_serve.partners.plans import Agreement, Allowances, Plan
from postmeal_serve.storage.database import Database

pytestmark = pytest.mark.reliability

SCHEDULES = 1000
START = datetime(2026, 1, 1, tzinfo=UTC)
POSTED = (PREDICT, MINT, REVOKE)
Take = Callable[[datetime], tuple[bool, int | None]]
"""Makes a call at a moment; whether it was admitted, and the wait if it was told one."""


def of_requests(connection: Connection, draw: random.Random, holder: int) -> Take:
    """Requests of a partner: of its month, and of the last 24 hours."""
    ceiling, most = draw.choice([1, 2, 4, 6, 20, 700]), draw.choice([1, 1, 3, 256])
    allowances = Allowances.of("plan", Plan(monthly_requests=ceiling), Agreement())

    def take(at: datetime) -> tuple[bool, int | None]:
        grant = lease_requests(connection, at, holder, allowances, most)
        return bool(grant.requests), grant.retry_after_s

    return take


def of_an_endpoint(connection: Connection, draw: random.Random, holder: int) -> Take:
    limit = draw.choice([1, 2, 3, 7, 1500])

    def take(at: datetime) -> tuple[bool, int | None]:
        opened_at, granted, _ = lease_calls(connection, at, f"{holder}", "search", limit)
        wait = opened_at + timedelta(seconds=60) - at
        return bool(granted), None if granted else -(-wait // timedelta(seconds=1))

    return take


def of_an_address(connection: Connection, draw: random.Random, holder: int) -> Take:
    minutes, limit = Minutes(), draw.choice([1, 2, 5])

    def take(at: datetime) -> tuple[bool, int | None]:
        now_s = (at - START).total_seconds()
        if wait_s := minutes.wait_s("192.0.2.1", limit, now_s):
            return False, wait_s
        minutes.count("192.0.2.1", now_s)
        return True, None

    return take


def check(take: Take, draw: random.Random) -> tuple[int, int]:
    """Call at random moments; how often a wait was told, and how often the month was spent."""
    now, waits, spent = START + timedelta(seconds=draw.uniform(0, 3e6)), 0, 0
    pause = draw.choice([0.01, 1.0, 25.0, 4000.0])
    for _ in range(draw.randint(3, 10)):
        admitted, wait = take(now)
        if admitted:
            assert wait is None
        elif wait is None:
            spent += 1
            end = Month.of(now).end
            assert take(end - timedelta(milliseconds=1)) == (False, None)
            assert take(end) != (False, None)
            return waits, spent
        else:
            waits += 1
            assert 1 <= wait <= 86400
            if wait > 1:
                assert not take(now + timedelta(seconds=wait - 1))[0]
            now += timedelta(seconds=wait)
            admitted, _ = take(now)
            assert admitted
        now += timedelta(seconds=draw.expovariate(1 / pause))
    return waits, spent


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", [of_requests, of_an_endpoint, of_an_address])
def test_a_thousand_schedules_are_told_the_truth(tmp_path, kind):
    """R10: a spent monthly limit names no wait and ends with the month."""
    database: Database = prepared(f"sqlite:///{tmp_path}/postmeal.sqlite")
    waits = spent = 0
    for number in range(SCHEDULES):
        draw = random.Random(number)
        with database.engine.connect() as connection:  # and each schedule is undone at the end
            one = check(kind(connection, draw, 1), draw)
        waits, spent = waits + one[0], spent + one[1]
    database.close()
    assert waits > SCHEDULES
    assert (spent > 0) == (kind is of_requests)


@pytest.mark.timeout(600)
def test_what_the_service_tells_is_true_too(tmp_path):
    """R10: forty schedules over HTTP, with every endpoint that has a limit."""
    clock = VirtualClock()
    agreed: dict[str, Any] = {"monthly_credits": 1, "per_minute": 3}
    rates = {"mint_client_token": 2, "revoke_client_tokens": 1, "read_credits": 3}
    codes: dict[str, int] = {}
    limits = {"v1_1_per_minute": 3, "address_per_minute": 9}
    with Api(tmp_path, clock, credit_costs={"predict_glucose": 1}, **limits) as api:
        for number in range(40):
            draw = random.Random(number)
            agreed["monthly_requests"] = draw.choice([1, 4, 40])
            partner = api.partner(f"schedule {number}", **agreed, rates=rates)

            def ask(path: str) -> httpx2.Response:
                body = api.body() if path == PREDICT else {"end_user_id": "u-1"}
                method, sent = ("POST", {"json": body}) if path in POSTED else ("GET", {})
                headers = partner.headers(path)  # noqa: B023
                return api.client.request(method, path, headers=headers, **sent)

            for _ in range(12):
                path = draw.choice([*POSTED, FOODS, CREDITS, "/v1.1/users"])
                answer = ask(path)
                if answer.status_code == 429:
                    told = answer.json()
                    code = told.get("code", "v1.1")
                    codes[code] = codes.get(code, 0) + 1
                    if code in {"request_limit_exceeded", "credit_limit_exceeded"}:
                        assert "retry-after" not in answer.headers
                        assert Month.of(clock.now()).resets_at in told["message"]
                        continue
                    wait = int(answer.headers["retry-after"])
                    assert 1 <= wait <= 86400
                    clock.advance(wait - 1)
                    if wait > 1:
                        assert ask(path).status_code == 429
                    clock.advance(1)
                    assert ask(path).status_code != 429
                else:
                    assert "retry-after" not in answer.headers
                clock.advance(draw.choice([0, 0, 0.5, 7]))
    assert set(codes) == {
        "rate_limited",
        "credit_limit_exceeded",
        "request_limit_exceeded",
        "v1.1",
    }
