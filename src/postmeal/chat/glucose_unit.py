"""The unit in which a conversation states glucose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

GlucoseUnit = Literal["mmol/L", "mg/dL"]

GLUCOSE_UNIT = (
    r"(?:mmols?(?:/?l(?:iter|itre)?| per l\w*| l)?\b(?! ?/ ?mol)|mgs? ?(?:/|per)? ?dl\b|mg%|g/l\b)"
)
"""Regular expression for units of glucose."""
OTHER_QUANTITY = (
    r"\b(?:hdl|ldl|cholesterol|trigl\w+|trigs?|lipids?|potassium|sodium|calcium|magnesium"
    r"|phosphate|chloride|iron|ferritin|creatinine|urea|bun|urate|uric acid|bilirubin|albumin"
    r"|lactate|ketones?|(?:hb)?a1c|egfr|gfr|tsh|crp|psa|vitamin \w+|h(?:a|ae)moglobin|hb"
    r"|bicarbonate|c-?peptide|homa\S*|blood pressure|bp|systolic|diastolic|pulse|heart rate"
    r"|bpm|weigh\w*|height|bmi|waist|age|aged|glyc\w+ index|gi|glyc\w+ load|gl|anion gap|ph"
    r"|target|goal|factor|sensitivity|ratio|isf|icr)\b"
)
"""Regular expression for quantities other than glucose."""
_UNIT = re.compile(rf"(?<![a-z]){GLUCOSE_UNIT}")
LEADS_TO_OTHER = re.compile(
    rf"{OTHER_QUANTITY}(?:'s)?(?: ?[:=,~(]| (?:is|was|are|were|at|of|about|now|around|only|levels?"
    r"|results?|values?|readings?|tests?|count|still|today|came|back|last|down|up|to|from|over|a"
    rf"|the|my|just|has|been|dropped|went|fell|rose|\d[\d.,/]*(?: ?{GLUCOSE_UNIT})?))* ?$"
)
"""Regular expression for words which show that the next number is not a glucose reading."""
_OTHER_BEHIND = re.compile(rf" ?(?:of )?(?:\w+ )?{OTHER_QUANTITY}")
_NOT = re.compile(r"\bnot (?:in |as )?$")
_REPLY_WORDS = 8


def unit_of(texts: Sequence[str]) -> GlucoseUnit | None:
    """Return the glucose unit that plain texts state last, or None if they state none.

    Units of other quantities, such as cholesterol, do not count.
    """
    for text in reversed(texts):
        for match in reversed(list(_UNIT.finditer(text))):
            before = text[max(0, match.start() - 80) : match.start()]
            is_other = LEADS_TO_OTHER.search(before) or _OTHER_BEHIND.match(text, match.end())
            if not is_other and not _NOT.search(before):
                return "mmol/L" if match.group().startswith("mmol") else "mg/dL"
    return None


def unit_reply(text: str) -> GlucoseUnit | None:
    """Return the glucose unit that a short plain text without numbers states, or None."""
    if any(letter.isdecimal() for letter in text) or len(text.split()) > _REPLY_WORDS:
        return None
    return unit_of([text])
