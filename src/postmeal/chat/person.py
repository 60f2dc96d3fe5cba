"""The person who eats a meal and the time of the meal, as stated in the messages of a user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from postmeal.chat.body_size import height_cm, mass_kg
from postmeal.chat.glucose_readings import readings
from postmeal.chat.subjects import RELATIVES, about_the_eater
from postmeal.people import HealthCondition, Profile, Sex

_AGES = (
    re.compile(r"\b(\d{1,3})[- ]?(?:years?|yrs?)[- ]?old\b"),
    re.compile(
        r"(?<!for )(?<!after )(?<!than )(?<!last )(?<!past )(?<!from )(?<!since )(?<!about )"
        r"\b(\d{1,3})[- ]?(?:years?|yrs?)\b"
        r"(?! (?:ago|with|of|and have had))"
    ),
    re.compile(r"\b(\d{1,3}) ?(?:yo|y/o|y\.o)\b"),
    re.compile(
        rf"\b(?:i'm|i am|im|(?:he|she|{RELATIVES})(?:'s| is)|aged?|age:) (\d{{1,3}})"
        r"(?=[,.:;)]| and\b| with\b|$)"
    ),
    re.compile(
        rf"\b(?:t1d?|t2d?|type (?:1|2|one|two)|woman|man|female|male|boy|girl|{RELATIVES})"
        r"[, (]+(\d{1,3})\b(?! ?(?:g|ml|oz|cups?|slices?)\b)"
    ),
    re.compile(r"(?<!type )\b(\d{1,3})[ ,/]*(?:f|m|female|male)\b"),
    re.compile(r"(?<!\d )\b(?:f|m)[ ,/]*(\d{2})\b"),
)
_FEMALE = re.compile(
    r"\b(?:woman|female|girl|lady|pregnant|gdm|wife|mum|mom|mother|daughter|\d+ ?/? ?f)\b"
)
_MALE = re.compile(r"\b(?:man|male|boy|guy|husband|dad|father|son|\d+ ?/? ?m)\b")
_CONDITIONS: tuple[tuple[re.Pattern[str], HealthCondition], ...] = (
    (re.compile(r"\b(?:gestational|gdm)\b"), "gestational_diabetes"),
    (re.compile(r"\blada\b"), "lada"),
    (re.compile(r"\bpre-?diabet"), "prediabetes"),
    (re.compile(r"\b(?:type ?(?:1|one|i)\b|t1d?\b)"), "type_1_diabetes"),
    (re.compile(r"\b(?:type ?(?:2|two|ii)\b|t2d?m?\b)"), "type_2_diabetes"),
)
_NO_DIABETES = re.compile(r"\b(?:not|no|don't have|without|n't|non-?) ?(?:\w+ )?diabet")
_DENIED = re.compile(
    r"\b(?:not|no|don't have|do not have|doesn't have|isn't|without|n't)(?: have)?"
    r" (?:type ?(?:1|2|one|two)|t[12]d?|gestational|lada|pre-?diabetes)\b"
)
_CLOCK = re.compile(
    r"\b(?:at|around|about) (\d{1,2})(?::(\d\d))? ?(am|pm)?\b(?! ?(?:min|g\b|hour|%)|,? ?\d)"
)
_HOURS = (
    (re.compile(r"\b(?:breakfast|morning|brunch)\b"), 8),
    (re.compile(r"\b(?:lunch|noon|midday)\b"), 12),
    (re.compile(r"\b(?:dinner|supper|evening|tonight)\b"), 19),
    (re.compile(r"\bmidnight\b"), 0),
    (re.compile(r"\b(?:before bed|bedtime|late at night)\b"), 22),
)
_ASKED_UNIT = re.compile(r"\b(?:in|as|into|use|using) (mmol|mg)")
_OLDEST = 120
_AGE, _SEX, _HEIGHT_CM, _WEIGHT_KG, _HOUR = 45.0, "female", 162.0, 68.0, 12


@dataclass(frozen=True, slots=True)
class Eater:
    """The person who eats a meal, and the time of the meal."""

    profile: Profile
    time: datetime
    description: str
    wants_mmol_l: bool


def eater_of(texts: Sequence[str]) -> Eater:
    """Return the person and the time that plain texts of a user state.

    If texts contradict each other, the last one counts.
    """
    text = " . ".join(reversed(about_the_eater(texts)))
    age = _age(text)
    sex = _sex(text)
    condition = _condition(text)
    hour, minute, has_time = _time(texts[-1] if texts else "")
    profile = Profile(
        age=_AGE if age is None else age,
        sex=sex or _SEX,
        height_cm=height_cm(text) or _HEIGHT_CM,
        weight_kg=mass_kg(text) or _WEIGHT_KG,
        health_conditions=(condition,) if condition else (),
    )
    stated = [age is not None, sex is not None]
    who = f"a {profile.age:g}-year-old {'woman' if profile.sex == 'female' else 'man'}"
    if not any(stated):
        who += " of average height (assumed)"
    elif not all(stated):
        who += f" ({'sex' if stated[0] else 'age'} assumed)"
    if condition and condition != "none":
        words = condition.replace("_", " ").replace("lada", "LADA")
        who += f" with {words}"
    time = datetime(2026, 1, 5, hour, minute)  # the model uses the time of day only
    description = f"{who} at {time:%H:%M}" + ("" if has_time else " (assumed)")
    return Eater(profile, time, description, _wants_mmol_l(" . ".join(texts), texts))


def _wants_mmol_l(text: str, texts: Sequence[str]) -> bool:
    """Return whether the user asks for glucose in mmol/L or writes it in this unit."""
    last = texts[-1] if texts else ""
    if asked := _ASKED_UNIT.findall(last):
        return bool(asked[-1] == "mmol")
    return "mmol" in text and "mg/dl" not in last


def _age(text: str) -> float | None:
    values = {reading.said for reading in readings(text)}  # "i was at 61, but now i'm 95"
    for expression in _AGES:
        for match in expression.finditer(text):
            age = float(match.group(1))
            if 1 <= age <= _OLDEST and age not in values:
                return age
    return None


def _sex(text: str) -> Sex | None:
    female, male = _FEMALE.search(text), _MALE.search(text)
    if female and (male is None or female.start() < male.start()):
        return "female"
    return "male" if male else None


def _condition(text: str) -> HealthCondition | None:
    """Return the first condition that a text states, ignoring conditions that it denies."""
    if _NO_DIABETES.search(text):
        return "none"
    stated = _DENIED.sub(" ", text)
    found = [
        (match.start(), name)
        for expression, name in _CONDITIONS
        if (match := expression.search(stated))
    ]
    return min(found)[1] if found else None


def _time(text: str) -> tuple[int, int, bool]:
    match = _CLOCK.search(text)
    if match and (match.group(2) or match.group(3)):
        hour = int(match.group(1)) % 12 + 12 * (match.group(3) == "pm")
        hour = hour if match.group(3) else int(match.group(1))
        if hour < 24 and int(match.group(2) or 0) < 60:
            return hour, int(match.group(2) or 0), True
    for expression, hour in _HOURS:
        if expression.search(text):
            return hour, 0, True
    return _HOUR, 0, False
