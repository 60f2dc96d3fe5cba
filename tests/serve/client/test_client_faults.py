"""The Python client on a network with faults: everything is done, and nothing twice."""

import asyncio
import inspect
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx2
import pytest
from api_client import Api, VirtualClock
from cgm_requests import wearer_of
from faulty_network import TOKEN_LIFETIME_S, FaultyNetwork
from sqlalchemy import func, select
from synthetic_wearer import Wearer

from postmeal_client import (
    AsyncClient,
    Client,
    ConnectionLost,
    MonthlyLimitReached,
    Retries,
    ServiceFailed,
    v1_1,
    v1_2,
)
from postmeal_serve.storage.tables import client_token

SERVICE = "http://testserver"
SEEDS = [
    *range(40),
    *(pytest.param(seed, marks=pytest.mark.reliability) for seed in range(40, 200)),
]
PATIENT = Retries(attempts=20)
UNKNOWN = (ConnectionLost, ServiceFailed)
"""Errors after which a request may have been processed, or not."""


@pytest.fixture(scope="module")
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture(scope="module")
def api(tmp_path_factory, clock):
    with Api(tmp_path_factory.mktemp("service"), clock) as api:
        yield api


@pytest.fixture(scope="module")
def wearer(api) -> Wearer:
    return wearer_of(api)


async def value(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


class Schedule:
    """A partner, and its clients behind a faulty network."""

    def __init__(self, api: Api, clock: VirtualClock, seed: int, **agreement: Any) -> None:
        draw = random.Random(seed)
        self.api, self.clock = api, clock
        self.partner = api.partner(f"schedule {seed} {agreement}", **agreement)
        self.network = FaultyNetwork(api, clock, draw, share=draw.choice([0.1, 0.3, 0.6]))
        self.http = httpx2.Client(transport=self.network)
        self.key = self.partner.keys["v1.2"]
        self.backend = Client(
            SERVICE, self.key, http=self.http, retries=PATIENT, sleep=clock.advance
        )
        self.minting_calls = 0

    def token(self) -> str:
        """Mint a token, as often as it takes: the client does not repeat such a request."""
        body = v1_2.models.ClientTokenRequest(
            end_user_id="u-1",
            ttl_seconds=TOKEN_LIFETIME_S,
            scopes=["foods:read", "food_logs:read", "food_logs:write", "glucose:read"],
        )
        while True:
            self.minting_calls += 1
            try:
                return self.backend.mint_client_token(body).token
            except UNKNOWN:
                continue

    def app(self, asynchronous: bool) -> Client | AsyncClient:
        if not asynchronous:
            return Client(
                SERVICE, self.token, http=self.http, retries=PATIENT, sleep=self.clock.advance
            )

        async def token() -> str:
            return self.token()

        async def sleep(wait_s: float) -> None:
            self.clock.advance(wait_s)

        http = httpx2.AsyncClient(transport=self.network)
        return AsyncClient(SERVICE, token, http=http, retries=PATIENT, sleep=sleep)

    def stored_names(self) -> Counter[str | None]:
        headers = {"Authorization": f"Bearer {self.key}", "Service-End-User-ID": "u-1"}
        query = {"start": "2026-01-05", "end": "2026-01-05"}
        while True:
            answer = self.api.client.get("/v1.2/food-logs", params=query, headers=headers)
            if answer.status_code == 200:
                return Counter(log["name"] for log in answer.json()["items"])
            self.clock.advance(60)

    def stored_tokens(self) -> int:
        count = select(func.count()).where(client_token.c.organization_id == self.partner.id)
        with self.api.service.database.reading() as connection:
            return connection.scalar(count) or 0


async def keep_a_diary(schedule: Schedule, app: Any) -> Counter[str | None]:
    """Create, change and delete food logs; return the names that must be stored now."""
    foods = [v1_2.models.FoodItem(**food) for food in schedule.api.body()["foods"]]

    def meal(name: str) -> Any:
        at = "2026-01-05T13:00:00Z"
        return v1_2.models.FoodLogRequest(foods=foods, name=name, timestamp_utc=at)

    assert (await value(app.search_foods(query="banana", limit=1))).items
    logs = [
        await value(app.create_food_log(meal(f"meal {number}"), idempotency_key=f"key-{number}"))
        for number in range(4)
    ]
    changed = v1_2.models.FoodLogChange(name="changed")
    assert (await value(app.change_food_log(str(logs[0].id), changed))).name == "changed"
    assert await value(app.delete_food_log(str(logs[1].id))) is None
    prediction = v1_2.models.PredictionRequest(**schedule.api.body())
    assert len((await value(app.predict_glucose(prediction))).points) == 9
    expected = Counter[str | None](["changed", "meal 2", "meal 3"])
    with suppress(*UNKNOWN):
        await value(app.create_food_log(meal("without a key")))
    return expected


@pytest.mark.sampled
@pytest.mark.parametrize("seed", SEEDS)
def test_everything_is_done_and_nothing_is_stored_twice(api, clock, seed):
    schedule = Schedule(api, clock, seed, per_minute=random.Random(seed).choice([2, 5, 1000]))
    app = schedule.app(asynchronous=seed % 2 == 1)
    expected = asyncio.run(keep_a_diary(schedule, app))
    stored = schedule.stored_names()
    assert stored.pop("without a key", 0) <= 1
    assert stored == expected
    assert 1 <= schedule.stored_tokens() <= schedule.minting_calls


@pytest.mark.reliability
def test_the_schedules_contain_limits_expired_tokens_and_lost_responses(api, clock):
    codes = Counter[str | int]()
    for seed in range(1000, 1004):
        schedule = Schedule(api, clock, seed, per_minute=2)
        asyncio.run(keep_a_diary(schedule, schedule.app(asynchronous=False)))
        codes.update(code for _, code in schedule.network.processed)
        created = schedule.network.processed.count(("POST /v1.2/food-logs", 201))
        codes["created again"] += created - 5  # one of them has no key
    assert min(codes[name] for name in ("rate_limited", "token_expired", "created again")) >= 1


@pytest.mark.parametrize("seed", range(20))
def test_spent_months_are_never_retried(api, clock, seed):
    schedule = Schedule(api, clock, seed, monthly_requests=1)

    def search_twice() -> None:
        for _ in range(2):
            schedule.backend.search_foods(query="rice")

    with pytest.raises(MonthlyLimitReached) as refused:
        search_twice()
    assert refused.value.code == "request_limit_exceeded"
    assert schedule.network.delivered.count("request_limit_exceeded") == 1


def calls_that_store(schedule: Schedule, wearer: Wearer) -> dict[str, Callable[[], object]]:
    """Calls without an idempotency key."""
    api, partner = schedule.api, schedule.partner
    old = v1_1.Client(
        SERVICE, partner.keys["v1.1"], http=schedule.http, retries=PATIENT,
        sleep=schedule.clock.advance,
    )  # fmt: skip
    profile = api.old_body()["userProfile"]
    user = v1_1.models.UserRequest(profile=profile)
    named = partner.headers("/v1.1") | {"x-partner-user-id": "u-3"}
    api.client.post("/v1.1/user", json={"profile": profile}, headers=named).raise_for_status()
    eaten = v1_1.models.LogFoodsRequest(foods=api.old_body()["foods"])
    log = v1_2.models.FoodLogRequest(foods=api.body()["foods"])
    token = v1_2.models.ClientTokenRequest(end_user_id="u-1")
    days = v1_1.models.TrainingRequest(**wearer.training)
    return {
        "POST /v1.1/user": lambda: old.create_user(user),
        "POST /v1.1/logs/foods": lambda: old.log_foods(eaten, x_partner_user_id="u-1"),
        "POST /v1.1/user/training": lambda: old.train_user(days, x_partner_user_id="u-3"),
        "POST /v1.2/food-logs": lambda: schedule.backend.create_food_log(
            log, service_end_user_id="u-1"
        ),
        "POST /v1.2/auth/client-tokens": lambda: schedule.backend.mint_client_token(token),
    }


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(10))
def test_without_a_key_a_request_that_stores_is_processed_at_most_once(api, clock, wearer, seed):
    schedule = Schedule(api, clock, seed)
    for request, call in calls_that_store(schedule, wearer).items():
        for _ in range(2):
            before = len(schedule.network.processed)
            with suppress(*UNKNOWN):
                call()
            processed = schedule.network.processed[before:]
            assert processed in ([], [(request, 200)], [(request, 201)])
