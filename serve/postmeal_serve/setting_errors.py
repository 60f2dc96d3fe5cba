"""Messages about invalid settings, which name the environment variable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from json import JSONDecodeError
from typing import Any, get_args, get_origin

from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError

from postmeal_serve.partners.plans import Plan
from postmeal_serve.settings import Settings

__all__ = ["json_problem", "setting_problem"]

_PLAIN_WORDS = {
    "Input should be": "must be",
    "String should": "must",
    "a valid boolean": "true or false",
    "a valid dictionary or instance of Plan": "a JSON object",
    "a valid dictionary": "a JSON object",
    "a valid tuple": "a JSON list",
}
_PATTERNS = {
    "contact": "must be an email address or URL in ASCII without spaces and parentheses",
    "e_utilities_email": "must be an email address",
}
_NUMBERS = {"integer": "an integer", "number": "a number"}
_QUOTED = re.compile(r'"(\w+)"')


def setting_problem(detail: ErrorDetails) -> str:
    """Return a message about an invalid setting that names its environment variable."""
    message = detail["msg"].removeprefix("Value error, ")
    if not detail["loc"]:
        return message
    name, *within = map(str, detail["loc"])
    variable = ".".join([f"POSTMEAL_{name.upper()}", *within])
    if detail["type"] == "extra_forbidden":
        return f"{variable} is unknown; settings of a plan: {', '.join(Plan.model_fields)}"
    value = detail["input"]
    if detail["type"] == "value_error":
        return f"{variable} {message}"
    if (accepted := _accepted_number(name, within)) is not None:
        message = f"must be {accepted}"
    elif detail["type"] == "string_pattern_mismatch":
        message = _PATTERNS.get(name, message)
    else:
        message = message.partition(", unable to ")[0]
        for words, plain in _PLAIN_WORDS.items():
            message = message.replace(words, plain)
    shown = repr(value) if isinstance(value, str) else json.dumps(value, default=str)
    return f"{variable} {message}, got {shown if len(shown) <= 60 else shown[:57] + '...'}"


def json_problem(error: SettingsError) -> str:
    """Return a message about a setting that is not valid JSON."""
    field, cause = _QUOTED.search(str(error)), error.__cause__
    if field is None or not isinstance(cause, JSONDecodeError):
        return f"{error}: {cause}"
    accepted = f"must be a JSON object ({cause})"
    if get_origin(kind := Settings.model_fields[field[1]].annotation) is tuple:
        values = get_args(get_args(kind)[0])
        example = json.dumps(values[:1])
        accepted = f"must be a JSON list of {' and '.join(values)}, such as {example}"
    return f"POSTMEAL_{field[1].upper()} {accepted}, got {cause.doc[:60]!r}"


@cache
def _schema() -> dict[str, Any]:
    return Settings.model_json_schema()


def _accepted_number(name: str, within: Iterable[str]) -> str | None:
    """Return the numbers that a setting accepts; None if it is not a number.

    `within` is the path to a value in a setting that is a JSON object.
    """
    part = _schema()["properties"][name]
    for key in within:
        part = _resolved(part)
        part = part.get("properties", {}).get(key, part.get("additionalProperties"))
        if not isinstance(part, dict):
            return None
    part = _resolved(part)
    if part.get("type") not in _NUMBERS:
        return None
    return f"{_NUMBERS[part['type']]}{_range(part)}"


def _resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that a reference names, or that stands beside null."""
    part = part.get("anyOf", [part])[0]
    if "$ref" in part:
        definition: dict[str, Any] = _schema()["$defs"][part["$ref"].rpartition("/")[2]]
        return definition
    return part


def _range(part: dict[str, Any]) -> str:
    least, most = part.get("minimum"), part.get("maximum")
    if "exclusiveMinimum" in part:
        most_too = "" if most is None else f" and at most {_plain(most)}"
        return f" above {_plain(part['exclusiveMinimum'])}{most_too}"
    if least is None:
        return "" if most is None else f" of at most {_plain(most)}"
    return (
        f" of {_plain(least)} or more"
        if most is None
        else f" from {_plain(least)} to {_plain(most)}"
    )


def _plain(limit: float) -> str:
    return str(int(limit)) if limit == int(limit) else str(limit)
