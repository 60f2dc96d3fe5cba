"""Apply corrections, shares and leftovers to the foods that they refer to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from postmeal.foods.food import Food
from postmeal.foods.language.candidates import words_of
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.segments import Segment
from postmeal.foods.language.words.name_words import head_of

_NOT_NAMES = frozenset({"only", "now", "instead", "today", "total", "actually", "of", "them"})


@dataclass(frozen=True, slots=True)
class Item:
    """A food found in a meal text, before its amount is converted to grams."""

    phrase: Phrase
    food: Food | None
    confidence: float
    lacking: tuple[str, ...] = ()
    share: float = 1.0
    why: str = ""
    serving_g: float | None = None


def linked(
    segments: Sequence[Segment], read: Callable[[str], list[Item]]
) -> tuple[tuple[Item, ...], tuple[str, ...]]:
    """Apply corrections, shares and similar segments to the foods before or after them."""
    items: list[Item] = []
    unread: list[str] = []
    share_next = 0.0
    for place, segment in enumerate(segments):
        if segment.role == "food":
            found = read(segment.text)
            if found and share_next:
                found[0] = replace(found[0], share=share_next, why="share")
            share_next = 0.0
            items += found
        elif segment.role in ("correction", "amend"):
            _correct(items, read(segment.text), surely=segment.role == "correction")
        elif segment.role == "share":
            if _food_follows(segments, place):
                share_next = segment.value or 1.0
            elif items and not items[-1].why:
                items[-1] = replace(items[-1], share=segment.value or 1.0, why=segment.text)
        elif segment.role == "cancel":
            if (at := _index_of(items, segment.target)) is not None:
                del items[at]
        elif segment.role in ("keep", "left"):
            if (at := _index_of(items, segment.target)) is not None:
                items[at] = replace(items[at], share=segment.value or 0.0, why=segment.text)
            elif segment.role == "keep":
                items += read(segment.text)
            else:
                unread.append(segment.text)
        elif segment.role == "count" and segment.value is not None:
            _count(items, segment.value, segment.text)
    return tuple(items), tuple(unread)


def without_repeats(items: Sequence[Item]) -> list[Item]:
    """Remove a food without an amount if its amount follows, as in "chips and salsa, 15 chips"."""
    said_later = {
        (item.food.id, item.phrase.name): place
        for place, item in enumerate(items)
        if item.food is not None and item.phrase.amount_said
    }
    return [
        item
        for place, item in enumerate(items)
        if item.food is None
        or item.phrase.amount_said
        or said_later.get((item.food.id, item.phrase.name), -1) < place
    ]


def _food_follows(segments: Sequence[Segment], place: int) -> bool:
    """Return whether the shared food comes after the segment, as in "we split a pizza"."""
    said = segments[place].text.split(" ")
    if said[-1] not in ("split", "share", "shared", "halved"):
        return False
    if place + 1 == len(segments) or segments[place + 1].role != "food":
        return False
    return segments[place + 1].text[0] not in ",.;"


def _index_of(items: Sequence[Item], target: str) -> int | None:
    """Return the index of the last item with the given name; None if there is no such item.

    If the name is empty, the last item is used.
    """
    if not target:
        return len(items) - 1 if items else None
    head = head_of(words_of(target))
    for place in range(len(items) - 1, -1, -1):
        if head in _called(items[place]):
            return place
    return None


def _called(item: Item) -> set[str]:
    return {*words_of(item.phrase.name), *words_of(item.food.description if item.food else "")}


def _correct(items: list[Item], found: list[Item], *, surely: bool) -> None:
    """Replace the amount or the food of an item with the correction found in the text."""
    if not found:
        return
    first, place = found[0], None
    said = [word for word in words_of(first.phrase.name) if word not in _NOT_NAMES]
    if not said:
        place = len(items) - 1 if items else None
    else:
        same = (n for n in reversed(range(len(items))) if head_of(said) in _called(items[n]))
        place = next(same, None)
        if place is None and surely and items:
            items[-1:] = found
            return
    if place is None:
        items += found if said else []
        return
    old = items[place]
    if set(said) <= _called(old):
        items[place] = replace(old, phrase=_with_amount(old.phrase, first.phrase), share=1.0)
    else:
        items[place] = first
    items += found[1:]


def _with_amount(phrase: Phrase, amount: Phrase) -> Phrase:
    """Return a phrase with the amount of another phrase; a plain number keeps the original unit."""
    if not amount.amount_said:
        return phrase
    bare = not amount.unit and amount.mass_g is None and amount.volume_ml is None
    return replace(
        phrase,
        count=amount.count,
        unit=phrase.unit if bare else amount.unit,
        size=amount.size or phrase.size,
        mass_g=amount.mass_g,
        volume_ml=amount.volume_ml,
        said=f"{phrase.said}, {amount.said}",
    )


def _count(items: list[Item], count: float, said: str) -> None:
    """Apply a count such as "I had 3 of them" to the last food or to its counted pieces."""
    if not items:
        return
    last = items[-1]
    if not last.phrase.name and last.phrase.count and len(items) > 1:
        items.pop()
        share = min(1.0, count / last.phrase.count)
        items[-1] = replace(items[-1], share=share, why=said)
    else:
        items[-1] = replace(last, phrase=replace(last.phrase, count=count), share=1.0, why=said)
