"""The balance of credits, and the limit of its reads."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE, Api, Partner, VirtualClock, assert_refused
from client_tokens import CREDITS, FOODS, ask_for_token, ask_to_revoke

from postmeal_serve.partners.plans import PLANS, Plan

PRICED = {"credit_costs": {"predict_glucose": 1}}


@pytest.fixture(scope="module")
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory, clock: VirtualClock) -> Iterator[Api]:
    """A service where a prediction costs a credit; every test has a partner of its own."""
    with Api(tmp_path_factory.mktemp("credits"), clock, **PRICED) as api:
        yield api


def read(api: Api, partner: Partner):
    return api.client.get(CREDITS, headers=partner.headers(CREDITS))


def balance(api: Api, partner: Partner) -> dict:
    answer = read(api, partner)
    assert answer.status_code == 200, answer.text
    return answer.json()


def predict(api: Api, partner: Partner, body: object = None):
    return api.client.post(PREDICT, json=body or api.body(), headers=partner.headers(PREDICT))


def test_the_balance_has_all_its_fields(priced):
    """Rows 149, 150, 151: dates of the month, both inclusive, and the instant that ends it."""
    partner = priced.partner("fields", "free")
    assert predict(priced, partner).status_code == 200
    told = balance(priced, partner)
    assert told == {
        "plan": "free",
        "period_start": "2026-01-01",
        "period_end": "2026-01-31",
        "resets_at": "2026-02-01T00:00:00.000Z",
        "included_credits": 100,
        "used_credits": 1,
        "remaining_credits": 99,
    }
    assert all(type(told[name]) is int for name in told if name.endswith("credits"))


@pytest.mark.parametrize(
    ("at", "start", "end", "resets_at"),
    [
        ((2026, 12, 31, 23, 59, 59), "2026-12-01", "2026-12-31", "2027-01-01T00:00:00.000Z"),
        ((2028, 2, 1), "2028-02-01", "2028-02-29", "2028-03-01T00:00:00.000Z"),
        ((2027, 2, 28, 12), "2027-02-01", "2027-02-28", "2027-03-01T00:00:00.000Z"),
    ],
)
def test_the_period_is_the_calendar_month_in_utc(tmp_path, at, start, end, resets_at):
    """Rows 65, 150."""
    with Api(tmp_path, VirtualClock(datetime(*at, tzinfo=UTC))) as api:
        told = balance(api, api.partner("months", "free"))
    assert (told["period_start"], told["period_end"]) == (start, end)
    assert told["resets_at"] == resets_at


def test_an_uncapped_partner_is_told_null(priced):
    """Rows 64, 152: the keys are there, and the use is counted."""
    partner = priced.partner("uncapped", "free", uncapped=True)
    for _ in range(3):
        assert predict(priced, partner).status_code == 200
    told = balance(priced, partner)
    assert (told["included_credits"], told["remaining_credits"]) == (None, None)
    assert told["used_credits"] == 3


def test_the_balance_is_read_when_all_is_spent(priced):
    """Rows 151, 153: nothing is left, and never less."""
    partner = priced.partner("spent", monthly_requests=1, monthly_credits=1)
    assert predict(priced, partner).status_code == 200
    assert_refused(predict(priced, partner), 429)
    told = balance(priced, partner)
    assert (told["used_credits"], told["remaining_credits"]) == (1, 0)


def test_a_ceiling_that_is_lowered_under_the_use_leaves_0(priced):
    """Row 151."""
    partner = priced.partner("lowered", monthly_credits=0)
    told = balance(priced, partner)
    assert (told["included_credits"], told["used_credits"], told["remaining_credits"]) == (0, 0, 0)


def test_a_read_uses_up_nothing(priced):
    """Rows 60, 73, 154: neither a credit nor a request; nor do a mint and a revocation."""
    partner = priced.partner("reads", monthly_requests=1, monthly_credits=1)
    for _ in range(5):
        assert balance(priced, partner)["used_credits"] == 0
        assert ask_for_token(priced, partner).status_code == 201
        assert ask_to_revoke(priced, partner).status_code == 200
    assert predict(priced, partner).status_code == 200
    assert balance(priced, partner)["used_credits"] == 1


def test_the_61st_read_in_a_minute_is_refused_until_a_minute_after_the_first(priced, clock):
    """Rows 155, 156: the window does not slide."""
    partner = priced.partner("eager", "free")
    assert read(priced, partner).status_code == 200
    clock.advance(30)
    for left in range(58, -1, -1):
        answer = read(priced, partner)
        assert answer.status_code == 200
        assert answer.headers["ratelimit"] == f'"endpoint";r={left};t=30'
    answer = read(priced, partner)
    assert_refused(answer, 429)
    assert answer.json()["code"] == "rate_limited"
    assert answer.headers["retry-after"] == "30"
    clock.advance(29.999)
    answer = read(priced, partner)
    assert_refused(answer, 429)
    assert answer.headers["retry-after"] == "1"
    clock.advance(0.001)
    for _ in range(60):
        assert read(priced, partner).status_code == 200
    answer = read(priced, partner)
    assert_refused(answer, 429)
    assert answer.headers["retry-after"] == "60"


def test_the_number_of_reads_is_configured_by_plan_and_by_partner(tmp_path):
    """Row 157."""
    plans = {"few": Plan(rates={"read_credits": 2}), "free": PLANS["free"], "unlimited": Plan()}
    with Api(tmp_path, VirtualClock(), plans=plans) as api:
        few, fewer = api.partner("few", "few"), api.partner("fewer", rates={"read_credits": 1})
        for partner, number in ((few, 2), (fewer, 1)):
            statuses = [read(api, partner).status_code for _ in range(3)]
            assert statuses == [200] * number + [429] * (3 - number)


def test_a_burst_from_one_address_is_throttled(tmp_path):
    """Row 158: whatever the partner."""
    clock = VirtualClock()
    with Api(tmp_path, clock, address_per_minute=10) as api:
        one, other = api.partner("one"), api.partner("other")
        answers = [read(api, (one, other)[number % 2]) for number in range(12)]
        assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 2
        assert answers[-1].json()["code"] == "rate_limited"
        assert answers[-1].headers["retry-after"] == "60"
        old = api.client.get("/v1.1/users", headers=one.headers("/v1.1"))
        assert_refused(old, 429)
        assert old.headers["retry-after"] == "60"
        clock.advance(60)
        assert read(api, one).status_code == 200


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 413, 415])
def test_a_request_that_fails_costs_no_credit(priced, status):
    """Row 61; 429 and 503 have tests of their own."""
    partner = priced.partner(f"fails {status}", "free")
    headers = partner.headers(PREDICT)
    body = priced.body()
    unknown = {**body, "foods": [{**body["foods"][0], "id": "999999999"}]}
    options = {
        400: {"json": {**body, "foods": []}},
        401: {"json": body, "headers": {"Authorization": "Bearer sk-v1.2-nobody"}},
        403: {"json": body, "headers": partner.headers("/v1.1")},
        404: {"json": unknown},
        405: {"method": "GET"},
        413: {"content": b" " * 6_000_000},
        415: {"content": b"{}", "headers": headers | {"Content-Type": "text/plain"}},
    }[status]
    request = {"method": "POST", "headers": headers} | options
    assert_refused(priced.client.request(url=PREDICT, **request), status)
    assert balance(priced, partner)["used_credits"] == 0


def test_what_cannot_be_answered_costs_no_credit(tmp_path):
    """Rows 61, 70: 503 where the model is missing, and the slot is free again."""
    with Api(tmp_path, VirtualClock(), model_folder=tmp_path / "none", **PRICED) as api:
        partner = api.partner("no model", monthly_credits=1, in_flight={"predict_glucose": 1})
        for _ in range(3):
            assert_refused(predict(api, partner), 503)
        assert balance(api, partner)["used_credits"] == 0


def test_an_error_of_ours_costs_no_credit(tmp_path, monkeypatch):
    """Rows 61, 70: 500, and the slot is free again."""

    def fail(*args: object) -> None:
        raise ZeroDivisionError

    with Api(tmp_path, VirtualClock(), **PRICED) as api:
        partner = api.partner("broken", monthly_credits=1, in_flight={"predict_glucose": 1})
        with monkeypatch.context() as broken:
            broken.setattr("postmeal_serve.v1_2.glucose.predict", fail)
            for _ in range(3):
                assert_refused(predict(api, partner), 500)
        assert balance(api, partner)["used_credits"] == 0
        assert predict(api, partner).status_code == 200
        assert balance(api, partner)["used_credits"] == 1


@pytest.mark.parametrize("cost", [1, 3])
def test_a_success_costs_what_was_set(tmp_path, cost):
    """Rows 59, 60: exactly that; what has no price costs nothing, also when nothing is left."""
    with Api(tmp_path, VirtualClock(), credit_costs={"predict_glucose": cost}) as api:
        partner = api.partner("pays", monthly_credits=2 * cost)
        for number in (1, 2):
            assert predict(api, partner).status_code == 200
            assert balance(api, partner)["used_credits"] == number * cost
        food = f"/v1.2/foods/{api.food('oatmeal').id}"
        for path in (FOODS, food, "/v1.2/foods/autocomplete?query=oat"):
            assert api.client.get(path, headers=partner.headers(path)).status_code == 200
        answer = api.client.post(
            "/v1.2/food-logs",
            json={"foods": api.body()["foods"]},
            headers=partner.headers("/v1.2") | {"Service-End-User-ID": "u-1"},
        )
        assert answer.status_code == 201
        assert balance(api, partner)["remaining_credits"] == 0


def test_without_prices_nothing_costs_a_credit(tmp_path):
    """Row 60."""
    with Api(tmp_path, VirtualClock()) as api:
        partner = api.partner("free of charge", monthly_credits=0)
        assert predict(api, partner).status_code == 200
        assert balance(api, partner)["used_credits"] == 0


def test_a_thousand_calls_of_version_1_1_cost_no_credit(priced):
    """Rows 66, 309: nor do they count in the requests of version 1.2."""
    partner = priced.partner("old", monthly_requests=1, monthly_credits=1)
    old = partner.headers(OLD_PREDICT) | ZONE
    assert priced.client.post(OLD_PREDICT, json=priced.old_body(), headers=old).status_code == 200
    for _ in range(999):
        assert priced.client.get("/v1.1/users", headers=old).status_code == 200
    assert balance(priced, partner)["used_credits"] == 0
    assert predict(priced, partner).status_code == 200
