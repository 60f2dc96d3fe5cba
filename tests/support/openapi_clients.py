"""Programs that call every operation of an OpenAPI document, for checks by compilers."""

import json
from collections.abc import Mapping
from typing import Any

PACKAGES = (
    "openapi-typescript@7",
    "openapi-fetch@0.17",
    "typescript@5",
    "@redocly/cli@2",
    "@stoplight/spectral-cli@6",
)
"""npm packages: generators, a compiler and linters."""

PYTHON_PACKAGES = ("openapi-python-client>=0.26", "mypy>=1.13")


def typescript_program(document: Mapping[str, Any]) -> str:
    """Write a TypeScript program with one call for each operation."""
    lines = [
        'import createClient from "openapi-fetch";',
        'import type { paths } from "./schema";',
        'const client = createClient<paths>({ baseUrl: "http://localhost" });',
        "export async function everyCall(): Promise<void> {",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            options = _options(operation)
            lines.append(f"  await client.{method.upper()}({json.dumps(path)}, {options});")
    return "\n".join([*lines, "}", ""])


def _options(operation: Mapping[str, Any]) -> str:
    options: dict[str, Any] = {}
    for parameter in operation.get("parameters", ()):
        if parameter["required"]:
            place = options.setdefault("params", {}).setdefault(parameter["in"], {})
            place[parameter["name"]] = value_of(parameter["schema"])
    if body := operation.get("requestBody"):
        content = body["content"]["application/json"]
        options["body"] = content.get("example", {})
    return json.dumps(options, ensure_ascii=False)


def value_of(schema: Mapping[str, Any]) -> Any:
    """Return a valid value for the schema of a parameter."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") in ("integer", "number"):
        return schema.get("minimum", 1)
    return "1"
