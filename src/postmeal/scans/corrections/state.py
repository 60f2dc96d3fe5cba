"""State of a correction: what has been understood so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from postmeal.foods.food import Food
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.scans.corrections.grams import grams_of, usual_grams_of
from postmeal.scans.corrections.marks import Part
from postmeal.scans.corrections.mentions import ScanNames
from postmeal.scans.corrections.new_foods import NewFoods
from postmeal.scans.corrections.operations import (
    MAX_FACTOR,
    MAX_GRAMS,
    Add,
    Operation,
    Remove,
    Rename,
    Scale,
    SetAmount,
)

_CLASSES = frozenset(
    {
        "beverages",
        "candies",
        "cereals",
        "fast food",
        "fast foods",
        "nuts",
        "seeds",
        "snacks",
        "spices",
    }
)


class Subject:
    """The foods that a correction can refer to: those in the scan and those in the catalog."""

    def __init__(self, names: ScanNames, foods: NewFoods) -> None:
        self.names = names
        self.foods = foods
        self._known: dict[int, Food | None] = {}

    def __len__(self) -> int:
        """Return the number of foods in the scan."""
        return len(self.names.foods)

    def food(self, target: int) -> Food | None:
        """Return the food in the catalog for a food in the scan, or None if it is unknown."""
        if target not in self._known:
            scanned = self.names.foods[target]
            self._known[target] = scanned.food or self.foods.named(scanned.name)
        return self._known[target]


@dataclass(frozen=True, slots=True)
class Item:
    """A food in a correction, with the amount that the correction states."""

    core: Part
    share: float | None
    amounts: tuple[Phrase, ...]
    follows: bool = False

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Item:
        """Return the item that the parts describe."""
        core = next(part for part in parts if not set("TPANZ").isdisjoint(part.marks))
        share = next((part.value for part in parts if part.marks in ("F", "X")), None)
        follows = "Q" not in [part.marks for part in parts[: list(parts).index(core)]]
        return cls(core, share, tuple(part.amount for part in parts if part.amount), follows)

    @property
    def is_bare(self) -> bool:
        """Whether the correction states no amount for the food."""
        return self.share is None and not self.amounts

    @property
    def amount(self) -> Phrase | None:
        """The most exact stated amount: a mass, else a volume, else a number of pieces."""
        if not self.amounts:
            return None
        return max(
            self.amounts, key=lambda one: (one.mass_g is not None) * 2 + (one.volume_ml is not None)
        )

    @property
    def added(self) -> Phrase | None:
        """The amount to use if the food is added: the stated amount, or 1 for "an egg"."""
        return self.amount or (Phrase("a", "", 1.0) if self.core.is_one else None)


@dataclass(frozen=True, slots=True)
class State:
    """What has been understood of a correction so far."""

    operations: tuple[Operation, ...] = ()
    last: tuple[int, ...] = ()
    pending: int | None = field(default=None)
    adds: bool = False
    removes: bool = False
    grows: bool | None = None

    def then(
        self,
        *operations: Operation,
        last: tuple[int, ...] | None = None,
        adds: bool = False,
        removes: bool = False,
    ) -> State:
        """Return the state after adding operations."""
        touched = {getattr(one, "target", None) for one in operations}
        return State(
            (*self.operations, *operations),
            self.last if last is None else last,
            self.pending if self.pending not in touched else None,
            adds,
            removes,
            self.grows if self.pending not in touched else None,
        )

    def waiting(self, target: int, *, grows: bool | None = None) -> State:
        """Return the state after a clause that calls a food or its amount wrong."""
        return replace(self, pending=target, last=(target,), adds=False, removes=False, grows=grows)

    def removed(self, target: int) -> bool:
        """Return whether an earlier operation removed a food."""
        return any(isinstance(one, Remove) and one.target == target for one in self.operations)

    def scaled(self, targets: Sequence[int], factor: float) -> State | None:
        """Return the state after multiplying the amounts of foods; a factor of 0 removes the foods.

        Return None if the factor is out of range, or if a food has already been removed.
        """
        if not 0 <= factor <= MAX_FACTOR or not targets or any(map(self.removed, targets)):
            return None
        if factor == 0:
            return self.without(targets)
        if any(factor * self._multiple_of(one) > MAX_FACTOR for one in targets):
            return None
        return self.then(*(Scale(one, factor) for one in targets), last=tuple(targets))

    def _multiple_of(self, target: int) -> float:
        """Return the factor by which earlier operations multiplied the amount of a food."""
        return math.prod(
            one.factor for one in self.operations if isinstance(one, Scale) and one.target == target
        )

    def without(self, targets: Sequence[int]) -> State | None:
        """Return the state after removing foods; None if one has already been removed."""
        if not targets or any(map(self.removed, targets)):
            return None
        return self.then(*(Remove(one) for one in targets), last=tuple(targets), removes=True)

    def with_amount(
        self, target: int, amount: Phrase, subject: Subject, *, follows: bool = False
    ) -> State | None:
        """Return the state after setting the amount of a food."""
        if target >= len(subject):
            return self._added_amount(target, amount, subject)
        scanned = subject.names.foods[target]
        is_known = scanned.food is not None
        rename = next(
            (o for o in reversed(self.operations) if isinstance(o, Rename) and o.target == target),
            None,
        )
        food = rename.food if rename else subject.food(target)
        name = rename.said if rename else subject.names.called(target)
        is_plural = _is_plural(scanned.name)
        grams = grams_of(
            amount,
            name,
            food,
            scanned.grams,
            in_pieces=is_plural or is_known,
            is_plural=is_plural,
            follows=follows,
        )
        if grams and self.pending == target and self.grows not in (None, grams > scanned.grams):
            return None  # "the rice was bigger, 150 g" although the scan states 200 g
        return self.with_grams(target, grams)

    def _added_amount(self, target: int, amount: Phrase, subject: Subject) -> State | None:
        adds = [n for n, one in enumerate(self.operations) if isinstance(one, Add)]
        if target - len(subject) >= len(adds):
            return None
        place = adds[target - len(subject)]
        added = self.operations[place]
        if not isinstance(added, Add):
            return None
        grams = grams_of(amount, added.said, added.food, added.grams)
        return self.with_grams(target, grams)

    def with_grams(self, target: int, grams: float | None) -> State | None:
        """Return the state after setting the weight of a food in grams."""
        if grams is None or not 0 < grams <= MAX_GRAMS or self.removed(target):
            return None
        return self.then(SetAmount(target, grams), last=(target,))

    def with_more(self, target: int, amount: Phrase, sign: int, subject: Subject) -> State | None:
        """Return the state after increasing (sign 1) or decreasing (sign -1) an amount."""
        if target >= len(subject):
            return None
        scanned = subject.names.foods[target]
        name, is_plural = subject.names.called(target), _is_plural(scanned.name)
        grams = grams_of(
            amount,
            name,
            subject.food(target),
            scanned.grams,
            in_pieces=is_plural or scanned.food is not None,
            is_plural=is_plural,
        )
        if grams is None:
            return None
        now_g = scanned.grams
        for one in self.operations:
            if isinstance(one, SetAmount) and one.target == target:
                now_g = one.grams
            if isinstance(one, Scale) and one.target == target:
                now_g *= one.factor
        if sign < 0 and abs(now_g - grams) < 0.01 * now_g:
            return self.without((target,))
        return self.with_grams(target, now_g + sign * grams)

    def with_food(self, text: str, amount: Phrase | None, subject: Subject) -> State | None:
        """Return the state after adding a food."""
        food = subject.foods.named(text)
        if food is None:
            return None
        if amount is None:
            grams: float | None = usual_grams_of(text, food)
        else:
            grams = grams_of(amount, text, food, None)
        if grams is None or not 0 < grams <= MAX_GRAMS:
            return None
        place = len(subject) + sum(isinstance(one, Add) for one in self.operations)
        return self.then(Add(food, grams, text, amount is None), last=(place,), adds=True)

    def renamed(self, target: int, text: str, subject: Subject) -> State | None:
        """Return the state after replacing one food with another."""
        if target >= len(subject) or self.removed(target):
            return None
        is_variety = target in subject.names.bases(text)
        food = subject.foods.named(text, is_variety=is_variety)
        if food is None:
            return None
        return self.then(Rename(target, food, text), last=(target,))


def _is_plural(name: str) -> bool:
    """Return whether a food name such as "Cookies, oatmeal" is plural.

    The words for food classes in `_CLASSES` are ignored.
    """
    parts = [part.strip() for part in name.casefold().split(",")]
    own = next((part for part in parts if part not in _CLASSES), parts[0])
    own = own.split(";")[0].split("(")[0].strip()
    return own.endswith("s") and not own.endswith("ss")
