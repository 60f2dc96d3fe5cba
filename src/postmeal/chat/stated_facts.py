"""Facts in a message that are no part of its question: ages and past glucose readings.

The models mistake them for values to judge, or for questions about illness or stored data.
"""

from __future__ import annotations

import re

from postmeal.chat.patterns import has, pattern

_CLAUSE = re.compile(r"(?<![^.,;:!?])[^.,;:!?]++[.,;:!] ")
_DIGIT = re.compile(r"\d")
_READING = re.compile(r"\b(?:hit|at|to|was|reached) \d{2,3}\b(?! ?(?:g|ml|kg|lbs?|k?cal\w*|%)\b)")


def without_facts(text: str) -> str:
    """Replace ages, and clauses about past readings, by spaces in a plain text.

    Words for the person are kept. Nothing is replaced if no words are left.
    """
    rest = pattern("stated_age").sub(lambda age: age[1].ljust(len(age[0])), text)
    rest = _CLAUSE.sub(
        lambda clause: " " * len(clause[0]) if _is_past(clause[0]) else clause[0], rest
    )
    return rest if rest.strip() else text


def _is_past(clause: str) -> bool:
    is_old = has("past", clause) or has("another_day", clause)
    is_about_glucose = has("glucose_words", clause) and _DIGIT.search(clause)
    is_reading = bool(is_about_glucose or _READING.search(clause))
    return is_old and is_reading and not has("medicine_word", clause)
