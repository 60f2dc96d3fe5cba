"""Find the foods of a scan that a pronoun or a part of a name refers to."""

from __future__ import annotations

from collections.abc import Sequence

from postmeal.foods.language.words.name_words import HOLDERS
from postmeal.foods.words import words
from postmeal.scans.corrections.marks import Part
from postmeal.scans.corrections.mentions import is_meat_or_fish
from postmeal.scans.corrections.state import Item, State, Subject

_MADE_OF_FLESH = HOLDERS | frozenset({"curry", "dumpling", "kebab", "meatball", "patty", "sausage"})
_COLORS = frozenset({"black", "brown", "green", "red", "white", "yellow"})


def items_in(parts: Sequence[Part]) -> list[Item]:
    """Split a list of foods with amounts into items, each with one food."""
    items: list[list[Part]] = [[]]
    for place, part in enumerate(parts):
        has_core = any(not set("TPANZ").isdisjoint(one.marks) for one in items[-1])
        after = parts[place + 1] if place + 1 < len(parts) else None
        starts = (
            part.marks in ("F", "Q", "X")
            and after is not None
            and (after.marks == "v" or not set("TPANZ").isdisjoint(after.marks))
        )
        is_core = not set("TPANZ").isdisjoint(part.marks)
        if has_core and (starts or is_core):
            items.append([])
        items[-1].append(part)
    return [
        Item.of(item) for item in items if any(not set("TPANZ").isdisjoint(p.marks) for p in item)
    ]


def targets_of(core: Part, state: State, subject: Subject, *, of_all: bool) -> tuple[int, ...]:
    """Return the indices of the foods that a part refers to."""
    everything = tuple(n for n in range(len(subject)) if not state.removed(n))
    if core.targets:
        return core.targets
    if "A" in core.marks:
        if "both" in core.text:
            return (
                state.last if len(state.last) == 2 else everything if len(everything) == 2 else ()
            )
        return everything
    if "Z" in core.marks:
        return tuple(n for n in everything if n not in _touched(state)) if state.last else ()
    if "P" in core.marks:
        if state.last:
            return tuple(n for n in state.last if not state.removed(n))
        if len(everything) == 1 or of_all:
            return everything
    return ()


def _touched(state: State) -> set[int]:
    touched = set(state.last)
    for operation in state.operations:
        target = getattr(operation, "target", None)
        if isinstance(target, int):
            touched.add(target)
    return touched


def is_whole(core: Part, subject: Subject) -> bool:
    """Return whether words name a food of the scan, not only an ingredient in its name.

    For example, "the rice" can mean white rice. "The butter" does not mean peanut butter, because
    butter is in another food group, and "peanut" is also a food.
    """
    if not core.is_sure:
        return False
    said = subject.foods.named(core.text)
    for target in core.targets:
        food = subject.food(target) if target < len(subject) else None
        if said is None or food is None or said.id == food.id or said.category == food.category:
            continue
        name = set(words(subject.names.called(target)))
        others = name - set(words(core.text)) - _COLORS
        if others < name and any(word == "and" or subject.foods.is_name(word) for word in others):
            return False
    return True


def same_kind(text: str, subject: Subject) -> tuple[int, ...]:
    """Return the food in the scan that is of the same kind as the food that words name.

    Empty unless there is exactly one such food. Two foods are of the same kind if ``kinds.csv``
    lists them as such, or if they are in the same food group.
    """
    if of_same_kind := subject.names.of_same_kind(text):
        return of_same_kind
    new = subject.foods.named(text)
    found = [
        place
        for place in range(len(subject))
        if new and (food := subject.food(place)) and food.category == new.category
    ]
    return tuple(found) if len(found) == 1 else ()


def described(text: str, target: int, subject: Subject) -> str:
    """Add a description to the name of a food, such as "diet" to "cola"."""
    names, foods = subject.names, subject.foods
    if target in names.bases(text):
        return text
    name, head = names.called(target), names.head_of(target)
    wholes = dict.fromkeys([f"{text} {name.split(' ')[-1]}", f"{text} {head}", f"{text} {name}"])
    for whole in wholes:
        if foods.is_name(whole):
            return whole
    if is_meat_or_fish(text) and head in _MADE_OF_FLESH:
        return f"{text} {head}"
    if foods.is_food(text):
        return text
    return next((whole for whole in wholes if foods.is_food(whole)), text)
