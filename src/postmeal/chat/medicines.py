"""Questions about doses, medicines and diagnoses for a specific person."""

from __future__ import annotations

import re
from difflib import get_close_matches

from postmeal.chat.glucose_readings import readings
from postmeal.chat.patterns import has, pattern

_NAMES = (
    *("insulin", "humalog", "novorapid", "novolog", "fiasp", "lispro", "apidra", "lantus"),
    *("toujeo", "levemir", "tresiba", "humulin", "basaglar", "metformin", "glucophage"),
    *("gliclazide", "glipizide", "glimepiride", "januvia", "jardiance", "ozempic", "wegovy"),
    *("mounjaro", "trulicity", "victoza", "semaglutide", "tirzepatide", "prednisolone"),
)
"""Names of medicines that are often misspelled."""
_SHORTEST, _SIMILARITY = 6, 0.82
_WORD = re.compile(rf"[a-z]{{{_SHORTEST},}}")
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")


def medical_question(text: str) -> str | None:
    """Return the name of the fixed text for a question about doses or diagnoses, or None.

    General questions, such as "does metformin lower vitamin B12?", are answered from the
    literature.
    """
    text = without_disclaimer(text)
    is_personal = has("person", text)
    if has("dose_question", text):
        return "dosing"
    if is_personal and has("change_of_medicine", text) and has("wish", text):
        return "dosing"
    if is_personal and _asks_about_medicine(text):
        return "dosing"
    if (is_personal or (has("general_question", text) and "this" in text.split())) and has(
        "diagnosis", text
    ):
        return "diagnosis"
    measured = bool(readings(text)) or has("lab_value", text)
    if is_personal and measured and has("value_question", text):
        return "diagnosis"
    return None


def misspelled_medicine(text: str) -> str:
    """Return the first word of a plain text that is a misspelled name of a medicine, or ""."""
    words: list[str] = _WORD.findall(text)
    for word in words:
        if word not in _NAMES and get_close_matches(word, _NAMES, 1, _SIMILARITY):
            return word
    return ""


def without_disclaimer(text: str) -> str:
    """Remove remarks such as "no insulin advice", which are not questions, from a plain text."""
    return pattern("no_dose_wanted").sub(" ", text).strip()


def _asks_about_medicine(text: str) -> bool:
    """Return whether a plain text asks about a medicine or mentions a change of one."""
    if has("evidence", text) or not has("medicine_word", text):
        return False
    if any(each.endswith("?") and has("medicine_word", each) for each in _SENTENCE.findall(text)):
        return True
    if "?" in text:
        return False
    return has("change_word", text) or has("general_question", text) or has("wish", text)
