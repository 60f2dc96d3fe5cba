"""Time in the accounts: edges of months, and clocks that are stepped back."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
from api_client import PREDICT, Api, Partner, VirtualClock
from client_tokens import CREDITS, FOODS, mint, state
from sqlalchemy import select
from stored_people import prepared

from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.requests import lease_requests
from postmeal_serve.accounting.reservations import credits_used, reserve, settle
from postmeal_serve.partners.plans import Agreement, Allowances, Plan
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import usage

pytestmark = pytest.mark.reliability

UNLIMITED = Allowances.of("unlimited", Plan(), Agreement())
MS = timedelta(milliseconds=1)
EDGES = [
    datetime(year, month, 1, tzinfo=UTC) for year in range(2026, 2030) for month in range(1, 13)
]


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = prepared(database_url)
    yield database
    database.close()


def name(moment: datetime) -> str:
    """The month of a moment, as plainly as it can be said."""
    return moment.astimezone(UTC).strftime("%Y-%m")


def test_each_side_of_every_edge_is_counted_in_its_own_month(database):
    """R13: four years with a leap day and four turns of the year, from any offset; row 65."""
    expected: dict[str, list[int]] = {}
    draw = random.Random(13)
    with database.writing() as connection:
        for edge in EDGES:
            for moment in (edge - MS, edge, edge + MS):
                offset = timezone(timedelta(minutes=draw.randrange(-14 * 60, 14 * 60 + 1)))
                at = moment.astimezone(offset)
                assert lease_requests(connection, at, 1, UNLIMITED, 1).requests == 1
                held = reserve(connection, at, 1, 2, None, "chat")
                settle(connection, at + timedelta(seconds=30), held, charged=True)
                counted = expected.setdefault(name(moment), [0, 0])
                counted[0] += 1
                counted[1] += 2
        rows = connection.execute(select(usage)).all()
        assert {row.month: [row.requests, row.credits] for row in rows} == expected
        for edge in EDGES:
            month = Month.of(edge)
            assert credits_used(connection, 1, month) == expected[month.name][1]
            assert Month.of(edge - MS).resets_at == f"{edge:%Y-%m-%d}T00:00:00.000Z"
    assert len(expected) == len(EDGES) + 1


def test_a_day_in_february_exists_where_the_calendar_has_it():
    """R13: 29 February is of February, and the day after 28 is of March in other years."""
    for year in range(2024, 2105):
        day_after = datetime(year, 2, 28, tzinfo=UTC) + timedelta(days=1)
        leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
        assert Month.of(day_after).name == f"{year}-{'02' if leap else '03'}"
        assert Month.of(datetime(year, 2, 1, tzinfo=UTC)).last_day.day == (29 if leap else 28)


@pytest.mark.parametrize(
    "at",
    [
        datetime(2026, 12, 31, 23, 59, 30, tzinfo=UTC),
        datetime(2027, 1, 1, 0, 30, tzinfo=UTC),
        datetime(2028, 2, 29, 23, 59, 59, 999000, tzinfo=UTC),
        datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
    ],
)
def test_a_clock_that_is_stepped_back_an_hour_reopens_nothing(tmp_path, at):
    """R13: neither a minute, a day nor a token; a month is that of the clock as it is now."""
    clock = VirtualClock(at)
    with Api(tmp_path, clock, credit_costs={"predict_glucose": 1}, v1_1_per_minute=1) as api:
        spent = api.partner("spent", monthly_requests=10, monthly_credits=1)
        minute = api.partner("minute", rates={"read_credits": 1})
        app = api.partner("app")
        tokens = [mint(api, app, f"u-{ttl}", ttl_seconds=ttl) for ttl in (300, 1200)]
        clock.advance(300)
        assert [state(api, tokens[0]), read(api, minute)] == ["token_expired", 200]
        assert old(api, minute) == 200
        assert [predict(api, spent), predict(api, spent)] == [200, 429]
        assert [search(api, spent), search(api, spent)] == [200, 429]
        clock.at -= timedelta(hours=1)
        for seconds in (0, 30, 29):
            clock.advance(seconds)
            assert state(api, tokens[0]) == "token_expired"
            assert [read(api, minute), old(api, minute)] == [429, 429]
            assert [predict(api, spent), search(api, spent)] == [429, 429]
            balance = api.client.get(CREDITS, headers=spent.headers(CREDITS)).json()
            assert balance["period_start"] == f"{clock.at:%Y-%m}-01"
        clock.advance(1)
        assert [read(api, minute), old(api, minute)] == [200, 200]
        clock.advance(839.999)
        assert state(api, tokens[1]) == "active"
        clock.advance(0.001)
        assert state(api, tokens[1]) == "token_expired"


def test_a_window_that_another_process_opened_is_not_reopened_by_a_clock_behind(tmp_path):
    """R13: a machine that boots after the step back finds the windows closed that were closed."""
    clock = VirtualClock()
    with Api(tmp_path, clock) as api:
        minute = api.partner("minute", rates={"read_credits": 1})
        bursts = api.partner("bursts", monthly_requests=10)
        assert [read(api, minute), read(api, minute)] == [200, 429]
        assert [search(api, bursts) for _ in range(3)] == [200, 200, 429]
    behind = VirtualClock(clock.at - timedelta(hours=1))
    with Api(tmp_path, behind) as api:
        assert [read(api, minute), search(api, bursts)] == [429, 429]
        answer = api.client.get(FOODS, headers=bursts.headers(FOODS))
        assert 1 <= int(answer.headers["retry-after"]) <= 86400
        behind.advance(3660)
        assert read(api, minute) == 200


def read(api: Api, partner: Partner) -> int:
    return api.client.get(CREDITS, headers=partner.headers(CREDITS)).status_code


def search(api: Api, partner: Partner) -> int:
    return api.client.get(FOODS, headers=partner.headers(FOODS)).status_code


def predict(api: Api, partner: Partner) -> int:
    headers = partner.headers(PREDICT)
    return api.client.post(PREDICT, json=api.body(), headers=headers).status_code


def old(api: Api, partner: Partner) -> int:
    return api.client.get("/v1.1/users", headers=partner.headers("/v1.1")).status_code
