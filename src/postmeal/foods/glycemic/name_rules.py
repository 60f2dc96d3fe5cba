"""Rules that map the name of a food to published foods.

The first rule that matches a food's name determines its published foods. A food with less than 4 g
of available carbohydrate per 100 g has no published foods, because its index cannot be measured. Of
the published foods, milk has the least available carbohydrate: 4.8 g per 100 g.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = ["MIN_AVAILABLE_CARBS_G", "NameRule", "compiled", "first_match"]

MIN_AVAILABLE_CARBS_G = 4.0
"""Minimum available carbohydrate, in g per 100 g, of a food with a glycemic index."""


class NameRule(NamedTuple):
    """A pattern of names, an excluded pattern, and the published foods for matching names."""

    pattern: re.Pattern[str]
    excluded: re.Pattern[str] | None
    published: tuple[str, ...]


def compiled(rules: Iterable[tuple[str, str, tuple[str, ...]]]) -> tuple[NameRule, ...]:
    """Compile the patterns of rules; an empty excluded pattern does not exclude any name."""
    return tuple(
        NameRule(re.compile(fits, re.I), re.compile(excluded, re.I) if excluded else None, foods)
        for fits, excluded, foods in rules
    )


def first_match(
    rules: Sequence[NameRule], name: str, available_carbs_g: float | None
) -> tuple[str, ...]:
    """Return the published foods of the first rule that matches a food's name."""
    if available_carbs_g is None or available_carbs_g < MIN_AVAILABLE_CARBS_G:
        return ()
    for rule in rules:
        if rule.pattern.search(name) and not (rule.excluded and rule.excluded.search(name)):
            return rule.published
    return ()
