"""Foods that a person avoids: allergies, intolerances, and foods that are refused.

An avoided food is a fact about the person. It is never a food of the meal, and no alternative may
contain it. Allergens are those of the diet rules of the catalog
(`postmeal.foods.diets.rules.RESTRICTIONS`), which know of foods that are certainly free of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from postmeal.chat.wording import word_list
from postmeal.foods.words import words

__all__ = ["AvoidedFoods", "avoided_foods", "without_avoided_foods"]

_GROUPS: dict[str, tuple[str, ...]] = {
    "gluten": ("gluten", "celiac", "coeliac"),
    "wheat": ("wheat",),
    "lactose": ("lactose",),
    "dairy": ("dairy", "milk", "cheese", "casein", "whey", "cream", "butter", "yogurt", "cow"),
    "tree_nuts": (
        *("nut", "nuts", "almond", "walnut", "cashew", "hazelnut", "pecan", "pistachio"),
        *("macadamia", "brazil"),
    ),
    "peanuts": ("peanut", "nut", "nuts", "groundnut"),
    "eggs": ("egg",),
    "soy": ("soy", "tofu", "soybean", "edamame"),
    "shellfish": (
        *("shellfish", "seafood", "crustacean", "mollusc", "mollusk", "shrimp", "crab", "lobster"),
        *("crayfish", "clam", "mussel", "oyster", "scallop", "squid"),
    ),
    "fish": ("fish", "seafood", "salmon", "tuna", "cod", "anchovy"),
    "sesame": ("sesame", "tahini"),
    "mushrooms": ("mushroom",),
    "sulfites": ("sulfite", "sulphite"),
    "yeast": ("yeast",),
    "msg": ("msg", "glutamate"),
    "fodmaps": ("fodmap",),
    "caffeine": ("caffeine",),
}
_RULES: dict[str, tuple[str, ...]] = {}
for _rule, _words in _GROUPS.items():
    for _word in _words:
        _RULES[_word] = (*_RULES.get(_word, ()), _rule)

_ALLERGY = re.compile(
    r"\ballerg\w+|\banaphyla\w+|\bintoleran\w+|\bco?eliac|\bepi-?pen\b|\bhives after\b"
)
_BEHIND = re.compile(
    r"\b(?:allergic(?: reactions?)? to|allerg(?:y|ies) ?(?:to|:|are|is|list:?)"
    r"|intoleran(?:t|ces?) ?(?:to|of|:)|sensitive to|reacts? (?:\w+ )?to"
    r"|(?:can't|cannot|can not|mustn't|must not|may not|not allowed to|shouldn't|should not|don't"
    r"|do not|doesn't|does not|never|unable to|n't)"
    r" (?:eat|have|drink|tolerate|digest|touch|stand|like|want)"
    r"|(?:must|should|to|have to|has to|need to|i|we|he|she) avoid(?:s|ing)?|avoiding|avoids?:"
    r"|(?:keeps?|stay) (?:away from|off)|hates?|other than|except|besides|without"
    r"|(?:^|[.,!?] ?)(?:not|no(?: more)?)\b) ?(?P<items>[^.!?;\n]*)"
)
_BEFORE = re.compile(
    r"(?P<items>\b[a-z']+(?:(?:,? (?:and|or|&) |, | )[a-z']+){0,4})[- ]"
    r"(?:allerg(?:y|ies|ic)\b|intoleran\w+|(?:really )?(?:makes?|made|gives?) (?:me|him|her|them)"
    r" (?:\w+ )?(?:ill|sick|unwell|hives|cramps|itch\w*|swell\w*|a rash|bloated)"
    r"|(?:disagrees?|don't agree|doesn't agree) with)"
)
_FREE = re.compile(
    r"(?P<items>\b[a-z]+(?:(?: and | or |, )[a-z]+)*)[- ]free\b(?=[^.?!]*\b(?:alternativ\w*"
    r"|substitut\w*|replac\w*|swaps?|options?|instead|something|ideas?)\b)"
    r"|\b(?:alternativ\w*|substitut\w*|something|anything)\b[^.?!]*? (?P<behind>[a-z]+)[- ]free\b"
)
_DISEASE = re.compile(r"\bco?eliac(?: disease)?\b|\blactose\b(?= intoleran)")
_NONE = re.compile(
    r"\b(?:no|not|without)(?: known| any)?(?: food)? allerg\w+(?! to)|\ballergies: ?(?:none|no)\b"
)
_TOKEN = re.compile(r"[a-z']+|\d+|[,&/:]")
_SKIPPED = frozenset(
    [
        "the",
        "any",
        "all",
        "a",
        "an",
        "of",
        "and",
        "or",
        "&",
        ",",
        "/",
        ":",
        "also",
        "more",
        "some",
        "eating",
        "to",
        "food",
        "foods",
        "products",
        "product",
        "severe",
        "severely",
        "mild",
        "tree",
        "cow's",
        "cows",
        "really",
        "very",
        "my",
        "his",
        "her",
        "badly",
        "i",
        "am",
        "i'm",
        "is",
        "are",
    ]
)
_ENDS = frozenset(
    ["so", "but", "with", "for", "because", "please", "if", "when", "then", "in", "on", "instead"]
)
_NOT_FOODS = frozenset(
    word
    for each in [
        "food",
        "foods",
        "drug",
        "drugs",
        "medicine",
        "pollen",
        "dust",
        "cat",
        "cats",
        "dog",
        "dogs",
        "penicillin",
        "latex",
        "it",
        "that",
        "this",
        "them",
        "one",
        "these",
        "those",
        "everything",
        "anything",
        "something",
        "known",
        "severe",
        "have",
        "had",
        "got",
        "has",
        "bad",
        "do",
        "no",
        "not",
        "user",
        "patient",
        "person",
        "to",
    ]
    for word in (each, *words(each))
)


@dataclass(frozen=True, slots=True)
class AvoidedFoods:
    """What a person must not or does not eat.

    Attributes
    ----------
    restrictions : tuple of str
        Allergens, from `postmeal.foods.diets.rules.RESTRICTIONS`.
    words : frozenset of str
        Normalized words of names of other avoided foods.
    is_unclear : bool
        Whether an allergy or intolerance is mentioned, but not to what.
    has_allergy : bool
        Whether an allergy or intolerance is mentioned.
    """

    restrictions: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    is_unclear: bool = False
    has_allergy: bool = False


def avoided_foods(texts: Sequence[str]) -> AvoidedFoods:
    """Return the foods that a person avoids according to plain texts of a conversation.

    Examples
    --------
    >>> avoided_foods(["i'm allergic to nuts.", "i don't eat pork"]).restrictions
    ('tree_nuts', 'peanuts')
    """
    named: set[str] = set()
    has_allergy = is_unclear = False
    for text in (_NONE.sub(" ", each) for each in texts):
        found = {word for _, items in _mentions(text) for word in items}
        named |= found
        if _ALLERGY.search(text):
            has_allergy = True
            is_unclear |= not found
    rules = [rule for rule in _GROUPS if any(rule in _RULES.get(word, ()) for word in named)]
    others = frozenset(word for word in named if word not in _NOT_FOODS)
    unclear = is_unclear and not named
    return AvoidedFoods(tuple(rules), others, unclear, has_allergy)


def without_avoided_foods(text: str) -> str:
    """Return a plain text without its statements about avoided foods.

    Examples
    --------
    >>> without_avoided_foods("shellfish allergy: alternative to 100 g chicken?")
    ' : alternative to 100 g chicken?'
    """
    for start, end in sorted((span for span, _ in _mentions(text)), reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


def _mentions(text: str) -> Iterable[tuple[tuple[int, int], list[str]]]:
    """Return the span and the words of each statement about avoided foods."""
    covered = 0
    for match in _BEHIND.finditer(text):
        items, end = _items(text, match.start("items"), match.end())
        if items:
            covered = end
            yield (match.start(), end), items
    for expression in (_BEFORE, _FREE):
        for match in expression.finditer(text):
            held = match.groupdict()
            group = "items" if held["items"] else "behind"
            start = match.start(group)
            said = [(m.start() + start, words(m.group())) for m in _TOKEN.finditer(match[group])]
            listed = [(at, word) for at, some in said for word in some if word in _RULES]
            if not listed and expression is _BEFORE:
                rest = [(at, w) for at, some in said for w in some if _is_food(w)]
                listed = rest[-1:]
            if listed and match.end() > covered:
                yield (listed[0][0], match.end()), [word for _, word in listed]
    for match in _DISEASE.finditer(text):
        yield match.span(), words(match.group())[:1]


def _items(text: str, start: int, end: int) -> tuple[list[str], int]:
    """Return the words of a list of foods at a place of a text, and where it ends."""
    found: list[str] = []
    last, after_comma = start, False
    for match in _TOKEN.finditer(text, start, end):
        token = match.group()
        if token in _SKIPPED:
            after_comma = after_comma or token in ",:"
            continue
        said = words(token)
        is_known = any(word in _RULES for word in said)
        is_end = token[0].isdigit() or token in _ENDS or token in word_list("question")
        if not said or (is_end and not is_known) or (after_comma and found and not is_known):
            break
        found += [word for word in said if is_known or _is_food(word)]
        last, after_comma = match.end(), False
    return found, last


def _is_food(word: str) -> bool:
    return word not in _NOT_FOODS and word not in _SKIPPED and word not in word_list("question")
