"""Fields that no caller may set, sent in every body; and answers that say nothing undocumented."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from api_client import ZONE, Api
from cgm_requests import wearer_of
from products import COLA
from sqlalchemy import delete, select
from stored_people import OF_THE_SERVICE

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.operation import Operation
from postmeal_serve.storage.tables import METADATA, scanned_food

PRIVILEGED: dict[str, Any] = {
    "id": "00000000-0000-4000-8000-000000000000",
    "user_id": "00000000-0000-4000-8000-000000000000",
    "end_user_id": "someone-else",
    "partner_user_id": "someone-else",
    "organization_id": 2,
    "organization": {"id": 2},
    "partner_id": 2,
    "plan": "enterprise",
    "agreement": {"uncapped": True},
    "uncapped": True,
    "scopes": ["foods:read", "admin"],
    "may_mint": True,
    "is_admin": True,
    "role": "admin",
    "credits": -1000,
    "monthly_credits": 10**9,
    "used_credits": 0,
    "requests": 0,
    "created_at": "2000-01-01T00:00:00Z",
    "expires_at": "2100-01-01T00:00:00Z",
    "expires_in": 10**6,
    "revoked_at": None,
    "disabled_at": None,
    "token": "ct-chosen",
    "sha256": "00",
    "nutrients": {"calories": {"value": 0, "unit": "kcal"}},
    "trained": True,
    "version": "v1.1",
    "__proto__": {"plan": "enterprise"},
}
LEGITIMATE = {
    "mint_client_token": {"end_user_id", "scopes"},
    "revoke_client_tokens": {"end_user_id"},
}
OWN = {"id", "created", "user_id", "token", "expires_at"}
"""What an answer gives anew to each call."""

PERSON = {"x-partner-user-id": "u-1", "Service-End-User-ID": "u-1"}
TRAINED = {"train_user", "user_glucose_predict"}
WITH_BODY = [each for each in OPERATIONS if each.body is not None]
ANSWERING = [each for each in OPERATIONS if each.endpoint_name != "read_barcode"]
"""A shipped food has no barcode: products have."""

each_with_body = pytest.mark.parametrize("operation", WITH_BODY, ids=lambda one: one.operation_id)

pytestmark = pytest.mark.reliability


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A service that nobody else asks meanwhile."""
    with Api(tmp_path_factory.mktemp("alone")) as api:
        yield api


@pytest.fixture
def own_api(alone: Api, request: pytest.FixtureRequest) -> Api:
    """The service, asked with the keys of a new partner."""
    alone.keys = alone.partner(request.node.name).keys
    return alone


def send(api: Api, operation: Operation, body: Any, own: dict[str, str]) -> Any:
    path = filled(api, operation.path, own)
    person = {} if operation.endpoint_name == "create_user" else dict(PERSON)
    if operation.endpoint_name in TRAINED:
        person["x-partner-user-id"] = own["user"]
    headers = ZONE | person | api.headers(operation.path)
    return api.client.request(operation.method, path, json=body, headers=headers)


def filled(api: Api, path: str, own: dict[str, str]) -> str:
    """The path with ids that are there."""
    path = re.sub(r"\{food_?[iI]d\}", str(api.food("rice").id), path)
    return re.sub(r"\{\w+\}", own.get("log", "1"), path)


def prepared(api: Api) -> dict[str, str]:
    operations = {each.endpoint_name: each for each in OPERATIONS}
    headers = PERSON | api.headers("/v1.1")
    body = operations["create_user"].example
    own = {"user": api.client.post("/v1.1/user", json=body, headers=headers).json()["user_id"]}
    create, train = operations["create_food_log"], operations["train_user"]
    assert send(api, train, accepted(api, train), own).status_code == 200
    return own | {"log": send(api, create, create.example, {}).json()["id"]}


def accepted(api: Api, operation: Operation) -> Any:
    """A body that is accepted: the example, or one with five days where it is too short."""
    if operation.endpoint_name == "train_user":
        return wearer_of(api, days=5).training
    return operation.example


def with_privileges(value: Any, legitimate: set[str]) -> Any:
    """The body with every privileged field in each of its objects."""
    if isinstance(value, list):
        return [with_privileges(each, legitimate) for each in value]
    if not isinstance(value, dict):
        return value
    inner = {name: with_privileges(each, legitimate) for name, each in value.items()}
    extra = {name: each for name, each in PRIVILEGED.items() if name not in legitimate}
    return {**copy.deepcopy(extra), **inner}


def rows(api: Api) -> dict[str, list[dict[str, Any]]]:
    """Every row but those of the service itself."""
    with api.service.database.reading() as connection:
        return {
            table.name: [dict(each._mapping) for each in connection.execute(select(table))]
            for table in METADATA.sorted_tables
            if table.name not in OF_THE_SERVICE
        }


def shape(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without what each row has of its own."""
    own = {
        *("id", "sha256", "at", "created_at", "updated_at", "eaten_at", "trained_at"),
        *("expires_at", "ends_at", "revoked_at"),
    }
    shaped = [{name: each for name, each in row.items() if name not in own} for row in rows]
    for row in shaped:
        if "kind" in row:  # of a transcript
            answer = json.loads(row["answer"])
            row["answer"] = {name: each for name, each in answer.items() if name not in OWN}
    return shaped


def forget_scans(api: Api) -> None:
    """Delete the scanned foods, because equal foods of a user share one row."""
    with api.service.database.writing() as connection:
        connection.execute(delete(scanned_food))


@each_with_body
def test_a_privileged_field_changes_nothing(own_api, operation):
    """S4: the answer and the rows are those of the same call without it."""
    own = prepared(own_api)
    legitimate = LEGITIMATE.get(operation.endpoint_name, set())
    written, answers = [], []
    plain = accepted(own_api, operation)
    for body in (plain, with_privileges(plain, legitimate)):
        forget_scans(own_api)
        before = rows(own_api)
        answer = send(own_api, operation, body, own)
        assert answer.status_code == operation.status_code, answer.text
        after = rows(own_api)
        written.append({name: shape(after[name][len(before[name]) :]) for name in after})
        answers.append({name: each for name, each in answer.json().items() if name not in OWN})
        for table in ("organization", "api_key"):
            assert after[table] == before[table]
    assert answers[0] == answers[1]
    assert written[0] == written[1]
    assert "chosen" not in str(rows(own_api))


@each_with_body
def test_a_privileged_field_is_not_refused_for_what_it_holds(own_api, operation):
    """S4: what is not known is not read, of whatever type it is."""
    own = prepared(own_api)
    for value in (None, [], {}, "text", -1, True, 1e300):
        plain = accepted(own_api, operation)
        body = {**dict.fromkeys(set(PRIVILEGED) - set(plain), value)}
        for name in (*LEGITIMATE.get(operation.endpoint_name, ()), "nutrients"):
            body.pop(name, None)
        answer = send(own_api, operation, {**body, **plain}, own)
        assert answer.status_code == operation.status_code, answer.text


@pytest.mark.parametrize("operation", ANSWERING, ids=lambda one: one.operation_id)
def test_an_answer_holds_what_is_documented_and_nothing_else(own_api, operation):
    """S4: keys of every object of a success, by the OpenAPI document."""
    own = prepared(own_api)
    document = own_api.client.get("/openapi.json").json()
    method = operation.method.lower()
    documented = document["paths"][operation.path][method]["responses"]
    answer = success(own_api, operation, own)
    assert answer.status_code == operation.status_code, answer.text
    content = documented[str(operation.status_code)].get("content")
    if content is None:
        assert answer.content == b""
        return
    schemas = document["components"]["schemas"]
    check_keys(answer.json(), content["application/json"]["schema"], schemas, operation.path)


def test_a_product_holds_what_is_documented_and_nothing_else(shop):
    """S4: as any other food."""
    document = shop.client.get("/openapi.json").json()
    documented = document["paths"]["/v1.2/foods/barcode/{barcode}"]["get"]["responses"]["200"]
    schema = documented["content"]["application/json"]["schema"]
    answer = shop.get(f"/v1.2/foods/barcode/{COLA}")
    assert answer.status_code == 200
    check_keys(answer.json(), schema, document["components"]["schemas"], "barcode")


def success(api: Api, operation: Operation, own: dict[str, str]) -> Any:
    if operation.body is not None:
        return send(api, operation, accepted(api, operation), own)
    path = filled(api, operation.path, own)
    queries = {"query": "rice", "start": "2026-01-01", "end": "2026-01-31"}
    queries |= {"latitude": "45", "longitude": "-40", "lat": "45", "lon": "-40"}
    names = {each.name for each in operation.parameters if each.place == "query"}
    params = {name: value for name, value in queries.items() if name in names}
    headers = PERSON | api.headers(path)
    return api.client.request(operation.method, path, params=params, headers=headers)


def type_of(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Return the only value of the field `type` of an object."""
    whole = schemas[schema["$ref"].rpartition("/")[2]]
    kind: str = whole["properties"]["type"]["const"]
    return kind


def check_keys(value: Any, schema: dict[str, Any], schemas: dict[str, Any], where: str) -> None:
    """Every object holds the documented keys: all that are required, and no other."""
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        kinds = [each for each in choices if (each.get("type") == "null") == (value is None)]
        if len(kinds) > 1:  # each is an object with a type of its own
            kinds = [each for each in kinds if type_of(each, schemas) == value["type"]]
        assert len(kinds) == 1, where
        check_keys(value, kinds[0], schemas, where)
    elif isinstance(value, list):
        kinds = schema.get("prefixItems") or [schema["items"]] * len(value)
        for each, kind in zip(value, kinds, strict=True):
            check_keys(each, kind, schemas, f"{where}[]")
    elif isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        assert properties or isinstance(others, dict), where
        assert set(schema.get("required", ())) <= set(value), where
        if not isinstance(others, dict):
            assert set(value) <= set(properties), where
        for name, each in value.items():
            check_keys(each, properties.get(name, others), schemas, f"{where}.{name}")
