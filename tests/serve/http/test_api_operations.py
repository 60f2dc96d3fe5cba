"""What holds for every operation, whatever it is about."""

import re

import pytest
from api_client import ZONE, assert_refused

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.operation import Operation
from postmeal_serve.wire.upload_limits import LARGEST_BODY

UUID = "00000000-0000-4000-8000-000000000000"
NAMED = ZONE | {"x-partner-user-id": UUID, "Service-End-User-ID": "someone"}
JSON = {"Content-Type": "application/json"}


def every(operations: tuple[Operation, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("operation", operations, ids=lambda each: each.operation_id)


WITH_BODY = tuple(each for each in OPERATIONS if each.body is not None)
OLD = tuple(each for each in OPERATIONS if each.version.name == "v1.1")


def ask(api, operation, version=None, **options):
    """A request with a key of a version, the operation's own when omitted."""
    method, path = operation.method, re.sub(r"\{\w+\}", "1", operation.path)
    key = {"Authorization": f"Bearer {api.keys[version or operation.version.name]}"}
    headers = NAMED | key | options.pop("headers", {})
    return api.client.request(method, path, headers=headers, **options)


def error_of(answer):
    """Return the error, which the chat puts into an object as OpenAI does."""
    body = answer.json()
    return body.get("error", body)


@every(OPERATIONS)
def test_no_operation_answers_a_caller_without_a_known_key(api, operation):
    """Rows 20, 22, 297, 321."""
    for sent in ("", "Bearer sk-unknown"):
        answer = ask(api, operation, headers={"Authorization": sent})
        assert_refused(answer, 401)
        known = sent and operation.version.name == "v1.2"
        challenge = 'Bearer error="invalid_token"' if known else "Bearer"
        assert answer.headers["www-authenticate"] == challenge


@every(OPERATIONS)
def test_no_operation_takes_a_key_of_the_other_version(api, operation):
    """Rows 24, 298."""
    other = "v1.1" if operation.version.name == "v1.2" else "v1.2"
    answer = ask(api, operation, other)
    assert_refused(answer, 403, other)
    if other == "v1.1":
        assert error_of(answer)["code"] == "forbidden"


@every(OPERATIONS)
def test_every_operation_admits_a_key_of_its_version(api, operation):
    """Row 25."""
    assert ask(api, operation).status_code in (200, 201, 204, 400, 404)


@every(OPERATIONS)
def test_a_method_that_a_path_does_not_know_is_answered_with_all_it_knows(api, operation):
    """Rows 6, 300."""
    path = re.sub(r"\{\w+\}", "1", operation.path)
    known = {
        method for each in OPERATIONS if each.path == operation.path for method in (each.method,)
    }
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - known:
        answer = api.client.request(method, path)
        assert_refused(answer, 405)
        assert set(answer.headers["allow"].split(", ")) == known


@every(WITH_BODY)
def test_no_operation_reads_a_body_of_more_than_5_mib(api, operation):
    """Rows 9, 303: 413 before the JSON is parsed."""
    answer = ask(api, operation, content=b"[" * (LARGEST_BODY + 1), headers=JSON)
    assert_refused(answer, 413, "5242880")


@every(WITH_BODY)
@pytest.mark.parametrize("content", ["", "{", "[]", '"x"', "null"])
def test_no_operation_takes_a_body_that_is_no_json_object(api, operation, content):
    """Rows 4, 7, 296, 306."""
    answer = ask(api, operation, content=content, headers=JSON)
    assert_refused(answer, 400, "body")
    if operation.version.name == "v1.2":
        assert error_of(answer)["code"] == "invalid_request"


@every(WITH_BODY)
def test_no_operation_takes_a_body_of_another_type(api, operation):
    """Rows 8, 304."""
    answer = ask(api, operation, content="{}", headers={"Content-Type": "text/plain"})
    assert_refused(answer, 415 if operation.version.name == "v1.2" else 400, "Content-Type")


@every(OLD)
def test_no_v1_1_operation_answers_a_caller_who_takes_no_json(api, operation):
    """Row 301."""
    assert_refused(ask(api, operation, headers={"Accept": "text/html"}), 406, "Accept")


@every(OLD)
def test_every_v1_1_operation_says_that_it_is_deprecated(api, operation):
    """Row 308: and names its successor, but no end."""
    answer = ask(api, operation)
    assert re.fullmatch(r"@\d+", answer.headers["deprecation"])
    assert 'rel="successor-version"' in answer.headers["link"]
    assert "sunset" not in answer.headers


@every(OLD)
def test_no_v1_1_operation_tells_of_a_gateway(operation):
    """Row 296: its table of statuses has 503 alone for what is unavailable."""
    assert not {502, 504} & set(operation.statuses)
    assert 503 in operation.statuses


@every(WITH_BODY)
def test_the_document_names_no_default_that_is_refused_when_sent(operation):
    """Row 478: what a field that is left out stands for may be sent as well."""
    schema = operation.body.model_json_schema()
    for model in (schema, *schema.get("$defs", {}).values()):
        for name, field in model.get("properties", {}).items():
            if "default" not in field:
                continue
            kinds = [one.get("type") for one in field.get("anyOf", [field])]
            if field["default"] is None:
                assert "null" in kinds, name
            elif "pattern" in field:
                assert re.search(field["pattern"], field["default"]), name
