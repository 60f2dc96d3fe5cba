"""Set the display names of foods: an everyday name, or a short name that is made by rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from postmeal.foods.table import TableFood
from postmeal.foods.words import words
from tools.food_table.everyday_names import everyday_name
from tools.food_table.short_names import ShortName, proper_nouns, short_name

__all__ = ["display_names"]


def display_names(foods: Sequence[TableFood]) -> list[TableFood]:
    """Return the foods with their display names.

    Branded foods and postmeal's own dishes keep their names, because these are already names from a
    package, a menu or a kitchen. If an everyday name refers to exactly one food, it becomes the
    food's display name. Other foods get a phrase made from the publisher's description. If several
    foods without a brand would have the same name, the most popular one keeps the name. The names
    of the others are extended with a qualifier that distinguishes them.
    """
    nouns = proper_nouns(food.name for food in foods if not food.brand_name)
    names = [_name_of(food, nouns) for food in foods]
    _tell_apart(foods, names)
    return [
        replace(food, display_name="" if name.text == food.name else name.text)
        for food, name in zip(foods, names, strict=True)
    ]


def _name_of(food: TableFood, nouns: Mapping[str, str]) -> ShortName:
    if food.source == "postmeal" or food.brand_name:
        return ShortName(food.name, description=food.name)
    name = everyday_name(food, nouns) or short_name(food.name, nouns)
    name.category = food.category
    return name


def _tell_apart(foods: Sequence[TableFood], names: list[ShortName]) -> None:
    """Add qualifiers to the names of foods that have the same name as a more popular food."""
    changed = True
    while changed:
        groups: defaultdict[tuple[str, str], list[ShortName]] = defaultdict(list)
        for food, name in zip(foods, names, strict=True):
            groups[name.text.casefold(), food.brand_name].append(name)
        changed = False
        for popular, *others in groups.values():
            more = [_show_more(other, popular) for other in others]
            changed = changed or any(more)
            if not all(more):  # nothing distinguishes the others from the most popular food
                changed = _show_more(popular, others[more.index(False)]) or changed


def _show_more(name: ShortName, other: ShortName) -> bool:
    """Add to a name a qualifier that the other food lacks, and return whether the name changed."""
    taken = {part.text.casefold() for part in other.parts}
    for at in name.hidden:
        if name.parts[at].text.casefold() not in taken:
            name.shown[at] = True
            return True
    own = set(words(name.description))
    if own in (set(words(name.text)), set(words(other.description))):
        return False  # the publishers use the same name for both foods
    name.food, name.parts, name.shown = name.description, [], []
    return True
