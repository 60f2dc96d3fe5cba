"""Needs for care today that are no emergency: low glucose, new type 1, feet and pregnancy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.chat.clauses import asserted, clauses, sentences, without_past_readings
from postmeal.chat.danger import (
    LOW_MG_DL,
    MILDLY_LOW_MG_DL,
    SURELY_NOT_LOW_MG_DL,
    current_readings,
)
from postmeal.chat.glucose_readings import MG_DL_PER_MMOL_L, Reading, readings, worst
from postmeal.chat.glucose_unit import GlucoseUnit
from postmeal.chat.low_model import Low, low_likelihoods, mild_values
from postmeal.chat.patterns import has

_HIGH_MG_DL, _HIGH_FASTING_MG_DL = 140.0, 95.0
"""Upper targets in pregnancy, one hour after a meal and fasting (doi:10.2337/dc25-S015)."""
_MOST_MG_DL = 600.0
_LIKELY, _SURE, _VERY_SURE = 0.45, 0.5, 0.9
"""Probabilities above which a text is about low glucose, is so certainly, and is so whatever the
rules for past and usual readings find."""
_NUMBER = re.compile(
    r"(?<![\d.,:/$-])(\d{1,3}(?:[.,]\d)?)(?![\d:/%]|[.,]\d)"
    r"(?! ?(?:g|grams?|ml|min\w*|h|hours?|weeks?|wks|years?|am|pm|units?|carbs?|kg|lbs?|pounds|cm"
    r"|k?cal|calories)\b)"
)
_FASTING = re.compile(r"\bfasting\b\D{0,25}(\d{2,3})\b|\b(\d{2,3})(?: mg/dl)? fasting\b")
_TARGET = re.compile(r"\b(?:targets?|goals?|limits?|under|below)\b\D{0,15}\d+")
_NOW = re.compile(
    r"\b(?:now|currently|back (?:up )?(?:to|at|in)|up to|rose to|came up|finger\w*)\b"
)
_WAS = re.compile(r"\b(?:was|were|had|went|dropped|fell|hit|did)\b")
_THEN = re.compile(
    r"\b(?:earlier|this morning|overnight|(?:in|during) the night|before (?:lunch|dinner|breakfast)"
    r"|hours? ago|at (?:recess|school|night)|why)\b"
)
_HABIT = re.compile(
    r"\b(?:always|often|usually|sometimes|whenever|every|most|gets?|times (?:an?|this|per|in))\b"
)


class UrgentCare(NamedTuple):
    """A need for care today."""

    text: str
    reading: str = ""
    is_stated: bool = True


def urgent_care(
    text: str, unit: GlucoseUnit | None = None, *, is_expected: bool = False
) -> UrgentCare | None:
    """Return the need for care today that a plain text describes, or None.

    Low glucose is a reading from 54 to 69 mg/dL, signs of low glucose in a person with diabetes, or
    a question about its treatment, or the user's question about its prevention.
    """
    measured = current_readings(text, unit, is_expected=is_expected)
    if low := low_reading(text, measured):
        return UrgentCare("low_glucose", low.text)
    if _asks_about_low(text):
        return UrgentCare("low_glucose")
    if other := _other_care(text, unit):
        return UrgentCare(other)
    if likely := _likely_low(text, measured):
        return UrgentCare("low_glucose", is_stated=likely.mild > _SURE)
    return None


def _other_care(text: str, unit: GlucoseUnit | None) -> str | None:
    """Return the name of the fixed text for new type 1 diabetes, a foot or a pregnancy, or None."""
    is_general = has("general_question", text) and not has("person", text)
    if is_general or has("evidence", text):
        return None
    if sum(has(name, text) for name in ("much_thirst", "much_urine", "lost_weight")) > 1:
        return "new_type_1"
    if has("foot_wound", text) and (has("glucose_words", text) or has("dying_foot", text)):
        return "foot"
    if has("pregnant", text) and _is_unusual_in_pregnancy(text, unit):
        return "pregnancy"
    return None


def _asks_about_low(text: str) -> bool:
    """Return whether a plain text asks what to take for low glucose, or how the user avoids it."""
    present = " ".join(each for each in sentences(text) if not has("past", each))
    if not has("low_named", present) or has("low_otherwise", text):
        return False
    if has("low_prevention", text):
        return has("person", text) and not has("medicine_word", text)
    return has("low_treatment", text) or (has("low_purpose", text) and not has("evidence", text))


def severe_low(text: str, measured: Sequence[Reading]) -> float:
    """Return the probability of a severe low in a plain text, or 0 if a mild one is more likely."""
    likely = _likely_low(text, measured)
    return likely.severe if likely and likely.severe > likely.mild else 0.0


def _likely_low(text: str, measured: Sequence[Reading]) -> Low | None:
    """Return the probabilities of a low, None if it is unlikely, over or a question of research."""
    if has("evidence", text) and not (measured or has("person", text)):
        return None
    likely = low_likelihoods(without_past_readings(text))
    if likely.any <= _LIKELY or has("no_emergency", text) or asserted("resolved", text):
        return None
    values = [each.mg_dl or each.said * MG_DL_PER_MMOL_L for each in measured]
    if min(values, default=0.0) >= SURELY_NOT_LOW_MG_DL:
        return None
    mild = mild_values(text)
    is_over = bool(mild) and all(_is_over(text, value) for value in mild)
    is_doubtful = is_over or has("low_otherwise", text)
    return None if is_doubtful and likely.any <= _VERY_SURE else likely


def low_reading(text: str, measured: Sequence[Reading]) -> Reading | None:
    """Return the lowest of the current readings of a plain text if it is mildly low, or None."""
    if not measured:
        return None
    low = worst(tuple(measured))
    is_low = low.mg_dl is not None and LOW_MG_DL <= low.mg_dl < MILDLY_LOW_MG_DL
    return low if is_low and not _is_over(text, low.said) else None


def _is_over(text: str, said: float) -> bool:
    """Return whether a plain text states a low number as past, a habit or a false alarm."""
    if has("no_emergency", text):
        return True
    is_better = asserted("resolved", text)
    for sentence in sentences(text):
        parts = [(part, _numbers(part)) for part in clauses(sentence)]
        if any(_NOW.search(part) and said < min(values, default=0.0) for part, values in parts):
            return True
        if any(said in values for _, values in parts):
            is_past = _WAS.search(sentence) and (is_better or _THEN.search(sentence))
            if (is_past or _HABIT.search(sentence)) and not _NOW.search(sentence):
                return True
    return False


def _numbers(text: str) -> list[float]:
    return [float(number.replace(",", ".")) for number in _NUMBER.findall(text)]


def _is_unusual_in_pregnancy(text: str, unit: GlucoseUnit | None) -> bool:
    fasting = [
        float(value) for match in _FASTING.finditer(text) for value in match.groups() if value
    ]
    values = [reading.mg_dl or 0.0 for reading in readings(text, unit)]
    stated = _numbers(_TARGET.sub(" ", text))
    is_high = any(_HIGH_MG_DL <= value < _MOST_MG_DL for value in (*values, *stated))
    is_high_fasting = any(_HIGH_FASTING_MG_DL <= value < _MOST_MG_DL for value in fasting)
    return is_high or is_high_fasting or has("unusual_glucose", text)
