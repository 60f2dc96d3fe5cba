"""The OpenAPI documents: built from what the operations declare, so they cannot disagree."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from serve.http.admission import Operation
from serve.wire.request_body import LARGEST_BODY

__all__ = ["openapi_document"]

_ABOUT = (
    "Postmeal predicts the glucose curve of the two hours after a meal. Every operation wants an"
    " API key of its version; one of version 1.2 that names a scope takes a client token with that"
    f" scope, too. Bodies are JSON of at most {LARGEST_BODY} bytes. Unknown fields and parameters"
    " are ignored; version 1.2 refuses one that is nearly the name of a missing one, version 1.1"
    " lists it in `X-Ignored-Fields`."
)
_SECURITY = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key, `sk-…`, or a client token, `ct-…`.",
    }
}


def openapi_document(name: str, operations: Sequence[Operation]) -> dict[str, Any]:
    """Describe operations as OpenAPI 3.1.

    Parameters
    ----------
    name : str
        API version that the document is about, for its title.
    operations : sequence of Operation
        What to describe.

    Returns
    -------
    dict
        The document, ready to be written as JSON.
    """
    try:
        release = version("postmeal")
    except PackageNotFoundError:  # a checkout that was not installed
        release = "0"
    document: dict[str, Any] = get_openapi(
        title=f"postmeal {name}".strip(),
        version=release,
        openapi_version="3.1.0",
        description=_ABOUT,
        routes=list(operations),
    )
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SECURITY
    models = [(each.body_model, "validation") for each in operations if each.body_model]
    _, bodies = models_json_schema(models, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]
    components.setdefault("schemas", {}).update(bodies.get("$defs", {}))
    for each in operations:
        for method in each.methods or ():
            _complete(document["paths"][each.path][method.lower()], each)
    return document


def _complete(entry: dict[str, Any], operation: Operation) -> None:
    entry["security"] = [{"bearer": [operation.scope] if operation.scope else []}]
    entry["tags"] = [operation.version.name]
    if operation.version.deprecated:
        entry["deprecated"] = True
    if operation.parameters:
        entry["parameters"] = [parameter.document for parameter in operation.parameters]
    if operation.body_model is not None:
        schema = {"$ref": f"#/components/schemas/{operation.body_model.__name__}"}
        content: dict[str, Any] = {"schema": schema}
        if operation.example is not None:
            content["example"] = operation.example
        entry["requestBody"] = {"required": True, "content": {"application/json": content}}
    for status, response in entry["responses"].items():
        if status < "300":
            response["description"] = "Success."
            if operation.links:
                response["links"] = {
                    target: {"operationId": target, "parameters": dict(parameters)}
                    for target, parameters in operation.links.items()
                }
