"""Parse a clause of a meal text that names at most one food."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from postmeal.foods.language.phrases.counted_names import (
    CountedName,
    counted_name,
    only_count,
    singular,
)
from postmeal.foods.language.phrases.masses_and_volumes import (
    NUMBER,
    begins_with_each,
    ends_with_each,
    quantity,
)
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.words.connectors import (
    BACK_REFERENCES,
    INGREDIENT_VERBS,
    NEGATIONS,
    WEIGHING,
)
from postmeal.foods.language.words.filler_words import LEADING_FILLER, TRAILING_FILLER
from postmeal.foods.language.words.name_words import is_nutrient
from postmeal.foods.language.words.qualifier_words import DESCRIPTION
from postmeal.foods.language.words.sizes_and_measures import MEASURES, SIZES
from postmeal.words.quantities import Quantity

__all__ = ["read_phrase", "without_exclusions"]

_NUMBERED = re.compile(r"\b(?:stage|type|no|number|grade|step|phase)$")
_LONGEST_NAME = 300  # maximum number of characters; limits the work on very long clauses
_LONGEST_CHATTER = 80
_IN_VESSEL = re.compile(
    rf"(?P<name>.+?) (?:in|from|out of) (?:an?|the|one) (?P<size>(?:(?:{'|'.join(SIZES)})[\s-]+)*)"
    r"(?P<unit>can|container|carton|bottle|bowl|cup|box|pouch|jar|glass|packet|package|bag|mug)"
)
_AMOUNT_OF = re.compile(
    r"(?:\w+ )?(?:piece|serving|portion|helping|amount|bit|kind|type|sort|bag|bowl|slice)s? of "
    r"(?:(?:an?|the|some) )?"
)
"""Words that add nothing if the mass of the food is given, such as "a small amount of"."""

_BEGINS_WITH_OF = re.compile(r"of\b\s*")
_LEADING = re.compile(rf"(?:{LEADING_FILLER})(?![\w'])[\s,:-]*")
_TRAILING = re.compile(rf"(?<![\s,])[\s,]*(?<!\w)(?:{TRAILING_FILLER})[\s.!]*$")
_WEIGHS = re.compile(rf"(?<![\s,(])[\s,(]*(?<!\w)(?:{WEIGHING})[\s:(]*+$")
_TIMES = re.compile(rf"\s(?P<number>{NUMBER})\s*x$")
_RELATIVE = re.compile(
    r"^(?:that|which|it|it's|they're|and)\b\s*|\b(?:that's|that is|which is)\s*$"
)
_INCLUDES_NEXT = re.compile(rf"(?:^|(?<![\s,-])[\s,-]+){INGREDIENT_VERBS}$")
_DESCRIPTION = re.compile(DESCRIPTION)
_REFERS_BACK = re.compile(BACK_REFERENCES)
_EXCLUDED = re.compile(rf"^{NEGATIONS}")
_EXCLUDED_LATER = re.compile(rf"\s(?:but )?{NEGATIONS}.*$")
_SIGNS = re.compile(r"[()\[\]\"“”*]")


def read_phrase(clause: str, joined_by: str = ".") -> Phrase | None:
    """Parse a clause that names at most one food."""
    whole = " ".join(_SIGNS.sub(" ", clause[:_LONGEST_NAME]).split()).removeprefix("- ")
    text = _without_filler(whole)
    if not text:
        return None
    weighed = quantity(text)
    if weighed is not None and _is_of_nutrient(text, weighed):
        text, weighed = text[: weighed.start].strip(" ,-"), None  # "a protein bar (20 g protein)"
    if weighed is None:
        counted = counted_name(text)
    else:
        before, after = text[: weighed.start], text[weighed.end :]
        counted, n_pieces = _around_quantity(before, after, each=ends_with_each(whole))
        weighed = replace(weighed, times=n_pieces)
    name = _without_filler(_WEIGHS.sub("", counted.name).strip(" ,-")).strip(" ,-'")
    if weighed is not None:
        if second := quantity(name):
            name = (name[: second.start] + name[second.end :]).strip(" ,-")
        if amount := _AMOUNT_OF.match(name):
            name = name[amount.end() :]
    if not counted.unit and (held := _IN_VESSEL.fullmatch(name)):
        name = held["name"]
        size = f"{counted.size} {held['size']}".strip()
        counted = replace(counted, unit=held["unit"], size=size, count=counted.count or 1.0)
    is_uncounted = counted.count is None
    last = _amount_at_the_end().fullmatch(name) if weighed is None and is_uncounted else None
    if last and not _NUMBERED.search(last["name"]):
        name = f"{last['name']}{last['like'] or ''}"
        counted = replace(
            counted,
            count=float(last["number"]),
            unit=singular(last["unit"] or ""),
            size=last["size"] or counted.size,
            starts_food=joined_by == "and",  # "and rice 1 cup" is a new food
        )
    name, n_included = _INCLUDES_NEXT.subn("", name)
    if not re.search(r"[^\W\d_]", name):
        name = ""
    if not name and not counted.unit and weighed is None and not re.search(r"\d", text):
        return None
    is_excluded = bool(_EXCLUDED.match(name))
    is_addition = weighed is None and is_uncounted and "with" in joined_by
    return Phrase(
        said=clause[:_LONGEST_NAME].strip(" ,."),
        name=" ".join((_EXCLUDED.sub("no ", name, count=1) if is_excluded else name).split()),
        count=counted.count,
        unit=counted.unit,
        size=counted.size.replace("-", " "),
        mass_g=weighed.mass_g if weighed else None,
        volume_ml=weighed.volume_ml if weighed else None,
        in_ounces=weighed is not None and weighed.in_ounces,
        joined_by=joined_by,
        starts_food=counted.starts_food and not is_addition,
        includes_next=bool(n_included),
        refers_back=bool(_REFERS_BACK.match(clause)),
        is_excluded=is_excluded,
        is_description=bool(_DESCRIPTION.fullmatch(name)),
    )


@cache
def _amount_at_the_end() -> re.Pattern[str]:
    """Return the pattern of names followed by an amount, as in "eggs 2".

    It is compiled when it is first needed, because this takes 5 ms.
    """
    return re.compile(
        rf"(?P<name>[\W\d_]*+[^\W\d_].*?)\s(?:x\s*)?(?P<number>{NUMBER})"
        rf"(?: (?P<size>{'|'.join(SIZES)}))?(?: (?P<unit>{'|'.join(MEASURES)})(?:e?s)?)?"
        rf"(?P<like> (?:{DESCRIPTION}))?(?: in (?:it|(?:(?:the|my) )?(?:tea|coffee)))?"
    )


def without_exclusions(name: str) -> str:
    """Remove phrases such as "without cheese" from a food name."""
    return _EXCLUDED_LATER.sub("", name)


def _around_quantity(before: str, after: str, *, each: bool) -> tuple[CountedName, float]:
    """Parse the text before and after a mass or volume.

    Also return the number of pieces of this mass or volume, as in "2 slices of 50 g each".
    """
    before, after = before.strip(" ,-"), after.strip(" ,-")
    rest = begins_with_each(after)
    each = each or ends_with_each(before) or rest is not None
    after = after if rest is None else rest
    before = _WEIGHS.sub("", before).strip()
    of = _BEGINS_WITH_OF.match(after)
    is_count, count = only_count(before) if before else (False, None)
    if is_count or not before:  # "2 50 g slices of bread", "50 g of bread"
        inner = counted_name(after[of.end() :] if of else after)
        if of and inner.count not in (None, 1) and not inner.unit:
            inner = replace(inner, name=after[of.end() :])
        each = each or (not of and count not in (None, 1.0))
        counted = replace(inner, count=inner.count if count is None else count, starts_food=True)
    elif of:  # the words before "30 g of" are not a food
        counted = replace(counted_name(after[of.end() :]), starts_food=True)
    else:  # "bread 50 g", "bread 2 x 50 g", "2 slices of bread weighing 50 g that I toasted"
        times = _TIMES.search(before)
        counted = counted_name(before[: times.start()] if times else before)
        if times:
            each, counted = True, replace(counted, count=float(times["number"]))
        if after:
            counted = replace(counted, name=f"{counted.name} {_RELATIVE.sub('', after)}")
    return counted, counted.count if each and counted.count else 1.0


def _is_of_nutrient(text: str, weighed: Quantity) -> bool:
    """Return whether a food is followed by the mass of a nutrient in it."""
    return bool(text[: weighed.start].strip(" ,-")) and is_nutrient(text[weighed.end :])


def _without_filler(text: str) -> str:
    """Remove filler words before and after the food."""
    while (match := _LEADING.match(text)) and match[0]:
        text = text[match.end() :]
    while match := _TRAILING.search(text, max(0, len(text) - _LONGEST_CHATTER)):
        text = text[: match.start()]
    return text.strip()
