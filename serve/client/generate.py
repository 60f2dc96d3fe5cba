"""Write the models and methods of the Python client from the OpenAPI documents."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

from postmeal_serve.app import OPERATIONS, VERSIONS
from postmeal_serve.http.openapi import openapi_document

__all__ = ["write_client"]

ROOT = Path(__file__).parents[2]
PACKAGE = Path(__file__).parent / "postmeal_client"
_HEADER = "# Written by serve/client/generate.py; do not edit.\n"
_NOT_OFFERED = {"If-None-Match"}
"""Parameters without a use in the client, whose results have no `ETag`."""

_KEYWORDS = {
    "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "format", "items",
    "properties", "required", "type",
}  # fmt: skip
"""Keywords of schemas that the models show. The service alone checks lengths, ranges and patterns:
its limits may be raised without a new client."""

_OPTIONS = (
    "--input-file-type", "openapi", "--output-model-type", "pydantic_v2.BaseModel",
    "--target-python-version", "3.11", "--custom-file-header", _HEADER.strip(),
    "--enum-field-as-literal", "all", "--use-annotated", "--use-schema-description",
    "--use-field-description", "--use-single-line-docstring", "--collapse-root-models",
    "--strict-nullable", "--keep-model-order", "--formatters", "builtin", "--disable-warnings",
)  # fmt: skip
_TYPES = {"string": "str", "integer": "int", "number": "float"}
_IMPORTS = """
from __future__ import annotations

from datetime import date
from typing import Literal

from postmeal_client.connection import AsyncConnection, Connection, Request, path_of

from . import models

__all__ = ["AsyncClient", "Client"]
"""


def write_client(package: Path = PACKAGE) -> None:
    """Write one subpackage for each API version."""
    for version in VERSIONS:
        folder = package / version.name.replace(".", "_")
        folder.mkdir(exist_ok=True)
        operations = [each for each in OPERATIONS if each.version.name == version.name]
        document = openapi_document(version.name, operations)
        title = f'"""Clients of version {version.name[1:]} of the API."""\n'
        exports = "from .client import AsyncClient, Client\n\n__all__ = ['AsyncClient', 'Client']\n"
        (folder / "__init__.py").write_text(f"{_HEADER}{title}\n{exports}", encoding="utf-8")
        code = f"{_HEADER}{title}{_IMPORTS}{_class(document, False)}{_class(document, True)}"
        (folder / "client.py").write_text(code, encoding="utf-8")
        _write_models(document, folder / "models.py")
        rules = ("--quiet", "--config", "pyproject.toml", str(folder))
        _run("ruff", "check", "--select", "F401,I,UP", "--fix", *rules)
        _run("ruff", "format", *rules)


def _run(*command: str) -> None:
    subprocess.run([sys.executable, "-m", *command], check=True, cwd=ROOT)


def _write_models(document: Mapping[str, Any], file: Path) -> None:
    schemas = document["components"]["schemas"]
    sent = set(_reachable(_operation_parts(document, "requestBody"), schemas))
    received = set(_reachable(_operation_parts(document, "responses"), schemas))
    shown = {name: _shown(schema) | {"title": name} for name, schema in schemas.items()}
    for name in sent - received:  # Fields that the client does not know are sent too.
        shown[name]["additionalProperties"] = True
    with tempfile.TemporaryDirectory() as folder:
        simplified = Path(folder) / "openapi.json"
        simplified.write_text(
            json.dumps({**document, "paths": {}, "components": {"schemas": shown}}),
            encoding="utf-8",
        )
        _run(
            "datamodel_code_generator", *_OPTIONS, "--input", str(simplified), "--output", str(file)
        )


def _operation_parts(document: Mapping[str, Any], part: str) -> list[Any]:
    operations = [each for path in document["paths"].values() for each in path.values()]
    return [operation[part] for operation in operations if part in operation]


def _reachable(part: Any, schemas: Mapping[str, Any]) -> Iterator[str]:
    """Return the names of the schemas that a part of the document refers to."""
    pending, seen = [part], set()
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            pending.extend(node.values())
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name and name not in seen:
                seen.add(name)
                pending.append(schemas[name])
                yield name


def _shown(schema: Any) -> Any:
    """Return what the models show of a schema."""
    if isinstance(schema, list):
        return [_shown(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    shown = {name: _shown(value) for name, value in schema.items() if name in _KEYWORDS}
    if "properties" in schema:
        shown["properties"] = {name: _shown(value) for name, value in schema["properties"].items()}
        shown.pop("anyOf", None)  # combinations of fields that the service requires
        shown.pop("additionalProperties", None)
    return shown


def _class(document: Mapping[str, Any], asynchronous: bool) -> str:
    name, base = ("AsyncClient", "AsyncConnection") if asynchronous else ("Client", "Connection")
    kind = "Asynchronous" if asynchronous else "Blocking"
    lines = [f'\nclass {name}({base}):\n    """{kind} calls; see `{base}` for the arguments."""\n']
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            lines.append(indent(_method(method.upper(), path, operation, asynchronous), "    "))
    return "\n".join(lines)


def _method(method: str, path: str, operation: Mapping[str, Any], asynchronous: bool) -> str:
    name = operation["operationId"].split("_", 2)[2]
    parameters = [
        each for each in operation.get("parameters", ()) if each["name"] not in _NOT_OFFERED
    ]
    arguments, documented = ["self"], []
    for each in sorted(parameters, key=lambda each: each["in"] != "path"):
        if each["in"] != "path" and "*" not in arguments:
            arguments.append("*")
        arguments.append(f"{_argument(each)}: {_type(each)}")
        documented.append(f"{_argument(each)}\n    {each['description']}")
    if "requestBody" in operation:
        first_keyword = arguments.index("*") if "*" in arguments else len(arguments)
        arguments.insert(first_keyword, f"body: models.{_model(operation['requestBody'])}")
    [success] = [each for status, each in operation["responses"].items() if status[0] == "2"]
    model = _model(success) if "content" in success else None
    call = f"self._call({_request(method, path, parameters, operation)}, models.{model})"
    if model is None:
        call = f"self._send({_request(method, path, parameters, operation)})"
    text = f"{operation['summary']}.\n\n{operation['description']}"
    if documented:
        text += "\n\nParameters\n----------\n" + "\n".join(documented)
    docstring = indent(f'"""{text}\n"""', "    ")
    result = f"models.{model}" if model else "None"
    return (
        f"{'async ' * asynchronous}def {name}({', '.join(arguments)}) -> {result}:\n{docstring}\n"
        f"    {'return ' * (model is not None)}{'await ' * asynchronous}{call}\n"
    )


def _request(
    method: str, path: str, parameters: list[Mapping[str, Any]], operation: Mapping[str, Any]
) -> str:
    """Return the expression of the request that a method sends."""
    ids = [f"{each['name']}={_argument(each)}" for each in parameters if each["in"] == "path"]
    written = f"path_of({', '.join([repr(path), *ids])})" if ids else repr(path)
    parts = [repr(method), written]
    for place, keyword in (("query", "query"), ("header", "headers")):
        values = [
            f"{each['name']!r}: {_argument(each)}" for each in parameters if each["in"] == place
        ]
        if values:
            parts.append(f"{keyword}={{{', '.join(values)}}}")
    if "requestBody" in operation:
        parts.append("body=body")
    if operation.get("x-stores"):
        parts.append("stores=True")
    return f"Request({', '.join(parts)})"


def _argument(parameter: Mapping[str, Any]) -> str:
    name: str = parameter["name"]
    return name if parameter["in"] == "path" else name.replace("-", "_").lower()


def _type(parameter: Mapping[str, Any]) -> str:
    schema = parameter["schema"]
    name = "date" if schema.get("format") == "date" else _TYPES[schema["type"]]
    if "enum" in schema:
        name = f"Literal[{', '.join(map(repr, schema['enum']))}]"
    return name if parameter["required"] else f"{name} | None = None"


def _model(part: Mapping[str, Any]) -> str:
    reference: str = part["content"]["application/json"]["schema"]["$ref"]
    return reference.rpartition("/")[2]


if __name__ == "__main__":
    write_client()
