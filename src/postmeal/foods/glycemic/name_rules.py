"""Rules that derive the glycemic index of a food from published means, by the name of the food.

The first rule in ``name_rules.csv`` that matches a food's name determines its index. If the rule
lists one published food, the index is the mean of this food and the source is ``measured``. If it
lists several, the index is the median of their means and the source is ``group median``. A dish of
several foods has no index unless its mean has been published.

The released model was fitted with the rules in which ``in_model`` is yes, and the glucose model
uses only these indices, so a change of such a rule changes predictions. The other rules apply only
to foods without an index from these rules, and only to the displayed value. The index of all other
foods is computed by `postmeal.foods.glycemic.parts`.

A food with less than 4 g of available carbohydrate per 100 g has no index, because it cannot be
measured. Of the published foods, milk has the least available carbohydrate: 4.8 g per 100 g.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

MIN_AVAILABLE_CARBS_G = 4.0
"""Minimum available carbohydrate, in g per 100 g, of a food with a glycemic index."""


class NameRule(NamedTuple):
    """A pattern of names, an excluded pattern, and the published foods for matching names."""

    pattern: re.Pattern[str]
    excluded: re.Pattern[str] | None
    published: tuple[str, ...]


def published_foods(name: str, available_carbs_g: float | None) -> tuple[str, ...]:
    """Return the published foods that are identical or closely related to a food."""
    return _first_match(_rules("yes"), name, available_carbs_g)


def further_foods(name: str, available_carbs_g: float | None) -> tuple[str, ...]:
    """Return the published foods whose means the glucose model does not use."""
    return _first_match(_rules("no"), name, available_carbs_g)


@cache
def _rules(in_model: str) -> tuple[NameRule, ...]:
    """Return the rules, which are compiled on first use because predictions do not need them."""
    with Path(__file__).with_name("name_rules.csv").open(newline="", encoding="utf-8") as file:
        return tuple(
            NameRule(
                re.compile(row["pattern"], re.I),
                re.compile(row["excluded"], re.I) if row["excluded"] else None,
                tuple(row["published"].split(";")),
            )
            for row in csv.DictReader(file)
            if row["in_model"] == in_model
        )


def _first_match(
    rules: Sequence[NameRule], name: str, available_carbs_g: float | None
) -> tuple[str, ...]:
    if available_carbs_g is None or available_carbs_g < MIN_AVAILABLE_CARBS_G:
        return ()
    for rule in rules:
        if rule.pattern.search(name) and not (rule.excluded and rule.excluded.search(name)):
            return rule.published
    return ()
