"""Foods that a person avoids because of an allergy, an intolerance or a dislike.

An avoided food is a fact about the person. It is never part of the meal, and no alternative may
contain it. For the allergens in `postmeal.foods.diets.rules.RESTRICTIONS`, the catalog knows which
foods are certain to be free of them. If the person is allergic to another food, the chat does not
suggest any alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from postmeal.chat.food_rules import diets_in, restrictions_of
from postmeal.chat.wording import word_list
from postmeal.foods.diets.rules import RESTRICTIONS
from postmeal.foods.words import words

__all__ = ["AvoidedFoods", "avoided_foods", "avoided_places", "stated_allergens"]

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
    r"(?:allerg(?:y|ies|ic)\b(?! to)|intoleran\w+"
    r"|(?:really )?(?:makes?|made|gives?) (?:me|him|her|them)"
    r" (?:\w+ )?(?:ill|sick|unwell|hives|cramps|itch\w*|swell\w*|a rash|bloated)"
    r"|(?:disagrees?|don't agree|doesn't agree) with)"
)
_FREE = re.compile(r"(?P<items>\b[a-z]+(?:(?: and | or |, )[a-z]+)*)[- ]free\b")
_DISEASE = re.compile(r"\bco?eliac(?: disease)?\b|\blactose\b(?= intoleran)")
_NONE = re.compile(
    r"\b(?:no|not|without)(?: known| any)?(?: food)? allerg\w+\b(?! to)|\ballergies: ?(?:none|no)\b"
)
_STATEMENT = re.compile(r"[^.!?;\n]+[.!;\n]?(?!\?)")
_AMOUNT = re.compile(r"\d|\?")
_JOINED_FREE = re.compile(r"\b([a-z]{3,})free\b")
_SHORT_NAMES = {"gf": "gluten", "df": "dairy"}
_NOT_TOLERATED = re.compile(r"\b(?:sensitive|reacts?|tolerate|digest)\b")
_TURNS = frozenset(("but", "only"))  # "not allergic to milk but to gluten"
_SEPARATORS = frozenset((",", "/", "&", "and", "or", "but"))
_TOKEN = re.compile(r"[a-z']+|\d+|[,&/:]")
_SKIPPED = frozenset(
    (
        *("the", "any", "all", "a", "an", "of", "and", "or", "&", ",", "/", ":", "also"),
        *("more", "some", "eating", "to", "food", "foods", "products", "product"),
        *("severe", "severely", "mild", "tree", "cow's", "cows", "really", "very", "my"),
        *("his", "her", "badly", "i", "am", "i'm", "is", "are"),
    )
)
_ENDS = frozenset(
    ["so", "with", "for", "because", "please", "if", "when", "then", "in", "on", "instead"]
)
_NOT_FOODS = frozenset(
    word
    for each in (
        *("food", "foods", "drug", "drugs", "medicine", "pollen", "dust", "cat", "cats"),
        *("dog", "dogs", "penicillin", "latex", "it", "that", "this", "them", "one"),
        *("these", "those", "everything", "anything", "something", "known", "severe"),
        *("have", "had", "got", "has", "bad", "do", "no", "not", "user", "patient"),
        *("person", "to"),
    )
    for word in (each, *words(each))
)


@dataclass(frozen=True, slots=True)
class AvoidedFoods:
    """Foods that a person must not eat or does not want to eat.

    Attributes
    ----------
    restrictions : tuple of str
        Allergens, from `postmeal.foods.diets.rules.RESTRICTIONS`.
    diets : tuple of str
        Diets, from `postmeal.foods.diets.rules.PREFERENCES`.
    words : frozenset of str
        Normalized words from the names of other avoided foods.
    is_unclear : bool
        Whether an allergy or intolerance is mentioned, but not the food that causes it.
    has_allergy : bool
        Whether an allergy or intolerance is mentioned.
    unknown : tuple of str
        Foods that cause an allergy or intolerance and that no restriction covers.
    """

    restrictions: tuple[str, ...] = ()
    diets: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    is_unclear: bool = False
    has_allergy: bool = False
    unknown: tuple[str, ...] = ()


class _Mention(NamedTuple):
    """A statement about avoided foods: its position, the words of each food, and its kind."""

    start: int
    end: int
    items: list[list[str]]
    is_allergy: bool


def avoided_foods(texts: Sequence[str], refused: Iterable[str] = ()) -> AvoidedFoods:
    """Return the foods that a person avoids according to plain texts of a conversation.

    Parameters
    ----------
    texts : sequence of str
        The messages of the conversation.
    refused : iterable of str, optional
        Names of other foods that the person does not eat.

    Examples
    --------
    >>> avoided_foods(["i'm allergic to nuts.", "i don't eat pork"]).restrictions
    ('tree_nuts', 'peanuts')
    """
    rules: set[str] = set()
    others: set[str] = set()
    unknown: dict[str, None] = {}
    for item in map(words, refused):
        rules |= {rule for word in item for rule in restrictions_of(word)}
        others |= {word for word in item if _is_food(word)}
    has_allergy = is_unclear = False
    for text in (_NONE.sub(" ", each) for each in texts):
        mentions = list(_mentions(text))
        for mention in mentions:
            for item in mention.items:
                known = {rule for word in item for rule in restrictions_of(word)}
                rules |= known
                others |= {word for word in item if word not in _NOT_FOODS}
                if mention.is_allergy and not known and set(item) - _NOT_FOODS:
                    unknown[" ".join(item)] = None
        if _ALLERGY.search(text):
            has_allergy = True
            is_unclear |= not mentions
    return AvoidedFoods(
        restrictions=tuple(rule for rule in RESTRICTIONS if rule in rules),
        diets=tuple(dict.fromkeys(diet for text in texts for diet in diets_in(text))),
        words=frozenset(others),
        is_unclear=is_unclear and not rules and not others,
        has_allergy=has_allergy,
        unknown=tuple(unknown),
    )


def stated_allergens(texts: Sequence[str], meal: Collection[str]) -> tuple[str, ...]:
    """Return the words for allergens in statements without an amount, for a list of alternatives.

    "Nuts put me in hospital" has no word for an allergy. In doubt, an allergen that is mentioned
    beside a question for alternatives is avoided, unless it is a food of the meal.

    Parameters
    ----------
    texts : sequence of str
        Plain texts of a conversation.
    meal : collection of str
        Normalized words of the foods of the meal.
    """
    found: dict[str, None] = {}
    for text in texts:
        for sentence in _STATEMENT.findall(text):
            if _NONE.search(sentence) or _AMOUNT.search(sentence):
                continue
            for word in words(_JOINED_FREE.sub(r"\1 ", sentence.replace("_", " "))):
                if word not in meal and restrictions_of(_SHORT_NAMES.get(word, word)):
                    found[_SHORT_NAMES.get(word, word)] = None
    return tuple(found)


def avoided_places(text: str) -> tuple[tuple[int, int], ...]:
    """Return the positions of statements about avoided foods, as (start, end) pairs.

    Examples
    --------
    >>> text = "shellfish allergy: alternative to 100 g chicken?"
    >>> [text[start:end] for start, end in avoided_places(text)]
    ['shellfish allergy']
    """
    return tuple((mention.start, mention.end) for mention in _mentions(text))


def _mentions(text: str) -> Iterator[_Mention]:
    """Yield the statements about avoided foods in a plain text."""
    covered = 0
    for match in _BEHIND.finditer(text):
        items, end = _items(text, match.start("items"), match.end())
        if items:
            covered = end
            stated = text[match.start() : match.start("items")]
            yield _Mention(match.start(), end, items, is_allergy=_is_allergy(stated))
    for expression in (_BEFORE, _FREE):
        for match in expression.finditer(text):
            said = [
                (found.start() + match.start("items"), words(found.group()))
                for found in _TOKEN.finditer(match["items"])
            ]
            listed = [(at, word) for at, some in said for word in some if restrictions_of(word)]
            if not listed and expression is _BEFORE:
                rest = [(at, w) for at, some in said for w in some if _is_food(w)]
                listed = rest[-1:]
            if listed and match.end() > covered:
                items = [[word] for _, word in listed]
                is_allergy = expression is _BEFORE
                start = _start(match["items"], listed[0][0] - match.start("items"))
                start += match.start("items")
                yield _Mention(start, match.end(), items, is_allergy=is_allergy)
    for match in _DISEASE.finditer(text):
        yield _Mention(*match.span(), [words(match.group())[:1]], is_allergy=True)


def _start(text: str, place: int) -> int:
    """Return the start of the phrase around a word at a position, as in "a cow's milk"."""
    for match in reversed(list(_TOKEN.finditer(text, 0, place))):
        if match.group() not in _SKIPPED:
            break
        place = match.start()
    return place


def _is_allergy(stated: str) -> bool:
    return _ALLERGY.search(stated) is not None or _NOT_TOLERATED.search(stated) is not None


def _items(text: str, start: int, end: int) -> tuple[list[list[str]], int]:
    """Return the words of each food in a list within a text, and the end of the list."""
    found: list[list[str]] = [[]]
    last, needs_known = start, False
    for match in _TOKEN.finditer(text, start, end):
        token = match.group()
        if token in _SKIPPED or token in _TURNS:
            needs_known = needs_known or token in ",:" or token in _TURNS
            if token in _SEPARATORS and found[-1]:
                found.append([])
            continue
        said = words(token)
        is_known = any(restrictions_of(word) for word in said)
        is_end = (
            token[0].isdigit()
            or token in _ENDS
            or token.endswith("n't")
            or token in word_list("question")
        )
        is_named = any(found)
        if not said or (is_end and not is_known) or (needs_known and is_named and not is_known):
            break
        found[-1] += [word for word in said if is_known or _is_food(word)]
        last, needs_known = match.end(), False
    return [item for item in found if item], last


def _is_food(word: str) -> bool:
    return word not in _NOT_FOODS and word not in _SKIPPED and word not in word_list("question")
