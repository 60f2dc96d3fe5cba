"""Mark the amounts, foods and other words of a correction by their role in a sentence.

Each part of a correction gets a mark of one character, so that the rules in
`postmeal.scans.corrections.clauses` can be regular expressions over marks instead of words. The
file ``words.csv`` lists the marks of single words and phrases. The other marks are:

=====  ==================================================================
``T``  a food of the scan
``N``  words without another mark, which may name a food of the catalog
``?``  words that match several foods of the scan
``Q``  an amount, such as "2 cups"
``F``  a share, such as "half" (a percentage)
``X``  a multiple, such as "twice" or "1.5 times"
``,``  a comma or a bracket, ``&`` "and", ``.`` the end of a sentence
=====  ==================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice, product

from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.words.measure_words import measure_words
from postmeal.foods.language.words.sizes_and_measures import SINGULAR, SIZES
from postmeal.scans.corrections.mentions import ScanNames, sound_of
from postmeal.scans.corrections.new_foods import NewFoods
from postmeal.scans.corrections.vocabulary import (
    SHARES,
    SHORTEST_SLIP,
    TOKEN,
    UNITS,
    lexicon,
    phrases_at,
    respelled,
    vocabulary,
)
from postmeal.words.units import MASS_G, VOLUME_ML

_SIGNS = {",": ",", "(": ",", ")": ",", "-": ",", "+": "D&", "&": "&", ".": ".", ";": ".",
          "!": ".", "?": ".", ":": ",", '"': ",", "/": "&"}  # fmt: skip
_JOINS = {"and": "&", "but": ".x", "then": ".", "or": "|", "yet": ".", "plus": "D&",
          "although": ".", "n": "&"}  # fmt: skip
_ARTICLES = frozenset({"a", "an"})
_HEDGES = frozenset({"maybe", "perhaps", "possibly"})
_TIMES = {"double": 2.0, "doubled": 2.0, "twice": 2.0, "triple": 3.0, "tripled": 3.0,
          "thrice": 3.0, "halve": 0.5, "halved": 0.5, "cut in half": 0.5, "quadruple": 4.0,
          "quarter": 0.25}  # fmt: skip
_SIZE = re.compile(rf"(?:{'|'.join(SIZES)})$")
_BEFORE_A_NOUN = frozenset({"a", "any", "my", "no", "that", "the", "this", "without"})
_BEFORE_A_NAME = frozenset(
    ("cup", "tablespoon", "teaspoon", "tbsp", "tsp", "slice", "can", "glass", "bowl", "bottle",
     "handful", "scoop", "serving", "piece")
)  # fmt: skip
_GRAMS_FROM = 20  # a number without a measure is read as grams from here on, not as pieces
_MOST_PHRASE = 6  # maximum number of words in a phrase
_MOST_WORDS = 50  # maximum number of words that are searched for the name of a food
_DICTATED = ("gram", "ounce")
_MOST_READINGS = 24
_NOT_IN_NAMES = frozenset("RHECcLBSnOoxitwvJKUaWPGAZkg")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a correction whose words have a mark in common."""

    marks: str
    text: str
    value: float = 0.0
    amount: Phrase | None = None
    targets: tuple[int, ...] = ()
    is_sure: bool = True
    is_one: bool = False


def readings_of(parts: list[Part]) -> list[str]:
    """Return the marks of all parts as strings, with one string per combination of meanings."""
    return ["".join(one) for one in islice(product(*(p.marks for p in parts)), _MOST_READINGS)]


def marked(plain: str, names: ScanNames, foods: NewFoods) -> list[Part]:
    """Split a correction into parts, and mark their roles in the sentence."""
    tokens = respelled(TOKEN.findall(plain), names, foods)
    parts: list[Part] = []
    place = 0
    while place < len(tokens):
        found = (
            _named(tokens, place, names, foods)
            or _amount(tokens, place, names, follows_food=bool(parts) and parts[-1].marks == "T")
            or _worded(tokens, place, names)
        )
        if found is None:
            found = _chunk(tokens, place, names, foods)
        follows_article = place > 0 and tokens[place - 1] in _ARTICLES
        part, place = found
        if part is not None and part.marks == "N" and follows_article:
            part = replace(part, is_one=True)
        if part is not None and not (part.marks == "," and parts and parts[-1].marks in ",&."):
            parts.append(part)
    return [part for part in parts if part.marks]


def _named(
    tokens: list[str], place: int, names: ScanNames, foods: NewFoods
) -> tuple[Part, int] | None:
    """Find a food name that contains words with a mark of their own, such as "mac and cheese"."""
    first = tokens[place]
    if not first[0].isalpha() or first in _ARTICLES or first in ("the", "my"):
        return None
    begins = phrases_at(tokens, place)
    is_blocked = bool(begins) and not _NOT_IN_NAMES.isdisjoint(begins[0][1])
    if is_blocked and first not in names.firsts:
        return None
    for end in range(min(place + _MOST_PHRASE, len(tokens)), place + 1, -1):
        window = tokens[place:end]
        if not all(word[0].isalpha() or word == "&" for word in window):
            continue
        text = " ".join(window)
        if not any(word in _JOINS or word in lexicon() for word in window):
            continue
        target = names.named(text)
        if target is not None:
            return Part("T", text, targets=(target,)), end
        if is_blocked:
            continue
        ends = phrases_at(window, len(window) - 1)
        if ends and not _NOT_IN_NAMES.isdisjoint(ends[0][1]):
            continue
        joined = [word for word in window if word not in _JOINS]
        if len(joined) < len(window) and any(names.mention(word) for word in joined):
            continue
        if foods.is_name(text) and not names.mention(joined[-1]):
            mention = names.mention(text)
            if mention is not None and mention.is_sure and len(mention.targets) == 1:
                return Part("T", text, targets=mention.targets), end
            return Part("N", text), end
    return None


def _amount(
    tokens: list[str], place: int, names: ScanNames, *, follows_food: bool = False
) -> tuple[Part, int] | None:
    """Parse a share, a multiple, or a number with its measure."""
    token = tokens[place]
    if token.endswith("%") and len(token) > 1:
        return Part("F", token, value=float(token[:-1]) / 100), place + 1
    if token in SHARES and tokens[place + 1 : place + 2] == ["of"]:
        after = tokens[place + 2 : place + 3]
        if (
            after not in (["it"], ["them"], ["this"], ["that"], ["these"], ["those"])
            or not (SHARES[token])
        ):
            return Part("F", token, value=SHARES[token]), place + 2
    if token == "none":
        return Part("F", token, value=0.0), place + 1
    number = float(token) if token[0].isdigit() else None
    if number is None and token not in _ARTICLES:
        size = _SIZE.match(token)
        alone = place + 1 == len(tokens) or not tokens[place + 1][0].isalpha()
        return (
            (Part("Q", token, amount=Phrase(token, "", 1.0, size=token)), place + 1)
            if (size and alone)
            else None
        )
    end = place + 1
    if number is not None and end < len(tokens) and tokens[end] in ("times", "time"):
        end += 1
        return Part("X", f"{token} times", value=number), end
    size_words: list[str] = []
    while end < len(tokens) and _SIZE.match(tokens[end]):
        size_words.append(tokens[end])
        end += 1
    unit = _unit(tokens, end, names)
    if number is None and unit is None:
        return None
    amount, end = _measured(number, " ".join(size_words), unit, end)
    follows = tokens[end] if end < len(tokens) else ","
    if (
        unit is None
        and number is not None
        and number >= _GRAMS_FROM
        and (follows_food or not follows[0].isalpha() or (follows != "of" and _is_meant(follows)))
    ):
        amount = (None, "", "", number, None, False)  # "the rice was 150"
    text = " ".join(tokens[place:end])
    return Part("Q", text, amount=Phrase(text, "", *amount)), end


_Measured = tuple[float | None, str, str, float | None, float | None, bool]


def _measured(
    number: float | None, size: str, unit: tuple[str, int] | None, end: int
) -> tuple[_Measured, int]:
    count = 1.0 if number is None else number
    if unit is None:
        return (count, "", size, None, None, False), end
    name, length = unit
    end += length
    if name in MASS_G:
        ounces = name in ("oz", "ounce")
        return (None, "", size, count * MASS_G[name], None, ounces), end
    if name in VOLUME_ML and name not in ("cup", "tablespoon", "teaspoon", "tbsp", "tsp"):
        return (None, "", size, None, count * VOLUME_ML[name], name == "fl oz"), end
    if (word := measure_words().get(name)) is not None:
        if word.means == "ml":
            return (None, "", size, None, count * word.times, False), end
        return (count * word.times, word.means, size, None, None, False), end
    return (count, SINGULAR.get(name, name), size, None, None, False), end


def _unit(tokens: list[str], place: int, names: ScanNames) -> tuple[str, int] | None:
    """Return the measure that starts at a place and its length in words, or None.

    A vessel or piece that also names a food of the scan is a measure only before "of".
    """
    if place >= len(tokens):
        return None
    token = tokens[place]
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    if token in ("fl", "fluid") and after.rstrip("s") in ("oz", "ounce"):
        return "fl oz", 2
    for name in (token, token.removesuffix("s"), token.removesuffix("es")):
        if name in MASS_G or name in VOLUME_ML:
            return name, 1
        if name in UNITS:
            if after != "of" and names.mention(token) is not None:
                return None
            follows = after == "" or not after[0].isalpha() or after == "of" or _is_meant(after)
            return (name, 1) if follows or name in _BEFORE_A_NAME else None
    if len(token) >= SHORTEST_SLIP and token not in vocabulary():
        return next(
            ((unit, 1) for unit in _DICTATED if sound_of(token) == sound_of(f"{unit}s")), None
        )
    return None


def _is_meant(word: str) -> bool:
    return word in _JOINS or word in lexicon()


def _worded(tokens: list[str], place: int, names: ScanNames) -> tuple[Part | None, int] | None:
    """Find the longest phrase that has a mark in ``words.csv``."""
    token = tokens[place]
    if token == "but" and place and tokens[place - 1] in ("everything", "nothing", "all", "it"):
        return Part("x" if tokens[place - 1] != "it" else ".x", token), place + 1
    if token in _JOINS and token != "plus":
        longer = [one for one in phrases_at(tokens, place) if one[0] > 1]
        if not longer:
            return Part(_JOINS[token], token), place + 1
    if token == "-" and place + 1 < len(tokens) and tokens[place + 1][0].isdigit():
        return Part("!", token), place + 1
    if token in _SIGNS:
        return Part(_SIGNS[token], token), place + 1
    if token in _HEDGES:  # "maybe 200 g" is an estimate, "maybe turkey" is a guess
        is_estimate = _amount(tokens, place + 1, names) if place + 1 < len(tokens) else None
        return (None if is_estimate else Part("!", token)), place + 1
    found = phrases_at(tokens, place)
    if not found or (token == "drink" and place and tokens[place - 1] in _BEFORE_A_NOUN):
        return None
    length, marks = found[0]
    if (
        marks == "K"
        and tokens[place + length - 1] == "no"
        and names.mentioned(tokens, place + length)
    ):
        length -= 1  # "no" in "uh no ketchup" does not take back the clause before
        marks = ""
    text = " ".join(tokens[place : place + length])
    part = Part(marks, text, value=_TIMES.get(text, 0.0)) if marks else None
    return part, place + length


def _chunk(
    tokens: list[str], place: int, names: ScanNames, foods: NewFoods
) -> tuple[Part | None, int]:
    """Collect the words before the next marked word; together they may name a food."""
    end = place + 1
    while (
        end < len(tokens)
        and tokens[end][0].isalpha()
        and tokens[end] not in _JOINS
        and not (phrases_at(tokens, end) and not _in_name(tokens, place, end, names, foods))
        and tokens[end] not in ("with", "of", "none")
    ):
        end += 1
    words = tokens[place:end]
    while len(words) > 1 and words[-1].removesuffix("s") in (
        "portion",
        "serving",
        "amount",
        "part",
    ):
        words.pop()
    if tokens[end : end + 1] == ["of"] and len(words) <= 2:
        unit = _unit([words[-1], "of"], 0, names)
        if unit and all(_SIZE.match(word) for word in words[:-1]):
            return None, end + 1  # "the glass of milk"
    text = " ".join(words)
    mention = names.mention(text)
    if mention is None and not foods.is_food(text):
        mention = names.sounds_like(text)
        for length in range(min(len(words) - 1, _MOST_WORDS), 0, -1) if mention is None else ():
            start = names.mention(" ".join(words[:length]))
            if start is not None and start.is_sure and len(start.targets) == 1:
                part = Part("T", " ".join(words[:length]), targets=start.targets)
                return part, place + length
    if mention is None:
        return Part("N", text), end
    if len(mention.targets) > 1:
        return Part("?", text, targets=mention.targets, is_sure=mention.is_sure), end
    return Part("T", text, targets=mention.targets, is_sure=mention.is_sure), end


def _in_name(tokens: list[str], start: int, end: int, names: ScanNames, foods: NewFoods) -> bool:
    """Return whether a marked word belongs to a food name, as in "roast chicken leftover"."""
    marks = phrases_at(tokens, end)[0][1]
    if not _NOT_IN_NAMES.isdisjoint(marks) or end + 1 >= len(tokens):
        return False
    text = " ".join(tokens[start : end + 2])
    return tokens[end + 1][0].isalpha() and (foods.is_name(text))
