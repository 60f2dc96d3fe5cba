"""Rules that recognize emergencies, self-harm and eating disorders in a message."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from postmeal.chat.body_size import body_mass_index, height_cm
from postmeal.chat.clauses import sentences, without_past, without_past_readings
from postmeal.chat.glucose_readings import Reading, ketones_mmol_l, readings, states_limits, worst
from postmeal.chat.glucose_unit import GlucoseUnit
from postmeal.chat.low_model import low_likelihoods, mild_values
from postmeal.chat.patterns import has, pattern

LOW_MG_DL, MILDLY_LOW_MG_DL = 54.0, 70.0
"""Glucose below which a low is an emergency, and below which it needs fast sugar."""
SURELY_NOT_LOW_MG_DL = 100.0
"""Glucose from which signs of a low have another cause, even if it falls fast."""
_LIMIT = re.compile(r"\b(?:below|under|above|over|never)\b")
_SURELY_LOW, _POSSIBLY_LOW, _HARDLY_LOW = 0.5, 0.15, 0.05
"""Probabilities of a low above which a number is a reading, an emergency can be a low, and an
emergency with signs of a low can be one."""
_EXTREME_MG_DL = 500.0
_RAISED_MG_DL = 250.0
_KETONES_MMOL_L, _KETONES_ALONE_MMOL_L = 1.5, 3.0
_UNDERWEIGHT_BMI = 17.0
_FEW_KCAL = 800
_ADULT_CM = 150.0
_VERY_UNDERWEIGHT_BMI = 16.0
_LOW_MMOL_L = re.compile(
    r"(?<![\d.,])([0-3])[.,]\d\b(?! ?(?:%|g\b|kg|l\b|km|miles?|hours?|h\b|units?|mg))"
)
_ILL_WITH_KETOACIDOSIS = (
    *("person", "vomiting", "high_signs", "severe_signs", "clouded", "ketoacidosis_now"),
)
"""Patterns that show that words for ketoacidosis are about a person who may be ill."""
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|me|myself)\b")


def emergency(
    text: str, unit: GlucoseUnit | None = None, *, is_expected: bool = False
) -> tuple[str, str] | None:
    """Return the name of the fixed text for an emergency and the glucose reading, or None.

    The reading is an empty string if the fixed text does not repeat it.
    """
    measured = current_readings(text, unit, is_expected=is_expected)
    if not has("person", text) and has("general_question", text) and not measured:
        return None
    text = without_past(text)
    if found := _by_signs(text):
        return found
    return None if states_limits(text) else _by_glucose(text, measured)


def current_readings(
    text: str, unit: GlucoseUnit | None = None, *, is_expected: bool = False
) -> tuple[Reading, ...]:
    """Return the glucose readings in a plain text, except for limits and past readings."""
    current = (each for each in sentences(without_past_readings(text)) if not states_limits(each))
    text = " ".join(current)
    return readings(text, unit, is_expected=is_expected) or _likely_lows(text)


def _likely_lows(text: str) -> tuple[Reading, ...]:
    """Return mildly low readings that no word for glucose leads to, according to the model."""
    if low_likelihoods(text).mild <= _SURELY_LOW or _LIMIT.search(text):
        return ()
    return tuple(
        Reading(value, "mmol/L" if value < LOW_MG_DL else "mg/dL", is_stated=False)
        for value in mild_values(text)
    )


def _by_signs(text: str) -> tuple[str, str] | None:
    is_medicine = has("meal_medicine", text) or has("medicine_word", text)
    is_overdose = has("overdose", text) or (is_medicine and has("overdose_of_medicine", text))
    if is_overdose and (has("taken", text) or not has("self_harm", text)):
        return "emergency_overdose", ""
    for name in ("unresponsive", "stroke"):
        if has(name, text) and not (name == "unresponsive" and _only_wishes(text)):
            return f"emergency_{name}", ""
    if has("heart", text):
        return "emergency_heart", ""
    if has("ketoacidosis", text) and any(has(name, text) for name in _ILL_WITH_KETOACIDOSIS):
        return "emergency_high", ""
    if any(has(name, text) for name in ("breathing", "bleeding", "called", "poisoning")):
        return "emergency", ""
    return None


def _only_wishes(text: str) -> bool:
    """Return whether all signs of unconsciousness are part of a wish to die."""
    rest = pattern("self_harm").sub(" ", text)
    return not has("unresponsive", rest)


def _by_glucose(text: str, measured: tuple[Reading, ...]) -> tuple[str, str] | None:
    if any(reading.mg_dl is not None and reading.mg_dl < LOW_MG_DL for reading in measured):
        return "emergency_low", worst(measured).text
    unclear = next((reading for reading in measured if reading.is_dangerous_in_both), None)
    if unclear is not None and not _has_high_signs(text):
        return "emergency_unclear", unclear.text
    if unclear is not None:
        return "emergency_high", ""
    values = [reading.mg_dl for reading in measured if reading.mg_dl is not None]
    ketones = ketones_mmol_l(text) or 0.0
    is_ill = (
        any(has(name, text) for name in ("clouded", "breathing", "severe_signs", "ketoacidosis"))
        or (has("vomiting", text) and not has("eating_disorder", text))
        or ketones >= _KETONES_MMOL_L
    )
    highest = max(values, default=0.0)
    if ketones >= _KETONES_ALONE_MMOL_L or highest >= _EXTREME_MG_DL:
        return "emergency_high", ""
    if is_ill and (highest >= _RAISED_MG_DL or has("sensor_high", text)):
        return "emergency_high", ""
    if any(LOW_MG_DL <= value < MILDLY_LOW_MG_DL for value in values):
        text = pattern("falling").sub(" ", text)  # a mild low needs sugar, also while it falls
    low = _LOW_MMOL_L.search(text)
    if low and (has("clouded", text) or (low.group(1) != "3" and has("low_signs", text))):
        return "emergency", ""
    if has("sensor_low", text):
        return ("emergency_unresponsive" if has("clouded", text) else "emergency_low"), ""
    if _is_clouded_by_glucose(text, values):
        return "emergency", ""
    if _vomits_with_diabetes(text):
        return "emergency_high", ""
    return None


def _has_high_signs(text: str) -> bool:
    """Return whether symptoms or ketones show that glucose is high, not low."""
    has_ketones = (ketones_mmol_l(text) or 0.0) >= _KETONES_MMOL_L
    return has_ketones or any(
        has(name, text) for name in ("high_signs", "vomiting", "ketoacidosis")
    )


def _is_clouded_by_glucose(text: str, values: list[float]) -> bool:
    is_low = any(value < MILDLY_LOW_MG_DL for value in values)
    is_diabetic = has("glucose_words", text) or has("low_signs", text)
    return has("clouded", text) and (is_low or is_diabetic)


def _vomits_with_diabetes(text: str) -> bool:
    if not has("vomiting", text) or has("eating_disorder", text):
        return False
    is_ill = has("severe_signs", text) or has("clouded", text) or has("breathing", text)
    return is_ill or has("glucose_words", text)


def can_be_low(text: str, measured: Sequence[Reading]) -> bool:
    """Return whether glucose can be low in an emergency that a plain text describes."""
    lowest = min((each.mg_dl for each in measured if each.mg_dl is not None), default=math.nan)
    if lowest < MILDLY_LOW_MG_DL or lowest >= SURELY_NOT_LOW_MG_DL:
        return lowest < MILDLY_LOW_MG_DL
    is_diabetic = has("glucose_words", text) or has("medicine_word", text)
    has_signs = is_diabetic and (has("low_signs", text) or has("clouded", text))
    is_high = _has_high_signs(text) or has("much_thirst", text) or has("high_number", text)
    least = _HARDLY_LOW if has_signs else _POSSIBLY_LOW
    is_about_glucose = is_diabetic or bool(mild_values(text))
    return is_about_glucose and low_likelihoods(text).any > least and not is_high


def self_harm(text: str) -> str | None:
    """Return the name of the fixed text for self-harm or an eating disorder, or None.

    An eating disorder that the user had in the past counts, too, because numbers about food can
    cause a relapse.
    """
    is_general = has("general_question", text) and not has("person", text)
    if has("self_harm", text) and not (is_general and has("evidence", text)):
        return "self_harm"
    if is_general:
        return None
    own = " ".join(each for each in sentences(text) if _FIRST_PERSON.search(each))
    text = without_past(text)
    if has("eating_disorder", f"{text} . {own}"):
        return "eating_disorder"
    calories = pattern("few_calories").search(text)
    if (
        calories
        and int(next(filter(None, calories.groups()))) < _FEW_KCAL
        and not has("evidence", text)
    ):
        return "eating_disorder"
    height = height_cm(text)
    bmi = body_mass_index(text) if height and height >= _ADULT_CM else math.nan
    if bmi < _VERY_UNDERWEIGHT_BMI or (bmi < _UNDERWEIGHT_BMI and has("thinness", text)):
        return "eating_disorder"
    return None
