"""Glucose readings in a text, with their units."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["MG_DL_PER_MMOL_L", "Reading", "ketones_mmol_l", "readings", "states_limits"]

MG_DL_PER_MMOL_L = 18.016
"""Molar mass of glucose, 180.16 g/mol, divided by 10."""

_NUMBER = r"(\d{1,3}(?:[.,]\d{1,2})?)"
_UNIT = r"(mmol(?:s|/l|/liter|/litre| per l\w*| l)?|mg ?(?:/|per)? ?dl|mgs?/dl|mg%)"
_WITH_UNIT = re.compile(rf"(?<![\d.,:]){_NUMBER} ?{_UNIT}\b")
_ABOUT = (
    r"\b(?:sugars?|glucose|bg|bgl|bgs|readings?|levels?|sensor|meter|cgm|dexcom|libre|finger ?prick"
    r"|finger ?stick|numbers?|hypo|measured|tested|checked)\b(?!'? ?free)"
)
_AFTER_WORD = re.compile(
    rf"{_ABOUT}(?: (?!per\b|index\b|rise\b|be\b|for\b|in\b|from\b|with\b)[a-z']+){{0,4}}?["
    rf" :=,~]+{_NUMBER}(?![\d:]|\.\d)(?! ?[a-z%°])"
)
_AFTER_WORD_AND_TEXT = re.compile(
    rf"{_ABOUT}(?: (?!per\b|index\b|rise\b|be\b|for\b|in\b|from\b|with\b)[a-z']+){{0,4}}?["
    rf" :=,~]+{_NUMBER}(?![\d:]|\.\d)"
    r" (?:and|but|now|right|before|after|since|this|with|what|at|on|while|when|he|she|i"
    r"|should|is|in"
    r" the|today|tonight|again|for|or|so|can|do|fasting|two|2|an? hour|\(|help|eating|feel\w*)\b"
)
_PERSON_AT = re.compile(
    r"\b(?:i'm|im|i am|he's|he is|she's|she is|is at|am at|was at|down to|dropped to"
    r"|dropping to|fell"
    rf" to|fallen to|sank to|up to|hit|at|old is|is) {_NUMBER}(?![\d:]|\.\d)(?! ?(?:%|g\b"
    rf"|kg|lb|cm|k?cal"
    r"|year|yr|yo\b|y/o|week|wk|month|day|hour|min|points?|am\b|pm\b|kilo|pound|st\b|units?|carb|slice"
    r"|cups?|times|percent|of\b|ft|feet|m\b|stone|and (?:have|had|type|diab|my)))"
)
_ASKED_TIME = re.compile(r"\b(?:will|would|predict\w*)\b[^.?!]*(?<!is)(?<!was)(?<!'s) at $")
_MINUTES = re.compile(r"(?:,? (?:and |or )?\d{1,3})+ ?-?min(?:s|utes?)?\b(?! ago)")
_NO_READING = re.compile(
    r"(?:a1c|ketones?)\D{0,25}$|\b(?:ris(?:e|es|en)|raise[sd]?|increase[sd]?|spike[sd]?|drop(?:s|ped)?|by"
    r"|lower(?:s|ed)?)(?: (?:is|of|was|it|me|by|about|around))* $"
)
_KETONES = re.compile(
    rf"\bketones?\b[^.!?\d]{{0,25}}{_NUMBER}|{_NUMBER} ?(?:mmol\S* )?(?:\w+ )?ketones?\b"
)
_LIKELY_AGE = 120
_LIMIT = re.compile(
    r"\b(?:below|under|less than|above|over|more than|between|limit|threshold|cut-?off"
    r"|range|defin\w+"
    r"|level [123]|mean\w*)\b|[<>≥≤]"
)
_MINE = re.compile(
    r"\b(?:my|his|her|our|i'm|i am|i|he|she|sensor|meter|cgm|he's|she's|son's|daughter's"
    r"|mum's|dad's"
    r"|mom's|husband's|wife's)\b"
)
_MOST_MMOL_L = 60.0
_SURE_BELOW_MMOL_L = 3.0
_AMBIGUOUS_BELOW = 20.0


@dataclass(frozen=True, slots=True)
class Reading:
    """A glucose reading.

    Attributes
    ----------
    said : float
        The number.
    unit : {"mmol/L", "mg/dL"} or None
        Unit, as stated or as the only plausible one; None if the reading could be in both.
    is_stated : bool
        Whether the text states the unit.
    """

    said: float
    unit: str | None
    is_stated: bool

    @property
    def mg_dl(self) -> float | None:
        """The reading in mg/dL; None if the unit is not known."""
        if self.unit is None:
            return None
        return self.said * MG_DL_PER_MMOL_L if self.unit == "mmol/L" else self.said

    @property
    def text(self) -> str:
        """The reading with both units.

        Examples
        --------
        >>> readings("my sugar is 42")[0].text
        '42 mg/dL (2.3 mmol/L)'
        """
        if self.unit == "mmol/L":
            return f"{self.said:g} mmol/L ({self.said * MG_DL_PER_MMOL_L:.0f} mg/dL)"
        return f"{self.said:g} mg/dL ({self.said / MG_DL_PER_MMOL_L:.1f} mmol/L)"


def readings(text: str) -> tuple[Reading, ...]:
    """Return the glucose readings in a plain text.

    A number without a unit is a reading if words such as "sugar" or "sensor" stand before it. Its
    unit is the only plausible one: below 3 it is mmol/L, from 20 it is mg/dL, between them it is
    unknown.

    Examples
    --------
    >>> [reading.text for reading in readings("my sugar is 2.3, an hour ago it was 54 mg/dl")]
    ['54 mg/dL (3.0 mmol/L)', '2.3 mmol/L (41 mg/dL)']
    >>> readings("my glucose is 7.2")[0].unit is None
    True
    """
    found: dict[int, Reading] = {}
    for match in _WITH_UNIT.finditer(text):
        is_ketones = text[match.end() :].startswith(" ketone")
        if not is_ketones and not _NO_READING.search(text[: match.start(1)]):
            found[match.start(1)] = _reading(match.group(1), match.group(2))
    for expression in (_AFTER_WORD, _AFTER_WORD_AND_TEXT):
        for match in expression.finditer(text):
            before = text[: match.start(1)]
            is_time = _ASKED_TIME.search(before) and _MINUTES.match(text, match.end(1))
            if not is_time and not _NO_READING.search(before):
                found.setdefault(match.start(1), _reading(match.group(1), ""))
    for match in _PERSON_AT.finditer(text):
        if float(match.group(1).replace(",", ".")) > _LIKELY_AGE:
            found.setdefault(match.start(1), _reading(match.group(1), ""))
    return tuple(found.values())


def ketones_mmol_l(text: str) -> float | None:
    """Return the blood ketones in a plain text; None if it states none."""
    match = _KETONES.search(text)
    return float((match.group(1) or match.group(2)).replace(",", ".")) if match else None


def states_limits(text: str) -> bool:
    """Return whether the numbers in a plain text are limits such as "below 54 mg/dL"."""
    return bool(_LIMIT.search(text)) and not _MINE.search(text)


def _reading(number: str, unit: str) -> Reading:
    value = float(number.replace(",", "."))
    if unit.startswith("mmol") and value <= _MOST_MMOL_L:
        return Reading(value, "mmol/L", True)
    if unit.startswith("mg") and value >= _AMBIGUOUS_BELOW:
        return Reading(value, "mg/dL", True)
    if value < _SURE_BELOW_MMOL_L:
        return Reading(value, "mmol/L", False)
    return Reading(value, "mg/dL" if value >= _AMBIGUOUS_BELOW else None, False)
