"""Admission: the order of the checks, and the charge of a call."""

import asyncio
import threading
from collections.abc import Iterator

import pytest
from api_client import VirtualClock
from asgi_client import AsgiClient, Handler, Thing, make_operation
from partner_records import NOW
from sqlalchemy import text
from starlette.responses import Response
from starlette.types import Message

from postmeal.errors import InputError
from postmeal_serve.http.call import Call
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.parameters import Text
from postmeal_serve.wire.responses import error_response, json_response
from postmeal_serve.wire.upload_limits import LARGEST_BODY


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service where `work` costs two credits."""
    folder = tmp_path_factory.mktemp("admission")
    settings = Settings(state_dir=folder, credit_costs={"work": 2}, address_per_minute=1000)
    service = Service(settings, VirtualClock(NOW))
    yield service
    service.close()


@pytest.fixture
def client(service) -> AsgiClient:
    return AsgiClient(service, in_flight={"work": 1})


def raising(error: Exception, *, name: str = "work") -> Handler:
    async def handler(call: Call) -> Response:
        raise error

    handler.__name__ = name
    return handler


# The order of the checks.


def closed(call: Call) -> None:
    raise Refusal("service_unavailable", "closed")


def test_a_call_in_order_is_handled(client):
    """Row 25: with the parameters that the operation declares, and its body."""
    name = Text(name="name", about="A name.")
    answer = client.call(make_operation(parameters=(name,), body=Thing), query="name=a%20b&other=x")
    assert (answer.status, answer.json) == (200, {"given": {"name": "a b"}, "body": "{}"})
    assert answer.scope["postmeal.partner"] == (client.partner.id, client.key_ids["v1.2"])
    answer = client.call(make_operation(body=Thing), parts=(b'{"si', b'ze": ', b"1}"))
    assert answer.json["body"] == '{"size": 1}'


def test_a_body_that_no_operation_wants_is_not_read(client):
    """A client that disconnects within such a body is answered."""
    answer = client.call(make_operation(), parts=(), content_type="text/plain")
    assert (answer.status, answer.json["body"]) == (200, "")


def test_an_unknown_caller_gets_401_before_any_other_check(client):
    """Rows 20, 22, 48: the body is not read and the call is not counted."""
    operation = make_operation(body=Thing, gate=closed)
    for secret in (None, "sk-v1.2-nobody", "ct-nobody"):
        answer = client.call(operation, secret, parts=(), content_length="9" * 9)
        assert answer.status == 401
        assert "postmeal.partner" not in answer.scope
    assert client.counted() == (0, 0, 0)


@pytest.mark.parametrize(("version", "other"), [(V1_1, "v1.2"), (V1_2, "v1.1")])
def test_a_key_of_the_other_version_is_refused_with_its_version(client, version, other):
    """Row 24: before any check of the operation."""
    operation = make_operation(version=version, body=Thing, gate=closed)
    answer = client.call(operation, client.keys[other], parts=())
    assert answer.status == 403
    message = answer.json.get("error", answer.json)["message"]
    assert message == f"this key is valid only for {other}; use a {version.name} key"


def test_a_token_needs_the_scope_of_the_operation(client):
    """Rows 27, 28, 30, 31: an operation without a scope admits no token."""
    assert client.call(make_operation(scope="foods:read"), client.token).status == 200
    answer = client.call(make_operation(scope="glucose:read", gate=closed), client.token)
    assert (answer.status, answer.json) == (
        403,
        {
            "code": "scope_insufficient",
            "message": "this client token lacks the scope glucose:read; mint a token that has it",
        },
    )
    challenge = 'Bearer error="insufficient_scope", scope="glucose:read"'
    assert answer.headers["www-authenticate"] == challenge
    answer = client.call(make_operation(gate=closed), client.token)
    assert (answer.status, answer.json) == (
        403,
        {
            "code": "client_token_not_allowed",
            "message": "this endpoint does not accept client tokens; call it with an API key",
        },
    )
    assert client.call(make_operation(scope="glucose:read")).status == 200  # a key needs none


def test_a_closed_gate_is_checked_before_headers_and_body(client):
    """Rows 124, 125: before type, size and limits."""
    operation = make_operation(version=V1_1, body=Thing, gate=closed)
    answer = client.call(operation, parts=(), accept="text/html", content_length="9" * 9)
    assert (answer.status, answer.json["error"]["message"]) == (503, "closed")


def test_headers_and_body_are_checked_before_the_limits(service):
    """Row 48: the type of the answer, then the size of the body, then its type."""
    client = AsgiClient(service, monthly_requests=0)
    large = {"content_length": str(LARGEST_BODY + 1)}
    operation = make_operation(version=V1_1, body=Thing)
    wrong = {"accept": "text/html", "content_type": "text/plain"}
    assert client.call(operation, **wrong, **large).status == 406
    answer = client.call(operation, content_type="text/plain", **large)
    assert answer.status == 413
    assert answer.headers["connection"] == "close"
    message = f"the request body must be at most {LARGEST_BODY} bytes"
    assert answer.json["error"]["message"] == message
    assert client.call(make_operation(body=Thing), content_type="text/plain").status == 415
    spent = client.call(make_operation(body=Thing), query="%ff")
    assert (spent.status, spent.json["code"]) == (429, "request_limit_exceeded")


def test_limits_are_checked_before_parameters(service):
    """Rows 48, 73: a call with an unreadable query counts."""
    client = AsgiClient(service, per_minute=2)
    name = Text(name="name", about="A name.")
    for left in (1, 0):
        answer = client.call(make_operation(parameters=(name,)), query="name=%ff")
        assert answer.status == 400
        assert answer.headers["ratelimit"] == f'"endpoint";r={left};t=60'
    assert client.call(make_operation(parameters=(name,)), query="name=%ff").status == 429
    assert client.counted() == (2, 0, 0)


def test_a_service_without_its_tables_answers_503_to_a_caller_with_a_credential(tmp_path):
    """Row 48: a caller without one gets 401."""
    settings = Settings(state_dir=tmp_path)
    first = Service(settings)
    client = AsgiClient(first)
    with first.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    first.close()
    client.service = Service(settings)
    assert [client.call(make_operation(), secret).status for secret in (None, "")] == [401, 503]
    client.service.close()


def test_the_address_limit_counts_the_address_of_the_caller(tmp_path):
    """Row 158: callers without a known address share one limit."""
    service = Service(Settings(state_dir=tmp_path, address_per_minute=2), VirtualClock(NOW))
    client = AsgiClient(service)
    for address in ("192.0.2.1", "192.0.2.2", None):
        statuses = [client.call(make_operation(), address=address).status for _ in range(3)]
        assert statuses == [200, 200, 429]
    service.close()


# The charge of a call.


@pytest.mark.parametrize("status", [200, 204, 304, 399])
def test_a_success_is_charged(client, status):
    """Rows 60, 70."""

    async def work(call: Call) -> Response:
        return json_response({}, status)

    assert client.call(make_operation(work)).status == status
    assert client.counted() == (1, 2, 0)


async def sorry(call: Call) -> Response:
    return error_response(V1_2, Refusal("not_found", "nothing here"))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, 404),
        (Refusal("invalid_request", "no"), 400),
        (InputError("size", "is required"), 400),
        (Refusal("upstream_timeout", "late"), 504),
    ],
)
def test_a_failure_is_not_charged_and_frees_its_slot(client, error, status):
    """Rows 61, 70, 73: it counts as a request, whether it is returned or raised."""
    handler = raising(error) if error else sorry
    handler.__name__ = "work"
    for _ in range(2):
        assert client.call(make_operation(handler)).status == status
    assert client.counted() == (2, 0, 0)


def test_an_unexpected_error_is_raised_to_the_server_and_not_charged(client):
    """Rows 61, 70."""
    with pytest.raises(ZeroDivisionError):
        client.call(make_operation(raising(ZeroDivisionError())))
    assert client.counted() == (1, 0, 0)


def test_an_operation_without_a_price_is_free_and_an_uncounted_one_uses_no_request(client):
    """Rows 60, 73."""

    async def rest(call: Call) -> Response:
        return json_response({})

    assert client.call(make_operation(rest)).status == 200
    assert client.counted() == (1, 0, 0)
    assert client.call(make_operation(counted=False)).status == 200
    assert client.counted() == (1, 2, 0)


def test_a_client_that_disconnects_within_its_body_is_sent_nothing(client):
    """Row 63."""
    answer = client.call(make_operation(body=Thing), parts=())
    assert (answer.status, answer.body) == (None, b"")
    assert client.counted() == (0, 0, 0)


def test_a_call_that_is_cancelled_while_it_is_charged_is_charged(client):
    """Rows 63, 70: the answer was made; its slot is freed."""
    entered, go, writing = asyncio.Event(), asyncio.Event(), threading.Event()

    async def work(call: Call) -> Response:
        entered.set()
        await go.wait()
        return json_response({})

    async def run() -> None:
        call = asyncio.create_task(client.ask(make_operation(work)))
        await entered.wait()
        busy = asyncio.create_task(client.service.database.write(lambda _: writing.wait(60)))
        await asyncio.sleep(0)  # SQLite's one writer is busy from now on
        go.set()
        for _ in range(20):  # until the charge waits for it
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        writing.set()
        await busy
        await client.service.database.write(lambda _: None)  # the charge came before

    asyncio.run(run())
    assert client.counted() == (1, 2, 0)


def test_a_call_that_is_cancelled_before_its_answer_is_not_charged(client):
    """Rows 63, 70."""
    entered = asyncio.Event()

    async def work(call: Call) -> Response:
        entered.set()
        await asyncio.sleep(3600)
        raise AssertionError

    async def run() -> None:
        call = asyncio.create_task(client.ask(make_operation(work)))
        await entered.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    asyncio.run(run())
    assert client.counted() == (1, 0, 0)


@pytest.mark.parametrize(
    ("error", "status", "logged"),
    [
        (Refusal("upstream_error", "no"), 502, 0),
        (InputError("size", "is required"), 400, 0),
        (OSError(), None, 0),
    ],
)
def test_only_unexpected_errors_are_logged(client, caplog, error, status, logged):
    """A refusal is not a fault of the service."""
    if status is None:
        with pytest.raises(OSError):
            client.call(make_operation(raising(error)))
    else:
        assert client.call(make_operation(raising(error))).status == status
    assert len(caplog.records) == logged


def test_a_database_that_fails_is_503_and_logged_without_details(client, caplog):
    """Row 49."""

    async def work(call: Call) -> Response:
        await call.service.database.read(lambda it: it.execute(text("SELECT secret FROM nowhere")))
        raise AssertionError

    answer = client.call(make_operation(work))
    assert (answer.status, answer.json["code"]) == (503, "service_unavailable")
    [record] = caplog.records
    assert record.levelname == "ERROR"
    assert record.getMessage() == "request to /v1.2/things failed: OperationalError"


def test_headers_are_found_whatever_their_case():
    """Of several headers with one name, a single look-up returns the first."""
    sent = [(b"x-partner-timezone", b"UTC"), (b"accept", b"*/*"), (b"accept", b"text/html")]

    async def unused(*message: object) -> Message:
        raise AssertionError

    headers = Call({"type": "http", "headers": sent}, unused, unused).headers
    assert (headers["Accept"], headers.get("ACCEPT"), headers["accept"]) == ("*/*",) * 3
    assert headers.getlist("Accept") == ["*/*", "text/html"]
    assert headers["X-Partner-Timezone"] == "UTC"
    assert headers.get("X-Partner-User-Id") is None
    assert headers.get("X-Partner-User-Id", "nobody") == "nobody"
    assert headers.getlist("X-Partner-User-Id") == []
    with pytest.raises(KeyError):
        headers["X-Partner-User-Id"]
