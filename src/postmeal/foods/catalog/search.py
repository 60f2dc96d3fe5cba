"""Full-text search in a catalogue's file: which places hold the words, and in what order.

The index answers places in order, so the first matches of a kind are its most popular ones. These
are ranked by `postmeal.foods.catalog.ranking`; all further ones follow as they lie. Ranking every
match (``bm25``) reads all of them: seconds for a common word among millions of foods.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from postmeal.foods.catalog.ranking import Asked
from postmeal.foods.catalog.readings import Reading
from postmeal.foods.catalog.vocabulary import Read
from postmeal.foods.food import FoodKind

__all__ = ["RANKED", "Found", "Span", "page", "search"]

RANKED: dict[FoodKind, int] = {"generic": 60, "recipe": 30, "branded": 50}
"""How many of the most popular matches of each kind are ranked for one word as it is asked."""

_RANKED_FEW, _GUESS = 24, 2.4
"""At most so many of each kind where several words tell more, or more than this penalty speaks
against a reading."""

_ABUNDANCE: dict[FoodKind, int] = {"generic": 1, "recipe": 4, "branded": 6}
"""In the shipped order of everyday popularity, every fourth or fifth place up to a recipe's is a
recipe's, and so on: this many times its place within its kind is about its place among all."""

_CERTAIN = 1.0
"""Only an everyday name costs less: nothing else is meant."""

_HEADS = (
    "SELECT food.place, food.words, food.head, food.also, food.brand_name"
    " FROM food_words CROSS JOIN food ON food.place = food_words.rowid"
    " WHERE food_words MATCH ? AND food_words.rowid BETWEEN ? AND ?"
    " ORDER BY food_words.rowid LIMIT ?"
)
_REST = (
    "SELECT rowid FROM food_words WHERE food_words MATCH ? AND rowid BETWEEN ? AND ?"
    " ORDER BY rowid LIMIT ? OFFSET ?"
)
_COUNT = "SELECT count(*) FROM food_words WHERE food_words MATCH ? AND rowid BETWEEN ? AND ?"


class Span(NamedTuple):
    """The places of one kind, first and last."""

    kind: FoodKind
    first: int
    last: int


class Found(NamedTuple):
    """What a search found in one reading of the query."""

    reading: Reading
    places: list[int]
    """The best first."""
    rest: list[tuple[int, int]]
    """First and last place of where further matches may lie."""


def search(
    read: Read, rounds: Iterable[Iterable[Reading]], spans: Sequence[Span], at_most: int = 1_000
) -> Found | None:
    """Find foods by the way to understand a query whose best food costs least.

    Parameters
    ----------
    read : callable
        Runs a query on the file.
    rounds : iterable of iterable of Reading
        The ways to understand the query; a round counts if those before it find nothing. Within
        a round the likely ones come first.
    spans : sequence of Span
        The kinds to search, neighbours in the file.
    at_most : int, default=1000
        Rank at most this many of a kind.

    Returns
    -------
    Found or None
        None when nothing is found.
    """
    tried = set()
    for readings in rounds:
        least = math.inf
        best: Found | None = None
        for reading in readings:
            if reading.penalty >= least:
                break
            if reading.expression in tried:
                continue
            tried.add(reading.expression)
            few = len(reading.words) > 1 or reading.penalty > _GUESS
            ranked = min(at_most, _RANKED_FEW) if few else at_most
            judged, rest = _judged(read, reading, spans, ranked)
            if judged and judged[0][0] + reading.penalty < least:
                least = judged[0][0] + reading.penalty
                best = Found(reading, [place for _, place in judged], rest)
            if least < _CERTAIN:
                break
        if best:
            return best
    return None


def page(read: Read, found: Found, limit: int, offset: int) -> list[int]:
    """List the places of one page: the ranked ones, then all others as they lie."""
    reading, best, rest = found
    places = best[offset : offset + limit]
    skipped = max(0, offset - len(best))
    for first, last in rest:
        if len(places) == limit:
            break
        wanted = limit - len(places)
        more = read(_REST, (reading.expression, first, last, wanted, skipped))
        places += [place for (place,) in more]
        if more:
            skipped = 0
        elif skipped:
            skipped -= read(_COUNT, (reading.expression, first, last))[0][0]
    return places


def _judged(
    read: Read, reading: Reading, spans: Sequence[Span], at_most: int
) -> tuple[list[tuple[float, int]], list[tuple[int, int]]]:
    """Rank the most popular matches of each kind together: cost and place."""
    asked = Asked(reading.words, reading.begun)
    judged: list[tuple[float, int]] = []
    rest = []
    for (kind, first, last), ranked, heads in _heads(read, reading.expression, spans, at_most):
        abundance = _ABUNDANCE[kind]
        for place, name, head, also, brand in heads:
            standing = (place - first + 1) * abundance
            judged.append((asked.cost(name, head, also, brand, standing), place))
        if len(heads) == ranked:
            rest.append((heads[-1][0] + 1, last))
    judged.sort()
    return judged, rest


def _heads(
    read: Read, expression: str, spans: Sequence[Span], at_most: int
) -> Iterator[tuple[Span, int, list[tuple[Any, ...]]]]:
    """Read of each kind as many matches as are ranked.

    The first are asked for together, since they often are all: a question costs, found or not.
    """
    ranked = [min(RANKED[span.kind], at_most) for span in spans]
    together = read(_HEADS, (expression, spans[0].first, spans[-1].last, max(ranked)))
    reached = together[-1][0] if len(together) == max(ranked) else spans[-1].last
    for span, wanted in zip(spans, ranked, strict=True):
        heads = [head for head in together if span.first <= head[0] <= span.last][:wanted]
        if reached < span.last and len(heads) < wanted:
            begin = max(span.first, reached + 1)
            heads += read(_HEADS, (expression, begin, span.last, wanted - len(heads)))
        yield span, wanted, heads
