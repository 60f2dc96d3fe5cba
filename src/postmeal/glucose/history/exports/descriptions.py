"""Create the errors for unsupported files, which describe the content of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from postmeal.errors import InputError
from postmeal.glucose.history.exports.other_apps import recognize_app
from postmeal.glucose.history.exports.rows import first_lines, rows, separator

_MAX_NAMES = 8
_MAX_NAME_LENGTH = 40
_ROOT = re.compile(r"<([A-Za-z][\w.:-]*)")


def unsupported_file(
    problem: str, text: str, description: str, allowed: Iterable[str], name: str = "this"
) -> InputError:
    """Create the error for an unsupported file."""
    names = ", ".join(allowed)
    if app := recognize_app(text):
        problem = f"is an export of {app}, which is not supported; supported formats"
    else:
        names += f"; {name} is {description}"
    return InputError("file", f"{problem}: {names}")


def describe_text(text: str) -> str:
    """Describe a text as JSON, XML or CSV, with its keys, root element or columns."""
    start = text.lstrip()[:1]
    if start in ("[", "{"):
        return _describe_json(text)
    if start == "<" and (root := _ROOT.search(text[:10_000])):
        return f"an XML file with the root element {root[1]}"
    head = first_lines(text, 1)
    _, columns = next(rows(text, separator(head[0])), (0, None)) if head else (0, None)
    if columns and len(columns) > 1:
        return f"a CSV file with the columns {join_names(columns)}"
    return f"a text file starting with {head[0][:_MAX_NAME_LENGTH]!r}" if head else "an empty file"


def join_names(names: Iterable[str]) -> str:
    """Join the first eight names with commas, and state how many more there are."""
    shortened = [name[:_MAX_NAME_LENGTH] for name in names if name]
    n_more = len(shortened) - _MAX_NAMES
    return ", ".join(shortened[:_MAX_NAMES]) + (f" and {n_more} more" if n_more > 0 else "")


def _describe_json(text: str) -> str:
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        return "damaged JSON"
    if isinstance(plain, dict):
        return f"a JSON object with the keys {join_names(plain)}"
    objects = [item for item in plain if isinstance(item, dict)]
    if not objects:
        return "a JSON list without objects" if plain else "an empty JSON list"
    return f"a JSON list of objects with the keys {join_names(objects[0])}"
