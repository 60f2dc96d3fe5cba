"""An admitted call: its body is read, near misses are noticed, and an erased person is unknown."""

from collections.abc import Iterator
from typing import Any

import pytest
from api_client import VirtualClock
from asgi_client import AsgiClient, Thing, make_operation
from partner_records import NOW
from starlette.responses import Response

from postmeal_serve.http.call import Call
from postmeal_serve.resources.tombstones import Erased
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.parameters import Text
from postmeal_serve.wire.responses import json_response
from postmeal_serve.wire.unparsed_body import RequestBody
from postmeal_serve.wire.upload_limits import SMALL_BODY

TITLE = Text(name="title", about="A title.")
JSON = {"content_type": "application/json"}


class Line:
    """Reads large bodies in this process, and keeps whose they are."""

    def __init__(self) -> None:
        self.credentials: list[str] = []

    async def run(self, credential: str, work: Any, body: RequestBody, *args: Any, **more: Any):
        self.credentials.append(credential)
        return work(body, *args, **more)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def service(tmp_path) -> Iterator[Service]:
    service = Service(Settings(state_dir=tmp_path), VirtualClock(NOW))
    service.parsing = Line()
    yield service
    service.close()


@pytest.fixture
def client(service) -> AsgiClient:
    return AsgiClient(service)


async def echo(call: Call) -> Response:
    thing = await call.parse(Thing, {"size": "a number"})
    return json_response({"size": thing.size})


def padded(length: int) -> bytes:
    return b'{"size": 1}'.ljust(length)


def test_a_large_body_waits_in_the_line_of_its_credential(client):
    """Smaller ones are read at once; all tokens of a user share one place."""
    operation = make_operation(echo, body=Thing, scope="foods:read")
    for secret in ("", client.token):
        for length in (SMALL_BODY, SMALL_BODY + 1):
            answer = client.call(operation, secret, parts=(padded(length),))
            assert (answer.status, answer.json) == (200, {"size": 1})
    assert client.service.parsing.credentials == [
        f"key {client.key_ids['v1.2']}",
        f"user {client.partner.id} u-1",
    ]


@pytest.mark.parametrize("length", [1, SMALL_BODY + 1])
def test_a_body_is_read_by_a_function_with_its_arguments(client, length):
    def read(body: RequestBody, *args: int, **options: int) -> list[object]:
        return [len(body.content), args, options]

    async def work(call: Call) -> Response:
        return json_response({"read": await call.read(read, 1, 2, more=3)})

    answer = client.call(make_operation(work, body=Thing), parts=(padded(length),))
    assert answer.json == {"read": [max(length, 11), [1, 2], {"more": 3}]}


@pytest.mark.parametrize("length", [1, SMALL_BODY + 1])
def test_version_1_1_lists_near_misses_of_parameters_and_fields_in_a_header(client, length):
    """Rows 12, 310: nothing else changes."""
    operation = make_operation(echo, V1_1, body=Thing, parameters=(TITLE,))
    plain = client.call(operation, parts=(padded(length),), query="title=a", **JSON)
    assert "x-ignored-fields" not in plain.headers
    body = b'{"size": 1, "Titel": 2, "x": 3}'.ljust(length)
    answer = client.call(operation, parts=(body,), query="titel=a&z=1", **JSON)
    assert answer.headers["x-ignored-fields"] == "titel"
    assert (answer.status, answer.body) == (plain.status, plain.body) == (200, b'{"size":1}')
    body = b'{"Size": 1}'.ljust(length)
    answer = client.call(operation, parts=(body,), query="Title=a", **JSON)
    assert answer.status == 400
    assert answer.headers["x-ignored-fields"] == "Title, Size"


def test_version_1_2_refuses_near_misses_of_parameters(client):
    """By the name that is meant, before the handler."""
    operation = make_operation(echo, V1_2, body=Thing, parameters=(TITLE,))
    answer = client.call(operation, query="titel=a")
    assert answer.status == 400
    assert answer.json["message"] == "unknown parameter 'titel'; did you mean 'title'?"
    assert client.call(operation, parts=(b'{"size": 1}',), query="else=a").status == 200


def test_version_1_2_refuses_near_misses_of_fields(client):
    answer = client.call(make_operation(echo, V1_2, body=Thing), parts=(b'{"Size": 1}',))
    assert answer.status == 400
    assert answer.json["message"] == "unknown field 'Size'; did you mean 'size'?"


@pytest.mark.parametrize("version", [V1_1, V1_2])
def test_an_operation_may_take_names_as_they_are(client, version):
    """Where another API defines what clients send."""
    operation = make_operation(echo, version, body=Thing, parameters=(TITLE,), checks_names=False)
    answer = client.call(operation, parts=(b'{"size": 1}',), query="titel=a", **JSON)
    assert answer.status == 200
    answer = client.call(operation, parts=(b'{"Size": 1}',), query="titel=a", **JSON)
    assert answer.status == 400
    assert "unknown" not in answer.body.decode()
    assert "x-ignored-fields" not in answer.headers


def test_the_token_of_a_person_whom_another_process_erased_is_unknown_and_forgotten(client):
    """Rows 34, 451: and looked up again at its next use."""

    async def work(call: Call) -> Response:
        raise Erased

    for secret in (client.token, client.keys["v1.2"]):
        assert client.call(make_operation(scope="foods:read"), secret).status == 200
    answer = client.call(make_operation(work, scope="foods:read"), client.token)
    assert (answer.status, answer.json["code"]) == (401, "token_invalid")
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert client.service.credentials.cached(client.token) is None
    assert client.service.credentials.cached(client.keys["v1.2"]) is not None
