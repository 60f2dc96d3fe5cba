"""Determine the verdicts of the diet rules from a food's name, label, ingredients and nutrients.

A food is said to be free of an ingredient only if this is certain. Either every word of its name or
of its ingredient list is recognized and none implies the ingredient, or a label states that the
food is free of it. A dish or product without an ingredient list may contain more than its name
says, so its verdict is unknown. A dish with a recipe in postmeal contains the ingredients of the
recipe. The verdicts for kosher and halal are known for plain plants, eggs and fish, and for foods
with a kosher or halal label. They are unknown for meat without such a label.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from postmeal.foods.diets.amounts import is_liquid, verdicts_by_amount
from postmeal.foods.diets.recipes import has_recipe
from postmeal.foods.diets.rules import PREFERENCES, RULES
from postmeal.foods.diets.signs import OF_ANIMALS, OWN_DISHES, SHIPPED, Evidence, Sign, signs_of
from postmeal.foods.diets.verdicts import Diets, Verdict
from postmeal.foods.diets.words import EVERYTHING, facts
from postmeal.foods.food import Food
from postmeal.foods.id_ranges import FIRST_IMPORTED_ID
from postmeal.foods.table import Portion, TableFood

_DAIRY, _KOSHER, _MEAT, _SOY, _VEGAN = (
    facts(fact) for fact in ("dairy", "kosher", "meat", "soy", "vegan")
)

_RESTRICTION_TEXT: dict[Verdict, str] = {
    Verdict.CONTAINS: "contains {}",
    Verdict.FREE: "free of {}",
    Verdict.UNKNOWN: "may contain {}",
}
_PREFERENCE_TEXT: dict[Verdict, str] = {
    Verdict.CONTAINS: "not {}",
    Verdict.FREE: "{}",
    Verdict.UNKNOWN: "may not be {}",
}


class Reason(NamedTuple):
    """A verdict and its reason."""

    rule: str
    verdict: Verdict
    because: str

    def __str__(self) -> str:
        named = self.rule.replace("_", " ")
        if self.rule in PREFERENCES:
            return f"{_PREFERENCE_TEXT[self.verdict].format(named)}: {self.because}"
        return f"{_RESTRICTION_TEXT[self.verdict].format(named)}: {self.because}"


def diets_of(food: TableFood) -> Diets:
    """Return the verdict of every diet rule on a food."""
    case = _Case(food)
    return Diets.of({rule: case.verdict(rule)[0] for rule in RULES})


def explain(food: Food | TableFood, rule: str) -> Reason:
    """Explain the verdict of a diet rule on a food.

    Parameters
    ----------
    food : Food or TableFood
        The food.
    rule : str
        One of `postmeal.foods.diets.rules.RULES`.

    Returns
    -------
    Reason
        The verdict and its reason. A catalog stores verdicts without reasons; verdicts that do not
        follow from the name or the nutrients of a food are attributed to its label.
    """
    if isinstance(food, TableFood):
        return _reasons(food)[RULES.index(rule)]
    reason = _reasons_of_stored(food)[RULES.index(rule)]
    verdict = food.diets[rule]
    return reason if reason.verdict == verdict else Reason(rule, verdict, _BY_LABEL[verdict])


_BY_LABEL: dict[Verdict, str] = {
    Verdict.CONTAINS: "its label says so",
    Verdict.FREE: "according to its label",
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
    source = OWN_DISHES if has_recipe(food.name) else SHIPPED if food.id < FIRST_IMPORTED_ID else ""
    return _reasons(TableFood(source, "", food.kind, food.category, food.name, portions, per_100_g))


def _reasons(food: TableFood) -> tuple[Reason, ...]:
    case = _Case(food)
    return tuple(case.reason(rule) for rule in RULES)


class _Case:
    """All evidence about the contents of a food, and the verdicts that follow from it."""

    def __init__(self, food: TableFood) -> None:
        self.signs = list(signs_of(food))
        self.by_amount = verdicts_by_amount(food.per_100_g, liquid=is_liquid(food))
        self.is_measured = food.kind == "generic"
        self.contains = self.may = named = 0
        for sign in self.signs:
            self.contains |= sign.contains
            self.may |= sign.may
            named |= 0 if sign.evidence == Evidence.USUAL else sign.contains
        if not named & OF_ANIMALS & ~_VEGAN and (vegan := self.by_amount.get("vegan")):
            # Cholesterol shows that the food contains an animal product, but not which one.
            self._add(Sign(Evidence.AMOUNT, may=OF_ANIMALS | _SOY, phrase=vegan[1]))
        if self.contains & _DAIRY and self.contains & _MEAT:
            self._add(Sign(Evidence.MEAT_AND_MILK, contains=_KOSHER))

    def _add(self, sign: Sign) -> None:
        self.signs.append(sign)
        self.contains |= sign.contains
        self.may |= sign.may

    def verdict(self, rule: str) -> tuple[Verdict, str | None]:
        """Return the verdict of a rule, and the reason if the nutrient amounts determine it."""
        fact = _FACT[rule]
        by_amount = self.by_amount.get(rule)
        if by_amount and (
            by_amount[0] == Verdict.CONTAINS or not self._overriding_facts(rule) & fact
        ):
            return by_amount
        if not EVERYTHING & fact:
            return Verdict.UNKNOWN, "its nutrients are unknown"
        if self.contains & fact:
            return Verdict.CONTAINS, None
        return (Verdict.UNKNOWN if self.may & fact else Verdict.FREE), None

    def _overriding_facts(self, rule: str) -> int:
        """Return the facts that override a verdict based on amounts.

        The caffeine of generic foods was measured, so merely possible facts do not override it.
        """
        return self.contains | (0 if rule == "caffeine" and self.is_measured else self.may)

    def reason(self, rule: str) -> Reason:
        """Return the verdict of a rule and its reason: the first sign that supports it."""
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
