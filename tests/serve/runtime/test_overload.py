"""While the event loop falls behind, a share of the requests is refused."""

import asyncio
import time
from contextlib import suppress

import pytest
from api_client import assert_refused

from postmeal_serve.runtime.overload import LATE_S, MANY, Overload
from postmeal_serve.wire.errors import Refusal

LATE, IN_TIME = 2 * LATE_S, LATE_S / 2


def overload_after(*delays_s: float, requests: int = MANY) -> Overload:
    overload = Overload()
    for late_s in delays_s:
        overload.observe(late_s, requests)
    return overload


def refused_of_100(overload: Overload) -> int:
    refused = 0
    for _ in range(100):
        try:
            overload.check()
        except Refusal:
            refused += 1
    return refused


def test_nothing_is_refused_by_a_loop_that_is_in_time():
    assert refused_of_100(overload_after(*[IN_TIME] * 50)) == 0


def test_a_burst_refuses_nothing():
    assert refused_of_100(overload_after(LATE, LATE, IN_TIME, LATE, LATE)) == 0


def test_a_loop_that_waits_for_the_processor_refuses_none_of_few_requests():
    assert refused_of_100(overload_after(*[LATE] * 50, requests=MANY - 1)) == 0


def test_a_delay_that_lasts_refuses_a_growing_share():
    shares = [refused_of_100(overload_after(*[LATE] * times)) for times in (3, 6, 9)]
    assert shares == [10, 40, 70]


def test_some_requests_pass_however_long_the_delay_lasts():
    assert refused_of_100(overload_after(*[LATE] * 100)) == 95


def test_nothing_is_refused_two_seconds_after_the_delay_has_ended():
    assert refused_of_100(overload_after(*[LATE] * 100, *[IN_TIME] * 20)) == 0


def test_the_refusal_is_503_with_retry_after():
    overload = overload_after(*[LATE] * 100)
    overload.check()
    with pytest.raises(Refusal) as raised:
        overload.check()
    assert raised.value.status == 503
    assert raised.value.headers == {"Retry-After": "1"}


def hold_up(overload: Overload, requests: int) -> None:
    """Hold up an event loop again and again, and handle requests meanwhile."""

    async def work() -> None:
        async with overload.watching():
            for _ in range(8):
                await asyncio.sleep(0)
                time.sleep(LATE_S + 0.15)
                for _ in range(requests):
                    with suppress(Refusal):
                        overload.check()
                await asyncio.sleep(0)

    asyncio.run(work())


def test_a_loop_that_is_held_up_by_requests_refuses_some():
    overload = Overload()
    hold_up(overload, MANY)
    assert overload.share > 0


def test_a_loop_that_is_held_up_by_something_else_refuses_none():
    overload = Overload()
    hold_up(overload, 2)
    assert overload.share == 0


@pytest.mark.parametrize("path", ["/v1.2/foods?query=rice", "/v1.1/search/foods/nlp?query=rice"])
def test_an_overloaded_service_answers_in_the_shape_of_the_version(api, path, monkeypatch):
    overload = api.service.overload
    monkeypatch.setattr(overload, "_refused", 19)
    monkeypatch.setattr(overload, "observe", lambda late_s, requests: None)
    answers = [api.client.get(path, headers=api.headers(path)) for _ in range(20)]
    refused = [answer for answer in answers if answer.status_code == 503]
    assert len(refused) >= 18
    for answer in refused:
        assert_refused(answer, 503)
        assert answer.headers["Retry-After"] == "1"
    assert api.client.get("/healthz").status_code == 200
