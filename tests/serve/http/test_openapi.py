"""The OpenAPI documents hold what generators of clients understand."""

from collections.abc import Iterator
from typing import Any

import pytest
from api_client import SHOWN

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.openapi import openapi_document


def document_of(name: str) -> dict[str, Any]:
    return openapi_document(name, [each for each in OPERATIONS if name in ("", each.version.name)])


@pytest.fixture(params=["", "v1.1", "v1.2"])
def document(request) -> dict[str, Any]:
    return document_of(request.param)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object within a value, at any depth."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from objects(each)
    elif isinstance(value, list):
        for each in value:
            yield from objects(each)


def test_schemas_hold_no_default_no_tuple_and_no_word_of_pydantic(document):
    """Generators take a field with a default for one that is always sent."""
    for each in objects(document["components"]["schemas"]):
        assert not {"default", "prefixItems", "gt", "ge", "lt", "le"} & set(each)


def test_names_of_schemas_are_names_of_classes(document):
    for name in document["components"]["schemas"]:
        assert name.replace("V1_1", "").replace("V1_2", "").isalnum(), name


def test_every_reference_leads_to_a_schema(document):
    schemas = document["components"]["schemas"]
    targets = {each["$ref"] for each in objects(document) if isinstance(each.get("$ref"), str)}
    assert targets
    assert targets == {f"#/components/schemas/{name}" for name in schemas}


def test_schemas_of_both_versions_stand_side_by_side():
    """One document of both versions has what each version's own has."""
    both = document_of("")
    for name in ("v1.1", "v1.2"):
        own = document_of(name)
        suffix = f"V{name[1:].replace('.', '_')}"
        renamed = {f"{each}{suffix}" for each in own["components"]["schemas"]}
        assert renamed <= set(both["components"]["schemas"])
        assert set(own["paths"]) <= set(both["paths"])


def test_refusals_that_may_be_repeated_say_when(document):
    for path in document["paths"].values():
        for operation in path.values():
            for status in ("429", "503"):
                assert "Retry-After" in operation["responses"][status]["headers"]


def test_the_document_names_its_server_and_its_licence(document):
    assert document["servers"][0]["url"] == "/"
    assert document["info"]["license"]["identifier"] == "MIT"
    assert document["info"]["contact"]["name"]


def test_required_fields_of_answers_are_required():
    """Only what an answer may leave out is optional."""
    schemas = document_of("v1.2")["components"]["schemas"]
    assert set(schemas["Point"]["required"]) == {"minutes", "value"}
    assert set(schemas["FoodLogPage"]["required"]) == {"items"}
    assert set(schemas["PredictionResponse"]["required"]) == set(SHOWN)
