"""The terms of a question, weighted by their rarity, and its main topics."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence, Set
from functools import cache
from importlib.resources import files
from math import log1p
from typing import NamedTuple

from postmeal.chat.clauses import sentences
from postmeal.chat.food_rules import is_food_word
from postmeal.chat.question_terms import QuestionTerms
from postmeal.chat.word_tagger import is_word
from postmeal.foods.words import words
from postmeal.literature import Literature
from postmeal.literature.tokens import stems

_ONE_THING = 2  # maximum number of words that form one topic
_RARE = log1p(99)  # rarity of a word that occurs in 1% of the articles, which is the maximum
_MINOR = 0.5  # weight of outcomes and people; topics have weight 1
_NEARLY = 0.75  # minimum rarity of a main topic, as a share of that of the rarest topic
_LEAST_WORDS = 4  # minimum number of different words of a sentence with a topic of its own


class _Term(NamedTuple):
    """A term of a question."""

    weight: float
    words: list[tuple[float, set[str]]]
    is_food: bool

    def share(self, present: Set[str]) -> float:
        """Return the share of the words whose stems are present, weighted by their rarity.

        Two words form one topic, such as "chamomile tea". If the rarer word is missing, the share
        is 0.
        """
        rarest = max(rarity for rarity, _ in self.words)
        if len(self.words) <= _ONE_THING and any(
            rarity == rarest and not same & present for rarity, same in self.words
        ):
            return 0.0
        found = sum(rarity for rarity, same in self.words if same & present)
        return found / sum(rarity for rarity, _ in self.words)


class AskedTerms:
    """The terms of a question, weighted by their rarity."""

    def __init__(self, question: str, terms: QuestionTerms, literature: Literature) -> None:
        self._terms: list[_Term] = []
        said: list[str] = []
        for weight, those in (
            (1.0, terms.topics),
            (_MINOR, terms.outcomes),
            (_MINOR, terms.people),
        ):
            for term in those:
                known = " ".join(
                    literature.known_spelling(word) for word in term.split() if is_word(word)
                )
                said += [known, *_with_terms(known)]
                rarities = [
                    (rarity, {stem, *_as_rare(_synonyms(known, stem), rarity, literature)})
                    for stem in dict.fromkeys(stems(known))
                    for rarity in (min(literature.rarity(stem), _RARE),)
                ]
                if rarities:
                    rarest = weight * max(rarity for rarity, _ in rarities)
                    is_food = any(is_food_word(word) for word in words(term))
                    self._terms.append(_Term(rarest, rarities, is_food))
            if those is terms.topics:
                self._main = [] if _asks_without(terms.topics, question) else _main(self._terms)
        has_topic = bool(terms.topics or terms.outcomes)
        self.query = " ".join(dict.fromkeys(said)) if has_topic else ""

    @property
    def has_main_topic(self) -> bool:
        """Whether the question has a main topic."""
        return bool(self._main)

    @property
    def is_about_food(self) -> bool:
        """Whether a main topic is a food."""
        return any(term.is_food for term in self._main)

    def coverage(self, present: Set[str]) -> float:
        """Return the weighted share of the terms whose stems are present, from 0 to 1."""
        if not (self.query and self._terms):
            return 0.0
        total = sum(term.weight for term in self._terms)
        return sum(term.weight * term.share(present) for term in self._terms) / total

    def names_main_topic(self, present: Set[str]) -> bool:
        """Return whether the stems of a main topic are present, or there is no main topic."""
        return not self._main or any(term.share(present) > 0 for term in self._main)


def _asks_without(topics: Sequence[str], question: str) -> bool:
    """Return whether topics occur in a question, but not in its sentences with a question mark.

    Sentences of a few words, such as "Is there a study?", refer to the topics before them.
    """
    asked = " ".join(each for each in sentences(question) if "?" in each)
    is_complete = len(set(stems(asked))) >= _LEAST_WORDS
    return is_complete and not any(topic in asked or topic not in question for topic in topics)


def _main(topics: Sequence[_Term]) -> list[_Term]:
    """Return the main topics: those that are nearly as rare as the rarest one, foods first."""
    rarest = max((topic.weight for topic in topics), default=0.0)
    rare = [topic for topic in topics if topic.weight >= _NEARLY * rarest]
    return [topic for topic in rare if topic.is_food] or rare


def _as_rare(synonyms: set[str], rarity: float, literature: Literature) -> set[str]:
    """Return the synonyms that are at least half as rare as a word.

    This excludes frequent words such as "food".
    """
    return {each for each in synonyms if literature.rarity(each) >= rarity / 2}


def _with_terms(term: str) -> list[str]:
    """Return the scientific terms for an everyday term."""
    return [written for pattern, written in _lay_terms() if pattern.search(term)]


def _synonyms(term: str, stem: str) -> set[str]:
    """Return the stems of the scientific terms for the word with the given stem."""
    found: set[str] = set()
    for pattern, written in _lay_terms():
        if any(stem in stems(match.group()) for match in pattern.finditer(term)):
            found.update(stems(written))
    return found


@cache
def _lay_terms() -> tuple[tuple[re.Pattern[str], str], ...]:
    content = files("postmeal.chat").joinpath("lay_terms.toml").read_text(encoding="utf-8")
    table: dict[str, str] = tomllib.loads(content)
    return tuple((re.compile(rf"\b(?:{words})\b"), term) for words, term in table.items())
