"""Verdicts of the diet rules on a food: contains, free of, or unknown.

The verdict "unknown" never counts as safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from postmeal.foods.diets.rules import RULES


class Verdict(StrEnum):
    """Verdict of a diet rule on a food. Each member equals its string value.

    For a restriction, the verdict states whether the food contains the ingredient. For a
    preference, ``contains`` means that the food does not fit the diet, for example because it
    contains meat ("vegan"), too much carbohydrate ("keto") or too little protein ("high_protein").
    ``unknown`` means that this could not be determined; it never counts as safe.
    """

    UNKNOWN = "unknown"
    FREE = "free"
    CONTAINS = "contains"


_VERDICTS = (*Verdict, Verdict.UNKNOWN)  # the index is the value of the two bits; 3 is never stored


@dataclass(frozen=True, slots=True)
class Diets:
    """A food's verdicts for all rules, packed into one integer."""

    bits: int = 0

    @classmethod
    def of(cls, verdicts: Mapping[str, Verdict | str]) -> Diets:
        """Pack a mapping of rules to verdicts; omitted rules are unknown."""
        return cls(
            sum(_VERDICTS.index(Verdict(verdicts[rule])) << 2 * at for at, rule in enumerate(RULES)
                if rule in verdicts)
        )  # fmt: skip

    def __getitem__(self, rule: str) -> Verdict:
        verdict: Verdict = _VERDICTS[self.bits >> 2 * RULES.index(rule) & 3]
        return verdict


NOTHING_KNOWN = Diets()
"""Verdicts if nothing is known about a food."""
