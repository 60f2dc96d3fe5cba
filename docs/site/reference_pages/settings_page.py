"""Reference page for all settings, generated from `Settings` and its docstring."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from postmeal_serve.partners.plans import ENDPOINT_IN_FLIGHT, ENDPOINT_RATES, PLANS
from postmeal_serve.settings import Settings
from reference_pages.markdown import code, fenced, json_block, paragraph, table

__all__ = ["effects_of_settings", "settings_page", "variable"]

_INTRODUCTION = """\
# Settings

The service reads its settings from environment variables when it starts. `postmeal-serve admin`
reads the same variables. If a value is invalid, the service does not start and prints an error that
names the variable. Quote JSON values in a shell command:

"""

_COMPUTED_DEFAULTS = {
    "state_dir": "folder `var` in the checkout, or in the working directory",
    "plans": "see [Plans](#plans)",
}
"""Defaults that a table cannot show as values."""

_UNITS = (
    ("_per_minute", "calls per minute"),
    ("_per_hour", "calls per hour"),
    ("_days", "days"),
    ("_s", "seconds"),
)
"""Units by the suffix of a setting's name."""

_KINDS = {"integer": "integer", "number": "number", "boolean": "`true` or `false`"}

_ATTRIBUTE = re.compile(r"^([a-z]\w*(?:, \w+)*) : .*$")


def settings_page() -> str:
    """Return the page as Markdown."""
    effects = effects_of_settings()
    rows = [
        [_setting(name, field), _with_links(effects[name])]
        for name, field in Settings.model_fields.items()
    ]
    example = fenced("bash", "export POSTMEAL_CREDIT_COSTS='{\"predict_glucose\": 1}'")
    settings = table(["Setting", "Description"], rows)
    return "\n\n".join([_INTRODUCTION.rstrip(), example, settings, _plans()]) + "\n"


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{Settings.model_config['env_prefix']}{name.upper()}"


def effects_of_settings() -> dict[str, str]:
    """Return the effect of each setting, from the "Attributes" section of the docstring."""
    text = inspect.getdoc(Settings) or ""
    _, _, attributes = text.partition("Attributes\n----------\n")
    effects: dict[str, str] = {}
    names: list[str] = []
    for line in attributes.partition("\n\n")[0].splitlines():
        if match := _ATTRIBUTE.match(line):
            names = match[1].split(", ")
            effects |= dict.fromkeys(names, "")
        else:
            effects |= {name: f"{effects[name]} {line.strip()}".strip() for name in names}
    return effects


def _setting(name: str, field: FieldInfo) -> str:
    """Return the variable of a setting with an anchor, followed by its accepted values."""
    anchor = variable(name).lower()
    link = f"[`{variable(name)}`](#{anchor}){{ #{anchor} }}"
    return f"{link}<br>{_accepted(name, field)}<br>Default: {_default(name, field)}"


def _accepted(name: str, field: FieldInfo) -> str:
    """Return a description of the values of a setting: kind, limits and unit."""
    schema = Settings.model_json_schema()["properties"][name]
    options = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    option = options[0]
    text = _kind(option, field)
    low, high = option.get("minimum"), option.get("maximum")
    above = option.get("exclusiveMinimum")
    limits = [
        f"at least {low}" if low is not None else f"above {above}" if above is not None else "",
        f"at most {high}" if high is not None else "",
        f"at most {option['maxLength']} characters" if "maxLength" in option else "",
    ]
    text = ", ".join(filter(None, [text, *limits]))
    unit = next((unit for end, unit in _UNITS if name.endswith(end)), "")
    return f"{text} ({unit})" if unit and "object" not in text else text


def _kind(option: dict[str, Any], field: FieldInfo) -> str:
    if "enum" in option:
        return " or ".join(code(value) for value in option["enum"])
    if option.get("format") == "password":
        return "string; **secret**"
    if option.get("format") == "path":
        return "path"
    if option.get("type") == "array":
        choices = " or ".join(code(value) for value in option["items"].get("enum", []))
        return f"JSON array of {choices or 'strings'}"
    if option.get("type") == "object":
        return "JSON object"
    if str in (field.annotation, *get_args(field.annotation)):
        return "string"
    return _KINDS.get(option.get("type", ""), "string")


def _default(name: str, field: FieldInfo) -> str:
    if name in _COMPUTED_DEFAULTS:
        return _COMPUTED_DEFAULTS[name]
    value = field.get_default(call_default_factory=True, validated_data={})
    assert value is not PydanticUndefined
    if hasattr(value, "get_secret_value"):
        value = value.get_secret_value()
    if value in (None, "", (), {}):
        return "not set"
    return code(json.dumps(value) if isinstance(value, bool | list | dict | tuple) else value)


def _with_links(effect: str) -> str:
    """Replace the names of settings in an effect by links to their rows."""

    def link(match: re.Match[str]) -> str:
        if match[1] not in Settings.model_fields:
            return match[0]
        return f"[`{variable(match[1])}`](#{variable(match[1]).lower()})"

    return re.sub(r"(?<!`)`([a-z]\w*)`(?!`)", link, paragraph(effect))


def _plans() -> str:
    def amount(number: int | None) -> str:
        return "no limit" if number is None else f"{number:,}"

    rows = [
        [
            code(name),
            amount(plan.monthly_requests),
            amount(plan.monthly_credits),
            amount(plan.per_minute),
        ]
        for name, plan in PLANS.items()
    ]
    heads = ["Plan", "Requests per month", "Credits per month", "Calls per minute and endpoint"]
    parts = ["## Plans", "The built-in plans are:", table(heads, rows), *_plan_notes()]
    return "\n\n".join(parts)


def _plan_notes() -> Iterator[str]:
    rates = ", ".join(f"`{name}` {rate}" for name, rate in ENDPOINT_RATES.items())
    yield (
        "In all plans except `unlimited`, three endpoints have their own limits, in calls per"
        f" minute: {rates}."
    )
    slots = ", ".join(f"`{name}` {number}" for name, number in ENDPOINT_IN_FLIGHT.items())
    yield (
        "In all plans, some endpoints have a limit on concurrent calls, unless `in_flight` sets"
        f" another number: {slots}."
    )
    yield (
        "`POSTMEAL_PLANS` replaces all built-in plans. The fields of a plan are `monthly_requests`,"
        " `monthly_credits`, `per_minute`, `rates` (calls per minute for individual endpoints),"
        " `in_flight` (concurrent calls for individual endpoints) and `ceiling_stated` (whether the"
        " error message names the plan when its monthly requests are used up)."
    )
    rate = {"search_foods": 300}
    basic = {"monthly_requests": 20_000, "per_minute": 120, "rates": rate}
    yield json_block({"basic": basic}, "POSTMEAL_PLANS")
