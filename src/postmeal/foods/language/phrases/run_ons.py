"""Separate the foods in a text without punctuation.

In "roast chicken 4 ounces couscous 1 cup", an amount follows each food. The amounts and the names
in the catalog show where one food ends and the next begins. A comma is inserted there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from postmeal.foods.language.words.name_words import HOLDERS, head_of
from postmeal.foods.language.words.sizes_and_measures import MEASURES, SIZES
from postmeal.foods.words import words
from postmeal.words.units import MASS_G, VOLUME_ML

__all__ = ["with_commas"]

_NUMBER = r"(?<![\w.%/-])\d+(?:\.\d+)?(?![\w.%/-])"
_MEASURES = sorted({*MASS_G, *VOLUME_ML, *MEASURES}, key=len, reverse=True)
_UNIT = rf"(?:(?:{'|'.join(SIZES)})\s+)?(?:{'|'.join(_MEASURES)})(?:e?s)?\b"
_AMOUNT = re.compile(rf"(?:\b(?:about|around|roughly|maybe|like) )?{_NUMBER}(?: {_UNIT})?")
_TRAILING_UNIT = re.compile(
    r"(?<=[a-z]) ((?:small|medium|large|big) )?(glass|bowl|plate|cup|mug|can|bottle|packet|slice)"
    r"\s*(?=$|[,.;])(?!\s*,?\s*(?:size|cover))"
)
_EDGE = re.compile(r"([,;:?!()\n]|\.(?!\d)|\b(?:and|with|plus|then|but)\b)")
_LINK = re.compile(
    r"\b(?:of|in|on|from|with|without|and|or|at|to|for|weighing|x|is|was|were|each|per|plus|inch|"
    r"about|around|the|a|an|than|minus|no|not|over|by|grade|type|stage|number|size|vitamin)\s*$"
)
_THEN = re.compile(r"(?<=[a-z0-9])\s+(?:and )?then\s+(?:(?:i )?(?:had|ate|drank|took) )?(?=\w)")
_SHORT_LINKS = [
    (re.compile(r"\bw/\s?o\b|\bwith out\b"), "without"),
    (re.compile(r"\bw/\s?(?=[a-z\d])"), "with "),
    (re.compile(r"(?<=[a-z0-9]) w (?=[a-z\d])"), " with "),
    (re.compile(r"(?<=[a-z]) n (?=[a-z])"), " and "),
    (re.compile(r"(^|[,;.+]\s*|\band )x ?(\d+) (?=[a-z])"), r"\1\2 "),
    (re.compile(r"(?<!\d )\bx ?(\d+)(?= (?:[a-z]))"), r"x \1,"),
    (re.compile(r"(?<= )x(?=\d)"), "x "),
    (re.compile(r"(?:^|(?<=[,;] ))(?=\d+(?:\.\d+)?[ -]inch\b)"), "a "),
    (re.compile(r"(?<=\d )\d+(?:\.\d+)?[ -]inch(?:es)?\b "), ""),
    (re.compile(r"(?<=\d) ?(?:pcs?|pce|pieces|nos|units)\b\.?(?! of)"), " pieces"),
]
_NO_NAMES = frozenset({"a", "an", "the", "of", "per", "one", "small", "large", "my", "our", "his",
                       "her", "in", "from"})  # fmt: skip
_PIECES_INSIDE = re.compile(
    r"(?<=[a-z]) (?P<amount>\d+ pieces) (?!(?:of|and|with|from|in|on|for)\b)"
    r"(?P<whose>[a-z']+(?: [a-z']+)?)"
    r"(?=\s*(?:$|[,.;]|(?:with|and)\b))"
)
_MOST_WORDS = 12
_LONGEST_CLAUSE = 200  # maximum number of characters
_LONGEST_NAME = 4
_RUN_OF_NAMES = 3
_MOST_FOODS = 100
_BEGINNING = re.compile(
    rf"(?<=[a-z] )(?:(?:{_NUMBER}|an?|some) (?:(?:{'|'.join(MEASURES)})(?:e?s)? of )|(?:an?|some) )"
    r"(?:(?:the|my) )?(?=(?P<name>[a-z][^,;]{0,80}))"
)
"""Pattern of an amount that belongs to the food after it and not to the food before it."""

_LEADING = re.compile(rf"^\s*(?:and |with |plus )?(?:an?\b|some\b|half\b|{_NUMBER})")


def with_commas(
    text: str, is_food_name: Callable[[str], bool], matched_share: Callable[[str], float]
) -> str:
    """Expand shorthand such as "w/" and insert commas between foods that are not separated."""
    for said, meant in _SHORT_LINKS:
        text = said.sub(meant, text)
    text = _THEN.sub(", ", text)
    text = _TRAILING_UNIT.sub(lambda unit: _with_number(unit, is_food_name), text)
    text = _PIECES_INSIDE.sub(lambda inside: _move_amount(inside, is_food_name), text)
    return "".join(
        part if number % 2 else _split_clause(part, is_food_name, matched_share)
        for number, part in enumerate(_EDGE.split(_with_commas_before_amounts(text, is_food_name)))
    )


def _with_commas_before_amounts(text: str, is_food_name: Callable[[str], bool]) -> str:
    """Insert commas before amounts that belong to the next food, as in "toast a cup of milk"."""
    parts: list[str] = []
    place = 0
    for begin in _BEGINNING.finditer(text):
        if len(parts) == _MOST_FOODS:
            break
        before = text[max(place, begin.start() - _LONGEST_CLAUSE) : begin.start()]
        said, named = words(before)[-_LONGEST_NAME:], words(begin["name"])[:_LONGEST_NAME]
        after_a_name = any(is_food_name(" ".join(said[start:])) for start in range(len(said)))
        if after_a_name and any(
            is_food_name(" ".join(named[: end + 1])) for end in range(len(named))
        ):
            parts.append(text[place : begin.start()].rstrip())
            place = begin.start()
    return ", ".join([*parts, text[place:]])


def _move_amount(inside: re.Match[str], is_food_name: Callable[[str], bool]) -> str:
    """Move an amount to the end of a name, as in "nuggets 10 pieces mcdonalds"."""
    whose = inside["whose"]
    is_food = any(is_food_name(word) for word in (whose, *whose.split()))
    return inside[0] if is_food else f" {whose} {inside['amount']}"


def _with_number(unit: re.Match[str], is_food_name: Callable[[str], bool]) -> str:
    """Insert "1" before a unit after a name, as in "rice bowl", unless the name includes the unit.

    "Acai bowl" and "peanut butter cup" are names of foods.
    """
    before = unit.string[: unit.start()]
    if before.rsplit(" ", 1)[-1] in _NO_NAMES or re.search(r"\d[^,;]{0,12}$", before):
        return unit[0]
    last = words(before)[-_LONGEST_NAME:]
    if unit[2] in ("bowl", "cup") and any(
        is_food_name(" ".join([*last[start:], unit[2]])) for start in range(len(last))
    ):
        return unit[0]
    return f" 1 {unit[1] or ''}{unit[2]}"


def _split_clause(
    clause: str, is_food_name: Callable[[str], bool], matched_share: Callable[[str], float]
) -> str:
    if len(clause) > _LONGEST_CLAUSE:
        return clause
    amounts = [
        amount for amount in _AMOUNT.finditer(clause) if not _LINK.search(clause[: amount.start()])
    ]
    cuts: list[int] = []
    if amounts and _LEADING.match(clause):
        for last, amount in pairwise(amounts):
            before = clause[last.end() : amount.start()]
            after = clause[amount.end() :]
            if is_food_name(before.strip()) and _is_name(after, is_food_name):
                cuts.append(amount.start())
    elif len(amounts) > 1:
        for amount, following in zip(amounts, [*amounts[1:], None], strict=True):
            after = clause[amount.end() : following.start() if following else len(clause)]
            measured = " " in amount[0].strip() and not after.startswith(" of")
            if after.strip() and measured and _is_name(after, is_food_name):
                cuts.append(amount.end())
            elif after.strip() and not measured and amount.start() > 0:
                cuts.append(amount.start())
    elif amounts and " " not in amounts[0][0].strip().removeprefix("maybe "):
        before, after = clause[: amounts[0].start()], clause[amounts[0].end() :]
        if is_food_name(before) and is_food_name(after):
            cuts.append(amounts[0].start())
    for cut in reversed(cuts):
        clause = f"{clause[:cut].rstrip()}, {clause[cut:].lstrip()}"
    if not cuts and not amounts:
        return _split_names(clause, is_food_name, matched_share)
    return clause


def _is_name(text: str, is_food_name: Callable[[str], bool]) -> bool:
    """Return whether a text starts or ends with the name of a food."""
    said = words(text)
    return any(
        is_food_name(" ".join(part))
        for size in range(1, min(_LONGEST_NAME, len(said)) + 1)
        for part in (said[:size], said[-size:])
    )


def _split_names(
    clause: str, is_food_name: Callable[[str], bool], matched_share: Callable[[str], float]
) -> str:
    """Insert commas between names that follow one another, as in "turkey lettuce tomato"."""
    said = clause.split()
    if not _RUN_OF_NAMES <= len(said) <= _MOST_WORDS:
        return clause
    parts = _split_into_names(said, is_food_name)
    if (
        len(parts) < _RUN_OF_NAMES
        or head_of(words(clause)) in HOLDERS
        or matched_share(clause) >= 1.0
    ):
        return clause
    before = clause[: len(clause) - len(clause.lstrip())]
    after = clause[len(clause.rstrip()) :]
    return f"{before}{', '.join(parts)}{after}"


def _split_into_names(said: Sequence[str], is_food_name: Callable[[str], bool]) -> list[str]:
    """Split words into as few names as possible; return an empty list if this is not possible."""
    best: list[list[str] | None] = [[], *([None] * len(said))]
    for end in range(1, len(said) + 1):
        for start in range(max(0, end - _LONGEST_NAME), end):
            before, part = best[start], " ".join(said[start:end])
            if before is None or not is_food_name(part):
                continue
            found = best[end]
            if found is None or len(before) + 1 < len(found):
                best[end] = [*before, part]
    return best[len(said)] or []
