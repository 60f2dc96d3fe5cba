"""Split a meal text into phrases, each with the name and the amount of a food.

"For lunch, two slices of bread (50 g) and a large apple" has two phrases: "bread" with two slices
that weigh 50 g, and "apple" with one large piece. Filler words such as "I'm having", "for lunch"
and "on the side" are ignored. Amounts may be given later, as in "a banana and a pear. The pear is
150 grams" or "bread, ham and milk, weighing 50, 20 and 240 grams respectively".
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from postmeal.foods.language.phrases.later_amounts import (
    LATER_MASS,
    assign_amounts,
    assign_later_mass,
)
from postmeal.foods.language.phrases.masses_and_volumes import NUMBER, masses
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.phrases.phrase_parsing import read_phrase
from postmeal.foods.language.phrases.qualifiers import commas_at_qualifiers, qualified
from postmeal.foods.language.words.connectors import BACK_REFERENCES, CONNECTORS
from postmeal.foods.language.words.filler_words import PURPOSE
from postmeal.words.units import MASS_G, unit_pattern

MAX_LETTERS = 20_000
"""Maximum number of characters that are read; the rest of a longer text is ignored."""

MAX_PHRASES = 100
"""Maximum number of phrases that are read from a text."""

_LIST = re.compile(
    rf"(?<!\bx )((?:{NUMBER}(?:\s*,\s*(?:and\s+)?|\s+and\s+)){{1,12}}+)({NUMBER})\s*"
    rf"({unit_pattern({*MASS_G, 'ml', 'milliliter'})})"
    r"(?=\s*(?:$|[.,;:)\]]|(?:respectively|each|apiece|of|in|for|and)\b))"
)
"""A list of masses or volumes with a single unit, and not followed directly by a food."""

_SENTENCE = re.compile(
    r"(?<=[^\d\s])\.(?=\s|$)|(?<=\d)\.(?=\s|$)|[?\n;:]|"
    r"!(?=\s*$|\s+(?:i|i'm|i've|i'd|it|the|for|to|and|my|also|this|then|on|with)\b)"
)
_CONNECTOR = re.compile(
    rf"\s*(?:(?<![\w-])(?P<word>{CONNECTORS})(?![\w-])|[,+—–]|(?<!pb)&|\s-\s)\s*"
)
_PURPOSE = re.compile(rf"{PURPOSE}[^\d]*$")
_WHY = re.compile(
    r"^(?:.*(?=\b(?:an?|some|my|the|our)\b)|(?:to|for)\s+(?:(?:extra|added|more|good|that)\b)?)"
)
_BEFORE_AN_ARTICLE = re.compile(
    rf"(?!{BACK_REFERENCES}(?!.*\bi\b))[^\d]*(?<![\w'])(?!(?:of|in|on|from|into|to|for|by|at|with|without|"
    r"no|not|than|like|as|about|around|such|half|quite|times|once|twice|per|or|only|just|what|"
    r"(?<!there )(?:is|was|are|were)|has|(?<!i )(?:have|had)|(?:it|that)'s|specifically|vitamin|"
    r"grade|type|\w+(?:ed|ing))\b)[\w']+\s+"
    r"(?=(?:an?|some)\s+(?!la\b|l'|lot\b|bit\b|total\b|mix\b|day\b|week\b)\w)"
)
"""Words before a food that do not belong to it, such as "on the way home" before "some soup"."""

_OF = re.compile(r"\s*of\s")
_KNOWN = re.compile(r"(?:the|my|our|this|that)\b")


def phrases(text: str) -> list[Phrase]:
    """Split a text whose numbers are digits into phrases."""
    found: list[Phrase] = []
    amounts: list[Phrase] = []
    plain = commas_at_qualifiers(text[:MAX_LETTERS])
    for sentence in _SENTENCE.split(_LIST.sub(_each_with_unit, plain)):
        follows = {","}
        for number, (connector, clause) in enumerate(_clauses(sentence)):
            joined_by = connector or ("." if number == 0 else ",")
            if found and joined_by in follows and (whole := qualified(found[-1], clause)):
                found[-1] = whole
                follows = {",", "and"}
                continue
            follows = {","}
            _add(found, amounts, clause, joined_by)
            if len(found) >= MAX_PHRASES:
                return found
    assign_amounts(found, amounts)
    return found


def _clauses(sentence: str) -> list[tuple[str, str]]:
    """Split a sentence at its connectors, and return each clause with the connector before it."""
    parts: list[tuple[str, str]] = []
    start, before = 0, ""
    for match in _CONNECTOR.finditer(sentence):
        parts.append((before, sentence[start : match.start()]))
        start, before = match.end(), match["word"] or ("," if match[0].strip() == "," else "and")
    parts.append((before, sentence[start:]))
    return [(word.strip(), clause.strip()) for word, clause in parts if clause.strip(" ()[].-'\"")]


def _add(found: list[Phrase], amounts: list[Phrase], clause: str, joined_by: str) -> None:
    """Add the phrases of a clause to those that were found, and its amounts to `amounts`."""
    if _PURPOSE.match(clause):
        _add_reason(found, clause, joined_by)
        return
    if (later := LATER_MASS.match(clause)) and found:
        assign_amounts(found, amounts)
        assign_later_mass(found, later)
        return
    if before := _BEFORE_AN_ARTICLE.match(clause):
        way = read_phrase(before[0], joined_by)
        if way and way.name:
            is_reason = not way.starts_food or before[0].startswith("for ")
            found.append(replace(way, is_reason=is_reason))
            joined_by = ","
        clause = clause[before.end() :]
    for part in _split_at_masses(clause):
        phrase = read_phrase(part, joined_by)
        if phrase is None or _is_mass_of_earlier_food(found, phrase, part):
            continue
        _add_phrase(found, amounts, phrase, joined_by)
        joined_by = ","


def _add_reason(found: list[Phrase], clause: str, joined_by: str) -> None:
    """Add the food in a clause about the reason for eating something, if there is one."""
    why = _WHY.match(clause)
    phrase = read_phrase(clause[why.end() if why else 0 :], joined_by)
    if phrase and phrase.name:
        is_known = bool(_KNOWN.match(phrase.said))
        found.append(replace(phrase, starts_food=True, is_reason=True, refers_back=is_known))


def _is_mass_of_earlier_food(found: list[Phrase], phrase: Phrase, text: str) -> bool:
    """Assign a mass such as "the chicken 50 g" to an earlier food with the same name.

    Return whether there is such a food.
    """
    if phrase.mass_g is None or not text.startswith("the "):
        return False
    for place, food in enumerate(found):
        if food.name == phrase.name and food.mass_g is None:
            found[place] = replace(
                food, mass_g=phrase.mass_g, in_ounces=phrase.in_ounces, starts_food=True
            )
            return True
    return False


def _add_phrase(found: list[Phrase], amounts: list[Phrase], phrase: Phrase, joined_by: str) -> None:
    """Add a phrase as a new food or an unassigned amount, or add its count to the last food."""
    has_mass_or_volume = phrase.mass_g is not None or phrase.volume_ml is not None
    needs_amount = bool(found) and bool(found[-1].name) and not found[-1].amount_said
    is_measured = bool(phrase.unit) or has_mass_or_volume
    if phrase.name or not (is_measured or needs_amount) or (not found and phrase.unit):
        if found:  # amounts before the first food belong to this food
            if amounts and joined_by in ("and", ","):  # "steak, 200 g, and fries"
                phrase = replace(phrase, starts_food=True)
            assign_amounts(found, amounts)
        found.append(phrase)
    elif has_mass_or_volume:
        amounts.append(phrase)
    elif needs_amount:
        last = found[-1]
        found[-1] = replace(
            last,
            count=phrase.count,
            unit=phrase.unit,
            size=phrase.size,
            starts_food=last.joined_by == "and",
        )
    else:
        found.append(phrase)


def _split_at_masses(clause: str) -> list[str]:
    """Split a clause before each amount such as "30 g of", except the first."""
    starts = [one.start for one in masses(clause) if _OF.match(clause, one.end)]
    edges = [0, *starts[1:], len(clause)]
    return [clause[start:end] for start, end in pairwise(edges)]


def _each_with_unit(match: re.Match[str]) -> str:
    """Repeat the unit in a list: "10, 20 and 30 grams" becomes "10 grams, 20 grams, 30 grams"."""
    numbers = re.findall(NUMBER, match[0])
    return ", ".join(f"{number} {match[3]}" for number in numbers)
