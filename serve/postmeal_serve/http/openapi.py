"""OpenAPI documents, generated from the declarations of the operations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from postmeal_serve.http.examples import Example, error_examples, example_of
from postmeal_serve.http.operation import Operation
from postmeal_serve.wire.error_help import ERROR_HELP
from postmeal_serve.wire.errors import STATUS
from postmeal_serve.wire.near_misses import MOST_IGNORED
from postmeal_serve.wire.upload_limits import LARGEST_BODY

__all__ = ["openapi_document"]

_ABOUT = (
    "Postmeal predicts the two-hour glucose curve after a meal. Every operation requires an API key"
    " for its version; v1.2 operations with a scope also accept a client token that has the scope."
    f" Request bodies are JSON of at most {LARGEST_BODY} bytes. Unknown fields and parameters are"
    " ignored. However, if an unknown name nearly matches the name of a missing field or parameter,"
    " v1.2 refuses the request, and v1.1 lists the unknown name in `X-Ignored-Fields`."
)
_SECURITY = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "API key (`sk-…`) or client token (`ct-…`).",
    }
}
_IGNORED = (
    "Comma-separated paths of ignored fields and parameters whose names nearly match missing"
    f" ones, at most {MOST_IGNORED} of each. Omitted if there are none."
)
_RETRY_AFTER = {
    "description": "Seconds to wait before retrying.",
    "schema": {"type": "integer", "minimum": 1},
}
_RETRIED = (429, 503)
_LIMITS = {
    "RateLimit-Policy": {
        "description": "Maximum number of requests (`q`) and length of the window in seconds"
        " (`w`), if requests to this endpoint are limited.",
        "schema": {"type": "string"},
        "example": '"endpoint";q=60;w=60',
    },
    "RateLimit": {
        "description": "Remaining requests (`r`) and seconds until the window ends (`t`).",
        "schema": {"type": "string"},
        "example": '"endpoint";r=59;t=60',
    },
}

_SCHEMA_KEYWORDS = {"type", "anyOf", "allOf", "oneOf", "$ref", "enum"}
"""Keywords that distinguish a schema from a mapping of property names to schemas."""

_References = Mapping[Any, dict[str, Any]]
"""References to schemas, by model and mode."""


def openapi_document(name: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document for the given operations."""
    versions = {operation.version.name: operation.version for operation in operations}
    paths: dict[str, dict[str, Any]] = {}
    schemas: dict[str, Any] = {}
    for version_name in versions:
        of_version = [each for each in operations if each.version.name == version_name]
        suffix = f"V{version_name[1:].replace('.', '_')}" if len(versions) > 1 else ""
        references, version_schemas = _schemas(of_version, suffix)
        schemas |= version_schemas
        for operation in of_version:
            entry = _entry(operation, references)
            paths.setdefault(operation.path, {})[operation.method.lower()] = entry
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"postmeal {name}".strip(),
            "version": _release(),
            "description": _ABOUT,
            "contact": {"name": "The operator of this service"},
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "This service."}],
        "tags": [
            {"name": each.name, "description": "Deprecated." if each.deprecated else "Current."}
            for each in versions.values()
        ],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": _SECURITY},
        "x-error-codes": [
            {"code": code, "status": status, "help": ERROR_HELP[code]}
            for code, status in STATUS.items()
        ],
    }


def _release() -> str:
    try:
        return version("postmeal")
    except PackageNotFoundError:  # The code runs from a checkout without an installed package.
        return "0"


def _schemas(operations: Iterable[Operation], suffix: str) -> tuple[_References, dict[str, Any]]:
    """Return references to the models of operations, and the schemas that they refer to.

    The suffix distinguishes schemas of different versions that have the same name.
    """
    used: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {}
    for each in operations:
        used[each.version.error_model, "serialization"] = None
        if each.response_model is not None:
            used[each.response_model, "serialization"] = None
        if each.body is not None:
            used[each.body, "validation"] = None
    template = f"#/components/schemas/{{model}}{suffix}"
    references, definitions = models_json_schema([*used], ref_template=template)
    schemas = {
        # Client generators name classes after titles.
        f"{name}{suffix}": _simplify(schema) | {"title": f"{name}{suffix}"}
        for name, schema in definitions["$defs"].items()
    }
    return references, schemas


def _simplify(schema: Any) -> Any:
    """Return a schema in the subset of JSON Schema that client generators support.

    Generators assume that fields with defaults are always sent, so descriptions state the defaults.
    Fixed-length arrays of numbers become plain arrays. If Pydantic cannot infer that a value is a
    number, it writes `gt`, which is renamed to `exclusiveMinimum`.
    """
    if isinstance(schema, list):
        return [_simplify(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _simplify(value) for name, value in schema.items()}
    if "default" in plain and not _SCHEMA_KEYWORDS.isdisjoint(plain):
        default = plain.pop("default")
        if default not in (None, [], ""):
            about = plain.get("description", "")
            plain["description"] = f"{about} Default: {json.dumps(default)}.".strip()
    if isinstance(plain.get("prefixItems"), list):
        kinds = plain.pop("prefixItems")  # The type number also accepts integers.
        plain["items"] = next((each for each in kinds if each.get("type") == "number"), kinds[0])
    if isinstance(plain.get("gt"), int | float):
        plain["exclusiveMinimum"] = plain.pop("gt")
    return plain


def _entry(operation: Operation, references: _References) -> dict[str, Any]:
    """Return the OpenAPI operation object for an operation."""
    recorded = example_of(operation.operation_id)
    entry: dict[str, Any] = {
        "operationId": operation.operation_id,
        "summary": operation.summary,
        "description": operation.description or f"{operation.summary}.",
        "tags": [operation.version.name],
        "security": [{"bearer": [operation.scope] if operation.scope else []}],
    }
    if operation.version.deprecated:
        entry["deprecated"] = True
    if operation.stores:
        entry["x-stores"] = True
    if operation.parameters:
        entry["parameters"] = [
            _parameter(each.document, recorded.parameters) for each in operation.parameters
        ]
    if operation.body is not None:
        content: dict[str, Any] = {"schema": references[operation.body, "validation"]}
        if operation.example is not None:
            content["example"] = operation.example
        entry["requestBody"] = {"required": True, "content": {"application/json": content}}
    error = references[operation.version.error_model, "serialization"]
    examples = {**error_examples(operation.version.name), **recorded.errors}
    entry["responses"] = {
        str(operation.status_code): _success(operation, references, recorded),
        **{str(status): {"description": about} for status, about in operation.others.items()},
        **{str(each): _error(each, error, examples) for each in operation.error_statuses},
    }
    return entry


def _parameter(document: dict[str, Any], values: Mapping[str, str | int]) -> dict[str, Any]:
    name = document["name"]
    return document | {"example": values[name]} if name in values else document


def _success(operation: Operation, references: _References, recorded: Example) -> dict[str, Any]:
    response: dict[str, Any] = {"description": "Success."}
    headers = {name: _text_header(about) for name, about in operation.headers.items()}
    for name, value in recorded.headers.items():
        headers[name]["example"] = value
    if operation.lists_ignored_names:
        headers["X-Ignored-Fields"] = _text_header(_IGNORED)
    response["headers"] = headers | _LIMITS
    if operation.response_model is not None:
        schema = references[operation.response_model, "serialization"]
        content = {"schema": schema}
        if recorded.body is not None:
            content["example"] = recorded.body
        response["content"] = {"application/json": content}
    if operation.links:
        response["links"] = {
            target: {"operationId": target, "parameters": dict(parameters)}
            for target, parameters in operation.links.items()
        }
    return response


def _text_header(about: str) -> dict[str, Any]:
    return {"description": about, "schema": {"type": "string"}}


def _error(status: int, schema: dict[str, Any], examples: Mapping[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": schema}
    if str(status) in examples:
        content["example"] = examples[str(status)]
    response: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": content},
    }
    if status in _RETRIED:
        response["headers"] = {"Retry-After": _RETRY_AFTER}
    if status == 429:
        response["headers"] |= _LIMITS
    return response
