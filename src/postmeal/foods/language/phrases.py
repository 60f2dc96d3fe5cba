"""Split a meal text into phrases, each with the name and the amount of a food.

"For lunch, two slices of bread (50 g) and a large apple" has two phrases: "bread" with two slices
that weigh 50 g, and "apple" with one large piece. Filler words such as "I'm having", "for lunch"
and "on the side" are ignored. Amounts may be given later, as in "a banana and a pear. The pear is
150 grams" or "bread, ham and milk, weighing 50, 20 and 240 grams respectively".
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, takewhile

from postmeal.foods.language.connectors import CONNECTORS, REFERS
from postmeal.foods.language.numbers import amount_text
from postmeal.foods.language.phrase import (
    NUMBER,
    Phrase,
    is_each,
    mass_in,
    masses_of,
    read_phrase,
)
from postmeal.foods.language.purposes import PURPOSE
from postmeal.foods.language.qualifiers import commas_at_qualifiers, qualified

__all__ = ["MAX_LETTERS", "MAX_PHRASES", "phrases"]

MAX_LETTERS = 20_000
"""Maximum number of characters that are read; the rest of a longer text is ignored."""

MAX_PHRASES = 100
"""Maximum number of phrases that are read from a text."""

_LIST = re.compile(
    rf"(?<!\bx )((?:{NUMBER}\s*(?:,\s*(?:and\s+)?|\s+and\s+)){{1,40}})({NUMBER})\s*"
    r"(g|grams?|oz|ounces?|ml|milliliters?)\b"
)
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
    rf"(?!{REFERS}(?!.*\bi\b))[^\d]*(?<![\w'])(?!(?:of|in|on|from|into|to|for|by|at|with|without|"
    r"no|not|than|like|as|about|around|such|half|quite|times|once|twice|per|or|only|just|what|"
    r"(?<!there )(?:is|was|are|were)|has|(?<!i )(?:have|had)|(?:it|that)'s|specifically|vitamin|"
    r"grade|type|\w+(?:ed|ing))\b)[\w']+\s+"
    r"(?=(?:an?|some)\s+(?!la\b|l'|lot\b|bit\b|total\b|mix\b|day\b|week\b)\w)"
)
"""Words that are not part of a food, such as the first four of "on the way home a bowl of soup"."""

_KNOWN = re.compile(r"(?:the|my|our|this|that)\b")
_LATER = re.compile(
    r"(?:the|my|each|one|it|this|that|both|they|these|all)\b(?P<name>.*?)\s*"
    r"(?:'s|is|was|are|were|weighs?|weighed|comes? (?:in )?(?:at|to)|came (?:in )?(?:at|to)|"
    r"at|being|of)\s+(?:about |around |roughly |approximately |exactly |just |only )*"
    rf"(?P<mass>{NUMBER}[\s-]*(?:g|grams?|kg|kilograms?|oz|ounces?|lbs?|pounds?)\b)\s*"
    r"(?P<each>each)?[\s.]*$"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def phrases(text: str) -> list[Phrase]:
    """Split a text into phrases.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of Phrase
        The phrases in the order of the text. An amount without a name is added to the phrase of the
        food that it refers to.

    Examples
    --------
    >>> for one in phrases("For lunch I had 2 slices of bread (50 g) and a large apple."):
    ...     print(one.name, one.count, one.unit, one.size, one.mass_g)
    bread 2.0 slice  50.0
    apple 1.0  large None
    """
    found: list[Phrase] = []
    amounts: list[Phrase] = []
    plain = commas_at_qualifiers(amount_text(text[:MAX_LETTERS]))
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
    _assign_amounts(found, amounts)
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
    if _PURPOSE.match(clause):
        why = _WHY.match(clause)
        aside = read_phrase(clause[why.end() if why else 0 :], joined_by)
        if aside and aside.name:
            refers = bool(_KNOWN.match(aside.said))
            found.append(replace(aside, begins=True, aside=True, refers=refers))
        return
    if (later := _LATER.match(clause)) and found:
        _assign_amounts(found, amounts)
        _assign_later_mass(found, later)
        return
    if before := _BEFORE_AN_ARTICLE.match(clause):
        way = read_phrase(before[0], joined_by)
        if way and way.name:
            found.append(replace(way, aside=not way.begins or before[0].startswith("for ")))
            joined_by = ","
        clause = clause[before.end() :]
    for part in _split_at_amounts(clause):
        phrase = read_phrase(part, joined_by)
        if phrase is None:
            continue
        if phrase.mass_g is not None and part.startswith("the "):  # "and the chicken 50 g"
            told = (
                n for n, one in enumerate(found) if one.name == phrase.name and one.mass_g is None
            )
            if (place := next(told, None)) is not None:
                found[place] = replace(found[place], mass_g=phrase.mass_g, begins=True)
                continue
        measured = phrase.unit or phrase.mass_g is not None or phrase.volume_ml is not None
        behind = bool(found) and bool(found[-1].name) and not found[-1].amount_said
        if phrase.name or not (measured or behind) or (not found and phrase.unit):
            if found:  # amounts before the first food belong to this food
                if amounts and joined_by in ("and", ","):  # "steak, 200 g, and fries"
                    phrase = replace(phrase, begins=True)
                _assign_amounts(found, amounts)
            found.append(phrase)
        elif phrase.mass_g is not None or phrase.volume_ml is not None:
            amounts.append(phrase)
        elif behind:
            last = found[-1]
            found[-1] = replace(
                last,
                count=phrase.count,
                unit=phrase.unit,
                size=phrase.size,
                begins=last.joined_by == "and",
            )
        else:
            found.append(phrase)
        joined_by = ","


def _split_at_amounts(clause: str) -> list[str]:
    """Split a clause before each amount such as "30 g of", except the first."""
    starts = [m.start() for m in masses_of(clause) if re.match(r"\s*of\s", clause[m.end() :])]
    edges = [0, *starts[1:], len(clause)]
    return [clause[start:end] for start, end in pairwise(edges)]


def _each_with_unit(match: re.Match[str]) -> str:
    """Repeat the unit in a list: "10, 20 and 30 grams" becomes "10 grams, 20 grams, 30 grams"."""
    numbers = re.findall(NUMBER, match[0])
    return ", ".join(f"{number} {match[3]}" for number in numbers)


def _assign_amounts(found: list[Phrase], amounts: list[Phrase]) -> None:
    """Assign amounts without a name, in order, to the last foods without a mass or volume."""
    missing = [n for n, one in enumerate(found) if one.mass_g is None and one.volume_ml is None]
    if len(amounts) == 1 and is_each(amounts[0].said):
        amounts *= _without_amount_at_the_end(found)
    follows = bool(amounts) and amounts[0].joined_by == ","
    if len(amounts) == 1 and follows and missing and missing[-1] == len(found) - 1:
        found[-1] = replace(found[-1], said=f"{found[-1].said}, {amounts[0].said}")
    for place, amount in zip(missing[-len(amounts) :], amounts, strict=False):
        one, mass_g, volume_ml = found[place], amount.mass_g, amount.volume_ml
        if "each" in amount.said or is_each(amount.said):
            mass_g = mass_g and mass_g * (one.count or 1.0)
            volume_ml = volume_ml and volume_ml * (one.count or 1.0)
        found[place] = replace(one, mass_g=mass_g, volume_ml=volume_ml, in_ounces=amount.in_ounces)
    found += amounts[len(missing) :]
    amounts.clear()


def _without_amount_at_the_end(found: list[Phrase]) -> int:
    """Return the number of foods to which an amount such as "100 g each" belongs, at least 1."""
    joined = takewhile(lambda one: not one.amount_said, reversed(found))
    return max(1, sum(1 for _ in joined))


def _assign_later_mass(found: list[Phrase], later: re.Match[str]) -> None:
    """Assign a mass that is given later, as in "the pear is 150 g", to its food."""
    mass = masses_of(later["mass"])[0]
    mass_g = mass_in(mass)
    told = set(re.findall(r"\w+", later["name"]))
    open_places = [n for n, one in enumerate(found) if one.mass_g is None] or [len(found) - 1]
    ordinal = next((n for n, word in enumerate(_ORDINALS) if word in told), None)
    if ordinal is not None:
        place = min(ordinal, len(found) - 1)
    elif told:
        place = max(open_places, key=lambda n: len(told & set(re.findall(r"\w+", found[n].name))))
    else:
        place = open_places[-1]
    if later["each"]:
        mass_g *= found[place].count or 1.0
    of_its_own = not told.isdisjoint(re.findall(r"\w+", found[place].name))
    found[place] = replace(
        found[place],
        mass_g=mass_g,
        in_ounces=mass["unit"].startswith("o"),
        begins=found[place].begins or of_its_own,
    )
