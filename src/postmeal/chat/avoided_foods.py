"""Foods that a person avoids because of an allergy, an intolerance, a dislike or a condition.

An avoided food is a fact about the person. It is never part of the meal, and no alternative may
contain it. For the allergens in `postmeal.foods.diets.rules.RESTRICTIONS`, the catalog states which
foods are certain to be free of them. If the person is allergic to another food, or has a condition
that restricts foods in another way, the chat does not suggest any alternatives.

This module finds all such statements, and distinguishes allergies, refusals and doubts. A doubt is
an allergen that is only mentioned, as in "nuts put me in hospital".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from postmeal.chat.clauses import sentences
from postmeal.chat.emoji_words import worded
from postmeal.chat.food_rules import (
    diets_in,
    diets_without,
    is_food_word,
    restrictions_of,
    unchecked_diets_in,
    without_diets,
    without_foreign_allergies,
)
from postmeal.chat.patterns import has, pattern, word_list
from postmeal.foods.diets.rules import RESTRICTIONS
from postmeal.foods.words import words

_ALLERGY = re.compile(
    r"\ballerg\w+|\banaphyla\w+|\bintoleran\w+|\bco?eliac|\bepi-?pen\b|\bhives after\b"
    r"|\bcmp[ai]\b"
)
_BEHIND = re.compile(
    r"\b(?:allergic(?: reactions?)? to|allerg(?:y|ies) ?(?:to|:|are|is|list:?)"
    r"|intoleran(?:t|ces?) ?(?:to|of|:)|sensitive to|reacts? (?:\w+ )?to"
    r"|(?:can't|cannot|can not|mustn't|must not|may not|not allowed to|shouldn't|should not|don't"
    r"|do not|doesn't|does not|never|unable to|n't)"
    r" (?:eat|have|drink|tolerate|digest|touch|stand|like|want|do(?! well\b))"
    r"|(?:must|should|to|have to|has to|need to|i|we|he|she) avoid(?:s|ing)?|avoiding|avoids?:"
    r"|(?:keeps?|stay) (?:away from|off)|hates?|other than|except|besides|without|minus|sans"
    r"|(?:hold|skip(?:s|ping)?|omit(?:s|ting)?|leav(?:e|es|ing) out) (?:the|any|all)"
    r"|skip|omit|leav(?:e|es) out"
    r"|(?:^|[.,:!?] ?)(?:not|no(?: more)?)\b) ?(?P<items>[^.!?;\n]*)"
)
_NOT_FOR = re.compile(
    r"\bno (?P<items>[a-z']+(?:(?: and | or |, | )[a-z']+){0,4}?) (?:for|allowed for)"
    r" (?:me|us|him|her|them|my \w+|our \w+)\b"
)
_LIST = r"\b[a-z']+(?:(?:,? (?:and|or|&) |, | )[a-z']+){0,4}"
_OUT = re.compile(rf"\b(?:leav(?:e|es|ing)|keep(?:s|ing)?) (?P<items>{_LIST}?) (?:out|off|away)\b")
_NEVER = re.compile(
    rf"(?P<items>{_LIST})(?: ?[?!.,:;-]+ ?| (?:is|are) )(?:never(?: again)?\b(?! [a-z])|no way\b"
    r"|no thanks\b|not for (?:me|us|him|her|them)\b|absolutely not\b|off[- ]limits\b|forbidden\b"
    r"|taboo\b|not allowed\b|a no-go\b)"
)
_BEFORE = re.compile(
    rf"(?P<items>{_LIST})[- ]"
    r"(?:allerg(?:y|ies|ic)\b(?! to)|intoleran\w+"
    r"|(?:really )?(?:makes?|made|gives?) (?:me|him|her|them)"
    r" (?:\w+ )?(?:ill|sick|unwell|hives|cramps|itch\w*|swell\w*|a rash|bloated)"
    r"|(?:could|would|will|can|might|nearly) kill(?:ed)? (?:me|him|her|them)\b"
    r"|(?:disagrees?|don't agree|doesn't agree) with)"
)
_FREE = re.compile(r"(?P<items>\b[a-z]++(?:(?: and | or |, )[a-z]++)*+)[- ]free\b")
_LOW = re.compile(r"\b(?:low|reduced|zero)[- ](?P<items>[a-z]+)\b")
_DISEASE = re.compile(r"\bco?eliac(?: disease)?\b|\blactose\b(?= intoleran)|\bcmp[ai]\b")
_CAUSE = re.compile(r"\b(?:after|from|to|by|ate|eaten|eating|had) (?P<items>[^.!?;()\n]+)")
_ENTRY = re.compile(r"(?=\b(?:19|20)\d\d-\d\d-\d\d\b)|(?=\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b)")
"""Start of an entry of a diary. A reaction is caused by a food of the same entry."""
_NONE = re.compile(
    r"\b(?:no|not|without)(?: known| any)?(?: food)? allerg\w+\b(?! to)|\ballergies: ?(?:none|no)\b"
)
_DIGIT = re.compile(r"\d")
_JOINED_FREE = re.compile(r"\b([a-z]{3,})free\b")
_SHORT_NAMES = {"gf": "gluten", "df": "dairy"}
_NOT_TOLERATED = re.compile(r"\b(?:sensitive|reacts?|tolerate|digest)\b")
_DISLIKED = re.compile(r"\b(?:stand|like|hates?)\b")
_SUBJECT_WORDS = frozenset(
    (
        *("a", "an", "and", "also", "as", "at", "but", "has", "have", "hi", "is", "are", "m"),
        *("old", "only", "patient", "please", "re", "s", "so", "still", "the", "user", "ve"),
    )
)
"""Words that may occur in a sentence that only states which foods a person avoids."""
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
    """Foods that a person must not eat or does not want to eat."""

    restrictions: tuple[str, ...] = ()
    diets: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    is_unclear: bool = False
    has_allergy: bool = False
    unknown: tuple[str, ...] = ()
    unchecked_diets: tuple[str, ...] = ()


Kind = Literal["allergy", "refusal", "dislike", "doubt"]


class _Mention(NamedTuple):
    """A statement about avoided foods: its position, the words of each food, and its kind."""

    start: int
    end: int
    items: list[list[str]]
    kind: Kind


def avoided_foods(
    texts: Sequence[str], refused: Iterable[str] = (), meal: Collection[str] | None = None
) -> AvoidedFoods:
    """Return the foods that a person avoids according to plain texts of a conversation."""
    items = [words(each) for each in refused]
    unknown: dict[str, None] = {}
    has_allergy = is_unclear = is_foreign = False
    for whole in (_NONE.sub(" ", worded(each).text) for each in texts):
        text, foreign = without_foreign_allergies(whole)
        mentions = [
            each
            for each in (*_mentions(text), *_reactions(text), *_doubts(text))
            if each.kind != "doubt" or (meal is not None and not set(each.items[0]) & set(meal))
        ]
        items += [item for mention in mentions for item in mention.items]
        items += foreign
        for mention in mentions:
            if mention.kind == "allergy":
                unknown |= dict.fromkeys(map(" ".join, filter(_is_unknown, mention.items)))
        is_foreign = text != whole or (is_foreign and ("?" in text or not mentions))
        has_allergy |= text != whole or any(each.kind == "allergy" for each in mentions)
        if _ALLERGY.search(text):
            has_allergy = True
            is_unclear |= all(mention.kind == "doubt" for mention in mentions)
    rules = {rule for item in items for word in item for rule in restrictions_of(word)}
    others = frozenset(word for item in items for word in item if _is_food(word))
    diets = [diet for text in texts for diet in diets_in(text)]
    diets += [diet for item in items for word in item for diet in diets_without(word)]
    return AvoidedFoods(
        restrictions=tuple(rule for rule in RESTRICTIONS if rule in rules),
        diets=tuple(dict.fromkeys(diets)),
        words=others,
        is_unclear=is_foreign or (is_unclear and not rules and not others),
        has_allergy=has_allergy,
        unknown=tuple(unknown),
        unchecked_diets=tuple(
            dict.fromkeys(said for text in texts for said in unchecked_diets_in(text))
        ),
    )


def _is_unknown(item: Collection[str]) -> bool:
    """Return whether the words of a food name no restriction."""
    return bool(set(item) - _NOT_FOODS) and not any(map(restrictions_of, item))


def avoided_places(text: str) -> tuple[tuple[int, int], ...]:
    """Return the positions of statements about avoided foods, as (start, end) pairs."""
    said = worded(text)
    return tuple(said.original(mention.start, mention.end) for mention in _mentions(said.text))


def without_restrictions(text: str) -> str:
    """Remove the sentences of a plain text that only state which foods a person avoids.

    A sentence is kept if it says anything else, such as a reason, or if a food is not covered by a
    diet rule.
    """
    kept = (each for each in sentences(text) if not _only_restricts(each))
    return " ".join(kept)


def _only_restricts(sentence: str) -> bool:
    if "?" in sentence:
        return False
    sentence = worded(sentence).text
    mentions = list(_mentions(sentence))
    if not mentions or not all(map(_is_sure, mentions)):
        return False
    rest = sentence
    for mention in mentions:
        rest = rest.replace(sentence[mention.start : mention.end], " ")
    rest = pattern("person").sub(" ", rest)
    return set(re.findall(r"[a-z]+", rest)) <= _SUBJECT_WORDS


def _is_sure(mention: _Mention) -> bool:
    """Return whether a mention states foods: those of a diet rule, or any food that is disliked.

    "Can't drink water" can be a sign of danger, but "can't stand lentils" cannot.
    """
    names = is_food_word if mention.kind == "dislike" else _names_rule
    return all(any(names(word) or _names_rule(word) for word in item) for item in mention.items)


def _mentions(text: str) -> Iterator[_Mention]:
    """Yield the statements in a plain text that name avoided foods explicitly."""
    covered = 0
    for match in _BEHIND.finditer(text):
        items, end = _items(text, match.start("items"), match.end())
        if items:
            covered = end
            stated = text[match.start() : match.start("items")]
            yield _Mention(match.start(), end, items, _kind(stated))
    for expression in (_BEFORE, _FREE, _LOW, _NOT_FOR, _OUT, _NEVER):
        for match in expression.finditer(text):
            said = [
                (found.start() + match.start("items"), words(found.group()))
                for found in _TOKEN.finditer(match["items"])
            ]
            listed = [(at, word) for at, some in said for word in some if _names_rule(word)]
            if not listed and expression not in (_FREE, _LOW):
                rest = [(at, w) for at, some in said for w in some if _is_food(w)]
                listed = rest[-1:]
            if listed and match.end() > covered:
                items = [[word] for _, word in listed]
                start = _start(match["items"], listed[0][0] - match.start("items"))
                start += match.start("items")
                kind: Kind = "allergy" if expression is _BEFORE else "refusal"
                yield _Mention(start, match.end(), items, kind)
    for match in _DISEASE.finditer(text):
        yield _Mention(*match.span(), [words(match.group())[:1]], "allergy")


def _reactions(text: str) -> Iterator[_Mention]:
    """Yield the foods that a plain text names together with an allergic reaction.

    In a sentence or an entry of a diary with such a reaction, each allergen can be its cause. Other
    foods count if words such as "after" connect them with the reaction. A reaction of glucose is
    not meant.
    """
    for sentence in (part for each in sentences(text) for part in _ENTRY.split(each)):
        is_sign = has("allergic_sign", sentence)
        is_reaction = has("reaction", sentence) and not has("glucose_words", sentence)
        if "?" in sentence or not (is_sign or is_reaction):
            continue
        start = text.index(sentence)
        items = [[word] for word in words(sentence) if restrictions_of(word)]
        if is_sign:
            for match in _CAUSE.finditer(sentence):
                named, _ = _items(sentence, match.start("items"), match.end())
                items += [item for item in named if any(map(_is_cause, item))]
        if items:
            yield _Mention(start, start + len(sentence), items, "allergy")


def _is_cause(word: str) -> bool:
    """Return whether a word names a food that can cause an allergic reaction, unlike "sugar"."""
    return is_food_word(word) and not has("glucose_words", word)


def _names_rule(word: str) -> bool:
    return bool(restrictions_of(word) or diets_without(word))


def _doubts(text: str) -> Iterator[_Mention]:
    """Yield the allergens that a plain text mentions in sentences without an amount.

    "Nuts put me in hospital" has no word for an allergy, so any mention of an allergen counts.
    """
    for sentence in sentences(text):
        if _DIGIT.search(sentence):
            continue
        start = text.index(sentence)
        named = without_diets(sentence.replace("_", " "))
        for word in words(_JOINED_FREE.sub(r"\1 ", named)):
            name = _SHORT_NAMES.get(word, word)
            if restrictions_of(name):
                yield _Mention(start, start + len(sentence), [[name]], "doubt")


def _start(text: str, place: int) -> int:
    """Return the start of the phrase that ends with the word at a position: "a cow's milk"."""
    for match in reversed(list(_TOKEN.finditer(text, 0, place))):
        if match.group() not in _SKIPPED:
            break
        place = match.start()
    return place


def _kind(stated: str) -> Kind:
    if _ALLERGY.search(stated) or _NOT_TOLERATED.search(stated):
        return "allergy"
    return "dislike" if _DISLIKED.search(stated) else "refusal"


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
