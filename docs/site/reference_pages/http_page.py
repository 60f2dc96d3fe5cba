"""Reference page for an API version: every operation in its OpenAPI document."""

from __future__ import annotations

import json
from functools import cache
from shlex import quote
from typing import Any
from urllib.parse import urlencode

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.openapi import openapi_document
from postmeal_serve.wire.errors import STATUS
from postmeal_serve.wire.upload_limits import LARGEST_BODY
from reference_pages.http_schemas import accepted, body_fields, schema_name
from reference_pages.markdown import code, fenced, json_block, table

__all__ = ["document_of", "http_page"]

_INTRODUCTION = """\
# HTTP API, version {number}

{status} Send the header `Authorization: Bearer <key>` with every request.
Request bodies are JSON of at most {limit} MiB. A running service also provides this documentation
at `/docs`, and the OpenAPI document at `/{name}/openapi.json`.

If an operation has a rate limit, its responses have the headers `RateLimit` and `RateLimit-Policy`.
The header `Retry-After` of a 429 or 503 response is the number of seconds to wait.
[Errors](errors.md) lists the error codes.

In the `curl` commands, `$API` is the base URL of the service and `$KEY` is an API key for this
version{token}.
"""
_STATUS = {
    "v1.2": "This is the current version.",
    "v1.1": "This version is deprecated: it keeps working, but will not get new features."
    " [Migrate to v1.2](migrate_from_v1_1.md).",
}

_HEADERS_OF_ALL = ("RateLimit", "RateLimit-Policy")

_Document = dict[str, Any]


@cache
def document_of(name: str) -> _Document:
    """Return the OpenAPI document of an API version."""
    return openapi_document(name, [each for each in OPERATIONS if each.version.name == name])


def http_page(name: str) -> str:
    """Return the page for an API version as Markdown."""
    document = document_of(name)
    introduction = _INTRODUCTION.format(
        name=name,
        number=name.removeprefix("v"),
        status=_STATUS[name],
        limit=LARGEST_BODY // 2**20,
        token=", or a client token where the operation accepts one" if name == "v1.2" else "",
    )
    operations = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    overview = table(
        ["Operation", "What it does"],
        [
            [f"[{code(f'{method} {path}')}](#{operation['operationId']})", operation["summary"]]
            for method, path, operation in operations
        ],
    )
    sections = [_section(*each, document) for each in operations]
    return "\n\n".join([introduction.rstrip(), overview, *sections]) + "\n"


def _section(method: str, path: str, operation: _Document, document: _Document) -> str:
    schemas = document["components"]["schemas"]
    parts = [f"## `{method} {path}` {{ #{operation['operationId']} }}", f"{operation['summary']}."]
    if operation["description"] != f"{operation['summary']}.":
        parts.append(operation["description"])
    parts += [_credential(operation), _parameters(operation)]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        parts += ["**Body**", *body_fields(body["schema"], schemas)]
    parts += ["**Request**", fenced("bash", _curl(method, path, operation))]
    parts += _responses(operation, schemas)
    return "\n\n".join(filter(None, parts))


def _credential(operation: _Document) -> str:
    [scopes] = operation["security"][0].values()
    if not scopes:
        return "Requires an API key."
    names = ", ".join(map(code, scopes))
    return f"Requires an API key, or a client token with the scope {names}."


def _parameters(operation: _Document) -> str:
    parameters = operation.get("parameters", [])
    if not parameters:
        return ""
    rows = [
        [
            code(each["name"]),
            each["in"] + (", required" if each["required"] else ""),
            accepted(each["schema"]),
            each["description"],
        ]
        for each in parameters
    ]
    return table(["Parameter", "In", "Accepts", "Description"], rows)


def _curl(method: str, path: str, operation: _Document) -> str:
    """Return a `curl` command that can be pasted, with example values where available."""
    query, headers = {}, []
    for each in operation.get("parameters", []):
        example = each.get("example", each["schema"].get("example"))
        if each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", str(example or f"<{each['name']}>"))
        elif example is None and not each["required"]:
            continue
        elif each["in"] == "query":
            query[each["name"]] = example or f"<{each['name']}>"
        else:
            headers.append(f"{each['name']}: {example or '<' + each['name'] + '>'}")
    address = f"$API{path}" + (f"?{urlencode(query, safe='<>:,')}" if query else "")
    words = [f"curl -X {method}" if method not in ("GET", "POST") else "curl", f'"{address}"']
    lines = [" ".join(words), '-H "Authorization: Bearer $KEY"']
    lines += [f"-H {quote(header)}" for header in headers]
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    if content:
        body = json.dumps(content.get("example", {}), indent=2, ensure_ascii=False)
        lines += ["-H 'Content-Type: application/json'", f"-d {quote(body)}"]
    elif method == "POST":
        lines[0] = lines[0].replace("curl", "curl -X POST")
    return " \\\n  ".join(lines)


def _responses(operation: _Document, schemas: _Document) -> list[str]:
    parts = ["**Response**"]
    errors = []
    for status, response in operation["responses"].items():
        content = response.get("content", {}).get("application/json")
        if status.startswith("2"):
            parts += _success(status, response, content, schemas)
        else:
            errors.append((status, response, content))
    heads = ["Status", "Meaning", "Codes" if operation["tags"] == ["v1.2"] else "", "Example"]
    rows = []
    for status, response, content in errors:
        example = (content or {}).get("example")
        shown = code(json.dumps(example, ensure_ascii=False)) if example is not None else ""
        codes = ", ".join(f"[{code(each)}](errors.md#{each})" for each in _codes(operation, status))
        rows.append([_status(status, operation), response["description"], codes, shown])
    used = [place for place in range(4) if any(row[place] for row in rows)]
    parts.append(table([heads[n] for n in used], [[row[n] for n in used] for row in rows]))
    return parts


def _status(status: str, operation: _Document) -> str:
    is_error_of_v1_1 = operation["tags"] == ["v1.1"] and status[0] in "45"
    return f"[{status}](errors.md#v1_1_{status})" if is_error_of_v1_1 else status


def _codes(operation: _Document, status: str) -> list[str]:
    """Return the version 1.2 error codes that an operation can return with a status."""
    if operation["tags"] != ["v1.2"]:
        return []
    parameters = {each["name"] for each in operation.get("parameters", ())}
    [scopes] = operation["security"][0].values()
    counted = {each.operation_id for each in OPERATIONS if each.counted}
    impossible = {
        "client_token_not_allowed" if scopes else "scope_insufficient",
        "end_user_id_required" if "Service-End-User-ID" not in parameters else "",
        "history_unusable" if "Idempotency-Key" in parameters else "idempotency_key_reused",
        "client_token_revocation_incomplete" if "revoke" not in operation["operationId"] else "",
    }
    if operation["operationId"] not in counted:
        impossible |= {"request_limit_exceeded", "credit_limit_exceeded"}
    return [code for code, each in STATUS.items() if str(each) == status and code not in impossible]


def _success(
    status: str, response: _Document, content: _Document | None, schemas: _Document
) -> list[str]:
    if content is None:
        return [f"Status {status} without a body. {_description(response)}".rstrip()]
    reference = content["schema"].get("$ref")
    described = f": {code(schema_name(reference))}." if reference else "."
    parts = [f"Status {status}{described} {_description(response)}".rstrip()]
    if "example" in content:
        parts.append(json_block(content["example"], "Response"))
    parts += body_fields(content["schema"], schemas)
    headers = response.get("headers", {})
    rows = [
        [code(name), about["description"]]
        for name, about in headers.items()
        if name not in _HEADERS_OF_ALL
    ]
    if rows:
        parts.append(table(["Header", "Meaning"], rows))
    return parts


def _description(response: _Document) -> str:
    text: str = response["description"]
    return "" if text == "Success." else text
