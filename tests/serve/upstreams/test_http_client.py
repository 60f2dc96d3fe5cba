"""How services outside are asked: real HTTP, with every fault that a server can have."""

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import httpx2
import pytest
from api_client import ROOT, VirtualClock
from hypothesis import given
from hypothesis import strategies as st
from stopwatch import Stopwatch
from upstream_server import COOKIE, FAULTS, UpstreamServer, cookie

from postmeal_serve.settings import Settings
from postmeal_serve.upstreams.http_client import (
    MAX_RESPONSE_BYTES,
    ResponseModel,
    ServiceClient,
    UpstreamError,
    new_client,
)
from postmeal_serve.upstreams.token_bucket import TokenBucket

PATH = f"/api/v2/product/{COOKIE}"


class Found(ResponseModel):
    status: int


@pytest.fixture
def upstream() -> Iterator[UpstreamServer]:
    with UpstreamServer(products=[cookie()]) as server:
        yield server


class Asking:
    """A client of the server, and the outcomes that it counted."""

    def __init__(self, server: UpstreamServer, within_s: float = 5, **options: object) -> None:
        self.within_s, self.outcomes = within_s, Counter[str]()
        self._server, self._options = server, {"in_flight": 4, **options}

    def ask(self, times: int = 1) -> list[Found | UpstreamError]:
        return asyncio.run(self._asked(times))

    async def _asked(self, times: int) -> list[Found | UpstreamError]:
        http = new_client("someone@example.org")
        address = self._server.address
        client = ServiceClient(http, self._count, "stand-in", address, **self._options)  # type: ignore[arg-type]
        responses = [client.request(PATH, Found, self.within_s) for _ in range(times)]
        found = await asyncio.gather(*responses, return_exceptions=True)
        await http.aclose()
        return found

    def _count(self, name: str, outcome: str) -> None:
        assert name == "stand-in"
        self.outcomes[outcome] += 1


def test_an_answer_is_read_and_the_service_told_who_asks(upstream):
    asking = Asking(upstream)
    (found,) = asking.ask()
    assert found.status == 1
    headers = upstream.asked[0].headers
    assert headers["user-agent"].startswith("postmeal/")
    assert headers["user-agent"].endswith(" (someone@example.org)")
    assert headers["accept-encoding"] == "identity"
    assert asking.outcomes == {"answered": 1}


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "another product"])
def test_whatever_goes_wrong_is_one_error(upstream, fault):
    """R12, S9: and nothing of it is in the error."""
    if fault == "unreachable":
        upstream.stop()
    upstream.fault = fault
    asking = Asking(upstream)
    (found,) = asking.ask()
    assert isinstance(found, UpstreamError)
    assert found.reason == "failed"
    assert found.__cause__ is None
    assert str(found) == "failed"
    assert asking.outcomes == {"failed": 1}


def test_of_an_answer_without_end_little_is_read(upstream):
    upstream.fault = "50 MB"
    taken = 0

    class Counting(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            answer = await super().handle_async_request(request)
            stream = answer.stream
            assert isinstance(stream, httpx2.AsyncByteStream)

            async def counted():
                nonlocal taken
                async for part in stream:
                    taken += len(part)
                    yield part

            class Stream(httpx2.AsyncByteStream):
                def __aiter__(self):
                    return counted()

                async def aclose(self) -> None:
                    await stream.aclose()

            return httpx2.Response(answer.status_code, headers=answer.headers, stream=Stream())

    async def ask() -> None:
        async with httpx2.AsyncClient(transport=Counting()) as http:
            client = ServiceClient(http, lambda *_: None, "stand-in", upstream.address, in_flight=1)
            with pytest.raises(UpstreamError, match="failed"):
                await client.request(PATH, Found, 5)

    asyncio.run(ask())
    assert MAX_RESPONSE_BYTES < taken < 2 * MAX_RESPONSE_BYTES


@pytest.mark.parametrize("fault", ["silence", "dripping"])
def test_the_whole_answer_is_due_in_time(upstream, fault):
    """R12: a byte now and then keeps nobody waiting."""
    upstream.fault = fault
    with Stopwatch() as watch:
        (found,) = Asking(upstream, within_s=0.5).ask()
    assert watch.elapsed_s < 1.5
    assert isinstance(found, UpstreamError)
    assert found.reason == "too slow"


def test_proxy_and_netrc_settings_of_the_environment_are_ignored(upstream, tmp_path, monkeypatch):
    """S6: no proxy sees a request, and no stored password is sent."""
    passwords = tmp_path / "netrc"
    passwords.write_text("machine 127.0.0.1 login someone password secret\n")
    with UpstreamServer() as proxy:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
            monkeypatch.setenv(name.upper(), proxy.address)
        monkeypatch.setenv("no_proxy", "")
        monkeypatch.setenv("NO_PROXY", "")
        monkeypatch.setenv("NETRC", str(passwords))
        (found,) = Asking(upstream).ask()
    assert found.status == 1
    assert "authorization" not in upstream.asked[0].headers
    assert (len(upstream.asked), proxy.asked) == (1, [])


def test_a_redirect_is_not_followed(upstream):
    upstream.fault = "redirect"
    Asking(upstream).ask()
    assert [asked.path for asked in upstream.asked] == [PATH]


def test_no_more_than_so_many_questions_are_under_way(upstream):
    upstream.delay_s = 0.05
    found = Asking(upstream, in_flight=3).ask(times=12)
    assert all(isinstance(each, Found) for each in found)
    assert upstream.most_at_once == 3


def test_a_service_is_asked_no_more_often_than_it_allows(upstream):
    clock = VirtualClock()
    asking = Asking(upstream, rate_limit=TokenBucket(clock, 100, 60))
    outcomes = [each if isinstance(each, UpstreamError) else None for each in asking.ask(times=12)]
    refused = [each for each in outcomes if each is not None]
    assert len(upstream.asked) == 10
    assert [each.reason for each in refused] == ["busy", "busy"]
    assert 0 < refused[0].retry_after_s < 1
    assert asking.outcomes == {"answered": 10, "busy": 2}


def test_a_service_that_asks_for_a_rest_gets_it(upstream):
    upstream.fault = "429"
    (found,) = Asking(upstream).ask()
    assert found.reason == "busy"
    assert found.retry_after_s == 60


@given(st.lists(st.floats(0, 30), min_size=1, max_size=300))
def test_in_no_stretch_of_a_minute_more_is_taken_than_allowed(pauses_s):
    clock = VirtualClock()
    bucket = TokenBucket(clock, 100, 60)
    taken_s = []
    for pause_s in pauses_s:
        clock.advance(pause_s)
        while bucket.consume() == 0:
            taken_s.append(clock.seconds)
    for begin_s in taken_s:
        assert sum(begin_s <= at_s < begin_s + 60 for at_s in taken_s) <= 100


@given(st.lists(st.floats(0, 5), min_size=1, max_size=50))
def test_after_the_time_that_is_told_one_more_can_be_taken(pauses_s):
    clock = VirtualClock()
    bucket = TokenBucket(clock, 100, 60)
    for pause_s in pauses_s:
        clock.advance(pause_s)
        while (wait_s := bucket.consume()) == 0:
            pass
        clock.advance(wait_s * 0.99)
        assert bucket.consume() > 0
        clock.advance(wait_s * 0.011)
        assert bucket.consume() == 0


@pytest.mark.reliability
def test_without_a_setting_no_http_client_is_imported():
    program = """
import asyncio, sys
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.settings import Settings
from postmeal_serve.upstreams.clients import Upstreams
upstreams = Upstreams(Settings(), Clock(), print)
assert upstreams.products is None
assert "httpx2" not in sys.modules
Upstreams(Settings(live_barcodes=["open_food_facts"]), Clock(), print)
assert "httpx2" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, env={
        "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"
    })  # fmt: skip


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"live_barcodes": ["fooddata_central"]}, "live_barcodes"),
        ({"live_barcodes": ["open_food_facts"] * 2}, "live_barcodes"),
        ({"live_barcodes": ["wikipedia"]}, "live_barcodes"),
        ({"live_barcodes_within_s": 0}, "live_barcodes_within_s"),
        ({"open_food_facts_url": "file:///etc/passwd"}, "open_food_facts_url"),
        ({"open_food_facts_url": "https://me:secret@example.org"}, "open_food_facts_url"),
        ({"open_food_facts_url": "https:///nowhere"}, "open_food_facts_url"),
        ({"meal_reader_url": "http://127.0.0.1:1/v1"}, "meal_reader_url"),
        ({"contact": "a\nb"}, "contact"),
        ({"live_literature": ["e_utilities"]}, "live_literature"),
        ({"live_literature": ["europe_pmc"] * 2}, "live_literature"),
        ({"live_literature": ["scholar"]}, "live_literature"),
        ({"live_literature_within_s": 31}, "live_literature_within_s"),
        ({"europe_pmc_url": "ftp://example.org"}, "europe_pmc_url"),
        ({"e_utilities_email": "nobody"}, "e_utilities_email"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_by_name(given, field):
    with pytest.raises(ValueError, match=field):
        Settings(**given)
