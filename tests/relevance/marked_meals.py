"""Meal sentences in which foods are marked by hand, and how well a reading agrees with the marks.

In ``segments.csv``, ``[...]`` marks the name of a food that was eaten, ``{...}`` the name of a part
of the food before it, ``(...)`` an amount, ``<...>`` a food that was not eaten, and ``~...~`` words
that were corrected. Everything else is filler. A hash of the sentence assigns it to the half on
which readers are improved or to the half on which they are measured.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from postmeal.foods.catalog import Catalog
from postmeal.foods.language.corrections_and_shares import Item, linked
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.meal_reading import items_of, plain_text
from postmeal.foods.language.phrases.phrase_parsing import without_exclusions
from postmeal.foods.language.segments import segments_of
from postmeal.words.numbers import number_of
from postmeal.words.plain import amount_text
from postmeal.words.tokens import Token, tokens_of

__all__ = ["MarkedMeal", "Outcome", "Read", "f1", "marked_meals", "outcome", "read_by_rules"]

_FILE = Path(__file__).with_name("segments.csv")
_MARKS = {"[": "F", "{": "P", "(": "A", "<": "N", "~": "C"}
_MARK = re.compile(r"[\[\](){}<>~]")
_AROUND = frozenset({"a", "an", "the", "of", "my", "some", "in", "from"})


class Span(NamedTuple):
    """Tokens from the first to the one before the last."""

    start: int
    end: int

    def meets(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


class Read(NamedTuple):
    """A food that was read: where its name stands, and its count and size."""

    name: Span
    count: float | None = None
    size: str = ""


@dataclass(frozen=True)
class MarkedMeal:
    """A sentence with a label for each token.

    Labels are ``B-F`` and ``I-F`` for the name of a food, ``B-P`` and ``I-P`` for a part, ``A`` for
    an amount, ``N`` for what was not eaten, ``C`` for what was corrected, and ``O``.
    """

    voice: str
    text: str
    labels: tuple[str, ...]

    @property
    def measured(self) -> bool:
        """Whether the sentence is in the half on which readers are measured."""
        words = " ".join(token.word for token in self.tokens)
        return sha256(words.encode()).digest()[0] % 2 == 1

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tokens_of(self.text)

    @classmethod
    def of(cls, voice: str, marked: str) -> MarkedMeal:
        pieces: list[str] = []
        roles: list[tuple[int, str]] = []  # the role of the text from a position on
        inside = ""
        for piece in re.split(f"({_MARK.pattern})", marked):
            if not _MARK.fullmatch(piece):
                pieces.append(piece)
                continue
            inside = "" if inside else _MARKS[piece]
            roles.append((sum(map(len, pieces)), inside))
        text = "".join(pieces)
        labels: list[str] = []
        opened = -1
        for token in tokens_of(text):
            at = max((n for n, (start, _) in enumerate(roles) if start <= token.start), default=-1)
            role = roles[at][1] if at >= 0 else ""
            begins = "B" if at != opened else "I"
            labels.append(f"{begins}-{role}" if role in ("F", "P") else role or "O")
            opened = at
        return cls(voice, text, tuple(labels))

    def spans(self, role: str) -> list[Span]:
        """Return the names of foods (``F``) or of parts (``P``)."""
        return spans_of(self.labels, role)

    def removed(self) -> list[int]:
        """Return the positions of words that were not eaten or were corrected."""
        return [n for n, label in enumerate(self.labels) if label in ("N", "C")]


def marked_meals() -> list[MarkedMeal]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        return [MarkedMeal.of(**row) for row in csv.DictReader(file, delimiter=";")]


def spans_of(labels: Sequence[str], role: str) -> list[Span]:
    found: list[Span] = []
    for n, label in enumerate(labels):
        if label == f"B-{role}" or (label == f"I-{role}" and (not found or found[-1].end != n)):
            found.append(Span(n, n + 1))
        elif label == f"I-{role}":
            found[-1] = Span(found[-1].start, n + 1)
    return found


class Outcome(NamedTuple):
    """How a reading of a sentence agrees with its marks."""

    right: int
    """Names of foods with both ends right."""

    read: int
    marked: int
    parts_apart: int
    """Parts that were read as foods of their own."""

    parts: int
    removed_right: bool | None
    """Whether all foods and nothing that was removed were read; None if nothing was removed."""


def outcome(meal: MarkedMeal, reads: Sequence[Read]) -> Outcome:
    foods, parts = meal.spans("F"), meal.spans("P")
    apart = [part for part in parts if any(part.meets(one.name) for one in reads)]
    names = [one.name for one in reads]
    names = [name for name in names if not any(name.meets(part) for part in apart)]
    right = len({*names} & {*foods})
    removed_right = None
    if meal.removed():
        found = all(any(food.meets(one.name) for one in reads) for food in foods)
        removed_right = found and not any(eaten(meal, at, reads) for at in meal.removed())
    return Outcome(right, len(names), len(foods), len(apart), len(parts), removed_right)


def eaten(meal: MarkedMeal, at: int, reads: Sequence[Read]) -> bool:
    """Return whether a word that was removed was read as a food or as the amount of the next."""
    if any(one.name.start <= at < one.name.end for one in reads):
        return True
    word = meal.tokens[at].word
    of = min(meal.spans("F"), key=lambda span: min(abs(span.start - at), abs(span.end - 1 - at)))
    nearest = [one for one in reads if one.name.meets(of)]
    if word in ("a", "an") or amount_text(word)[:1].isdigit():
        return any(one.count == number_of(word) for one in nearest)
    return any(word in one.size.split() for one in nearest)


def f1(outcomes: Sequence[Outcome]) -> float:
    """Return the F1 score of the names of foods with both ends right."""
    read_or_marked = sum(one.read + one.marked for one in outcomes)
    return 2 * sum(one.right for one in outcomes) / read_or_marked if read_or_marked else 0.0


def read_by_rules(
    meal: MarkedMeal, catalog: Catalog, edit: Callable[[str], str] = str
) -> list[Read]:
    """Return the foods that the rules read, with the place of each name in the text.

    Parameters
    ----------
    meal : MarkedMeal
        The sentence.
    catalog : Catalog
        The foods that may be named.
    edit : callable, optional
        Changes the text of each segment before the rules read it; nothing is changed if omitted.
    """
    matcher = Matcher.of(catalog)
    segments = segments_of(plain_text(meal.text, matcher))
    items, _ = linked(segments, lambda part: items_of(edit(part), matcher, catalog))
    free = [token.kind != "sign" for token in meal.tokens]
    reads: list[Read] = []
    for item in items:
        if item.food is not None and (name := _place(meal, item, free)) is not None:
            reads.append(Read(name, item.phrase.count, item.phrase.size))
            free[name.start : name.end] = [False] * (name.end - name.start)
    return reads


def _place(meal: MarkedMeal, item: Item, free: Sequence[bool]) -> Span | None:
    """Find the tokens of the name of an item without its parts."""
    name = re.split(r"\b(?:with|from)\b", without_exclusions(item.phrase.name))[0]
    said = [token.word for token in tokens_of(name) if token.kind != "sign"]
    while said and said[0] in _AROUND:
        said.pop(0)
    while said and said[-1] in _AROUND:
        said.pop()
    best, most = None, 0.0
    for start in range(len(meal.tokens)):
        for end in range(start + 1, min(len(meal.tokens), start + len(said) + 2) + 1):
            inside = [token.word for token in meal.tokens[start:end]]
            if not all(free[start:end]) or not (_any(inside[0], said) and _any(inside[-1], said)):
                continue
            hits = sum(_any(word, inside) for word in said)
            score = hits - 0.3 * sum(not _any(word, said) for word in inside)
            if score > most:
                best, most = Span(start, end), score
    return best


def _any(word: str, others: Sequence[str]) -> bool:
    """Return whether a word is among others, up to its ending."""
    stem = word[: max(3, len(word) - 2)]
    return any(word == other or (len(word) > 3 and other.startswith(stem)) for other in others)
