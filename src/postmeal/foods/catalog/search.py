"""Full-text search in a catalog file.

The index returns places (row numbers) in file order, so that the first matches of a kind are its
most popular foods. `postmeal.foods.catalog.ranking` ranks only these matches; all others follow in
file order. Ranking every match, as SQLite's ``bm25`` does, would take seconds for a common word
among millions of foods, because all matches would have to be read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from postmeal.foods.catalog.ranking import ABUNDANCE, Query
from postmeal.foods.catalog.readings import Reading
from postmeal.foods.catalog.vocabulary import Read
from postmeal.foods.food import CatalogKind

RANKED: dict[CatalogKind, int] = {"generic": 60, "dish": 30, "recipe": 30, "branded": 50}
"""Maximum number of matches of each kind, most popular first, that a one-word query ranks."""

_RANKED_FEW, _GUESS = 24, 2.4
"""Maximum number of matches of each kind that are ranked for a reading with several words or with a
penalty above `_GUESS`."""

_CERTAIN = 1.0
"""Cost below which no other reading is tried. Only matches of everyday names have a lower cost."""

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
    """A kind of food, and the first and the last place of its foods in the file."""

    kind: CatalogKind
    first: int
    last: int


class Found(NamedTuple):
    """The matches of one reading of the query."""

    reading: Reading
    places: list[int]
    """Places of the ranked matches, best first."""
    rest: list[tuple[int, int]]
    """Ranges of places (first, last) that may contain further matches."""
    cost: float = 0.0
    """Ranking cost of the best match, without the penalty of the reading."""


def search(
    read: Read, rounds: Iterable[Iterable[Reading]], spans: Sequence[Span], at_most: int = 1_000
) -> Found | None:
    """Search with several readings of a query, and return the matches of the best reading."""
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
            matches, rest = _rank(read, reading, spans, ranked)
            if matches and matches[0][0] + reading.penalty < least:
                least = matches[0][0] + reading.penalty
                best = Found(reading, [place for _, place in matches], rest, matches[0][0])
            if least < _CERTAIN:
                break
        if best:
            return best
    return None


def page(read: Read, found: Found, limit: int, offset: int) -> list[int]:
    """Return the places of the foods on a page of results.

    The ranked matches come first, followed by all other matches in file order.
    """
    reading, best, rest, _ = found
    places = best[offset : offset + limit]
    skipped = max(0, offset - len(best))
    for first, last in rest:
        if len(places) == limit:
            break
        missing = limit - len(places)
        more = read(_REST, (reading.expression, first, last, missing, skipped))
        places += [place for (place,) in more]
        if more:
            skipped = 0
        elif skipped:
            skipped -= read(_COUNT, (reading.expression, first, last))[0][0]
    return places


def _rank(
    read: Read, reading: Reading, spans: Sequence[Span], at_most: int
) -> tuple[list[tuple[float, int]], list[tuple[int, int]]]:
    """Rank the most popular matches of all kinds together.

    Return the cost and place of each match, best first, and the ranges with further matches.
    """
    query = Query(reading.words, reading.is_prefix)
    ranked_places: list[tuple[float, int]] = []
    rest = []
    for (kind, first, last), ranked, heads in _heads(read, reading.expression, spans, at_most):
        abundance = ABUNDANCE[kind]
        for place, name, head, also, brand in heads:
            standing = (place - first + 1) * abundance
            ranked_places.append((query.cost(name, head, also, brand, standing), place))
        if len(heads) == ranked:
            rest.append((heads[-1][0] + 1, last))
    ranked_places.sort()
    return ranked_places, rest


def _heads(
    read: Read, expression: str, spans: Sequence[Span], at_most: int
) -> Iterator[tuple[Span, int, list[tuple[Any, ...]]]]:
    """Yield each kind, the number of matches requested for ranking, and the matches found.

    The first query covers all kinds. It often finds all matches, so that no other query is needed.
    """
    ranked = [min(RANKED[span.kind], at_most) for span in spans]
    first_matches = read(_HEADS, (expression, spans[0].first, spans[-1].last, max(ranked)))
    reached = first_matches[-1][0] if len(first_matches) == max(ranked) else spans[-1].last
    for span, requested in zip(spans, ranked, strict=True):
        heads = [head for head in first_matches if span.first <= head[0] <= span.last][:requested]
        begin = max(span.first, reached + 1)
        if begin <= span.last and len(heads) < requested:
            heads += read(_HEADS, (expression, begin, span.last, requested - len(heads)))
        yield span, requested, heads
