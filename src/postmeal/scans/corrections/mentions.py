"""Find the foods of a scan that the words of a correction refer to."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from postmeal.foods.language.words.name_words import COOKED, FILLERS, after_the_head, alike
from postmeal.foods.words import name_words, words
from postmeal.scans.scan import ScannedFood

__all__ = ["Mention", "ScanNames", "is_meat_or_fish", "same_words", "sound_of"]

_CUTS = frozenset(
    words(
        "breast thigh wing leg drumstick fillet filet slice piece strip chop cutlet wedge steak"
        " cube chunk half tender bite roll stick round bar ball floret link rasher nugget patty"
        " skewer loin tenderloin leaf dish plate bowl"
    )
)
_DESCRIPTIVE = (
    COOKED
    | FILLERS
    | frozenset(words("plain fresh hot cold big small little large normal regular usual ordinary"))
)
_SOUNDS = (("ck", "k"), ("qu", "k"), ("ph", "f"), ("gn", "n"), ("kn", "n"), ("ch", "x"),
           ("sh", "x"), ("ce", "s"), ("ci", "s"), ("c", "k"), ("q", "k"), ("z", "s"))  # fmt: skip
_LEAST_SOUND, _LONG_ENOUGH = 3, 6
_PREFIX, _LEFT_OUT = 4, 3  # minimum letters of a short form such as "guac" and of the omitted end
_SMALL = frozenset({"the", "my", "on", "in", "with", "of", "and", "a", "at", "to", "for", "no"})
_SUFFIX = 5  # minimum letters of a word at the end of another, such as "burger" in "hamburger"
_NO_KINDS = frozenset({"apple", "wheat"})  # a pineapple is not an apple
_EXACT, _BY_ITS_HEAD, _BY_ITS_KIND, _BY_A_WORD = 4, 3, 2, 1


@dataclass(frozen=True, slots=True)
class Mention:
    """Foods of a scan that the words of a correction refer to.

    Attributes
    ----------
    targets : tuple of int
        Index of the food in the scan, or several indices if the words are ambiguous.
    is_sure : bool
        Whether the words name the food itself and not only an ingredient in its name.
    """

    targets: tuple[int, ...]
    is_sure: bool


class ScanNames:
    """The names of a scan's foods.

    Parameters
    ----------
    foods : sequence of ScannedFood
        The foods of the scan.
    also : mapping of int to sequence of str, optional
        Everyday names of catalog foods by food ID.
    is_food : callable, optional
        Function that returns whether a word names a food by itself. Such a word is never treated as
        a short form of another word: "cheese" does not mean "cheeseburger".

    Examples
    --------
    >>> foods = [ScannedFood("grilled chicken breast", 120.0), ScannedFood("ham sandwich", 180.0)]
    >>> ScanNames(foods).mention("the chicken"), ScanNames(foods).mention("ham")
    (Mention(targets=(0,), is_sure=True), Mention(targets=(1,), is_sure=False))
    """

    def __init__(
        self,
        foods: Sequence[ScannedFood],
        also: Mapping[int, Sequence[str]] | None = None,
        is_food: Callable[[str], bool] | None = None,
    ) -> None:
        self.foods = tuple(foods)
        self._is_food = is_food or (lambda word: False)
        others = [list(also.get(one.food.id, ())) if also and one.food else [] for one in foods]
        self._called = [
            names[0] if names else food.name.casefold().partition(",")[0]
            for food, names in zip(foods, others, strict=True)
        ]
        self._names = [
            [_name(food.name), *map(_name, names)]
            for food, names in zip(foods, others, strict=True)
        ]
        self._written = [
            [_written(food.name), *map(_written, names)]
            for food, names in zip(foods, others, strict=True)
        ]
        self.firsts = frozenset(food.name.casefold().split()[0] for food in foods)
        self._exact = [" ".join(words(food.name)) for food in foods]
        self._mentions: dict[str, Mention | None] = {}

    def mention(self, text: str) -> Mention | None:
        """Return the foods that words refer to, or None if they refer to no food of the scan."""
        if text not in self._mentions:
            self._mentions[text] = self._mention(text)
        return self._mentions[text]

    def _mention(self, text: str) -> Mention | None:
        literal = [word for word in words(text) if word not in _SMALL]
        said = [word for word in _alike(text) if word not in _SMALL]
        if not said:
            return None
        whole = [self._full_word(word) for word in said]
        is_short = whole != said
        said = whole
        bare = [word for word in said if word not in _DESCRIPTIVE] or said
        for candidate in (said, bare) if bare != said else (said,):
            grades = [self._grade(candidate, place) for place in range(len(self.foods))]
            best = max(grades, default=0)
            if best:
                targets = tuple(place for place, grade in enumerate(grades) if grade == best)
                is_sure = best > _BY_A_WORD and (not is_short or best == _EXACT)
                return Mention(targets, is_sure)
        return self._literal(literal)

    def _literal(self, said: list[str]) -> Mention | None:
        """Return the only food whose name contains the words as written, or None."""
        kinds = _kinds().get(" ".join(said), [])
        grades = [
            max(_grade_of(said, kinds, name, heads) for name, heads in names)
            for names in self._written
        ]
        targets = tuple(n for n, grade in enumerate(grades) if grade >= _BY_ITS_KIND)
        return Mention(targets, True) if len(targets) == 1 else None

    def _full_word(self, word: str) -> str:
        """Return the full word in the scan for a short form, such as "guacamole" for "guac"."""
        if len(word) < _PREFIX:
            return word
        known = {own for names in self._names for name, _ in names for own in name}
        long = {own for own in known if own.startswith(word) and len(own) >= len(word) + _LEFT_OUT}
        return (
            long.pop()
            if len(long) == 1
            and word not in known | _DESCRIPTIVE | _CUTS
            and not (self._is_food(word))
            else word
        )

    def mentioned(self, tokens: Sequence[str], place: int) -> bool:
        """Return whether the word at a place names a food of the scan."""
        return place < len(tokens) and self.mention(tokens[place]) is not None

    def named(self, text: str) -> int | None:
        """Return the index of the only food with exactly this name, or None."""
        said = " ".join(words(text))
        found = [place for place, name in enumerate(self._exact) if name == said]
        return found[0] if len(found) == 1 else None

    def sounds_like(self, text: str) -> Mention | None:
        """Return the food whose name sounds like dictated words, such as "new keys" for gnocchi."""
        sound = sound_of(text)
        if len(sound) < (2 if len(text) >= _LONG_ENOUGH else _LEAST_SOUND):
            return None
        found = tuple(
            n
            for n, food in enumerate(self.foods)
            if sound in (sound_of(food.name), *map(sound_of, food.name.casefold().split()))
        )
        return Mention(found, True) if len(found) == 1 else None

    def bases(self, text: str) -> tuple[int, ...]:
        """Return the foods of which the words name a variety, such as a curry for "tofu curry"."""
        said = _alike(text)
        heads = _heads(said)
        return tuple(
            place
            for place, names in enumerate(self._names)
            if any(
                name and (_within(name, said) or _within(heads[:1], own[:1])) for name, own in names
            )
        )

    def of_same_kind(self, text: str) -> tuple[int, ...]:
        """Return the food of the kind that words name, such as a hamburger for "cheeseburger".

        Empty unless exactly one food in the scan is of this kind.
        """
        heads = _heads(words(text))[:1]
        for row in sorted(_kinds().values(), key=len):
            if any(_within(heads, kind) for kind in row):
                found = tuple(
                    place
                    for place, names in enumerate(self._written)
                    if any(_any(kind, own) for kind in row for _, own in names)
                )
                if len(found) == 1:
                    return found
        return ()

    def called(self, place: int) -> str:
        """Return the everyday name of a food, or its name up to the first comma."""
        return self._called[place]

    def head_of(self, place: int) -> str:
        """Return the words of a name that identify the food, without those that describe it."""
        return " ".join(reversed(_name(self._called[place])[1]))

    def spelled(self) -> set[str]:
        """Return all words in the names of the foods, as written."""
        names = [*(food.name.casefold() for food in self.foods), *self._called]
        return {word for name in names for word in re.findall(r"[^\W\d_]+", name)}

    def _grade(self, said: list[str], place: int) -> int:
        kinds = _kinds().get(" ".join(said), [])
        return max(_grade_of(said, kinds, name, heads) for name, heads in self._names[place])


def _grade_of(said: list[str], kinds: list[list[str]], name: list[str], heads: list[str]) -> int:
    if _within(said, name):
        if len(set(said)) == len(set(name)):
            return _EXACT
        return _BY_ITS_HEAD if _any(said, heads) else _BY_A_WORD
    if any(_within(kind, name) and _any(kind, heads) for kind in kinds):
        return _BY_ITS_KIND
    return 0


@lru_cache(8192)
def sound_of(text: str) -> str:
    """Return the consonants of words, with one letter for all consonants that sound alike."""
    plain = "".join(character for character in text.casefold() if character.isalpha())
    for letters, sound in _SOUNDS:
        plain = plain.replace(letters, sound)
    plain = re.sub(r"(?<!^)[aeiouyhw]", "", plain)
    return re.sub(r"(.)\1+", r"\1", re.sub(r"^[aeiou]", "a", plain))


def same_words(word: str, other: str) -> bool:
    """Return whether two words mean the same, such as "burger" and "hamburger"."""
    if word == other:
        return True
    short, long = sorted((word, other), key=len)
    return len(short) >= _SUFFIX and long.endswith(short) and short not in _NO_KINDS


def _within(said: Sequence[str], name: Sequence[str]) -> bool:
    return bool(said) and all(any(same_words(word, other) for other in name) for word in said)


def _any(said: Sequence[str], heads: Sequence[str]) -> bool:
    return any(same_words(word, head) for word in said for head in heads)


def _heads(name: Sequence[str]) -> list[str]:
    """Return the head of a name, and the words before it if the head is a cut such as "breast"."""
    end = after_the_head(list(name)) or len(name)
    heads: list[str] = []
    for word in reversed(name[:end]):
        heads.append(word)
        if word not in _CUTS:
            break
    return heads


def _alike(text: str) -> list[str]:
    return alike(" ".join(words(text)))


@lru_cache(4096)
def _name(name: str) -> tuple[list[str], list[str]]:
    """Return the words of a name in a uniform spelling, and those that identify the food."""
    own, identifying = name_words(name)
    return alike(" ".join(own)), _heads(alike(" ".join(own[:identifying])))


@lru_cache(4096)
def _written(name: str) -> tuple[list[str], list[str]]:
    """Return the words of a name as written, and those that identify the food."""
    own, identifying = name_words(name)
    return own, _heads(own[:identifying])


def is_meat_or_fish(text: str) -> bool:
    """Return whether words name only meat, poultry, fish or seafood, such as "turkey"."""
    kinds = ("meat", "poultry", "fish", "seafood")
    return words(text) in [name for kind in kinds for name in _kinds()[kind]]


@lru_cache(1)
def _kinds() -> dict[str, list[list[str]]]:
    table = files("postmeal.scans.corrections").joinpath("kinds.csv").read_text(encoding="utf-8")
    return {
        " ".join(words(row["kind"])): [words(name) for name in row["names"].split(";")]
        for row in csv.DictReader(table.splitlines())
    }
