"""Restaurant chains: their spellings, and the brands of their menu items in the food catalog.

The table ``chains.csv`` has one row per chain and these columns in order: the name; the Wikidata
ID, as in the OpenStreetMap tag ``brand:wikidata`` (empty if not verified); the brand name of the
chain's items in the catalog (empty if there are none); ``yes`` if other restaurants have the same
name, as with "Subway" and "Wendy's"; and other spellings, separated by ``;``.
"""

from __future__ import annotations

import csv
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from postmeal.foods.words import words

_GENERIC = frozenset(
    words(
        "restaurant ravintola restaurante ristorante fast food drive thru in through express"
        " cafe grill bar kitchen pizza pizzeria burgers sandwiches delivery takeaway inc the and of"
    )
)
"""Words that may follow the name of a chain if other restaurants have the same name."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A restaurant chain."""

    name: str
    wikidata: str
    brand_name: str | None  # of the chain's foods in the catalog
    ambiguous: bool  # whether names of other restaurants begin with the chain's name
    spellings: tuple[tuple[str, ...], ...]


@cache
def chains() -> dict[str, Chain]:
    """Return all chains by name."""
    found = {}
    with Path(__file__).with_name("chains.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            texts = (row["name"], *filter(None, row["spellings"].split(";")))
            spellings = tuple(dict.fromkeys(tuple(words(text)) for text in texts))
            found[row["name"]] = Chain(
                row["name"],
                row["wikidata"],
                row["brand_name"] or None,
                row["ambiguous"] == "yes",
                spellings,
            )
    return found


def chain_of(
    name: str,
    brand: str | None = None,
    wikidata: str | None = None,
    location: Collection[str] = (),
) -> Chain | None:
    """Return the chain that a place belongs to.

    The chain is looked up by the brand's Wikidata ID, then by the brand and then by the name. A
    name belongs to a chain if it begins with one of the chain's spellings. If other restaurants
    have the same name as the chain, this spelling may be followed only by numbers, general words
    such as "restaurant" and words of the place's address.
    """
    if wikidata:
        for each in chains().values():
            if each.wikidata == wikidata:
                return each
    if brand and (chain := chain_spelled(words(brand))):
        return chain
    name_words = words(name)
    for size in range(min(len(name_words), _longest()), 0, -1):
        found = chain_spelled(name_words[:size])
        if found is None:
            continue
        rest = name_words[size:]
        known = _GENERIC.union(*(words(text) for text in location)) if rest else _GENERIC
        if not found.ambiguous or all(word in known or word.isdigit() for word in rest):
            return found
    return None


def chain_spelled(spelling: Collection[str]) -> Chain | None:
    """Return the chain with exactly this spelling, given as words; None if there is none."""
    return _by_spelling().get(tuple(spelling))


@cache
def _by_spelling() -> dict[tuple[str, ...], Chain]:
    return {spelling: chain for chain in chains().values() for spelling in chain.spellings}


@cache
def _longest() -> int:
    return max(map(len, _by_spelling()))
