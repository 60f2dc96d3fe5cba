"""Dangers that persist during a conversation: emergencies, self-harm and eating disorders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from postmeal.chat.avoided_foods import without_restrictions
from postmeal.chat.body_size import body_mass_index, without_size
from postmeal.chat.clauses import asserted, sentences
from postmeal.chat.danger import can_be_low, current_readings, emergency, self_harm
from postmeal.chat.danger_model import (
    is_more_likely_dangerous,
    is_overruled,
    likely_danger,
)
from postmeal.chat.glucose_readings import worst
from postmeal.chat.glucose_unit import GlucoseUnit, unit_of
from postmeal.chat.injected_instructions import without_instructions
from postmeal.chat.patterns import has
from postmeal.chat.plain_text import unmasked
from postmeal.chat.urgent_care import low_reading, severe_low, urgent_care

_TURNS = 10
"""Number of recent messages whose warning signs are combined."""
_EXPECTED_TURNS = 3
"""Number of messages after a reading in which a number without a unit counts as a reading."""
_MAX_LETTERS = 1_000
_MAX_READ_LETTERS = 6_000
"""Maximum length of the last messages that the rules check, in characters.

It applies to the messages of the user and to the facts in system messages. Only the model checks
earlier messages.
"""
_HEALTHY_BMI = 18.5
"""Body mass index in kg/m² from which body size is no sign of an eating disorder."""
_AT_LEAST_MG_DL, _AT_MOST_MG_DL = 70.0, 250.0
_SURE = 0.5  # probability of a severe low
_BY_GLUCOSE = frozenset(("emergency_low", "emergency_high", "emergency_unclear", "low_glucose"))
_TELL_OF_LOWS = frozenset(("emergency_low", "emergency_unclear", "low_glucose"))
_WITHOUT_SUGAR = frozenset(("emergency", "emergency_unresponsive", "self_harm", "eating_disorder"))
"""Fixed texts that do not say what to do if glucose is low."""
_EARLIER = re.compile(r"\b(?:ago|before|earlier|was|were|yesterday|should|would|will|target)\b")
_DIRECTED = re.compile(
    r"\b(?:you|your|you're|if|when|whenever|never|always|must|should|shall|assistant|user asks?"
    r"|answer|reply|respond|refuse|avoid|mention|do not|don't|tell|say|advise|recommend|example"
    r"|e\.g|such as|unless|instruct\w*|topics?|questions? about|we|our|us|bot|service|app|users"
    r"|patients|people|customers|clients)\b"
)
_ABOUT_USER = re.compile(
    r"\b(?:user|patient|client|profile|diary|notes?|diagnos\w*|conditions?|readings?|sugar|glucose"
    r"|cgm|sensor|meter|bg|dexcom|libre)\b"
)
_DATED = re.compile(r"\b(?:19|20)\d\d-\d\d|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b")
_TIME = re.compile(r"\b\d{1,2}:\d\d\b")


@dataclass(frozen=True, slots=True)
class Danger:
    """A danger that a conversation describes."""

    route: Literal["emergency", "selfharm", "low_glucose"]
    text: str
    reading: str = ""
    is_earlier: bool = False
    is_sure: bool = True
    care: str = ""


@dataclass(slots=True)
class _State:
    """The dangers found so far, and the recent messages that may contain warning signs."""

    unit: GlucoseUnit | None
    emergency: Danger | None = None
    harm: Danger | None = None
    low: Danger | None = None
    signs: tuple[str, ...] = ()
    reading_age: int = _EXPECTED_TURNS + 1


def danger_of(texts: Sequence[str], system: Sequence[str] = ()) -> Danger | None:
    """Return the danger that persists after the user's last message, or None.

    The messages are read in order. Each of them can describe a danger, either alone or together
    with signs in earlier messages. An emergency persists until the user states that it is over.
    Self-harm, an eating disorder or an overdose persists until the end of the conversation. A
    danger that only the model suspects, with a probability of at most 50%, persists for one more
    message. A mildly low reading persists for three messages, or until the next reading.
    """
    state = _State(unit_of([*system, *texts]))
    stated = [facts for each in system if (facts := _facts(each))]
    first = _first_read(stated)
    for text in stated[:first]:
        _raise_suspicion(state, text, is_system=True)
    for text in stated[first:]:
        _read(state, text, is_system=True)
    first = _first_read(texts)
    for text in texts[:first]:
        _raise_suspicion(state, text)
    for text in texts[first:]:
        _read(state, text)
    return state.emergency or state.harm or state.low


def _first_read(texts: Sequence[str]) -> int:
    """Return the index of the first text that the rules read.

    The run time of the rules grows with the length of the texts, so they do not read earlier texts.
    """
    letters = 0
    for place in range(len(texts) - 1, -1, -1):
        letters += len(texts[place])
        if letters > _MAX_READ_LETTERS:
            return min(place + 1, len(texts) - 1)
    return 0


def _facts(text: str) -> str:
    """Return the sentences of a system message that state current facts about a person."""
    lines = sentences(without_instructions(text))
    is_log = len(_TIME.findall(text)) > 1
    return " ".join(
        each
        for each in lines
        if (has("person", each) or _ABOUT_USER.search(each) or self_harm(each))
        and not (_DIRECTED.search(each) or _DATED.search(each))
        and not (is_log and _TIME.search(each))
    )


def _read(state: _State, text: str, *, is_system: bool = False) -> None:
    """Update a state with a message."""
    state.emergency, state.harm = _aged(state.emergency), _aged(state.harm)
    is_expected = state.reading_age <= _EXPECTED_TURNS
    own = _danger_in(text, state.unit, is_expected=is_expected)
    if is_system and own is not None and not own.is_sure:
        own = None
    is_clear = own is None or not own.is_sure
    if is_clear and state.emergency is not None and _ends(text, state, is_expected=is_expected):
        state.emergency, state.signs = None, ()
        own = own if own is not None and own.text == "self_harm" and own.is_sure else None
    measured = current_readings(text, state.unit, is_expected=is_expected)
    state.reading_age = 0 if measured else state.reading_age + 1
    low = low_reading(text, measured)
    if low is not None:
        state.low = Danger("low_glucose", "low_glucose", low.text)
    elif measured or state.reading_age > _EXPECTED_TURNS or asserted("resolved", text):
        state.low = None
    else:
        state.low = _aged(state.low)
    is_general = has("general_question", text) and not (has("person", text) or measured)
    is_vetoed = own is None and self_harm(text) is not None
    if not (is_general or is_vetoed):
        state.signs = (*state.signs, text)[-_TURNS:]
    if own is None and len(state.signs) > 1:
        own = _together(state)
    _raise(state, own)


def _raise_suspicion(state: _State, text: str, *, is_system: bool = False) -> None:
    """Update a state with a message that the rules do not read."""
    state.emergency, state.harm = _aged(state.emergency), _aged(state.harm)
    suspected = _suspected(text)
    if suspected is not None and (suspected.is_sure or not is_system):
        _raise(state, suspected)


def _aged(danger: Danger | None) -> Danger | None:
    """Mark a danger as one of an earlier message; return None if a suspicion is already marked."""
    if danger is None or (danger.is_earlier and not danger.is_sure):
        return None
    return replace(danger, is_earlier=True)


def _raise(state: _State, danger: Danger | None) -> None:
    """Add a danger to a state, but do not replace a specific fixed text by a general one."""
    if danger is None:
        return
    if danger.route == "selfharm":
        if state.harm is None or state.harm.text != "self_harm":
            state.harm = danger
    elif state.emergency is None or danger.text != "emergency":
        state.emergency = danger
    else:
        care = danger.care or state.emergency.care
        state.emergency = replace(state.emergency, is_earlier=False, care=care)


def _danger_in(text: str, unit: GlucoseUnit | None, *, is_expected: bool) -> Danger | None:
    """Return the danger in a single message, with the care that it needs today."""
    found = _found(text, unit, is_expected=is_expected)
    if found is None or found.care or found.text in _TELL_OF_LOWS:
        return found
    if found.text == "emergency_unresponsive" and not has("writer_faint", text):
        return found  # an unconscious person must not be given anything
    measured = current_readings(text, unit, is_expected=is_expected)
    if found.text not in _WITHOUT_SUGAR and low_reading(text, measured) is None:
        return found
    if found.route == "emergency":
        return replace(found, care="low_glucose" if can_be_low(text, measured) else "")
    care = urgent_care(text, unit, is_expected=is_expected)
    is_needed = care is not None and care.is_stated and care.text in ("low_glucose", "new_type_1")
    return replace(found, care=care.text) if care is not None and is_needed else found


def _found(text: str, unit: GlucoseUnit | None, *, is_expected: bool) -> Danger | None:
    """Return the danger that the rules or the model find in a single message."""
    found = emergency(text, unit, is_expected=is_expected)
    if found is not None:
        return Danger("emergency", *found)
    suspected = _suspected(text)
    is_emergency = suspected is not None and suspected.route == "emergency"
    measured = current_readings(text, unit, is_expected=is_expected)
    if not is_emergency and (severe := severe_low(text, measured)):
        return Danger("emergency", "emergency_low", is_sure=severe > _SURE)
    care = urgent_care(text, unit, is_expected=is_expected) if suspected is not None else None
    if suspected is not None and suspected.route == "emergency":
        if care is None or (care.text == "low_glucose" and not care.reading):
            return suspected  # the emergency may be another one than a low
        if care.is_stated and (care.text == "low_glucose" or not suspected.is_sure):
            return replace(suspected, text=care.text, reading=care.reading)
        return replace(suspected, care=care.text)
    if has("self_harm_sure", text):
        return Danger("selfharm", "self_harm")
    is_thin = body_mass_index(text) < _HEALTHY_BMI
    is_certain = is_thin or has("eating_disorder_sure", text)
    stated = without_restrictions(text)  # "nuts could kill me" is a statement about an allergy
    if (name := self_harm(stated)) and (is_certain or not is_overruled(self_harm, stated)):
        return Danger("selfharm", name)
    if care is None or suspected is None:
        return suspected
    is_weak = care.text == "low_glucose" and care.is_stated and not suspected.is_sure
    return None if is_weak or care.text == "new_type_1" else suspected


def _suspected(text: str) -> Danger | None:
    """Return the danger that the model finds in a single message.

    The model does not read statements such as "she can't have eggs", because it was fitted to
    messages in which "can't" is a sign of danger. A complaint without any other content is too
    short for the model.
    """
    if has("only_unwell", text):
        return None
    judged = unmasked(without_size(text) if body_mass_index(text) >= _HEALTHY_BMI else text)
    judged = without_restrictions(judged)
    likely = likely_danger(judged)
    if likely is None or likely == "dosing":
        return None
    is_sure = is_more_likely_dangerous(judged)
    if likely == "emergency":
        return Danger("emergency", "emergency", is_sure=is_sure)
    return Danger("selfharm", likely, is_sure=is_sure)


def _together(state: _State) -> Danger | None:
    """Return a new danger whose signs are spread over several messages, or None."""
    text = " . ".join(state.signs)[-_MAX_LETTERS:]
    if state.emergency is None and (found := emergency(text, state.unit)):
        return Danger("emergency", *found)
    if state.harm is None and (name := self_harm(text)):
        return Danger("selfharm", name)
    return None


def _ends(text: str, state: _State, *, is_expected: bool) -> bool:
    """Return whether a message says that an emergency is over.

    An overdose never counts as over, because its effects can last for hours.
    """
    if state.emergency is None or state.emergency.text == "emergency_overdose":
        return False
    if asserted("resolved", text):
        return True
    if any(has("no_emergency", each) and "?" not in each for each in sentences(text)):
        return True
    measured = current_readings(text, state.unit, is_expected=is_expected)
    if state.emergency.text not in _BY_GLUCOSE or not measured or _EARLIER.search(text):
        return False
    value = worst(measured).mg_dl
    return value is not None and _AT_LEAST_MG_DL <= value <= _AT_MOST_MG_DL
