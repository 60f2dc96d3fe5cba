"""Limits: what is refused with 429, in which order, and what stays uncounted then."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE, Api, Partner, VirtualClock, assert_refused
from client_tokens import CREDITS, FOODS, ask_for_token, ask_to_revoke, bearer, mint
from sqlalchemy import select

from postmeal_serve.partners.plans import PLANS, Plan
from postmeal_serve.storage.tables import rate_window, usage

PRICED: dict[str, Any] = {"credit_costs": {"predict_glucose": 1}}
RESETS_AT = "2026-02-01T00:00:00.000Z"


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def api(tmp_path, clock) -> Iterator[Api]:
    """A service where a prediction costs a credit, with a clock that the test sets."""
    with Api(tmp_path, clock, **PRICED) as api:
        yield api


def search(api: Api, partner: Partner):
    return api.client.get(FOODS, headers=partner.headers(FOODS))


def predict(api: Api, partner: Partner):
    return api.client.post(PREDICT, json=api.body(), headers=partner.headers(PREDICT))


def read(api: Api, partner: Partner):
    return api.client.get(CREDITS, headers=partner.headers(CREDITS))


def refused(answer, code: str) -> int | None:
    """The answer is a 429 with this code; its Retry-After."""
    assert_refused(answer, 429)
    assert answer.json()["code"] == code
    wait = answer.headers.get("retry-after")
    if code != "rate_limited":
        assert wait is None
    assert wait is None or 1 <= int(wait) <= 86400
    return None if wait is None else int(wait)


def counted(api: Api, partner: Partner) -> tuple[int, int]:
    """Requests and credits of all months, when nothing is leased."""
    api.client.portal.call(api.service.meter.close)
    mine = usage.c.organization_id == partner.id
    with api.service.database.reading() as connection:
        rows = connection.execute(select(usage.c.requests, usage.c.credits).where(mine)).all()
    return sum(row.requests for row in rows), sum(row.credits for row in rows)


def test_an_endpoint_is_refused_over_its_limit_and_says_when_to_come_back(api, clock):
    """Rows 50, 75: what was told of the limit before agrees."""
    partner = api.partner("limited", per_minute=3)
    for left in (2, 1, 0):
        answer = search(api, partner)
        assert answer.status_code == 200
        assert answer.headers["ratelimit-policy"] == '"endpoint";q=3;w=60'
        assert answer.headers["ratelimit"] == f'"endpoint";r={left};t={60 - 5 * (2 - left)}'
        clock.advance(5)
    answer = search(api, partner)
    assert refused(answer, "rate_limited") == 45
    assert answer.headers["ratelimit"] == '"endpoint";r=0;t=45'
    clock.advance(45)
    answer = api.client.get("/v1.2/foods/x", headers=partner.headers(FOODS))
    assert_refused(answer, 400)
    assert answer.headers["ratelimit"] == '"endpoint";r=2;t=60'
    assert "ratelimit" not in search(api, api.partner("unlimited")).headers


def test_the_burst_guard_rolls_over_24_hours(api, clock):
    """Row 51: a fifth of the month in any day, midnight or not."""
    partner = api.partner("bursts", monthly_requests=10)
    clock.advance(11 * 3600 + 59 * 60)  # one minute before midnight
    assert search(api, partner).status_code == 200
    clock.advance(120)
    assert search(api, partner).status_code == 200
    wait = refused(search(api, partner), "rate_limited")
    assert wait == 86400 - 120
    clock.advance(wait - 1)
    assert refused(search(api, partner), "rate_limited") == 1
    clock.advance(1)
    assert search(api, partner).status_code == 200
    assert refused(search(api, partner), "rate_limited") == 120
    assert counted(api, partner) == (3, 0)


def test_a_spent_month_says_when_it_ends_and_not_when_to_retry(api):
    """Rows 52, 53, 54, 55: both at the same instant, which the balance tells too."""
    requests = api.partner("requests", monthly_requests=1)
    credits = api.partner("credits", monthly_credits=1)
    for partner, code in (
        (requests, "request_limit_exceeded"),
        (credits, "credit_limit_exceeded"),
    ):
        assert predict(api, partner).status_code == 200
        answer = predict(api, partner)
        refused(answer, code)
        assert RESETS_AT in answer.json()["message"]
        assert read(api, partner).json()["resets_at"] == RESETS_AT


def test_both_months_reopen_at_the_first_moment_of_the_next(tmp_path):
    """Rows 55, 65: until a millisecond before, everything is of the old month."""
    clock = VirtualClock(datetime(2026, 1, 31, 23, 59, 59, 999000, tzinfo=UTC))
    with Api(tmp_path, clock, **PRICED) as api:
        partner = api.partner("edge", monthly_credits=1)
        assert predict(api, partner).status_code == 200
        answer = predict(api, partner)
        refused(answer, "credit_limit_exceeded")
        assert RESETS_AT in answer.json()["message"]
        assert read(api, partner).json()["used_credits"] == 1
        clock.advance(0.001)
        told = read(api, partner).json()
        assert (told["used_credits"], told["period_start"]) == (0, "2026-02-01")
        assert predict(api, partner).status_code == 200
        refused(predict(api, partner), "credit_limit_exceeded")


def test_the_month_of_requests_ends_but_the_last_day_still_counts(tmp_path):
    """Rows 51, 55, 65: the burst guard is of no month."""
    clock = VirtualClock(datetime(2026, 1, 27, 12, tzinfo=UTC))
    with Api(tmp_path, clock, **PRICED) as api:
        partner = api.partner("edge", monthly_requests=5)
        for pause_s in (86400, 86400, 86400, 86400, 12 * 3600 - 0.001):
            assert search(api, partner).status_code == 200
            clock.advance(pause_s)
    with Api(tmp_path, clock, **PRICED) as api:
        refused(search(api, partner), "request_limit_exceeded")
        clock.advance(0.001)
        assert refused(search(api, partner), "rate_limited") == 12 * 3600
        clock.advance(12 * 3600)
        assert search(api, partner).status_code == 200


def test_the_message_names_the_plan_where_the_plan_set_the_number(tmp_path):
    """Row 56: not where it was agreed, nor where a paid plan states none."""
    plans = {
        **PLANS,
        "free": Plan(monthly_requests=1),
        "large": Plan(monthly_requests=1, ceiling_stated=False),
    }
    with Api(tmp_path, VirtualClock(), plans=plans) as api:
        told = {}
        for name, plan, agreed in (
            ("plan", "free", {}),
            ("agreed", "free", {"monthly_requests": 1}),
            ("unstated", "large", {}),
        ):
            partner = api.partner(name, plan, **agreed)
            assert search(api, partner).status_code == 200
            answer = search(api, partner)
            refused(answer, "request_limit_exceeded")
            told[name] = answer.json()["message"]
    assert all("1 requests a month" in message for message in told.values())
    assert "the free plan's" in told["plan"]
    for name in ("agreed", "unstated"):
        assert "plan" not in told[name]
        assert "free" not in told[name]
        assert "large" not in told[name]


def test_what_never_passes_comes_before_what_passes_soon(api):
    """Row 57: requests of the month, then credits of the month, then the rest."""
    everything = api.partner("all", monthly_requests=1, monthly_credits=1, per_minute=1)
    assert predict(api, everything).status_code == 200
    refused(predict(api, everything), "request_limit_exceeded")

    two = api.partner("two", monthly_credits=1, per_minute=1)
    assert predict(api, two).status_code == 200
    assert search(api, two).status_code == 200
    refused(predict(api, two), "credit_limit_exceeded")
    refused(search(api, two), "rate_limited")

    burst = api.partner("burst", monthly_requests=10, monthly_credits=1)
    assert predict(api, burst).status_code == 200
    assert search(api, burst).status_code == 200
    refused(predict(api, burst), "credit_limit_exceeded")
    refused(search(api, burst), "rate_limited")


def test_what_is_free_goes_on_when_the_credits_are_spent(api):
    """Row 58."""
    partner = api.partner("spent", monthly_credits=1)
    assert predict(api, partner).status_code == 200
    refused(predict(api, partner), "credit_limit_exceeded")
    assert search(api, partner).status_code == 200


def test_an_uncapped_partner_is_never_refused_for_a_month(api):
    """Row 64."""
    partner = api.partner("uncapped", "free", uncapped=True)
    for _ in range(3):
        assert predict(api, partner).status_code == 200
    assert counted(api, partner) == (3, 3)


def test_a_plan_that_is_no_longer_known_grants_nothing(tmp_path):
    """Row 52: the partner keeps its balance, and may revoke."""
    clock = VirtualClock()
    with Api(tmp_path, clock, plans={**PLANS, "old": Plan()}) as api:
        partner = api.partner("left behind", "old")
        token = mint(api, partner)
        assert search(api, partner).status_code == 200
    with Api(tmp_path, clock) as api:
        refused(search(api, partner), "request_limit_exceeded")
        assert_refused(api.client.get(FOODS, headers=bearer(token)), 429)
        assert read(api, partner).json()["included_credits"] == 0
        assert ask_to_revoke(api, partner).json() == {"revoked_count": 1}


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_calls_at_the_same_moment_share_the_last_credit(tmp_path, database_url, clock):
    """Row 62: over two processes, one of many gets it, and nothing else is counted."""
    settings = PRICED | {"database": database_url}
    with Api(tmp_path, clock, **settings) as here, Api(tmp_path, clock, **settings) as there:
        partner = here.partner("race", monthly_credits=3)
        assert [predict(here, partner).status_code for _ in range(2)] == [200, 200]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(predict, [here, there] * 8, [partner] * 16))
        assert sorted(answer.status_code for answer in answers) == [200] + [429] * 15
        assert {each.json().get("code") for each in answers} == {None, "credit_limit_exceeded"}
        assert read(there, partner).json()["used_credits"] == 3
        here.client.portal.call(here.service.meter.close)
        assert counted(there, partner) == (3, 3)


@pytest.mark.parametrize("agreed", [{"per_minute": 20}, {"monthly_requests": 100}])
@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_processes_share_limits_to_the_last_call(tmp_path, database_url, clock, agreed):
    """Rows 50, 51, 74: of 40 calls over two processes, the 20 that are allowed."""
    settings = {"database": database_url}
    with Api(tmp_path, clock, **settings) as here, Api(tmp_path, clock, **settings) as there:
        partner = here.partner("shared", **agreed)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(search, [here, there] * 20, [partner] * 40))
        assert sorted(answer.status_code for answer in answers) == [200] * 20 + [429] * 20
        here.client.portal.call(here.service.meter.close)
        assert counted(there, partner)[0] == 20


def test_counters_outlive_the_process(tmp_path, clock):
    """Row 74: months, the last day and the current minute."""
    for _ in range(2):
        with Api(tmp_path, clock, **PRICED) as api:
            partner = api.partner("restarts", monthly_requests=15, monthly_credits=2)
            minute = api.partner("minute", per_minute=2)
            assert predict(api, partner).status_code == 200
            assert search(api, minute).status_code == 200
    with Api(tmp_path, clock, **PRICED) as api:
        refused(predict(api, partner), "credit_limit_exceeded")
        assert search(api, partner).status_code == 200
        refused(search(api, partner), "rate_limited")
        refused(search(api, minute), "rate_limited")
        assert counted(api, partner) == (3, 2)


def test_every_bucket_is_its_own(api):
    """Rows 71, 126, 141: what is used up of one leaves the others."""
    calls = {
        "mint_client_token": ask_for_token,
        "revoke_client_tokens": ask_to_revoke,
        "read_credits": read,
        "search_foods": search,
    }
    for spent in calls:
        partner = api.partner(f"spends {spent}", rates=dict.fromkeys(calls, 1))
        assert calls[spent](api, partner).status_code < 300
        wait = refused(calls[spent](api, partner), "rate_limited")
        assert wait == 60
        for name, call in calls.items():
            if name != spent:
                assert call(api, partner).status_code < 300


def test_minting_and_revoking_have_limits_without_being_agreed(api):
    """Rows 126, 141: 600 and 120 a minute, shared by all keys of a partner."""
    partner = api.partner("usual", "free")
    again = api.partner("usual", "free")
    for ask, limit in ((ask_for_token, 600), (ask_to_revoke, 120)):
        for whose, left in ((partner, limit - 1), (again, limit - 2)):
            headers = ask(api, whose).headers
            assert headers["ratelimit-policy"] == f'"endpoint";q={limit};w=60'
            assert headers["ratelimit"] == f'"endpoint";r={left};t=60'


def test_tokens_are_minted_and_revoked_when_the_month_is_spent(api):
    """Rows 72, 127: at no cost."""
    partner = api.partner("spent", monthly_requests=1, monthly_credits=1)
    assert predict(api, partner).status_code == 200
    refused(search(api, partner), "request_limit_exceeded")
    for _ in range(2):
        assert ask_for_token(api, partner).status_code == 201
        assert ask_to_revoke(api, partner).json() == {"revoked_count": 1}
    assert counted(api, partner) == (1, 1)


def test_an_admitted_request_counts_whatever_its_answer(api):
    """Row 73: of a token as of a key; what is refused before or for a limit does not."""
    partner = api.partner("counts", rates={"search_foods": 2})
    headers, token = partner.headers(FOODS), bearer(mint(api, partner, scopes=["foods:read"]))
    get, post = api.client.get, api.client.post
    assert get(FOODS, headers=headers).status_code == 200
    assert get(FOODS, headers=token).status_code == 200
    assert_refused(get("/v1.2/foods/x", headers=headers), 400)
    assert_refused(get("/v1.2/foods/999999999", headers=headers), 404)
    assert get("/v1.2/foods/autocomplete?query=ri", headers=token).status_code == 200
    assert_refused(get("/v1.2/foods/barcode/000000", headers=token), 404)
    assert counted(api, partner) == (6, 0)
    refused(get(FOODS, headers=headers), "rate_limited")
    assert_refused(get(FOODS, headers=partner.headers("/v1.1")), 403)
    assert_refused(post(PREDICT, json=api.body(), headers=token), 403)
    assert_refused(get("/v1.2/nowhere", headers=headers), 404)
    assert_refused(post(PREDICT, content="{}", headers=headers | {"Content-Type": "x"}), 415)
    assert read(api, partner).status_code == 200
    old = partner.headers(OLD_PREDICT) | ZONE
    assert post(OLD_PREDICT, json=api.old_body(), headers=old).status_code == 200
    assert get("/v1.1/search/foods?query=rice", headers=old).status_code == 200
    assert get("/v1.1/search/foods/nlp?query=rice", headers=old).status_code == 200
    assert counted(api, partner) == (6, 0)


def test_what_is_refused_leaves_every_counter_as_it_was(api, clock):
    """Row 73: for credits, for the last day, for the month, and for the minute."""
    partner = api.partner("refused", monthly_requests=20, monthly_credits=1, per_minute=3)
    assert predict(api, partner).status_code == 200
    for _ in range(5):
        refused(predict(api, partner), "credit_limit_exceeded")
    assert [search(api, partner).status_code for _ in range(3)] == [200] * 3
    refused(search(api, partner), "rate_limited")
    assert counted(api, partner) == (4, 1)
    holder = rate_window.c.holder == f"organization {partner.id}"
    with api.service.database.reading() as connection:
        windows = connection.execute(select(rate_window).where(holder)).all()
    assert {row.endpoint: row.calls for row in windows} == {
        "predict_glucose": 2,  # one of them is kept for the next call of this process
        "search_foods": 3,
    }
    clock.advance(86400)
    assert search(api, partner).status_code == 200


def test_version_1_1_is_limited_by_key_and_answers_in_its_own_shape(tmp_path, clock):
    """Row 307: the number is configured; another key of the partner has its own."""
    with Api(tmp_path, clock, v1_1_per_minute=2) as api:
        one, other = api.partner("old"), api.partner("old")
        old = {"headers": one.headers("/v1.1")}
        for _ in range(2):
            assert api.client.get("/v1.1/users", **old).status_code == 200
        clock.advance(20)
        answer = api.client.get("/v1.1/users", **old)
        assert_refused(answer, 429)
        assert answer.json()["error"]["code"] == 429
        assert "limit of 2 requests per minute with this key reached" in answer.text
        assert answer.headers["retry-after"] == "40"
        assert api.client.get("/v1.1/users", headers=other.headers("/v1.1")).status_code == 200
        assert search(api, one).status_code == 200
        clock.advance(40)
        assert api.client.get("/v1.1/users", **old).status_code == 200


def test_a_minute_that_is_spent_is_refused_without_asking_the_database(api):
    """Row 50: a flood of refused calls costs no writing; others are not kept waiting."""
    partner = api.partner("flood", rates={"read_credits": 1})
    assert read(api, partner).status_code == 200
    refused(read(api, partner), "rate_limited")
    with api.service.database.writing():  # nobody else can write meanwhile
        for _ in range(20):
            refused(read(api, partner), "rate_limited")


def test_a_clock_that_was_years_ahead_prolongs_no_limit_when_it_is_corrected(tmp_path):
    """Rows 50, 51: a minute and a day are measured in elapsed time."""
    clock = VirtualClock(datetime(2036, 1, 1, tzinfo=UTC))
    agreed = {"monthly_requests": 10, "rates": {"read_credits": 1}}
    with Api(tmp_path, clock, **PRICED) as api:
        partner = api.partner("future", **agreed, in_flight={"predict_glucose": 1})
        assert [search(api, partner).status_code for _ in range(3)] == [200, 200, 429]
        assert [read(api, partner).status_code for _ in range(2)] == [200, 429]
        clock.at -= timedelta(days=3650)
        assert refused(read(api, partner), "rate_limited") == 60
        assert refused(search(api, partner), "rate_limited") == 86400
        clock.advance(60)
        assert read(api, partner).status_code == 200
        clock.advance(86400 - 60)
        assert search(api, partner).status_code == 200
