"""Interpret a search for a place or dish: as typed, as a prefix, or with changed words.

Each interpretation is called a reading. It is a sequence of words with alternatives. A name matches
a reading if it contains at least one alternative for every word. The interpretations are tried in
stages until a stage returns results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from postmeal.foods.catalog.vocabulary import Vocabulary, edit_distance
from postmeal.foods.words import words
from postmeal.restaurants.chains import Chain, chain_spelled, chains

Reading = Sequence[Sequence[str]]
Postings = Callable[[str], NDArray[np.uint32]]
"""Function that returns the sorted numbers of the names that contain a word."""

_COMPLETED = 200
_ALTERNATIVES = 3  # maximum number of corrections for a word in a longer query
_SHORTEST_PREFIX, _SHORTEST_CHAIN = 2, 5  # minimum letters of a prefix, and of a chain to correct
_TWO_EDITS = 8  # minimum letters of a chain name in which two edits are allowed
_MAX_WORDS = 16
_GENERAL = frozenset(
    words("restaurant restaurants cafe coffee shop diner fast food the a an at in near me and")
)
"""General words, such as "restaurant". A query is also read without them."""


def searchable_words(name: str, chain: Chain | None) -> set[str]:
    """Return the words by which a search finds a place: those in its name and its chain's name."""
    found = set(words(name))
    if chain is not None:
        found.update(words(chain.name))
        found.add("".join(chain.spellings[0]))
    return found


def matching(readings: Sequence[Reading], postings: Postings) -> NDArray[np.uint32]:
    """Return the sorted numbers of the names that match any of the given readings of a query."""
    found = [numbers for each in readings if len(numbers := _matching_all(each, postings))]
    if not found:
        return np.empty(0, np.uint32)
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found))


def as_typed(query: Sequence[str], vocabulary: Vocabulary) -> list[Reading]:
    """Read a query as typed, with joined words, as a chain, or without general words."""
    joined = map(_literal, vocabulary.joined(list(query)))
    readings: list[Reading] = [_literal(query), *joined]
    if chain := chain_spelled(query):
        readings.append(_literal(chain.spellings[0]))
    elif shortened := _without_general(query):
        known_chain = chain_spelled(shortened)
        readings.append(_literal(known_chain.spellings[0] if known_chain else shortened))
    return readings


def as_prefix(query: Sequence[str], vocabulary: Vocabulary) -> list[Reading]:
    """Return readings in which the last word or all words are prefixes, as in "burger ki"."""
    if len(query[-1]) < _SHORTEST_PREFIX:
        return []
    completed = [_completions(word, vocabulary) for word in query]
    readings: list[Reading] = [[*_literal(query[:-1]), completed[-1]]]
    if len(query) > 1:
        readings.append(completed)
    return [reading for reading in readings if all(reading)]


def split(query: Sequence[str], vocabulary: Vocabulary) -> list[Reading]:
    """Return readings in which a word is split into two, such as "pizza hut" for "pizzahut"."""
    readings: list[Reading] = []
    for at, word in enumerate(query):
        if not vocabulary.foods(word) and (halves := vocabulary.split(word)):
            readings.append(_literal([*query[:at], *halves, *query[at + 1 :]]))
    return readings


def corrected(query: Sequence[str], vocabulary: Vocabulary) -> list[Reading]:
    """Return readings with misspelled words corrected.

    Words that occur in the names of places or dishes are not corrected, so "burger" does not match
    "Berger". The whole query is also compared with the spellings of the chains.
    """
    unknown = [at for at, word in enumerate(query) if not vocabulary.foods(word)]
    if not unknown:
        return []
    edits, chain = _nearest_chain(query)
    alternatives = 1 if len(query) == 1 else _ALTERNATIVES
    choices: list[Sequence[str]] = [(word,) for word in query]
    for at in unknown:
        corrections = vocabulary.corrections(query[at], alternatives)
        if not corrections and at == len(query) - 1:
            corrections = vocabulary.prefix_corrections(query[at], alternatives)
        choices[at] = [word for _, word in corrections]
    if chain is not None and (edits <= 1 or not all(choices)):
        return [_literal(chain.spellings[0])]
    if not all(choices):
        return []
    best = [words[0] for words in choices]
    readings: list[Reading] = [choices, *map(_literal, vocabulary.joined(best))]
    shortened = [words for words in choices if words[0] not in _GENERAL]
    if 0 < len(shortened) < len(choices):
        readings.append(shortened)
    return readings


Stage = Callable[[Sequence[str], Vocabulary], list[Reading]]
STAGES: tuple[Stage, ...] = (as_typed, as_prefix, split, corrected)
"""Functions that interpret a query, in the order in which they are tried."""


def query_words(query: str) -> tuple[str, ...]:
    """Return the first 16 words of a query, normalized."""
    return tuple(words(query)[:_MAX_WORDS])


def _matching_all(reading: Reading, postings: Postings) -> NDArray[np.uint32]:
    found: NDArray[np.uint32] | None = None
    for alternatives in reading:
        pieces = [postings(word) for word in dict.fromkeys(alternatives)]
        numbers = pieces[0] if len(pieces) == 1 else np.unique(np.concatenate(pieces))
        if found is not None:
            numbers = np.intersect1d(found, numbers, assume_unique=True)
        found = numbers
        if not len(found):
            break
    return np.empty(0, np.uint32) if found is None else found


def _completions(word: str, vocabulary: Vocabulary) -> list[str]:
    """Return the known words that begin with a prefix, or the prefix itself if it is very short."""
    if len(word) < _SHORTEST_PREFIX:
        return [word]
    completions = vocabulary.completions(word, _COMPLETED)
    if word.endswith("i"):  # "berri" begins "berries", which is stored as "berry"
        completions += vocabulary.completions(word[:-1] + "y", _COMPLETED)
    return completions


def _literal(query: Sequence[str]) -> list[Sequence[str]]:
    return [(word,) for word in query]


def _without_general(query: Sequence[str]) -> list[str]:
    """Return a query without its general words; empty if none or all of its words are general."""
    others = [word for word in query if word not in _GENERAL]
    return others if len(others) < len(query) else []


def _nearest_chain(query: Sequence[str]) -> tuple[int, Chain | None]:
    """Return the fewest edits from a query to the name of a chain, and this chain.

    One edit is allowed, or two if both the query and the name have at least eight letters. The
    chain is None if no chain or more than one chain has the fewest edits.
    """
    all_typed = {"".join(query), "".join(_without_general(query))}
    found: dict[str, int] = {}
    for chain, typed in product(chains().values(), all_typed):
        for spelling in map("".join, chain.spellings):
            allowed = 2 if min(len(typed), len(spelling)) >= _TWO_EDITS else 1
            if len(spelling) < _SHORTEST_CHAIN or abs(len(typed) - len(spelling)) > allowed:
                continue
            if (edits := edit_distance(typed, spelling)) <= allowed:
                found[chain.name] = min(edits, found.get(chain.name, edits))
    fewest = min(found.values(), default=0)
    nearest = [name for name, edits in found.items() if edits == fewest]
    return fewest, chains()[nearest[0]] if len(nearest) == 1 else None
