"""Split a meal text into segments: foods, corrections, shares and remarks.

"Two eggs, sorry, three, and a pizza that I split with my wife" has four segments: the food "2
eggs", the correction "3", the food "and 1 pizza that", and a share of one half. The rules that
define segments are in ``speech.toml``.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from postmeal.words.quantities import Reader

__all__ = ["ROLES", "Rule", "Segment", "segment_rules", "segments_of"]

ROLES = {
    "food": "names foods and amounts",
    "remark": "does not name a food that was eaten",
    "cancel": "the food before the segment was not eaten",
    "share": "shared with others",
    "with": "the people who share the food",
    "left": "a part of the food before the segment was not eaten",
    "keep": "only a part of the food before the segment was eaten",
    "count": "how many pieces of the food before the segment were eaten",
    "correction": "replaces the amount or the food before the segment",
    "amend": "replaces an earlier amount if it names the same food",
}
"""Roles of segments, and what each role means."""

_CORRECTED = frozenset({"correction", "amend"})
_END_OF_CORRECTION = re.compile(r"\s*(?:[,;.](?!\d)|\b(?:and|with|plus|then|but)\b)")
_MOST_MARKS = 60
_LONGEST_RULED = 4000  # maximum number of characters


class Rule(NamedTuple):
    """A rule from ``speech.toml``."""

    role: str
    pattern: re.Pattern[str]
    example: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text with one role."""

    role: str
    text: str
    value: float | None = None
    target: str = ""


def segments_of(text: str) -> tuple[Segment, ...]:
    """Split a text into segments."""
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
    """Return the rules from ``speech.toml`` in the order of the file."""
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
    """Find the matches of all rules; if two matches overlap, keep the match of the earlier rule."""
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
            return 1 / max(1.0, float(ways))
        if friends := groups.get("friends"):
            return 1 / (1 + float(friends))
        return 0.5
    if role == "count":
        return float(groups["count"])
    if role in ("keep", "left"):
        part = _fraction(groups["part"])
        return part if role == "keep" else 1 - part
    return None


def _fraction(said: str) -> float:
    reader = Reader(said)
    number = reader.fraction(0) or reader.digits(0)
    value = number.value if number else 1.0
    return min(1.0, value / 100 if said.endswith("%") else value)


def _target(match: re.Match[str]) -> str:
    return (match.groupdict().get("target") or "").strip()
