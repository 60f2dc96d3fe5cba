"""Models that assign a tag to each word of a message.

A linear model estimates the probability of each tag for each word. The tags of a message are the
most likely sequence of tags (A. Viterbi 1967, doi:10.1109/TIT.1967.1054010).
``tests/relevance/train_chat_models.py`` fits the models to messages with marked words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from postmeal.chat.hashed_model import HashedModel
from postmeal.chat.message_features import hashed, word_parts
from postmeal.foods.catalog import Catalog
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.words.connectors import CONNECTORS
from postmeal.foods.language.words.sizes_and_measures import MEASURES, SIZES
from postmeal.literature.tokens import stems
from postmeal.words.plain import amount_text

_TOKEN = re.compile(r"\d+(?:[.,/]\d+)*|[^\W\d_]+(?:'[a-z]+)?|[^\w\s]")
_MEASURE = re.compile(rf"(?:{'|'.join(map(re.escape, MEASURES))})(?:e?s)?")
_SIZE = re.compile("|".join(SIZES))
_CONNECTOR = re.compile(CONNECTORS)
_UNITS = {
    "body": frozenset(
        ["kg", "kgs", "kilo", "kilos", "cm", "lb", "lbs", "pounds", "stone", "ft", "feet", "bmi"]
    ),
    "time": frozenset(
        [
            "year",
            "years",
            "yr",
            "yrs",
            "yo",
            "min",
            "mins",
            "minutes",
            "hour",
            "hours",
            "hr",
            "hrs",
            "h",
            "am",
            "pm",
            "weeks",
            "months",
            "days",
        ]
    ),
    "glucose": frozenset(["mg", "mmol", "dl", "a1c", "hba1c"]),
}
"""Units of numbers that are not amounts of food."""
_ARTICLES = frozenset(("a", "an", "some", "few", "couple", "half", "the"))
_LONGEST_NAME = 4
_PART_LENGTHS = (3, 4)
_WINDOW = 3
_FEW = 10  # maximum number of article titles that count as "few"
_MAX_TOKENS = 400


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a message whose words have the same tag."""

    start: int
    end: int
    tag: int

    def text(self, message: str) -> str:
        """Return the words of the span."""
        return message[self.start : self.end]


@dataclass(frozen=True, slots=True)
class WordTagger:
    """Model of the tags of words."""

    model: HashedModel
    moves: npt.NDArray[np.floating]
    terms: dict[str, int] = field(default_factory=dict)

    def tags(self, features: Sequence[npt.NDArray[np.int64]]) -> list[int]:
        """Return the most likely tag numbers for tokens with the given features."""
        best: npt.NDArray[np.float64] = np.zeros(len(self.moves))
        back: list[npt.NDArray[np.intp]] = []
        for number, present in enumerate(features):
            scores = np.log(self.model.likelihoods(present) + 1e-9)
            if number:
                reached = best[:, None] + self.moves
                back.append(reached.argmax(axis=0))
                scores = scores + reached.max(axis=0)
            best = scores
        path = [int(best.argmax())] if len(features) else []
        for came_from in reversed(back):
            path.append(int(came_from[path[-1]]))
        return path[::-1]

    def spans(self, text: str, catalog: Catalog) -> tuple[Span, ...]:
        """Return the spans of words with the same tag in the first 400 tokens of a plain text."""
        tokens = message_tokens(text)[:_MAX_TOKENS]
        said = [token.group() for token in tokens]
        return spans_of(tokens, self.tags(token_features(said, catalog, self.terms)))

    @classmethod
    def read(cls, name: str, tags: Sequence[str]) -> WordTagger:
        """Read a tagger with the given tags from a file of this package."""
        with files("postmeal.chat").joinpath(name).open("rb") as file:
            arrays = np.load(file, allow_pickle=False)
            moves, counts = arrays["moves"], arrays["counts"].tolist()
            known = arrays["stems"].tobytes().decode().split()
        return cls(HashedModel.read(name, tags), moves, dict(zip(known, counts, strict=True)))


def is_word(token: str) -> bool:
    """Return whether a token is a word, and not a number, a sign or a unit."""
    return token[:1].isalpha() and not any(token in units for units in _UNITS.values())


def spans_of(tokens: Sequence[re.Match[str]], tags: Sequence[int]) -> tuple[Span, ...]:
    """Return the spans of adjacent tokens with the same tag, except for tag 0."""
    found: list[Span] = []
    last = 0
    for token, tag in zip(tokens, tags, strict=True):
        if tag and tag == last:
            found[-1] = Span(found[-1].start, token.end(), tag)
        elif tag:
            found.append(Span(token.start(), token.end(), tag))
        last = tag
    return tuple(found)


def message_tokens(text: str) -> list[re.Match[str]]:
    """Return the tokens of a plain text, which are its numbers, words and signs."""
    return list(_TOKEN.finditer(text))


def token_features(
    said: Sequence[str], catalog: Catalog, terms: Mapping[str, int] | None = None
) -> list[npt.NDArray[np.int64]]:
    """Return the numbers of the features of each token.

    The features are the token and its neighbors, their kinds, parts of the token, and whether the
    token and its neighbors belong to the name of a food.
    """
    matcher = Matcher.of(catalog)
    kinds = [_kind(word, matcher) for word in said]
    if terms:
        kinds = [
            f"{kind} {_frequency(word, terms)}" for kind, word in zip(kinds, said, strict=True)
        ]
    words = [
        "#" if kind.startswith("number") else word for word, kind in zip(said, kinds, strict=True)
    ]
    names = places_in_names(said, matcher)
    padded = [("", "", ""), *zip(words, kinds, names, strict=True), ("", "", "")]
    return [hashed(_parts(padded, place)) for place in range(1, len(padded) - 1)]


def _parts(around: Sequence[tuple[str, str, str]], place: int) -> Iterator[str]:
    """Yield the features of a token: words, kinds and positions in food names."""

    def at(step: int) -> tuple[str, str, str]:
        return around[min(max(place + step, 0), len(around) - 1)]

    word, kind, name = at(0)
    yield from (f"w={word}", f"k={kind}", f"n={name}", f"s={word[-3:]}", f"kn={kind} {name}")
    yield from word_parts(word, _PART_LENGTHS)
    for step in range(-_WINDOW, _WINDOW + 1):
        if step:
            near, its_kind, its_name = at(step)
            yield from (f"w{step}={near}", f"k{step}={its_kind}", f"n{step}={its_name}")
    for first, second in ((-2, -1), (-1, 0), (0, 1), (1, 2)):
        one, other = at(first), at(second)
        yield f"w{first}{second}={one[0]} {other[0]}"
        yield f"k{first}{second}={one[1]} {other[1]}"
        yield f"n{first}{second}={one[2]} {other[2]}"
    yield f"k3={at(-1)[1]} {kind} {at(1)[1]}"
    yield f"kw={at(-1)[0]} {kind} {at(1)[0]}"


def _frequency(word: str, terms: Mapping[str, int]) -> str:
    """Return whether "none", "few" or "many" of the article titles contain a word.

    The result is an empty string for frequent words that have no stem, such as "the".
    """
    found = [terms.get(stem, 0) for stem in stems(word)]
    return "" if not found else "none" if not max(found) else "many" if max(found) > _FEW else "few"


def _kind(word: str, matcher: Matcher) -> str:
    if _is_number(word):
        return "number"
    if word in _ARTICLES:
        return "article"
    for kind, units in _UNITS.items():
        if word in units:
            return kind
    if _MEASURE.fullmatch(word):
        return "measure"
    if _SIZE.fullmatch(word):
        return "size"
    if _CONNECTOR.fullmatch(word):
        return "link"
    if not word[:1].isalnum():
        return "sign"
    return "known" if matcher.knows(word) else "unknown"


@lru_cache(maxsize=2**14)
def _is_number(word: str) -> bool:
    return amount_text(word)[:1].isdigit()


def places_in_names(said: Sequence[str], matcher: Matcher) -> list[str]:
    """Return the position of each word in a food name: "B1" or "B2", "I", or "-".

    The first word of a name has "B1" if the name is a single word, and "B2" if it is longer. The
    other words of a name have "I", and words outside of names have "-". Longer names are preferred.
    """
    found = ["-"] * len(said)
    at = 0
    while at < len(said):
        sizes = range(min(_LONGEST_NAME, len(said) - at), 0, -1)
        fits = (size for size in sizes if matcher.names(" ".join(said[at : at + size])))
        size = next(fits, 0)
        found[at : at + size] = [f"B{min(size, 2)}", *(["I"] * (size - 1))][:size]
        at += size or 1
    return found
