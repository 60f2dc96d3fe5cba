"""Diet rules: what a food contains, by its name, its label and its nutrients.

A food is free of something only where that is certain: every word of its name is understood and
none stands for it, or its list of ingredients is, or a label says so. A dish or a product without a
list of ingredients holds more than its name tells, and stays unknown. Kosher and halal are answered
for plain plants, eggs and fish, and by labels; meat that no label speaks of is unknown.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from postmeal.foods.diets.amounts import is_liquid, verdicts_by_amount
from postmeal.foods.diets.signs import OF_ANIMALS, Evidence, Sign, signs_of
from postmeal.foods.diets.verdicts import PREFERENCES, RULES, Diets, Verdict
from postmeal.foods.diets.words import EVERYTHING, facts
from postmeal.foods.food import Food
from postmeal.foods.table import Portion, TableFood

__all__ = ["Reason", "diets_of", "explain"]

_DAIRY, _KOSHER, _MEAT, _SOY, _VEGAN = (
    facts(fact) for fact in ("dairy", "kosher", "meat", "soy", "vegan")
)

_HOLDS: dict[Verdict, str] = {
    Verdict.CONTAINS: "contains {}",
    Verdict.FREE: "free of {}",
    Verdict.UNKNOWN: "may contain {}",
}
_KEEPS: dict[Verdict, str] = {
    Verdict.CONTAINS: "not {}",
    Verdict.FREE: "{}",
    Verdict.UNKNOWN: "perhaps not {}",
}


class Reason(NamedTuple):
    """A verdict and why, in words.

    Examples
    --------
    >>> str(Reason("gluten", Verdict.CONTAINS, "its name says wheat"))
    'contains gluten: its name says wheat'
    """

    rule: str
    verdict: Verdict
    because: str

    def __str__(self) -> str:
        named = self.rule.replace("_", " ")
        if self.rule in PREFERENCES:
            return f"{_KEEPS[self.verdict].format(named)}: {self.because}"
        return f"{_HOLDS[self.verdict].format(named)}: {self.because}"


def diets_of(food: TableFood) -> Diets:
    """Judge a food by every diet rule.

    Parameters
    ----------
    food : TableFood
        The food with what its publisher tells.

    Returns
    -------
    Diets
        The verdicts.

    Examples
    --------
    >>> banana = TableFood("x", "1", "generic", "Fruits", "Bananas, raw", (), {})
    >>> diets = diets_of(banana)
    >>> [str(diets[rule]) for rule in ("gluten", "fodmaps", "vegan", "keto")]
    ['free', 'unknown', 'free', 'unknown']
    """
    case = _Case(food)
    return Diets.of({rule: case.verdict(rule)[0] for rule in RULES})


def explain(food: Food | TableFood, rule: str) -> Reason:
    """Tell why a food has its verdict by one rule.

    Parameters
    ----------
    food : Food or TableFood
        The food.
    rule : str
        One of `postmeal.foods.diets.verdicts.RULES`.

    Returns
    -------
    Reason
        The verdict and the reason. Of a food of a catalogue, whose verdicts were stored with it,
        what neither name nor nutrients tell was told by its label.
    """
    if isinstance(food, TableFood):
        return _reasons(food)[RULES.index(rule)]
    told = _reasons_of_stored(food)[RULES.index(rule)]
    verdict = food.diets[rule]
    return told if told.verdict == verdict else Reason(rule, verdict, _BY_LABEL[verdict])


_BY_LABEL: dict[Verdict, str] = {
    Verdict.CONTAINS: "its label says so",
    Verdict.FREE: "by its label",
    Verdict.UNKNOWN: "its label does not rule it out",
}


@lru_cache(maxsize=1024)
def _reasons_of_stored(food: Food) -> tuple[Reason, ...]:
    default_g = food.default_serving.weight_g
    per_100_g = {} if not default_g else (food.nutrients * (100 / default_g)).known()
    portions = tuple(
        Portion(serving.id, serving.quantity, serving.unit, serving.weight_g or 0.0)
        for serving in food.servings
    )
    return _reasons(TableFood("", "", food.kind, food.category, food.name, portions, per_100_g))


def _reasons(food: TableFood) -> tuple[Reason, ...]:
    case = _Case(food)
    return tuple(case.reason(rule) for rule in RULES)


class _Case:
    """All signs of what is in a food, weighed."""

    def __init__(self, food: TableFood) -> None:
        self.signs = list(signs_of(food))
        self.by_amount = verdicts_by_amount(food.per_100_g, liquid=is_liquid(food))
        self.is_measured = food.kind == "generic"
        self.contains = self.may = 0
        for sign in self.signs:
            self.contains |= sign.contains
            self.may |= sign.may
        if not self.contains & OF_ANIMALS & ~_VEGAN and (told := self.by_amount.get("vegan")):
            self._add(
                Sign(Evidence.AMOUNT, may=OF_ANIMALS | _SOY, phrase=told[1])
            )  # butter or margarine
        if self.contains & _DAIRY and self.contains & _MEAT:
            self._add(Sign(Evidence.MEAT_AND_MILK, contains=_KOSHER))

    def _add(self, sign: Sign) -> None:
        self.signs.append(sign)
        self.contains |= sign.contains
        self.may |= sign.may

    def verdict(self, rule: str) -> tuple[Verdict, str | None]:
        """Answer the verdict by one rule, and the amount where one decides."""
        fact = _FACT[rule]
        told = self.by_amount.get(rule)
        if told and (told[0] == Verdict.CONTAINS or not self._denies(rule) & fact):
            return told
        if not EVERYTHING & fact:
            return Verdict.UNKNOWN, "its nutrients are not known"
        if self.contains & fact:
            return Verdict.CONTAINS, None
        return (Verdict.UNKNOWN if self.may & fact else Verdict.FREE), None

    def _denies(self, rule: str) -> int:
        """Facts that stand against a measured amount: caffeine only where it is certain."""
        return self.contains | (0 if rule == "caffeine" and self.is_measured else self.may)

    def reason(self, rule: str) -> Reason:
        """Answer the verdict by one rule and what decides it: the first sign that says so."""
        verdict, because = self.verdict(rule)
        if because is None:
            fact = _FACT[rule]
            signs = {
                Verdict.CONTAINS: (sign for sign in self.signs if sign.contains & fact),
                Verdict.UNKNOWN: (sign for sign in self.signs if sign.may & fact),
                Verdict.FREE: (sign for sign in self.signs if sign.free & fact),
            }
            because = next(signs[verdict], _ALL_KNOWN).because
        return Reason(rule, verdict, because)


_ALL_KNOWN = Sign(Evidence.ALL_KNOWN)
_FACT = {rule: 1 << place for place, rule in enumerate(RULES)}
