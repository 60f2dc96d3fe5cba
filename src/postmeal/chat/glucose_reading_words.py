"""Limits, ranges and short forms in which people state glucose readings."""

from __future__ import annotations

import re

from postmeal.chat.clauses import sentences
from postmeal.chat.glucose_unit import GLUCOSE_UNIT

_NUMBER = r"\d{1,4}(?:[.,]\d{1,2})?"
_GLUCOSE = (
    r"(?:(?:blood )?(?:sugars?|glucose)|bgl?|bsl?|cgm|sensor|meter|libre|dexcom)"
    r"(?: (?:levels?|readings?|now))?"
)
_LOWER = r"(?:under|below|less than|lower than|<=?|≤)"
_HIGHER = r"(?:over|above|more than|higher than|>=?|≥)"
_LETTER_O = re.compile(r"(?<![\w.,-])(\d{1,2})o\b")
_TENS = re.compile(
    rf"(?P<led>\b(?:{_GLUCOSE}|i'm|im|i am|he's|he is|she's"
    r"|she is|(?:it|i|he|she|we) (?:was|were))"
    r"(?:'s| (?:is|was|are|has|been|now|still|just|only|sitting|down|back|up|dropp\w+|fell|fall\w+"
    r"|says|reads|shows|stuck))*),? "
    r"(?:in|into|to) the (?:very )?(?:low |lower |mid |high |upper )?(?P<tens>\d{1,2}0)'?s\b"
)
_RANGE = re.compile(rf"\bbetween ({_NUMBER}) and ({_NUMBER} ?({GLUCOSE_UNIT}))")
_LIMITED = (
    rf"(?:{_GLUCOSE}(?:'s| is| was|:| =)? ?(?:{_LOWER}|{_HIGHER}) ?{_NUMBER}(?: ?{GLUCOSE_UNIT})?"
    rf"|(?:{_LOWER}|{_HIGHER}) ?{_NUMBER} ?{GLUCOSE_UNIT}"
    rf"|{_GLUCOSE}(?:'s| is| was|:| =)? ?between {_NUMBER}(?: ?{GLUCOSE_UNIT})? and {_NUMBER}"
    rf"(?: ?{GLUCOSE_UNIT})?|between {_NUMBER} ?{GLUCOSE_UNIT} and {_NUMBER} ?{GLUCOSE_UNIT})"
)
_NAMED = (
    rf"(?:low|lows|hypo|high|hyper)(?: at|:|,)? (?:[2-9]\d|\d{{3}}|\d{{1,2}}[.,]\d)"
    rf"(?: ?{GLUCOSE_UNIT})?"
)
_ALONE = re.compile(
    rf"\W*(?:(?:hi|hello|hey|help|ok|okay|so|and|but|now|current|currently)[ ,:!]+)*"
    rf"(?:{_LIMITED}|{_NAMED})(?:,? (?:rn|right now|now|atm|currently|today|again|help|please))*"
    r"[^\w?]*"
)
_LIMIT = re.compile(
    r"\b(?:below|under|less than|above|over|more than|between|limit|threshold|cut-?off"
    r"|range|defin\w+"
    r"|level [123]|mean\w*)\b|[<>≥≤]"
)
_MINE = re.compile(
    r"\b(?:my|his|her|our|i'm|i am|i|he|she|sensor|meter|cgm|he's|she's|son's|daughter's"
    r"|mum's|dad's|mom's|husband's|wife's|now|says|shows|reads|it's)\b"
)
_STATED_BELOW = re.compile(
    r"(?:'s|'m|\b(?:is|am|are|was|reads|says|shows|at|dropped|fell|fallen|gone|went|now))"
    rf"(?: (?:now|just|only|still|well|way|far|already|again|to)){{0,9}} {_LOWER} ?$"
)
_ENDS_BELOW = re.compile(rf"{_LOWER} ?$")


def with_plain_readings(text: str) -> str:
    """Write readings in a plain text as numbers: "4o" as 40, and "in the low 40s" as 40.

    The lower end of the tens is used because it is the more dangerous one of a low reading. The
    unit of a range is repeated, so that both of its ends have one.
    """
    text = _LETTER_O.sub(r"\g<1>0", text)
    text = _TENS.sub(r"\g<led> at \g<tens>", text)
    return _RANGE.sub(r"between \1 \3 and \2", text)


def states_only_reading(sentence: str) -> bool:
    """Return whether a sentence of a plain text consists only of a limit or a named reading.

    A person who writes nothing else, such as "glucose <40 mg/dl" or "low 45!", reports a reading. A
    question or a statement about research has more words.
    """
    return _ALONE.fullmatch(with_plain_readings(sentence)) is not None


def is_below(before: str, sentence: str) -> bool:
    """Return whether a reading is said to be below the number that follows a text."""
    if _STATED_BELOW.search(before):
        return True
    return bool(_ENDS_BELOW.search(before)) and states_only_reading(sentence)


def states_limits(text: str) -> bool:
    """Return whether the numbers in a plain text are limits, such as "below 54 mg/dL"."""
    if not _LIMIT.search(text) or _MINE.search(text):
        return False
    return not any(map(states_only_reading, sentences(text)))
