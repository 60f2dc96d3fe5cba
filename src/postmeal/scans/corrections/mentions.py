"""Find the foods of a scan that the words of a correction refer to."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from postmeal.foods.language.words.name_words import COOKED, FILLERS, after_the_head, alike
from postmeal.foods.words import name_words, words
from postmeal.scans.scan import ScannedFood

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
_LONGEST = 100  # letters; longer texts refer to no food
_EXACT, _BY_ITS_HEAD, _BY_ITS_KIND, _BY_A_WORD = 4, 3, 2, 1


_Names = Sequence[tuple[list[str], list[str]]]
"""The words of each name of a food, and those that identify the food."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Foods of a scan that the words of a correction refer to."""

    targets: tuple[int, ...]
    is_sure: bool


class ScanNames:
    """The names of a scan's foods."""

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
        self._places = _places_by_word(self._names)
        self._written_places = _places_by_word(self._written)
        self._mentions: dict[str, Mention | None] = {}
        self._full_words: dict[str, str] = {}

    def mention(self, text: str) -> Mention | None:
        """Return the foods that words refer to, or None if they refer to no food of the scan."""
        if text not in self._mentions:
            is_long = len(text) > _LONGEST
            self._mentions[text] = None if is_long else self._mention(text)
        return self._mentions[text]

    def _mention(self, text: str) -> Mention | None:
        literal = [word for word in words(text) if word not in _SMALL]
        said = [word for word in _alike(text) if word not in _SMALL]
        if not said:
            return None
        for word in said:
            if word not in self._full_words:
                self._full_words[word] = self._full_word(word)
        whole = [self._full_words[word] for word in said]
        is_short = whole != said
        said = whole
        bare = [word for word in said if word not in _DESCRIPTIVE] or said
        for candidate in (said, bare) if bare != said else (said,):
            grades = _grades(candidate, self._names, self._places)
            best = max(grades.values(), default=0)
            if best:
                targets = tuple(place for place, grade in grades.items() if grade == best)
                is_sure = best > _BY_A_WORD and (not is_short or best == _EXACT)
                return Mention(targets, is_sure)
        return self._literal(literal)

    def _literal(self, said: list[str]) -> Mention | None:
        """Return the only food whose name contains the words as written, or None."""
        grades = _grades(said, self._written, self._written_places)
        targets = tuple(place for place, grade in grades.items() if grade >= _BY_ITS_KIND)
        return Mention(targets, True) if len(targets) == 1 else None

    def _full_word(self, word: str) -> str:
        """Return the full word in the scan for a short form, such as "guacamole" for "guac"."""
        if len(word) < _PREFIX or word in self._places or word in _DESCRIPTIVE or word in _CUTS:
            return word
        least = len(word) + _LEFT_OUT
        long = [own for own in self._places if len(own) >= least and own.startswith(word)]
        return long[0] if len(long) == 1 and not self._is_food(word) else word

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
        said = _alike(text) if len(text) <= _LONGEST else []
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


def _places_by_word(names: Sequence[_Names]) -> dict[str, set[int]]:
    """Return each word in the names of foods, with the places of these foods."""
    places: dict[str, set[int]] = defaultdict(set)
    for place, of_food in enumerate(names):
        for word in (word for name, _ in of_food for word in name):
            places[word].add(place)
    return places


def _grades(
    said: list[str], names: Sequence[_Names], places: Mapping[str, set[int]]
) -> dict[int, int]:
    """Return how well words fit the foods at some places; they do not fit the other foods."""
    kinds = _kinds().get(" ".join(said), [])
    fits = set(range(len(names)))
    for word in () if kinds else said:
        fits &= {at for own, found in places.items() if same_words(word, own) for at in found}
        if not fits:
            break
    return {
        place: max(_grade_of(said, kinds, name, heads) for name, heads in names[place])
        for place in sorted(fits)
    }


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
