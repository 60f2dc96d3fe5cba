"""Tables of fields generated from the JSON Schemas of bodies and parameters."""

from __future__ import annotations

import json
from typing import Any

from reference_pages.markdown import code, table

__all__ = ["accepted", "body_fields", "schema_name"]

_Schema = dict[str, Any]

_BOUNDS = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)
_SHOWN_VALUES = 20


def schema_name(reference: str) -> str:
    """Return the name of the schema that a reference points to."""
    return reference.rpartition("/")[2]


def accepted(schema: _Schema) -> str:
    """Return a short description of the values that a schema accepts."""
    limits = [_limit(schema.get(low), schema.get(high), unit) for low, high, unit in _BOUNDS]
    if "exclusiveMinimum" in schema:
        limits.append(f"greater than {schema['exclusiveMinimum']}")
    if "exclusiveMaximum" in schema:
        limits.append(f"less than {schema['exclusiveMaximum']}")
    return ", ".join([_kind(schema), *filter(None, limits)])


def body_fields(schema: _Schema, schemas: _Schema) -> list[str]:
    """Return a table of the fields of a schema, and one for each named schema that it contains.

    Parameters
    ----------
    schema : dict
        Schema of a request or response body.
    schemas : dict
        All schemas in the document, by name.
    """
    parts: list[str] = []
    waiting, seen = [schema], set[str]()
    while waiting:
        current = waiting.pop(0)
        reference = current.get("$ref")
        if reference is None:
            waiting += _within(current)
            continue
        name = schema_name(reference)
        target = schemas[name]
        if name in seen or "properties" not in target:
            continue
        seen.add(name)
        if parts or current is not schema:
            parts.append(f"{code(name)}:")
        parts.append(_fields(target))
        waiting += target["properties"].values()
    return parts


def _limit(low: float | None, high: float | None, unit: str) -> str:
    if low is None:
        return "" if high is None else f"at most {high}{unit}"
    if high is None:
        return f"at least {low}{unit if low != 1 else unit.rstrip('s')}"
    return f"{low} to {high}{unit}" if low != high else f"{low}{unit}"


def _fields(schema: _Schema) -> str:
    required = schema.get("required", ())
    rows = [
        [
            code(name) + (" (required)" if name in required else ""),
            accepted(field),
            field.get("description", ""),
        ]
        for name, field in schema["properties"].items()
    ]
    if any(row[2] for row in rows):
        return table(["Field", "Type", "Description"], rows)
    return table(["Field", "Type"], [row[:2] for row in rows])


def _within(schema: _Schema) -> list[_Schema]:
    """Return the schemas directly inside an unnamed schema."""
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    inner += schema.get("properties", {}).values()
    inner += [
        each
        for key in ("items", "additionalProperties")
        if isinstance(each := schema.get(key), dict)
    ]
    return inner


def _kind(schema: _Schema) -> str:
    if "$ref" in schema:
        return schema_name(schema["$ref"])
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        values = [code(json.dumps(value)) for value in schema["enum"]]
        more = [f"and {len(values) - _SHOWN_VALUES} more"] if len(values) > _SHOWN_VALUES else []
        return ", ".join([*values[:_SHOWN_VALUES], *more])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(map(accepted, schema[key]))
    kind = schema.get("type", "any value")
    if kind == "array":
        return f"array of {accepted(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {accepted(schema['additionalProperties'])}"
    if isinstance(kind, list):
        return " or ".join(kind)
    form = schema.get("format")
    return f"{kind} ({form})" if form else str(kind)
