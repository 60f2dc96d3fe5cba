"""Calls in flight: how many at once, and that none keeps its place."""

import asyncio
import json
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from api_client import CHAT, PREDICT, Api, Partner, VirtualClock, assert_refused
from client_tokens import CREDITS, bearer, mint
from sqlalchemy import func, select, update

from postmeal.chat import Assistant, ChatAnswer
from postmeal.literature import Literature, SearchResult
from postmeal_serve.accounting.meter import Charge, Ticket
from postmeal_serve.accounting.process_lease import LIFE as LEASE
from postmeal_serve.accounting.process_lease import renew
from postmeal_serve.accounting.reservations import LIFE
from postmeal_serve.partners.plans import PLANS, Plan
from postmeal_serve.storage.tables import reservation
from postmeal_serve.wire.errors import Refusal

PRICED: dict[str, Any] = {"credit_costs": {"predict_glucose": 1}}
CHATTING = "create_chat_completion"
SEARCH = "/v1.2/literature/search"
FIVE = {"in_flight": {"predict_glucose": 5}}


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def api(tmp_path, clock) -> Iterator[Api]:
    """A service where a prediction costs a credit, with a clock that the test sets."""
    with Api(tmp_path, clock, **PRICED) as api:
        yield api


def predict(api: Api, partner: Partner):
    return api.client.post(PREDICT, json=api.body(), headers=partner.headers(PREDICT))


def begin(api: Api, partner: Partner, endpoint: str = "predict_glucose") -> Ticket:
    """Be admitted, and stay in flight."""

    async def admit() -> Ticket:
        caller = await api.service.credentials.look_up(partner.keys["v1.2"])
        assert not isinstance(caller, str)
        return await api.service.meter.admit(caller, Charge(endpoint, credits=1), "")

    ticket: Ticket = api.client.portal.call(admit)
    return ticket


def end(api: Api, ticket: Ticket, *, succeeded: bool = True) -> None:
    async def settle() -> None:
        await api.service.meter.settle(ticket, succeeded=succeeded)

    api.client.portal.call(settle)


def search(api: Api, partner: Partner):
    body = {"query": "fiber", "limit": 1}
    return api.client.post(SEARCH, json=body, headers=partner.headers(SEARCH))


def chat(api: Api, partner: Partner):
    body = {"model": "service", "messages": [{"role": "user", "content": "hello"}]}
    return api.client.post(CHAT, json=body, headers=partner.headers(CHAT))


def slots_in_use(api: Api, partner: Partner) -> int:
    of_partner = reservation.c.organization_id == partner.id
    with api.service.database.reading() as connection:
        held = connection.execute(select(func.count()).where(of_partner))
        count: int = held.scalar_one()
    return count


def credits_used(api: Api, partner: Partner) -> int:
    used: int = api.client.get(CREDITS, headers=partner.headers(CREDITS)).json()["used_credits"]
    return used


def test_the_sixth_call_at_once_is_refused_and_no_earlier(api):
    """Rows 67, 69: without a time to come back, for nobody knows it; 5 in flight all succeed."""
    partner = api.partner("five", **FIVE)
    tickets = [begin(api, partner) for _ in range(5)]
    answer = predict(api, partner)
    assert_refused(answer, 429)
    assert answer.json()["code"] == "rate_limited"
    assert "retry-after" not in answer.headers
    for ticket in tickets:
        end(api, ticket)
    assert credits_used(api, partner) == 5
    assert predict(api, partner).status_code == 200


def test_every_endpoint_has_places_of_its_own(api):
    """Row 68: as has every partner."""
    partner = api.partner("pools", in_flight={"predict_glucose": 1, "another": 1})
    other = api.partner("other", in_flight={"predict_glucose": 1})
    begin(api, partner)
    begin(api, partner, "another")
    begin(api, other)
    for full in ("predict_glucose", "another"):
        with pytest.raises(Refusal, match="are in progress"):
            begin(api, partner, full)


def test_keys_and_tokens_of_a_partner_share_its_places(tmp_path, clock):
    """Row 69: over two processes."""
    with Api(tmp_path, clock, **PRICED) as here, Api(tmp_path, clock, **PRICED) as there:
        partner, again = here.partner("shared", **FIVE), here.partner("shared", **FIVE)
        held = [begin(api, key) for api, key in ((here, partner), (there, again)) * 2]
        token = bearer(mint(here, partner))
        assert there.client.post(PREDICT, json=here.body(), headers=token).status_code == 200
        held.append(begin(there, again))
        for api in (here, there):
            for headers in (token, partner.headers(PREDICT), again.headers(PREDICT)):
                assert_refused(api.client.post(PREDICT, json=here.body(), headers=headers), 429)


@pytest.mark.sampled
@pytest.mark.parametrize("plan", [*PLANS, "own"])
def test_the_sixth_literature_search_at_once_is_refused_on_every_plan(tmp_path, clock, plan):
    """Rows 68, 69: also on a plan that says nothing of it; other endpoints have other places."""
    plans = {**PLANS, "own": Plan()}
    with Api(tmp_path, clock, plans=plans) as api:
        partner = api.partner("reader", plan, monthly_credits=10)
        tickets = [begin(api, partner, "search_literature") for _ in range(5)]
        answer = search(api, partner)
        assert_refused(answer, 429)
        assert answer.json()["code"] == "rate_limited"
        assert "retry-after" not in answer.headers
        assert predict(api, partner).status_code == 200
        end(api, tickets.pop())
        assert search(api, partner).status_code == 200
        more = api.partner("more", plan, in_flight={"search_literature": 6})
        for _ in range(5):
            begin(api, more, "search_literature")
        assert search(api, more).status_code == 200


def test_five_literature_searches_at_once_all_succeed(tmp_path, monkeypatch):
    """Row 68: over HTTP, while a sixth is refused."""
    go, searching = threading.Event(), Literature.search

    def slowly(*args: Any, **options: Any) -> SearchResult:
        assert go.wait(60)
        return searching(*args, **options)

    monkeypatch.setattr(Literature, "search", slowly)
    with Api(tmp_path) as api, ThreadPoolExecutor(6) as threads:
        partner = api.partner("reader")
        running = [threads.submit(search, api, partner) for _ in range(5)]
        while slots_in_use(api, partner) < 5:
            time.sleep(0.01)
        assert_refused(search(api, partner), 429)
        go.set()
        assert {each.result().status_code for each in running} == {200}
        assert slots_in_use(api, partner) == 0
        assert credits_used(api, partner) == 5


@pytest.mark.sampled
@pytest.mark.parametrize("plan", [*PLANS, "own"])
def test_the_sixth_chat_at_once_is_refused_on_every_plan(tmp_path, clock, plan):
    """Rows 67, 69: with all keys of a partner, while its searches have other places."""
    with Api(tmp_path, clock, plans={**PLANS, "own": Plan()}) as api:
        partner = api.partner("talker", plan, monthly_credits=10)
        again = api.partner("talker", plan, monthly_credits=10)
        tickets = [begin(api, each, CHATTING) for each in (partner, again, partner, again, partner)]
        for each in (partner, again):
            answer = chat(api, each)
            assert_refused(answer, 429)
            assert answer.json()["error"]["code"] == "rate_limited"
            assert "retry-after" not in answer.headers
        assert search(api, partner).status_code == 200
        end(api, tickets.pop())
        assert chat(api, partner).status_code == 200
        more = api.partner("more", plan, in_flight={CHATTING: 6})
        for _ in range(5):
            begin(api, more, CHATTING)
        assert chat(api, more).status_code == 200


def test_five_chats_at_once_all_succeed_and_the_last_credit_is_sold_once(tmp_path, monkeypatch):
    """Rows 62, 67: over HTTP."""
    go, answering = threading.Event(), Assistant.answer

    def slowly(*args: Any) -> ChatAnswer:
        assert go.wait(60)
        return answering(*args)

    monkeypatch.setattr(Assistant, "answer", slowly)
    with Api(tmp_path) as api, ThreadPoolExecutor(6) as threads:
        partner = api.partner("talker")
        running = [threads.submit(chat, api, partner) for _ in range(5)]
        while slots_in_use(api, partner) < 5:
            time.sleep(0.01)
        assert_refused(chat(api, partner), 429)
        go.set()
        assert {each.result().status_code for each in running} == {200}
        assert slots_in_use(api, partner) == 0
        assert credits_used(api, partner) == 5
        poor = api.partner("poor", monthly_credits=1)
        outcomes = [threads.submit(chat, api, poor) for _ in range(5)]
        statuses = sorted(each.result().status_code for each in outcomes)
        assert statuses == [200, 429, 429, 429, 429]
        assert credits_used(api, poor) == 1


@pytest.mark.parametrize("places", [1, 2, 7])
def test_the_number_of_places_may_be_agreed(api, places):
    """Row 69: over what the plan says."""
    partner = api.partner("agreed", in_flight={"predict_glucose": places})
    for _ in range(places):
        begin(api, partner)
    assert_refused(predict(api, partner), 429)


@pytest.mark.parametrize("succeeded", [True, False])
def test_a_call_that_ends_gives_its_place_back(api, succeeded):
    """Rows 61, 70: with an answer or with an error, which costs nothing."""
    partner = api.partner("ends", in_flight={"predict_glucose": 1}, monthly_credits=5)
    for number in range(1, 4):
        end(api, begin(api, partner), succeeded=succeeded)
        assert credits_used(api, partner) == number * succeeded
    bad = {**api.body(), "foods": []}
    for _ in range(3):
        answer = api.client.post(PREDICT, json=bad, headers=partner.headers(PREDICT))
        assert_refused(answer, 400)
    assert predict(api, partner).status_code == 200


def kill_its_process(api: Api, clock: VirtualClock) -> None:
    """Leave the reservations behind as a process does that was killed right now."""
    with api.service.database.writing() as connection:
        connection.execute(update(reservation).values(process_id="killed"))
        renew(connection, clock.steady(), "killed")


def test_a_credit_that_a_killed_process_held_is_free_when_its_lease_ends(tmp_path, clock):
    """Rows 70, 74: after a restart; the credit was never used."""
    with Api(tmp_path, clock, **PRICED) as api:
        partner = api.partner("killed", in_flight={"predict_glucose": 1}, monthly_credits=1)
        begin(api, partner)
        kill_its_process(api, clock)
    with Api(tmp_path, clock, **PRICED) as api:
        assert predict(api, partner).json()["code"] == "credit_limit_exceeded"
        clock.advance(LEASE.total_seconds() - 0.001)
        assert_refused(predict(api, partner), 429)
        clock.advance(0.001)
        assert credits_used(api, partner) == 0
        assert predict(api, partner).status_code == 200
        assert credits_used(api, partner) == 1
    assert LEASE.total_seconds() < 10


def test_the_wait_for_a_slot_of_a_dead_process_is_told_once_it_is_known_to_be_dead(api, clock):
    """Row 69: a process that lives may end its request at any time, so no wait is known."""
    partner = api.partner("waiting", **FIVE)
    for _ in range(5):
        begin(api, partner)
    kill_its_process(api, clock)
    refused = predict(api, partner)
    assert_refused(refused, 429)
    assert "retry-after" not in refused.headers
    clock.advance(5.5)
    refused = predict(api, partner)
    assert_refused(refused, 429)
    assert "retry after 3 seconds" in refused.json()["message"]
    assert refused.headers["retry-after"] == "3"
    clock.advance(int(refused.headers["retry-after"]))
    assert predict(api, partner).status_code == 200


def test_a_slot_of_a_process_that_lives_outlasts_its_lease(api, clock):
    """Row 70: as after an outage of the database, in which no lease can be renewed."""
    partner = api.partner("long", in_flight={"predict_glucose": 1})
    begin(api, partner)
    for _ in range(3):
        clock.advance(2 * LEASE.total_seconds())
        assert_refused(predict(api, partner), 429)


def test_a_call_that_outlives_its_reservation_is_charged_if_a_credit_is_left(api, clock):
    """Rows 62, 63: used credits never exceed the included ones."""
    partner = api.partner("slow", monthly_credits=1)
    slow = begin(api, partner)
    clock.advance(LIFE.total_seconds())
    assert predict(api, partner).status_code == 200
    end(api, slow)
    assert credits_used(api, partner) == 1
    rich = api.partner("rich", monthly_credits=9)
    slow = begin(api, rich)
    clock.advance(LIFE.total_seconds())
    end(api, slow)
    assert credits_used(api, rich) == 1


def body_then_gone(body: bytes, pieces: int) -> list[dict[str, Any]]:
    """What a client sends that hangs up after some pieces of its body."""
    size = len(body) // 4
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    sent = [
        {"type": "http.request", "body": part, "more_body": part is not parts[-1]}
        for part in parts[:pieces]
    ]
    return [*sent, {"type": "http.disconnect"}]


async def call(api: Api, partner: Partner, messages: list[dict[str, Any]], cut: str) -> int | None:
    """Make a call that the client leaves; the status that it was sent, if any."""
    status = None

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if len(messages) > 1 else messages[0]

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        if cut == "gone":
            raise OSError("the client has gone")
        if message["type"] == "http.response.start":
            status = message["status"]

    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": PREDICT, "raw_path": PREDICT.encode(), "query_string": b"", "root_path": "",
        "client": ("192.0.2.1", 1), "server": ("testserver", 80), "state": api.client.app_state,
        "headers": [(b"authorization", f"Bearer {partner.keys['v1.2']}".encode()),
                    (b"content-type", b"application/json")],
    }  # fmt: skip
    task = asyncio.create_task(api.app(scope, receive, send))
    if cut == "cancelled":
        await asyncio.sleep(random.uniform(0, 0.03))
        task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return status


@pytest.mark.parametrize("pieces", [0, 1, 3])
def test_a_client_that_leaves_before_its_request_is_whole_is_not_charged(api, pieces):
    """Row 63: nothing was answered, and no place is held."""
    partner = api.partner("leaves", in_flight={"predict_glucose": 1}, monthly_credits=2)
    body = json.dumps(api.body()).encode()
    for _ in range(3):
        api.client.portal.call(call, api, partner, body_then_gone(body, pieces), "")
    assert credits_used(api, partner) == 0
    assert predict(api, partner).status_code == 200


@pytest.mark.parametrize("cut", ["", "gone"])
def test_a_client_that_leaves_before_its_answer_is_charged_once(api, cut):
    """Row 63: the answer was made, whether or not it could be sent; the place is free."""
    partner = api.partner("left", in_flight={"predict_glucose": 1}, monthly_credits=9)
    body = json.dumps(api.body()).encode()
    for number in range(1, 4):
        status = api.client.portal.call(call, api, partner, body_then_gone(body, 5), cut)
        assert status == (None if cut else 200)
        assert credits_used(api, partner) == number
    assert predict(api, partner).status_code == 200


def test_a_call_that_is_broken_off_at_any_moment_keeps_no_place(api, clock):
    """Rows 63, 70: charged at most once, and for every answer that went out."""
    partner = api.partner("broken off", **FIVE, monthly_credits=1000)
    body = json.dumps(api.body()).encode()
    answered = 0
    for _ in range(40):
        messages = body_then_gone(body, 5)
        answered += api.client.portal.call(call, api, partner, messages, "cancelled") == 200
        clock.advance(3)
    clock.advance(LIFE.total_seconds())
    assert answered <= credits_used(api, partner) <= 40
    tickets = [begin(api, partner) for _ in range(5)]
    assert_refused(predict(api, partner), 429)
    for ticket in tickets:
        end(api, ticket)
