"""The examples of the OpenAPI documents: complete, valid, and what the service returns."""

import math
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from record_examples import recorded

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.examples import FOLDER, error_examples, example_of
from postmeal_serve.http.openapi import openapi_document
from postmeal_serve.wire.error_help import ERROR_HELP
from postmeal_serve.wire.errors import STATUS

WITHOUT_INPUT = {"v1_1_list_users", "v1_2_read_credits"}
"""Operations that have nothing to get wrong, so that 400 has no example."""

HINT = "record them again: python tests/support/record_examples.py"

every_operation = pytest.mark.parametrize(
    "operation", OPERATIONS, ids=lambda each: each.operation_id
)


@pytest.fixture(scope="module", params=["", "v1.1", "v1.2"])
def document(request) -> dict[str, Any]:
    name = request.param
    return openapi_document(name, [each for each in OPERATIONS if name in ("", each.version.name)])


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal, floats to nine digits."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9)
    return type(left) is type(right) and left == right


@pytest.mark.reliability
def test_the_examples_are_what_the_service_returns(tmp_path):
    files = recorded(tmp_path)
    assert {file.stem for file in FOLDER.glob("*.json")} == set(files), HINT
    for name, content in files.items():
        if name.endswith("_errors"):
            kept = error_examples(name.removesuffix("_errors").replace("_", "."))
        else:
            example = example_of(name)
            kept = {
                "parameters": example.parameters,
                "headers": example.headers,
                "body": example.body,
                "errors": example.errors,
            }
        assert same(kept, content), f"{name}: {HINT}"


def test_the_files_hold_nothing_secret():
    for file in FOLDER.glob("*.json"):
        text = file.read_text(encoding="utf-8")
        assert "sk-v" not in text
        assert text.count("ct-") == text.count("ct-EXAMPLE")


@every_operation
def test_every_operation_has_an_example_of_its_body_and_of_each_response(operation):
    example = example_of(operation.operation_id)
    assert (operation.body is None) == (operation.example is None)
    assert (operation.response_model is None) == (example.body is None)
    required = {each.name for each in operation.parameters if each.required}
    assert required <= set(example.parameters)
    known = {*error_examples(operation.version.name), *example.errors}
    missing = {str(status) for status in operation.error_statuses} - known
    assert missing <= ({"400"} if operation.operation_id in WITHOUT_INPUT else set())


def test_every_example_of_a_document_fits_its_schema(document):
    checked = 0
    for path in document["paths"].values():
        for operation in path.values():
            contents = [each["content"] for each in operation["responses"].values()
                        if "content" in each]  # fmt: skip
            if "requestBody" in operation:
                contents.append(operation["requestBody"]["content"])
            values = [content["application/json"] for content in contents]
            values += operation.get("parameters", [])
            for value in values:
                if "example" in value:
                    schema = {**value["schema"], "components": document["components"]}
                    Draft202012Validator(schema).validate(value["example"])
                    checked += 1
    assert checked > 100


def test_every_error_code_has_help(document):
    assert list(ERROR_HELP) == list(STATUS)
    assert [each["code"] for each in document["x-error-codes"]] == list(STATUS)
