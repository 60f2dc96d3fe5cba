"""Split a publisher's description into the food and its qualifiers.

A description starts with a noun. Qualifiers follow after commas, as in "Rice, white, long-grain,
regular, raw, enriched". There are three sorts of qualifiers:

- a *state* changes the carbohydrate in 100 g: raw or cooked, dry, sweetened, fat free;
- a *detail* matters to the publisher, but people do not mention it: grades, enrichment, salt;
- a *kind* is any other qualifier: white, long-grain, chocolate chip.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

__all__ = ["Part", "Sort", "is_cooking", "split_description"]

Sort = Literal["kind", "state", "detail"]

_STATE = re.compile(
    # Water: a raw or dry food has two to four times the carbohydrate of the cooked food.
    r"\b(raw|uncooked|unprepared|unheated|heated|cooked|boiled|braised|broiled|fried|grilled|"
    r"microwaved?|poached|roasted|saut[eé]ed|scalloped|simmered|steamed|stewed|toasted|baked|"
    r"mashed|creamed|pan-?(browned|broiled?|fried)|oven-heated|prepared|brewed|dry|dried|"
    r"dehydrated|freeze-dried|powder(ed)?|mix|dough|condensed|concentrate|evaporated|reconstituted|"
    r"(un)?diluted|canned|bottled|frozen|smoked|cured|pickled|candied|breaded|battered|sprouted|"
    r"instant|refrigerated)\b|^(batter|flour)$|"
    # Sugar and fat: labels state them because they change the food.
    r"sugar[ -]free|sugar added|(low|lower|reduced|less|no|added) sugars?\b|sweetened|syrup|"
    r"(juice|water) pack|calorie|carbohydrate|\bdiet\b|\bligh?te?\b(?! meat)|"
    # Fillings and coatings.
    r"\b(filling|sandwich-type)\b|\w-coated\b|(low|lower|reduced|less) sodium\b|"
    r"\b(non-?fat|low-?fat|skim(med)?)\b|fat[ -]free|(low|reduced|less|lower|full|added|whole)[ -]"
    r"fat\b|[12]% milk|gluten[ -]free|artificial|"
    # Additions that are eaten with the food.
    r"^(and|contains sugar|made|topped|filled|flavored|stuffed|in|on|no|with|without)\b",
    re.IGNORECASE,
)
_DETAIL = re.compile(
    r"^("
    # The survey marks properties that respondents did not specify.
    r".*\bunspecified|other|.*\bnot further specified|as ingredient|as purchased|"
    # Enrichment by law and by brand does not change the macronutrients.
    r"(un)?enriched.*|(un)?fortified.*|(un)?bleached|(calcium|protein)[ -]fortified|"
    r"with(out)? added (solution|(vitamins?|ascorbic|calcium|minerals?|nutrients)\b.*)|"
    r"with(out)? (ca|vitamins?|calcium|ascorbic)\b.*|added (vitamins?|calcium|nutrients).*|"
    r"vitamins? .*|[A-E]|(high|low) vitamin C|iodized|homogenized|pasteuri[sz]ed( process)?|"
    # Salt does not change the carbohydrate.
    r"(with(out)?|no|lightly) (added )?(salt|sodium)\b.*|low salt|(un|lightly )?salted|"
    r"salt added.*|no salt.*|made with(out)? salt|sulfured|"
    # People use the plain name for the usual variety.
    r"regular( pack| crust)?|long-grain|fluid|ready-to-(eat|serve|heat|drink)|(im)?mature seeds|"
    r"(all )?commercial( varieties)?|all|all (areas|types|varieties|commercial varieties|classes|"
    r"grades)|(commercially|home)[ -](prepared|made)|prepared[ -]from[ -]recipe|home recipe|"
    r"single brand|variety of brands|mixed (species|varieties)|retail( parts)?|year round average|"
    r"includes .*|crude|domestic(ated)?|wild|farmed|fresh|enhanced|original|plain|"
    # Whether a can was drained, and which portion was analyzed.
    r"drained( solids)?|solids and liquids|edible portion|undrained|liquid|flesh|refuse.*|"
    r"(NLEA|yield).*|\d+ ?grams? protein.*|\d[\d.%]* milkfat|as served|"
    # Grades, trims and origins of meat.
    r"separable (lean( and fat| only)?|fat)\b.*|trimmed to.*|choice|select|prime|industrial|"
    r"bone(less|-in)|lip-?(on| off)|(broilers or fryers|roasting|stewing)|meat only|imported|"
    r"New Zealand|Australian|grass-fed|grain-fed|composite of.*|variety meats and by-products|"
    r"(small|large) end|(dry|moist) heat|cooked with (dry|moist) heat|center cut|"
    # Institutions for which the food is made.
    r"USDA.*|school( lunch)?|NFSMI|family style|fast food( / restaurant)?|"
    r"from (restaurant|fast food)( or fast food)?|restaurant|Latino|"
    # A person who searches for a food does not know the fat that was added at home.
    r"(no added fat|fat added|fat not added.*|made with .*"
    r"(oil|butter|margarine|fat|shortening)\b.*)"
    r")$",
    re.IGNORECASE,
)
_COOKING = re.compile(
    r"^(boiled|braised|broiled|fried|grilled|microwaved|poached|roasted|sauteed|simmered|steamed|"
    r"stewed|toasted|baked|mashed|creamed|scalloped|pan-?(browned|broiled?|fried)|french fried|"
    r"(slow|fast|oven|dry|oil)[ -](roasted|fried)|baked or broiled|brewed|"
    r"rotisserie|home-prepared|oven-heated)\b",
    re.IGNORECASE,
)
_WITH_WATER = re.compile(r"^(cooked|prepared|brewed|diluted) with (tap |\w+ volumes? )?water\b.*")
_PHRASES = (
    (_WITH_WATER, r"\1"),
    (re.compile(r"^meat and skin$", re.IGNORECASE), "with skin"),
    (re.compile(r"^other (?=flavored)", re.IGNORECASE), ""),
    (re.compile(r"^NFS$"), "unspecified"),
    (re.compile(r"^NS as to (.*)$"), r"\1 unspecified"),
)
"""Phrases that publishers use, with the words that people use instead."""
_ASIDE = re.compile(r"\s*\(([^()]*)\)")
_SEPARATOR = re.compile(r",\s+|\s+--\s+|;\s+")
_LINKED = re.compile(r"^(or|and|&)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a description."""

    text: str
    sort: Sort


def split_description(description: str) -> tuple[str, list[Part]]:
    """Split a description at its commas into the food and the parts that qualify it.

    Text in parentheses is a detail. A list such as "roasted, broiled, or baked" is one part.
    "Cooked" before a cooking method is a detail, because the method implies it.
    """
    asides = [Part(text.strip(), "detail") for text in _ASIDE.findall(description)]
    texts = [text.strip(" ,") for text in _SEPARATOR.split(_ASIDE.sub("", description))]
    head, *others = [" ".join(text.split()) for text in texts if text.strip(" ,")] or [description]
    joined: list[str] = []
    for text in others:
        if joined and _LINKED.match(text):
            listed = [joined.pop()]
            while joined and " " not in joined[-1] and _STATE.search(joined[-1]):
                listed.insert(0, joined.pop())
            joined.append(f"{', '.join(listed)} {text}")
        else:
            joined.append(text)
    parts = [Part(text, _sort(text)) for text in map(_said, joined)]
    for at, part in enumerate(parts):
        if part.text.lower() == "cooked" and any(is_cooking(one.text) for one in parts):
            parts[at] = Part(part.text, "detail")
    return head, [*parts, *asides]


def is_cooking(text: str) -> bool:
    """Return whether a text begins with a cooking method, such as "boiled" or "oven roasted"."""
    return _COOKING.match(text) is not None


def _said(text: str) -> str:
    for pattern, phrase in _PHRASES:
        text = pattern.sub(phrase, text)
    return text


def _sort(text: str) -> Sort:
    if _DETAIL.match(text):
        return "detail"
    return "state" if _STATE.search(text) else "kind"
