"""Large requests are parsed in other processes, in turn and with a share per credential."""

import asyncio
import json
import os
import pickle
from concurrent.futures import Future
from datetime import date
from typing import Any

import pytest
from api_client import OLD_PREDICT, PREDICT, ZONE, Api, assert_refused

from postmeal.errors import CatalogError, InputError, PostmealError, TooFewDays
from postmeal_serve.runtime.parsing_processes import Parsing
from postmeal_serve.wire import unparsed_body
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.unparsed_body import RequestBody
from postmeal_serve.wire.upload_limits import SMALL_BODY

BODY = RequestBody(b"{}", strict_names=False, checks_names=True)


class Busy:
    """A pool whose processes never finish."""

    def __init__(self) -> None:
        self.calls: list[Future[Any]] = []

    def submit(self, *args: Any) -> Future[Any]:
        self.calls.append(Future())
        return self.calls[-1]


def reading(parsing: Parsing, credential: str) -> "asyncio.Task[Any]":
    return asyncio.create_task(parsing.call(credential, os.getpid))


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def process_id(body: RequestBody) -> int:
    return os.getpid()


def refuse(body: RequestBody) -> None:
    body.ignored = ("userProfile",)
    raise InputError("foods[3]", "must be an object", 7, allowed=("a", "b"))


def die(body: RequestBody) -> None:
    os._exit(1)


def never_end(body: RequestBody) -> None:
    while True:
        pass


def test_a_credential_has_one_process_at_a_time(monkeypatch):
    """The second process serves other credentials, whoever came first."""

    async def run() -> None:
        parsing, busy = Parsing(processes=2), Busy()
        monkeypatch.setattr(parsing, "_running_pool", lambda: busy)
        tasks = [reading(parsing, name) for name in ("a", "a", "a", "b", "c")]
        await settled()
        assert len(busy.calls) == 2
        busy.calls[0].set_result(1)
        await settled()
        assert tasks[0].result() == 1
        assert len(busy.calls) == 3
        assert not any(each.done() for each in tasks[1:])
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())


def test_a_full_line_is_503_with_retry_after(monkeypatch):
    """For a credential with its share in the line, then for everybody; places are freed."""

    async def run() -> None:
        parsing, busy = Parsing(processes=1, line=3, share=2), Busy()
        monkeypatch.setattr(parsing, "_running_pool", lambda: busy)
        tasks = [reading(parsing, "a"), reading(parsing, "a")]
        await settled()
        await assert_full(parsing, "a")
        tasks.append(reading(parsing, "b"))
        await settled()
        await assert_full(parsing, "c")
        busy.calls[0].set_result(1)
        await settled()
        tasks.append(reading(parsing, "c"))
        await settled()
        assert not tasks[-1].done()
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())


async def assert_full(parsing: Parsing, credential: str) -> None:
    with pytest.raises(Refusal) as refused:
        await parsing.run(credential, process_id, BODY)
    assert refused.value.code == "service_unavailable"
    assert refused.value.headers["Retry-After"] == "5"


def test_what_is_not_read_in_time_is_504(monkeypatch):
    """Row 15."""
    monkeypatch.setattr("postmeal_serve.runtime.parsing_processes._WITHIN_S", 0.05)
    parsing = Parsing()
    monkeypatch.setattr(parsing, "_running_pool", Busy)
    with pytest.raises(Refusal) as refused:
        asyncio.run(parsing.run("a", process_id, BODY))
    assert refused.value.code == "upstream_timeout"


@pytest.mark.reliability
def test_work_is_done_in_another_process_which_is_replaced_when_it_dies_or_never_ends():
    """Results, errors and near misses come back."""

    async def run() -> None:
        parsing = Parsing(processes=1, processor_s=1)
        first = await parsing.run("a", process_id, BODY)
        assert first != os.getpid()
        body = RequestBody(b"{}", strict_names=False, checks_names=True)
        with pytest.raises(InputError, match=r"^foods\[3\] must be an object: a, b; got 7$"):
            await parsing.run("a", refuse, body)
        assert body.ignored == ("userProfile",)
        for work in (die, never_end):
            with pytest.raises(Refusal) as refused:
                await parsing.run("a", work, BODY)
            assert refused.value.code == "service_unavailable"
            second = await parsing.run("a", process_id, BODY)
            assert second not in (first, os.getpid())
            first = second
        parsing.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    "error",
    [
        InputError("age", "must be a number", 7, allowed=("a",)),
        TooFewDays(3, 5, {date(2026, 1, 5): ("CGM",)}),
        CatalogError("damaged", "damaged"),
        Refusal("not_found", "no food", field="id", allowed=("1",), headers={"Retry-After": "5"}),
    ],
)
def test_an_error_is_the_same_after_it_was_pickled(error: PostmealError | Refusal):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.args, vars(again)) == (str(error), error.args, vars(error))


@pytest.fixture
def elsewhere(monkeypatch) -> None:
    """Fail if this process parses a large body."""
    parse = unparsed_body.parse_body

    def guarded(content: bytes, *args: Any, **options: Any) -> Any:
        assert len(content) <= SMALL_BODY
        return parse(content, *args, **options)

    monkeypatch.setattr(unparsed_body, "parse_body", guarded)


def test_a_body_over_64_kb_is_not_parsed_in_this_process(api: Api, elsewhere):
    """Rows 9, 303: and is answered as any other."""
    unknown = {"unknown": "x" * SMALL_BODY}
    for path, body in ((PREDICT, api.body()), (OLD_PREDICT, api.old_body())):
        small = api.post(path, json=body, headers=ZONE)
        large = api.post(path, json=body | unknown, headers=ZONE)
        assert (large.status_code, large.json()) == (200, small.json())


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1.2/food-logs"),
        ("PATCH", "/v1.2/food-logs/x"),
        ("POST", "/v1.2/auth/client-tokens"),
        ("POST", "/v1.2/auth/client-token-revocations"),
        ("POST", "/v1.2/foods/1848/alternatives"),
        ("POST", PREDICT),
        ("POST", "/v1.1/user"),
        ("PATCH", "/v1.1/user"),
        ("POST", "/v1.1/logs/foods"),
        ("POST", "/v1.1/user/training"),
        ("POST", "/v1.1/food-alternatives/1848"),
        ("POST", "/v1.1/cgm/user-glucose-predict"),
        ("POST", OLD_PREDICT),
    ],
)
def test_no_operation_parses_a_large_body_in_this_process(api: Api, elsewhere, method, path):
    """Row 7: JSON that breaks off after 70 KB."""
    headers = api.headers(path) | ZONE | {"Content-Type": "application/json"}
    headers |= {"Service-End-User-ID": "Ada"}
    headers["x-partner-user-id"] = headers["x-user-id"] = "00000000-0000-4000-8000-000000000000"
    content = json.dumps({"unknown": "x" * 70_000})[:-1]
    answer = api.client.request(method, path, content=content, headers=headers)
    assert_refused(answer, 400, "valid JSON")
