"""The Python client: its generated code, its errors, and how it renews a token."""

import asyncio
import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from api_client import ROOT, Api, Demo, VirtualClock
from client_tokens import mint
from faulty_network import FaultyNetwork

import postmeal_client
from generate import PACKAGE, write_client
from postmeal_client import (
    ApiError,
    AsyncClient,
    AuthenticationFailed,
    Client,
    ConnectionLost,
    InvalidRequest,
    NotFound,
    NotPermitted,
    RateLimited,
    Retries,
    ServiceFailed,
    UnexpectedResponse,
    v1_1,
    v1_2,
)
from postmeal_serve.app import OPERATIONS

SERVICE = "http://testserver"
GUIDE = ROOT / "docs/how-to/use_the_python_client.md"


@pytest.fixture
def client(api: Api) -> Client:
    return Client(SERVICE, api.keys["v1.2"], http=api.client)


class Scripted(httpx2.MockTransport):
    """A transport that answers with the given responses in turn, and counts the requests."""

    def __init__(self, *answers: httpx2.Response | Exception) -> None:
        self.answers = list(answers)
        self.credentials: list[str] = []
        super().__init__(self.answer)

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.credentials.append(request.headers["authorization"])
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def calls(*answers: httpx2.Response | Exception, **options) -> tuple[Client, Scripted, list[float]]:
    """A client that gets the answers in turn, its transport, and the list of its waits."""
    transport, waits = Scripted(*answers), list[float]()
    http = httpx2.Client(transport=transport)
    return Client(SERVICE, "sk-1", http=http, sleep=waits.append, **options), transport, waits


def error(status: int, code: str, **headers: str) -> httpx2.Response:
    return httpx2.Response(status, json={"code": code, "message": "no"}, headers=headers)


BALANCE = {
    "plan": "free", "period_start": "2026-01-01", "period_end": "2026-01-31",
    "resets_at": "2026-02-01T00:00:00Z", "included_credits": 100, "used_credits": 0,
    "remaining_credits": 100,
}  # fmt: skip


@pytest.mark.reliability
def test_the_generated_files_are_those_of_the_openapi_documents(tmp_path: Path) -> None:
    write_client(tmp_path)
    written = {file.relative_to(tmp_path): file for file in tmp_path.rglob("*.py")}
    assert len(written) == 6
    for name, file in written.items():
        assert file.read_text() == (PACKAGE / name).read_text(), f"{name}: run make client"


@pytest.mark.parametrize("version", ["v1.1", "v1.2"])
def test_every_operation_has_a_method_in_both_classes(version: str) -> None:
    module = {"v1.1": v1_1, "v1.2": v1_2}[version]
    names = {each.endpoint_name for each in OPERATIONS if each.version.name == version}
    for kind in (module.Client, module.AsyncClient):
        assert names == {name for name in vars(kind) if not name.startswith("_")}


def test_the_documented_blocks_run(demo: Demo, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("API", demo.address)
    monkeypatch.setenv("KEY", demo.keys["v1.2"])
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, names)
    assert re.fullmatch(r"Snack \['Banana.*'\]\nBanana.*\n", capsys.readouterr().out)


def test_results_are_models(client: Client, api: Api) -> None:
    found = client.search_foods(query="banana", limit=2)
    assert isinstance(found, v1_2.models.FoodPage)
    assert client.read_food(found.items[0].id).name == found.items[0].name
    request = v1_2.models.PredictionRequest(**api.body())
    assert len(client.predict_glucose(request, include="band").points) == 9


def test_the_asynchronous_client_returns_the_same(api: Api, client: Client) -> None:
    async def search() -> v1_2.models.FoodPage:
        network = FaultyNetwork(api, VirtualClock(), random.Random(1), share=0)
        http = httpx2.AsyncClient(transport=network)
        async with AsyncClient(SERVICE, api.keys["v1.2"], http=http) as other:
            return await other.search_foods(query="banana", limit=2)

    assert asyncio.run(search()) == client.search_foods(query="banana", limit=2)


def test_null_removes_a_name_and_an_omitted_field_keeps_it(client: Client, api: Api) -> None:
    foods = [v1_2.models.FoodItem(**food) for food in api.body()["foods"]]
    log = client.create_food_log(
        v1_2.models.FoodLogRequest(foods=foods, name="Breakfast"), service_end_user_id="u-null"
    )
    changes = v1_2.models.FoodLogChange(timestamp_utc="2026-01-05T13:00:00Z")
    kept = client.change_food_log(str(log.id), changes, service_end_user_id="u-null")
    assert kept.name == "Breakfast"
    removed = client.change_food_log(
        str(log.id), v1_2.models.FoodLogChange(name=None), service_end_user_id="u-null"
    )
    assert removed.name is None


def test_a_field_that_the_client_does_not_know_reaches_the_service(
    client: Client, api: Api
) -> None:
    body = {name: value for name, value in api.body().items() if name != "start_time"}
    misspelled = v1_2.models.PredictionRequest(**body, start_tme="2026-01-05T08:00:00Z")
    with pytest.raises(InvalidRequest, match="start_tme"):
        client.predict_glucose(misspelled)


def test_errors_have_code_field_and_request_id(client: Client, api: Api) -> None:
    with pytest.raises(InvalidRequest, match="limit") as invalid:
        client.search_foods(query="rice", limit=0)
    assert (invalid.value.status, invalid.value.code) == (400, "invalid_request")
    assert invalid.value.request_id
    with pytest.raises(NotFound) as missing:
        client.read_food("999999999")
    assert missing.value.code == "not_found"
    message = {"role": "user", "content": " "}
    chat = v1_2.models.ChatRequest(model="service", messages=[message])
    with pytest.raises(InvalidRequest) as blank:
        client.create_chat_completion(chat)
    assert blank.value.field == "messages[0].content"
    old = v1_1.Client(SERVICE, api.keys["v1.1"], http=api.client)
    with pytest.raises(InvalidRequest) as out_of_range:
        old.search_foods(query="rice", limit=0)
    assert (out_of_range.value.code, out_of_range.value.field) == (None, "limit")


@pytest.mark.parametrize(
    ("credential", "kind", "code"),
    [
        ("sk-v1.2-unknown", AuthenticationFailed, "unauthorized"),
        ("v1.1", NotPermitted, "forbidden"),
    ],
)
def test_a_refused_credential_is_not_sent_again(
    api: Api, credential: str, kind: type[ApiError], code: str
) -> None:
    sent = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return api.client.send(request)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with pytest.raises(kind) as refused:
        Client(SERVICE, api.keys.get(credential, credential), http=http).read_credits()
    assert refused.value.code == code
    assert len(sent) == 1


def test_an_expired_token_is_minted_once_for_all_threads(tmp_path: Path) -> None:
    clock = VirtualClock()
    with Api(tmp_path, clock) as api:
        partner, minted = api.partner("app"), list[str]()

        def token() -> str:
            minted.append(mint(api, partner, ttl_seconds=300, scopes=["foods:read"]))
            return minted[-1]

        app = Client(SERVICE, token, http=api.client)
        app.search_foods(query="rice")
        clock.advance(301)
        start = threading.Barrier(4)

        def search(_: int) -> int:
            start.wait()
            return len(app.search_foods(query="rice", limit=1).items)

        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(search, range(4))) == [1] * 4
        assert len(minted) == 2


def test_a_new_token_that_is_expired_too_is_an_error() -> None:
    expired, tokens = error(401, "token_expired"), iter(("ct-1", "ct-2", "ct-3"))
    transport = Scripted(expired, expired, expired)
    client = Client(
        SERVICE, lambda: next(tokens), http=httpx2.Client(transport=transport), sleep=print
    )
    with pytest.raises(AuthenticationFailed, match="token_expired"):
        client.read_credits()
    assert transport.credentials == ["Bearer ct-1", "Bearer ct-2"]


@pytest.mark.parametrize("code", ["token_invalid", "token_revoked"])
def test_other_tokens_are_not_renewed(code: str) -> None:
    transport = Scripted(error(401, code))
    with pytest.raises(AuthenticationFailed, match=code):
        Client(SERVICE, lambda: "ct-1", http=httpx2.Client(transport=transport)).read_credits()


def test_the_client_waits_as_long_as_the_service_asks() -> None:
    limited = error(429, "rate_limited", **{"Retry-After": "17"})
    client, _, waits = calls(limited, limited, httpx2.Response(200, json=BALANCE))
    assert client.read_credits().plan == "free"
    assert waits == [17, 17]


def test_a_wait_that_is_too_long_is_an_error_at_once() -> None:
    limited = error(429, "rate_limited", **{"Retry-After": "86400"})
    client, _, waits = calls(limited)
    with pytest.raises(RateLimited) as refused:
        client.read_credits()
    assert (refused.value.retry_after_s, waits) == (86400, [])


@pytest.mark.parametrize("code", ["request_limit_exceeded", "credit_limit_exceeded"])
def test_monthly_limits_are_not_retried_even_if_a_proxy_adds_a_wait(code: str) -> None:
    client, _, waits = calls(error(429, code, **{"Retry-After": "1"}))
    with pytest.raises(postmeal_client.MonthlyLimitReached, match=code):
        client.read_credits()
    assert waits == []


def test_waits_grow_and_attempts_end() -> None:
    failure = httpx2.Response(502, text="<h1>Bad gateway</h1>")
    client, transport, waits = calls(*[failure] * 9, retries=Retries(attempts=4))
    with pytest.raises(ServiceFailed) as failed:
        client.read_credits()
    assert (failed.value.status, failed.value.code) == (502, None)
    assert len(transport.credentials) == 4
    assert all(0.25 * 2**n <= wait <= 0.5 * 2**n for n, wait in enumerate(waits))


def test_a_connection_that_was_not_made_is_tried_again_even_to_store() -> None:
    refused = httpx2.ConnectError("connection refused")
    client, transport, _ = calls(refused, refused, httpx2.ReadError("connection reset"))
    with pytest.raises(ConnectionLost) as lost:
        client.mint_client_token(v1_2.models.ClientTokenRequest(end_user_id="u-1"))
    assert lost.value.sent
    assert len(transport.credentials) == 3


def test_a_key_in_flight_is_tried_again() -> None:
    client, _, waits = calls(
        error(409, "idempotency_key_in_flight"), error(422, "idempotency_key_reused")
    )
    log = v1_2.models.FoodLogRequest(foods=[])
    with pytest.raises(InvalidRequest, match="idempotency_key_reused"):
        client.create_food_log(log, idempotency_key="k-1")
    assert len(waits) == 1


@pytest.mark.parametrize(
    "answer",
    [httpx2.Response(200, text="<h1>Sign in</h1>"), httpx2.Response(302), httpx2.Response(204)],
)
def test_what_is_no_response_of_the_api_is_told(answer: httpx2.Response) -> None:
    client, _, _ = calls(answer)
    with pytest.raises(UnexpectedResponse, match=str(answer.status_code)):
        client.read_credits()


@pytest.mark.parametrize("log_id", ["", ".", ".."])
def test_an_id_cannot_change_the_path(log_id: str) -> None:
    client, transport, _ = calls()
    with pytest.raises(ValueError, match="log_id must be the ID of one item"):
        client.delete_food_log(log_id)
    assert transport.credentials == []


def test_not_a_number_is_not_sent(api: Api, client: Client) -> None:
    body = v1_2.models.PredictionRequest(**api.body())
    body.foods[0].quantity = float("nan")
    with pytest.raises(ValueError, match="JSON compliant"):
        client.predict_glucose(body)
