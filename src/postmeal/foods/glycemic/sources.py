"""Sources of the carbohydrate of a food, as named by its publisher.

``sources.csv`` has one row per source, with these columns in order:

- the name of the source
- the available carbohydrate in g per 100 g as usually eaten (from SR28)
- the usual share of sugars in this carbohydrate
- the published foods whose median is the index of the source
- the food groups in which the source is recognized; all groups if empty
- the food groups in which the source is assumed if a name mentions no source of starch

``phrases.csv`` lists the phrases that name each source. The longest matching phrase is used: "sweet
potato" is not "potato". A phrase without a source, such as "corn oil", prevents its words from
matching. A food with a phrase for the source ``never`` has no index.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from postmeal.foods.glycemic.published import group_median, group_sd
from postmeal.foods.words import words

NEVER = "never"
"""Source of foods that never have an index, such as sweeteners and infant formula."""


class Source(NamedTuple):
    """A source of carbohydrate."""

    name: str
    carbs_g: float  # available carbohydrate per 100 g, as usually eaten
    sugar_share: float
    published: tuple[str, ...]  # foods whose median is the index of the source
    counts_in: str  # pattern of the food groups in which the source is recognized
    default_in: str  # pattern of the food groups in which the source is assumed

    @property
    def value(self) -> float:
        """Median glycemic index of the published foods."""
        return group_median(self.published)

    @property
    def sd(self) -> float:
        """Standard deviation of the index of a food whose carbohydrate is from this source."""
        return group_sd(self.published)

    @property
    def is_sugary(self) -> bool:
        """Whether at least half of the carbohydrate is sugars."""
        return self.sugar_share >= 0.5


def named_sources(name: str, category: str) -> list[Source] | None:
    """Return the sources of carbohydrate that a name mentions."""
    phrases, longest = _phrases()
    found: dict[str, Source] = {}
    at, tokens = 0, words(name)
    while at < len(tokens):
        for length in range(min(longest.get(tokens[at], 0), len(tokens) - at), 0, -1):
            named = phrases.get(" ".join(tokens[at : at + length]))
            if named is None:
                continue
            if NEVER in named:
                return None
            for source in (sources()[key] for key in named):
                if re.search(source.counts_in, category):
                    found[source.name] = source
            at += length - 1
            break
        at += 1
    return list(found.values())


def default_sources(category: str, *, sugary: bool) -> list[Source]:
    """Return the sources of sugars or of starch that are assumed for the foods of a food group."""
    return [
        source
        for source in sources().values()
        if source.is_sugary == sugary
        and source.default_in
        and re.search(source.default_in, category)
    ]


@cache
def sources() -> dict[str, Source]:
    """Return the sources of ``sources.csv`` by name, in the order of the file."""
    return {
        line["source"]: Source(
            line["source"],
            float(line["carbs_g"]),
            float(line["sugar_share"]),
            tuple(line["published"].split(";")),
            line["counts_in"],
            line["default_in"],
        )
        for line in _lines("sources.csv")
    }


@cache
def _phrases() -> tuple[dict[str, tuple[str, ...]], dict[str, int]]:
    """Return the sources of each phrase, and the length of the longest phrase by first word."""
    phrases: dict[str, tuple[str, ...]] = {}
    longest: dict[str, int] = {}
    for line in _lines("phrases.csv"):
        for written in line["phrases"].split(";"):
            tokens = words(written)
            phrases[" ".join(tokens)] = tuple(filter(None, line["sources"].split(";")))
            longest[tokens[0]] = max(longest.get(tokens[0], 0), len(tokens))
    return phrases, longest


def _lines(name: str) -> list[dict[str, str]]:
    table = files("postmeal.foods.glycemic").joinpath(name).read_text("utf-8")
    return list(csv.DictReader(table.splitlines()))
