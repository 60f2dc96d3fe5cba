"""Glucose readings in a text, with their units."""

from __future__ import annotations

import re
from dataclasses import replace

from postmeal.chat.glucose_reading import LIKELY_MG_DL, MG_DL_PER_MMOL_L, Reading
from postmeal.chat.glucose_reading_words import (
    is_below,
    states_limits,
    states_only_reading,
    with_plain_readings,
)
from postmeal.chat.glucose_unit import (
    GLUCOSE_UNIT,
    LEADS_TO_OTHER,
    OTHER_QUANTITY,
    GlucoseUnit,
    unit_of,
)
from postmeal.chat.ketones import ketones_mmol_l
from postmeal.chat.meter_range import beyond_range
from postmeal.words.plain import with_cardinals

__all__ = [
    "MG_DL_PER_MMOL_L",
    "Reading",
    "converted",
    "ketones_mmol_l",
    "readings",
    "states_limits",
    "worst",
]

_NUMBER = re.compile(
    r"(?<![\d.,:/'$€£#])(?<!\d-)(?<![a-z]-)(?<![a-z])(\d{1,4}(?:[.,]\d{1,2})?)(?![\d:/]|[.,]\d)"
)
_RANGE_END = re.compile(r"(?<=\d-)(\d{1,3})(?![\d:/.,-])")
_UNIT = re.compile(rf" ?(?:ish )?({GLUCOSE_UNIT})")
_MG = re.compile(r" ?mg\b")
_GLUCOSE = re.compile(
    r"\b(?:sugars?|glucose|bg|bgl|bgs|bs|bsl|bsls|readings?|levels?|sensor|meter|cgm|dexcom|libre"
    r"|finger ?prick|finger ?stick|numbers?|hypo|measured|tested|checked)\b(?!'? ?free)"
)
_OTHER = re.compile(OTHER_QUANTITY)
_INDEX = re.compile(r"\bglyc\w+ (?:index|load)\b|\bgi of\b")
_BETWEEN = re.compile(
    r"(?:'s)?(?:[ :=,~<>≤≥()\"→-]+(?!(?:per|index|rise|be|for|in|with|free|spoons?|eat\w*|ate"
    r"|drink\w*|drank|inject\w*|took|taken?|gave|have|having"
    r"|(?<!is )(?<!was )(?<!'s )(?<!now )under|ratio|units?|type|t)\b)"
    rf"(?:[a-z']+|\d+(?:[.,]\d+)?(?:ish)?(?: ?{GLUCOSE_UNIT})?)){{0,7}}[ :=,~<>≤≥()\"→-]*"
)
_FOLLOWING = re.compile(
    r"(?:ish)?(?:$|[^\w %°.]|\.(?!\d)|-(?=\d)"
    r"| (?:and|but|now|right|rn|atm|before|after|since|this|that|with|without|what|at|on"
    r"|while|when|he|she|i|i'm|im|he's|she's|it|it's|we|they|should|would|could|will|is|are|was"
    r"|in the|today|tonight"
    r"|again|for|or|so|can|do|does|did|fasting|two|2|an? hour|help|eating|feel\w*|then|to|down|up"
    r"|dropping|falling|rising|going|still|how|why|which|please|pls|my|me|already|though|because"
    r"|yesterday|last|earlier|just|only|not|if|as|by|from|until|than|trend\w*|arrows?"
    r"|double|single|low|high"
    r"|too|very|really|all|despite|instead|ketones?|never|shak\w+|sweat\w*|dizzy|thirsty|tired)\b"
    r"| [^\w%° ])"
)
_RANGE = re.compile(
    r" ?(?:-|–|to|or) ?\d[\d.,]*"
    r"|(?:, ?\d+(?:\.\d+)?){1,40},? (?:or|and) \d+(?:\.\d+)?\b(?! ?(?:min|h\b|hour|day|week))"
)
_RANGE_OF_OTHER = re.compile(rf"(?:{_RANGE.pattern}) ?[a-z%]")
_THING = (
    r"(?:pump|basal|bolus|phone|battery|bmi|weight|age|rate|dinner|lunch|breakfast|supper|meeting"
    r"|appointment|train|flight|party|class|session|alarm|alert|goal|limit)\b"
)
_PERSON_AT = re.compile(
    r"\b(?:i'm|im|i am|i was|he's|he is|he was|she's|she is|she was"
    rf"|(?:my|our) (?!{_THING})[a-z]+(?:'s| is| was))"
    r" (?:still |now |already |sitting |back )*at (?:about |around |roughly )?$"
)
_PERSON_IS = re.compile(
    r"\b(?:i'm|im|i am|he's|he is|she's|she is|is at|am at|was at|was|down to|dropped to"
    r"|dropping to|fell to|fallen to|sank to|up to|hit|at|old is|is) $"
)
_FALLEN_TO = re.compile(
    r"\b(?:down|dropped|dropping|drops|fell|falling|fallen|sank|sinking|crashed|crashing|plunged"
    r"|went) (?:down )?to (?:about |around )?$"
)
_NOW_IS = re.compile(
    r"\b(?:now (?:(?:it|he|she|i)(?:'s|'m| is| am) |is )?|it's |it is |then )(?:at )?$"
)
_ANNOUNCED = re.compile(
    rf"{_GLUCOSE.pattern}(?:'s| is| was| feels?| seems?| has been)(?: [a-z]+)? "
    r"(?:low|dropping|falling|crashing|high|rising|bad|weird|strange)\b"
)
_ON_METER = re.compile(
    r"(?:ish)? (?:is |was )?(?:on|says|shows|according to) (?:the |my |his |her |our )?(?:\w+ )?"
    r"(?:meter|sensor|cgm|libre|dexcom|monitor|reader|pump|glucometer)\b"
)
_EXPECTED = re.compile(
    r"(?:^|[,.;:!?] ?|\b(?:it's|its|it is|it was|is|was|now|still|at|to|then|only|about|says|shows"
    r"|reads|again|and|ok|okay|yes|measured|got|around) )$"
)
_ABOUT_GLUCOSE = re.compile(
    r"\b(?:hypo\w*|lows?|insulin|diabet\w*|type (?:1|2|one|two)|t[12]d?|pump|shak\w+|juice)\b"
)
_DIFFERENCE = re.compile(
    r"\b(?:ris(?:e|es|en|ing)|rose|raise[sd]?|raising|increase[sd]?|spike[sd]?"
    r"|drop(?:s|ped)?|by|lower(?:s|ed)?"
    r"|per|every|each|minus|plus|difference)(?: (?:is|of|was|it|me|my|sugar|glucose|by|about"
    r"|around|nearly|almost|roughly|over|only|at least|more than|less than|up to))* $"
)
_READING_AT = re.compile(rf"\d(?: ?{GLUCOSE_UNIT})? (?:at|after) $")
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever)(?: even| exactly| at| really)* $"
    r"|(?:\bnot|n't|\bnever)(?: \w+){0,2} (?:under|below|less than|lower than) $"
)
_MINE_IS = re.compile(r"\bmine(?:'s| is| was| says| reads)(?: only| just| at| now| about)* $")
_NOW = re.compile(r",? (?:rn|right now|now|atm|at the moment|currently)\b")
_WHAT_TO_EAT = re.compile(
    rf"(?: ?{GLUCOSE_UNIT})?[,.!;:]* (?:(?:so|now|rn|help)[,.!]? )*what (?:do|should|can)"
    r" (?:i|he|she|we) (?:eat|drink|do|take|give|have)\b"
)
_AIM = re.compile(
    r"\b(?:want\w*|like|hop\w+|try|trying|need|aim\w*|how|plan\w*|suppose\w*|order|able)"
    r" [^.!?;,]{0,300}?\b(?:to (?:keep|stay|be|remain|get|have|hold|reach|maintain)|for)\b"
    r"[^.!?;,]*$"
    r"|\b(?:goals?|targets?|thresholds?|limits?|cut-?offs?)\b[^.!?;,]*$"
    r"|\b(?:alarms?|alerts?|warning)\b[^.!?;,]{0,300}\b(?:is|are|set|at|for)\b[^.!?;,]*$"
)
_REAL_ALARM = re.compile(r"\b(?:went off|goes off|going off|rang|ringing|beep\w*|says|shows)\b")
_BUT = re.compile(r"\b(?:but|because|although)\b")
_ASKED_TIME = re.compile(
    r"\b(?:will|would|predict\w*)\b[^.?!]{0,300}(?<!is)(?<!was)(?<!'s) at "
    r"(?:\d{1,3}(?:, ?| (?:and|or) |, (?:and|or) ))*$"
)
_MINUTES = re.compile(r"(?:,? (?:and |or )?\d{1,3})* ?-?min(?:s|utes?)?\b(?! ago)")
_ASKED_TIMES = re.compile(r"\b(?:glucose|sugar) at (?:\d{1,3}(?:, ?| (?:and|or) ))*$")
_AND_MINUTES = re.compile(
    r"(?:(?:,? (?:and |or )?\d{1,3})* (?:and|or) \d{1,3})? ?-?min\w*\b"
    r"(?! ?(?:ago|after|later|since|before))"
)
_CONVERSION = re.compile(
    rf"(\d{{1,3}}(?:[.,]\d{{1,2}})?) ?({GLUCOSE_UNIT})(?: \w+)? ?(?:in|to|as|into|=|->) "
    rf"(?:terms of )?{GLUCOSE_UNIT}"
)
_SENTENCE_START = re.compile(r"[!?;\n]|\.(?!\d)")
_LIKELY_AGE = 110
_LEAST_AT = 20.0
_MOST_MG_DL = 1500.0
_MOST_NUMBERS = 60
_NEARBY = 200  # characters before and after a number that can explain it
_MOST_MMOL_L = 60.0
_MOST_ON_METER_MMOL_L = 33.3
_SURE_BELOW_MMOL_L = 3.9  # nobody lives with 3 mg/dL
_LEAST_MG_DL = 10.0
_LOW_MG_DL, _HIGH_MG_DL = 70.0, 250.0


def readings(
    text: str, unit: GlucoseUnit | None = None, *, is_expected: bool = False
) -> tuple[Reading, ...]:
    """Return the glucose readings in a plain text, in the order in which they occur.

    A number is a reading if it has a glucose unit or follows a word such as "sugar" or "sensor". It
    is not a reading if the text gives it another meaning: another quantity, a count, a time, a
    target, or a value that is denied.

    A number without a unit is in mmol/L if it is below 3.9, and in mg/dL if it is 33.4 or more. For
    other numbers, the unit of the text or of the conversation is used. If neither states a unit,
    the unit is unknown. The unit mg/dL is ignored for numbers below 10 and for decimals below 20,
    because it is not plausible. The displays LO and HI of a meter count as readings of 20 and 600
    mg/dL, and come first.
    """
    text = with_plain_readings(with_cardinals(text, least=10))
    usual = unit_of([text]) or unit
    is_expected = is_expected or bool(_ANNOUNCED.search(text))
    matches = sorted(
        (*_NUMBER.finditer(text), *_RANGE_END.finditer(text)), key=lambda match: match.start()
    )
    found = [Reading(each.limit_mg_dl, "mg/dL", True, each.text) for each in beyond_range(text)]
    for match in matches[-_MOST_NUMBERS:]:
        reading = _reading_at(text, match, usual, is_expected=is_expected, has_others=bool(found))
        if reading is not None:
            found.append(reading)
    return tuple(found)


def _reading_at(
    text: str,
    match: re.Match[str],
    usual: GlucoseUnit | None,
    *,
    is_expected: bool,
    has_others: bool,
) -> Reading | None:
    """Return the reading that a number in a plain text states, or None if it is no reading."""
    nearby = max(0, match.start() - _NEARBY)
    start = max(
        (m.end() for m in _SENTENCE_START.finditer(text, nearby, match.start())), default=nearby
    )
    before, behind = text[start : match.start()], text[match.end() : match.end() + _NEARBY]
    end = _SENTENCE_START.search(behind)
    sentence = f"{before}{match.group()}{behind[: end.end() if end else None]}"
    stated = _UNIT.match(behind)
    if _is_other(before, behind) or (stated is None and _is_counted(text, match)):
        return None
    value = float(match.group(1).replace(",", "."))
    if value > _MOST_MG_DL:
        return None
    if stated:
        found = _with_unit(value, stated.group(1))
    elif (
        _is_led_to(before, behind, value, is_expected=is_expected)
        or (has_others and _NOW_IS.search(before))
        or states_only_reading(sentence)
        or (match.start() == 0 and _is_meter_value(value) and _WHAT_TO_EAT.match(behind))
    ):
        found = _reading(value, "mg/dL" if _MG.match(behind) else usual)
    else:
        return None
    return replace(found, is_limit=is_below(before, sentence))


def worst(found: tuple[Reading, ...]) -> Reading:
    """Return the most dangerous reading, or the last one if none is dangerous.

    Readings without a known unit count only if no reading has one.
    """
    values = [reading for reading in found if reading.mg_dl is not None]
    low = [reading for reading in values if (reading.mg_dl or 0.0) < _LOW_MG_DL]
    high = [reading for reading in values if (reading.mg_dl or 0.0) > _HIGH_MG_DL]
    if low:
        return min(low, key=lambda reading: reading.mg_dl or 0.0)
    return max(high, key=lambda reading: reading.mg_dl or 0.0) if high else (values or found)[-1]


def converted(text: str) -> Reading | None:
    """Return the reading that a plain text asks to convert to the other unit, or None."""
    match = _CONVERSION.search(text)
    if match is None or _OTHER.search(text):
        return None
    return _with_unit(float(match.group(1).replace(",", ".")), match.group(2))


def _is_other(before: str, behind: str) -> bool:
    """Return whether a number is another quantity, a difference, a target or a denied value."""
    clause = before[max((m.end() for m in _BUT.finditer(before)), default=0) :]
    if LEADS_TO_OTHER.search(before) or _READING_AT.search(before) or _INDEX.search(before):
        return True
    if _DIFFERENCE.search(before) or _DENIED.search(before):
        return True
    if _AIM.search(clause) and not _REAL_ALARM.search(clause):
        return True
    stated = _UNIT.match(behind)
    rest = behind[stated.end() :] if stated else behind
    is_ketones = re.match(rf" (?:of )?{OTHER_QUANTITY}(?! ?(?:is|are|were|at|now)?[ :=]*\d)", rest)
    return bool(is_ketones) or bool(_CONVERSION.match(f"0{behind}"))


def _is_counted(text: str, match: re.Match[str]) -> bool:
    """Return whether a number without a glucose unit is a count or a time."""
    before = text[max(0, match.start() - _NEARBY) : match.start()]
    behind = text[match.end() : match.end() + _NEARBY]
    if _ASKED_TIME.search(before) and _MINUTES.match(behind):
        return True
    if _ASKED_TIMES.search(before) and _AND_MINUTES.match(behind):
        return True
    if _MG.match(behind) and _GLUCOSE.search(before[-25:]):
        return False
    if _RANGE_OF_OTHER.match(behind):
        rest = _RANGE.sub("", behind, count=1)
        return not _FOLLOWING.match(rest) and not _UNIT.match(rest)
    if _ON_METER.match(behind):
        return False
    return not _FOLLOWING.match(behind)


def _is_led_to(before: str, behind: str, value: float, *, is_expected: bool) -> bool:
    """Return whether the words around a number without a unit show that it is a reading."""
    glucose = list(_GLUCOSE.finditer(before))
    if any(_BETWEEN.fullmatch(before, match.end()) for match in glucose):
        return True
    if _ON_METER.match(behind):
        return True
    if value > _LIKELY_AGE and _PERSON_IS.search(before):
        return True
    if _is_meter_value(value) and _PERSON_AT.search(before):
        return True
    if _is_meter_value(value) and _MINE_IS.search(before) and (is_expected or _NOW.match(behind)):
        return True
    is_about = is_expected or bool(glucose) or bool(_ABOUT_GLUCOSE.search(before + behind))
    if is_about and value >= _LEAST_AT and _FALLEN_TO.search(before):
        return True
    return is_expected and bool(_EXPECTED.search(before.strip() and before))


def _is_meter_value(value: float) -> bool:
    """Return whether a number without a unit looks like the display of a meter."""
    return value >= _LEAST_AT or value % 1 != 0


def _with_unit(value: float, unit: str) -> Reading:
    """Return a reading with its stated unit, unless the value is implausible in this unit."""
    if unit == "g/l":
        return Reading(value * 100, "mg/dL", True)
    if unit.startswith("mmol") and value <= _MOST_MMOL_L:
        return Reading(value, "mmol/L", True)
    if unit.startswith("mg") and _can_be_mg_dl(value):
        return Reading(value, "mg/dL", True)
    return _reading(value, None)


def _reading(value: float, usual: GlucoseUnit | None) -> Reading:
    """Return a reading without a stated unit, with the only plausible or the usual unit."""
    if value < _SURE_BELOW_MMOL_L:
        return Reading(value, "mmol/L", False)
    if value > _MOST_ON_METER_MMOL_L:
        return Reading(value, "mg/dL", False)
    if usual == "mmol/L":
        return Reading(value, "mmol/L", False)
    is_mg_dl = usual == "mg/dL" and _can_be_mg_dl(value)
    return Reading(value, "mg/dL" if is_mg_dl else None, False)


def _can_be_mg_dl(value: float) -> bool:
    """Return whether a value is plausible in mg/dL; meters show no decimals in this unit."""
    return value >= LIKELY_MG_DL or (value >= _LEAST_MG_DL and value % 1 == 0)
