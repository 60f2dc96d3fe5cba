"""What is known of a food by each diet rule: contains, free of, or unknown.

Unknown is an answer of its own and never counts as safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["NOTHING_KNOWN", "PREFERENCES", "RESTRICTIONS", "RULES", "Diets", "Verdict"]


class Verdict(StrEnum):
    """What is known of a food by one rule; equal to its value, a string.

    Of a restriction: whether the food contains it. Of a preference: whether it contains what the
    preference leaves out, such as meat for "vegan" or too much carbohydrate for "keto".
    """

    UNKNOWN = "unknown"
    FREE = "free"
    CONTAINS = "contains"


RESTRICTIONS: tuple[str, ...] = (
    "gluten", "lactose", "yeast", "tree_nuts", "peanuts", "dairy", "eggs", "sulfites", "soy",
    "wheat", "shellfish", "fish", "mushrooms", "sesame", "msg", "caffeine", "fodmaps",
)  # fmt: skip
"""What a person may have to avoid."""

PREFERENCES: tuple[str, ...] = (
    "vegetarian", "vegan", "keto", "paleo", "pescatarian", "low_carbohydrate", "high_protein",
    "kosher", "halal",
)  # fmt: skip
"""Ways in which a person may want to eat."""

RULES: tuple[str, ...] = RESTRICTIONS + PREFERENCES
"""Every diet rule, in the order of storage: new ones are added at the end of `PREFERENCES`."""

_VERDICTS = (*Verdict, Verdict.UNKNOWN)  # by their two bits; 3 is never written


@dataclass(frozen=True, slots=True)
class Diets:
    """A food's verdict by each rule, packed into one integer.

    Attributes
    ----------
    bits : int
        Two bits a rule, in the order of `RULES`, the first lowest: 0 unknown, 1 free, 2 contains.

    Examples
    --------
    >>> toast = Diets.of({"gluten": "contains", "eggs": "free"})
    >>> str(toast["gluten"]), toast["eggs"] == "free", toast["soy"] == Verdict.UNKNOWN
    ('contains', True, True)
    """

    bits: int = 0

    @classmethod
    def of(cls, verdicts: Mapping[str, Verdict | str]) -> Diets:
        """Pack verdicts by rule; a rule that is left out is unknown."""
        return cls(
            sum(_VERDICTS.index(Verdict(verdicts[rule])) << 2 * at for at, rule in enumerate(RULES)
                if rule in verdicts)
        )  # fmt: skip

    def __getitem__(self, rule: str) -> Verdict:
        verdict: Verdict = _VERDICTS[self.bits >> 2 * RULES.index(rule) & 3]
        return verdict


NOTHING_KNOWN = Diets()
"""Unknown by every rule."""
