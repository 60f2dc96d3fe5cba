"""The count, unit and size before the name of a food, as in "2 large slices of bread"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from postmeal.foods.language.phrases.masses_and_volumes import NUMBER
from postmeal.foods.language.words.measure_words import measure_words
from postmeal.foods.language.words.sizes_and_measures import MEASURES, SINGULAR, SIZES
from postmeal.words.numbers import number_of
from postmeal.words.units import VOLUME_ML

_ENERGY = r"[\s-]*(?:k?cal(?:orie)?s?|kilo(?:calorie|joule)s?|k?j|joules?)\b"
_COUNT = re.compile(
    r"(?:(?:about|around|roughly|approximately|approx|just|only|exactly|nearly|almost|maybe|up to|"
    r"an? (?:total|combination|mix) of|the|my|this|that|these)\s+)*"
    rf"(?P<number>{NUMBER}|an?\b|some\b|(?:one )?each\b)(?![%\w]|{_ENERGY})"
    r"\s*(?:x\s+)?(?:of (?:a|an|the)\s+)?",
)
_SIZE = re.compile(rf"(?:{'|'.join(SIZES)})\b(?![\s,-]*crust)[\s,-]*(?:and\s+)?")
_MEASURE = re.compile(
    rf"(?P<unit>{'|'.join(re.escape(unit) for unit in MEASURES)})(?:e?s)?\b"
    r"(?!(?<!bag)(?<!bags)(?<!cup)(?<!cups)(?<!bowl)\s+chips?\b)"
)
_NAMED_MEASURE = re.compile(
    rf"(?P<name>[\w'&.-]+(?: [\w'&.-]+){{0,2}}?) {_MEASURE.pattern} of\b(?! (?:the|a)\b)"
)
_BARE = frozenset({"cup", "tablespoon", "teaspoon", "tbsp", "tsp", "slice", "can", "bowl", "glass",
                   "bottle", "packet", "container", "serving", "pint", "handful", "piece", "mug",
                   "portion", "helping", "scoop", "pinch", "dash", "bag", "spoonful"})  # fmt: skip
"""Measures that are also recognized without "of": "2 slices bread"."""

_BEFORE_A_NAME = frozenset({"spoon", "splash", "rasher", "tin", "shot", *measure_words()})
"""Measures that name a food if no other name follows, as in "2 rashers"."""

_OF = re.compile(r"\s*(?:(?:worth|full) )?of(?:\s+(?:the|my|some|a|an)\b)?\s+")
_BIT_OF = re.compile(
    r"(?:bit|little|touch|dash|hint|side|helping|dollop)\b(?: of)?\s+|"
    r"(?:mix|mixture|assortment|variety|selection|combination|blend) of\s+"
)


@dataclass(frozen=True, slots=True)
class CountedName:
    """A name with the count, unit and size before it."""

    count: float | None
    unit: str
    size: str
    name: str
    starts_food: bool = False


def counted_name(text: str) -> CountedName:
    """Parse the count, unit and size before a name."""
    count: float | None = None
    if lead := _COUNT.match(text):
        count = _number(lead)
        text = text[lead.end() :]
        measure = _MEASURE.match(text)
        is_measure = measure is not None and _OF.match(text, measure.end()) is not None
        if (bit := _BIT_OF.match(text)) and not is_measure:  # unlike "a dash of milk"
            text = text[bit.end() :]
    starts_food = lead is not None
    size, text = _size_and_rest(text)
    unit, text = _unit_and_rest(text, is_counted=count is not None)
    if unit:
        if count is None:
            inner = _COUNT.match(text)
            count = (_number(inner) if inner else None) or 1.0
            starts_food = True
            text = text[inner.end() :] if inner else text
        more, text = _size_and_rest(text)
        size = f"{size} {more}".strip()
    return CountedName(count, singular(unit), size, text.strip(), starts_food)


def only_count(text: str) -> tuple[bool, float | None]:
    """Return whether a text consists only of a count, and the count.

    The count is None for "some".
    """
    count = _COUNT.fullmatch(f"{text} ")
    return (True, _number(count)) if count else (False, None)


def singular(unit: str) -> str:
    """Return the singular of a unit without its plural ending: "box" for "boxe"."""
    return SINGULAR.get(unit, unit)


def _unit_and_rest(text: str, *, is_counted: bool) -> tuple[str, str]:
    """Return the unit at the start of a text, or an empty string, and the rest of the text.

    A measure without "of" is a unit only if it is rarely part of a name.
    """
    if match := _MEASURE.match(text):
        unit, rest = match["unit"], text[match.end() :]
        if of := _OF.match(rest):
            return unit, rest[of.end() :]
        is_volume = unit in VOLUME_ML
        if (is_volume or unit in _BARE) and not rest.strip():
            return unit, rest
        is_before_a_name = unit in _BARE or unit in _BEFORE_A_NAME
        if rest[:1] == " " and (is_volume or (is_counted and is_before_a_name)):
            return unit, rest
    elif is_counted and (named := _NAMED_MEASURE.match(text)):  # as in "a Campbell's can of"
        return named["unit"], f"{named['name']} {text[named.end() :]}"
    return "", text


def _size_and_rest(text: str) -> tuple[str, str]:
    """Return the sizes at the start of a text, separated by spaces, and the rest of the text."""
    sizes: list[str] = []
    while match := _SIZE.match(text):
        sizes.append(re.sub(r"[\s,-]+(?:and)?$", "", match[0]).strip())
        text = text[match.end() :]
    return " ".join(sizes), text


def _number(count: re.Match[str]) -> float | None:
    return None if count["number"] == "some" else number_of(count["number"])
