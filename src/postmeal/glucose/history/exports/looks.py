"""Descriptions of files for the errors that refuse them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from postmeal.errors import InputError
from postmeal.glucose.history.exports.other_apps import app_of
from postmeal.glucose.history.exports.rows import first_lines, rows, separator

__all__ = ["listed", "look_of", "refusal"]

_MOST_NAMES = 8
_LONGEST_NAME = 40
_ROOT = re.compile(r"<([A-Za-z][\w.:-]*)")


def refusal(problem: str, text: str, look: str, accepted: Iterable[str]) -> InputError:
    """Make the error for an unsupported file.

    Parameters
    ----------
    problem : str
        Problem of a file of no known app, as the rest of a sentence about the file.
    text : str
        Text by which `postmeal.glucose.history.exports.other_apps.app_of` recognizes apps.
    look : str
        Description of the file, as `look_of` returns it.
    accepted : iterable of str
        Supported formats.

    Returns
    -------
    InputError
        It names the app if that is known, and otherwise describes the file.
    """
    names = ", ".join(accepted)
    if app := app_of(text):
        problem = f"is an export of {app}, which is not supported; it must be one of"
    else:
        names += f"; this is {look}"
    return InputError("file", f"{problem}: {names}")


def look_of(text: str) -> str:
    """Describe a text: JSON, XML or CSV, with its keys, root or columns.

    Examples
    --------
    >>> look_of("time;glucose\\n08:00;112\\n")
    'a CSV file with the columns time, glucose'
    >>> look_of('[{"eventType": "Temp Basal", "rate": 0.5}]')
    'a JSON list of objects with the keys eventType, rate'
    """
    start = text.lstrip()[:1]
    if start in ("[", "{"):
        return _look_of_json(text)
    if start == "<" and (root := _ROOT.search(text[:10_000])):
        return f"an XML file with the root {root[1]}"
    head = first_lines(text, 1)
    _, columns = next(rows(text, separator(head[0])), (0, None)) if head else (0, None)
    if columns and len(columns) > 1:
        return f"a CSV file with the columns {listed(columns)}"
    return f"a text that begins with {head[0][:_LONGEST_NAME]!r}" if head else "an empty text"


def listed(names: Iterable[str]) -> str:
    """Join the first names and the number of further ones."""
    given = [name[:_LONGEST_NAME] for name in names if name]
    more = len(given) - _MOST_NAMES
    return ", ".join(given[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _look_of_json(text: str) -> str:
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError):
        return "damaged JSON"
    if isinstance(plain, dict):
        return f"a JSON object with the keys {listed(plain)}"
    objects = [one for one in plain if isinstance(one, dict)]
    if not objects:
        return "a JSON list without objects" if plain else "an empty JSON list"
    return f"a JSON list of objects with the keys {listed(objects[0])}"
