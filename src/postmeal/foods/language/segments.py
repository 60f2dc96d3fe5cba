"""Segments of a meal text: what names foods, and what says something about them.

"Two eggs, sorry, three, and a pizza that I split with my wife" has the segments "2 eggs", the
correction "3", "and 1 pizza that", and a share of a half. The rules are in ``speech.toml``.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from postmeal.foods.language.numbers import number_of

__all__ = ["ROLES", "Rule", "Segment", "segment_rules", "segments_of"]

ROLES = {
    "food": "names foods and amounts",
    "remark": "names no food that was eaten",
    "cancel": "a food before it was not eaten",
    "share": "shared with others",
    "with": "the people of a share",
    "left": "a part of a food before it was left",
    "keep": "a part of a food before it was eaten",
    "count": "how many of the food before it were eaten",
    "correction": "replaces the amount or the food before it",
    "amend": "replaces an amount before it where it names the same food",
}
"""Roles of segments."""

_CORRECTED = frozenset({"correction", "amend"})
_END_OF_CORRECTION = re.compile(r"\s*(?:[,;.](?!\d)|\b(?:and|with|plus|then|but)\b)")
_FRACTIONS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fourth": 0.25}
_MOST_MARKS = 60
_LONGEST_RULED = 4000  # characters


class Rule(NamedTuple):
    """A rule of ``speech.toml``."""

    role: str
    pattern: re.Pattern[str]
    example: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text with one role.

    Attributes
    ----------
    role : str
        A key of `ROLES`.
    text : str
        Its words; of a correction, what replaces.
    value : float or None
        A fraction or a count.
    target : str
        The food that it refers to; empty for the food before it.
    """

    role: str
    text: str
    value: float | None = None
    target: str = ""


def segments_of(text: str) -> tuple[Segment, ...]:
    """Split a text into segments.

    Parameters
    ----------
    text : str
        Words as `postmeal.foods.language.numbers.amount_text` writes them.

    Returns
    -------
    tuple of Segment
        In the order of the text.

    Examples
    --------
    >>> [(each.role, each.text) for each in segments_of("2 eggs, sorry, 3, and toast")]
    [('food', '2 eggs'), ('correction', '3'), ('food', ', and toast')]
    """
    segments: list[Segment] = []
    place = 0
    marks = _marks(text)
    shared = any(rule.role in ("share", "keep") for _, _, rule, _ in marks)
    for start, end, rule, match in marks:
        if start < place or (rule.role == "with" and not shared):
            continue
        if text[place:start].strip(" ,.;"):
            segments.append(Segment("food", text[place:start].strip()))
        said = match[0].strip(" ,.;")
        if rule.role in _CORRECTED:
            stop = _END_OF_CORRECTION.search(text, end)
            end = stop.start() if stop else len(text)
            said = text[match.end() : end].strip()
        segments.append(Segment(rule.role, said, _value(rule.role, match), _target(match)))
        place = end
    if text[place:].strip(" ,.;") or not segments:
        segments.append(Segment("food", text[place:].strip()))
    return tuple(segments)


@lru_cache(1)
def segment_rules() -> tuple[Rule, ...]:
    """Return the rules of ``speech.toml``, in their order."""
    table: dict[str, Any] = tomllib.loads(
        files("postmeal.foods.language").joinpath("speech.toml").read_text(encoding="utf-8")
    )
    rules = []
    for row in table["rule"]:
        pattern = row["pattern"]
        for name, part in table["parts"].items():
            pattern = pattern.replace("{" + name + "}", part)
        rules.append(Rule(row["role"], re.compile(pattern), row["example"]))
    return tuple(rules)


def _marks(text: str) -> list[tuple[int, int, Rule, re.Match[str]]]:
    """Find what the rules match, without overlaps: an earlier rule before a later one."""
    marks: list[tuple[int, int, Rule, re.Match[str]]] = []
    for rule in segment_rules():
        for match in rule.pattern.finditer(text[:_LONGEST_RULED]):
            start, end = match.span()
            if all(end <= other[0] or start >= other[1] for other in marks):
                marks.append((start, end, rule, match))
            if len(marks) >= _MOST_MARKS:
                return sorted(marks, key=lambda mark: mark[0])
    return sorted(marks, key=lambda mark: mark[0])


def _value(role: str, match: re.Match[str]) -> float | None:
    groups = match.groupdict()
    if role == "share":
        if ways := groups.get("ways"):
            return 1 / max(1.0, number_of(ways))
        if friends := groups.get("friends"):
            return 1 / (1 + number_of(friends))
        return 0.5
    if role == "count":
        return number_of(groups["count"])
    if role in ("keep", "left"):
        part = _fraction(groups["part"])
        return part if role == "keep" else 1 - part
    return None


def _fraction(said: str) -> float:
    if said.endswith("%"):
        return float(said[:-1]) / 100
    if "." in said:
        return float(said)
    times, _, name = said.rpartition(" ")
    return min(1.0, number_of(times or "one") * _FRACTIONS[name.removesuffix("s")])


def _target(match: re.Match[str]) -> str:
    return (match.groupdict().get("target") or "").strip()
