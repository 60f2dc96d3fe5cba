"""Ways to understand a query: as it is written, begun, mistyped, or with a word too many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import combinations
from typing import NamedTuple

from postmeal.foods.catalog.ranking import FORMS, LINKING
from postmeal.foods.catalog.vocabulary import Vocabulary

__all__ = ["Reading", "searched", "typed"]

_INDEXED_PREFIX = 3  # letters of the longest beginning that the full-text index knows
_SHORT_QUERY = 8  # words of a query in which mistakes are looked for
_COMPLETED = 24  # words that a longer beginning stands for, those that most foods hold
_RESPELLED = 16  # ways to repair the words of a query that are tried
_READ = 500_000  # foods of the rarest words of readings: some 20 ms
_BEGUN, _LINKED, _JOINED, _SPLIT = 1.0, 0.2, 0.5, 0.7
_LIKELIER_BEGUN = 0.6  # than mistyped: a word of three letters
_RARE = 10.0  # halvings of the catalogue: one in a thousand foods
_NOT_AS_TYPED = 1.0  # for another word than the typed one, though the catalogue knows that
_ASIDE = frozenset({"in", "no", "on", "with", "without"})
_NEAR, _WITHOUT_ASIDE = 2.6, 3.5
_WITHOUT_FORM = 4.0  # a food that is named otherwise but has all words costs less
_WITHOUT = 2.5
_LAST = 1.5  # the last word says what a food is: "tomato ketchup"
_NEARLY = (
    ("low fat", "reduced fat", "light"),
    ("fat free", "nonfat", "skim"),
    ("sugar free", "diet", "low calorie"),
    ("low sodium", "reduced sodium", "low salt"),
    ("grilled", "broiled"),
    ("roasted", "roast", "baked"),
    ("steamed", "boiled"),
    ("sauteed", "pan fried", "stir fried"),
    ("breaded", "coated", "battered"),
)
"""Of each group, words that say nearly the same of a food."""


class Reading(NamedTuple):
    """One way to understand a query."""

    words: Sequence[str]
    expression: str
    """Of the full-text index."""
    begun: bool = False
    """Whether words may be the beginnings of those that are meant."""
    penalty: float = 0.0
    """On the scale of `ranking.Asked.cost`: what speaks against it."""


def searched(
    asked: list[str], vocabulary: Vocabulary, every_word: bool = False
) -> Iterator[Iterable[Reading]]:
    """List the ways to understand a query that was sent.

    Parameters
    ----------
    asked : list of str
        The query's words.
    vocabulary : Vocabulary
        The words of the catalogue.
    every_word : bool, default=False
        Leave no word out, and take one that the catalogue knows as it is.

    Yields
    ------
    iterable of Reading
        First, all words as they are, with one repaired that hardly any food holds, or in other
        words; and, in case these are far-fetched, without how the food is prepared or what comes
        with it. If no food has them all: the last as a beginning, words joined, split or repaired.
        If that finds nothing either: without one word, without two.
    """
    yield _as_asked(asked, vocabulary, every_word)
    if len(asked) > _SHORT_QUERY:
        return
    told = [word for word in asked if word not in LINKING] or asked
    others = []
    if begun := _begun(told, vocabulary, len(told) - 1):
        others.append(begun)
    others += _joined_or_split(told, vocabulary)
    others += _respelled(told, vocabulary)
    shortened = [] if every_word else list(_shortened(asked, vocabulary))
    if all(vocabulary.foods(word) for word in told):
        # "can of coke": a word too many is likelier than mistakes that make other words
        others += [reading for readings in shortened for reading in readings]
        shortened = []
    for readings in (others, *shortened):
        yield _affordable(readings, vocabulary)


def typed(asked: list[str], vocabulary: Vocabulary) -> Iterator[list[Reading]]:
    """List the ways to understand what is being typed.

    Parameters
    ----------
    asked : list of str
        The words so far.
    vocabulary : Vocabulary
        The words of the catalogue.

    Yields
    ------
    list of Reading
        First, with the last word as a beginning. If no food has that: with every word as a
        beginning, words joined, split or repaired.
    """
    if not asked:
        return
    if begun := _begun(asked, vocabulary, len(asked) - 1):
        yield [begun]
    if len(asked) > _SHORT_QUERY:
        return
    others = _joined_or_split(asked, vocabulary) + _respelled(asked, vocabulary)
    if len(asked) > 1 and (begun := _begun(asked, vocabulary, 0)):
        others.append(begun)
    others += _begun_wrong(asked, vocabulary)
    yield list(_affordable(others, vocabulary))


def _as_asked(asked: list[str], vocabulary: Vocabulary, every_word: bool) -> Iterator[Reading]:
    yield _literal(asked)
    if len(asked) > _SHORT_QUERY:
        return
    if (told := [word for word in asked if word not in LINKING]) and told != asked:
        yield _literal(told, _LINKED)
    rare = vocabulary.foods(asked[-1]) and vocabulary.rarity(asked[-1]) > _RARE
    if rare and not every_word and (begun := _begun(asked, vocabulary, len(asked) - 1)):
        # "app": some porridge is called so, but more begins so
        yield begun._replace(penalty=_BEGUN + _NOT_AS_TYPED)
    for at, word in enumerate(asked):
        if other := vocabulary.mostly_meant(word):
            yield _literal([*asked[:at], other, *asked[at + 1 :]], _NOT_AS_TYPED)
    if not every_word:
        yield from _near(asked)
        yield from _plainer(asked)


def _near(asked: list[str]) -> Iterator[Reading]:
    """Say it in other words: "low fat" is stored as "reduced fat"."""
    text = f" {' '.join(asked)} "
    for group in _NEARLY:
        said = next((f" {phrase} " for phrase in group if f" {phrase} " in text), None)
        if said is None:
            continue
        for phrase in group:
            if said != f" {phrase} ":
                yield _literal(text.replace(said, f" {phrase} ").split(), _NEAR)


def _plainer(asked: list[str]) -> Iterator[Reading]:
    """Leave out what tells less than the food itself: what it comes with, how it is prepared."""
    for at, word in enumerate(asked):
        if at and word in _ASIDE:  # "caesar salad with chicken" is a caesar salad
            yield _literal(asked[:at], _WITHOUT_ASIDE)
    plain = [word for word in asked if word not in FORMS]
    if len(plain) < len(asked) and not LINKING.issuperset(plain):
        yield _literal(plain, _WITHOUT_FORM)


def _affordable(readings: list[Reading], vocabulary: Vocabulary) -> Iterator[Reading]:
    """Put the likely ones first, and stop when the index has read enough without success."""
    read = 0
    for reading in sorted(readings, key=lambda reading: reading.penalty):
        yield reading
        read += min(vocabulary.foods(word) for word in reading.words)
        if read > _READ:
            break


def _literal(words: Sequence[str], penalty: float = 0.0) -> Reading:
    return Reading(words, " ".join(f'"{word}"' for word in words), penalty=penalty)


def _begun(asked: list[str], vocabulary: Vocabulary, first: int) -> Reading | None:
    """Read the words from this one on as beginnings; None when no word begins so."""
    meant = list(asked[:first])
    parts = [f'"{word}"' for word in meant]
    for beginning in asked[first:]:
        if len(beginning) <= _INDEXED_PREFIX:
            meant.append(beginning)
            parts.append(f'"{beginning}"*')
            continue
        # The index would read all foods of all such words before it answers the first.
        completed = vocabulary.completed(beginning, _COMPLETED)
        if beginning.endswith("i"):  # "berri" is on its way to "berries", which is stored as berry
            completed += vocabulary.completed(beginning[:-1] + "y", _COMPLETED)
        if not completed:
            return None
        meant.append(completed[0] if len(completed) == 1 else beginning.removesuffix("i"))
        ways = [f'"{word}"' for word in completed]
        parts.append(ways[0] if len(ways) == 1 else f"({' OR '.join(ways)})")
    together = " AND " if any("(" in part for part in parts) else " "
    return Reading(meant, together.join(parts), begun=True, penalty=_BEGUN)


def _begun_wrong(asked: list[str], vocabulary: Vocabulary) -> list[Reading]:
    """Repair the words before the last one, and what that begins with."""
    far, before = 0.0, []
    for word in asked[:-1]:
        distance, meant = 0.0, word
        if not vocabulary.foods(word):
            distance, meant = next(iter(vocabulary.meant(word, 1)), (0.0, word))
        far += distance
        before.append(meant)
    found = [
        Reading([*before, word], _literal([*before, word]).expression, True, far + distance)
        for distance, word in vocabulary.begun(asked[-1])
    ]
    if before != asked[:-1] and (begun := _begun([*before, asked[-1]], vocabulary, len(before))):
        found.append(begun._replace(penalty=far))
    return found


def _joined_or_split(asked: list[str], vocabulary: Vocabulary) -> list[Reading]:
    found = [_literal(joined, _JOINED) for joined in vocabulary.joined(asked)]
    for at, word in enumerate(asked):
        if not vocabulary.foods(word) and (halves := vocabulary.split(word)):
            found.append(_literal([*asked[:at], *halves, *asked[at + 1 :]], _SPLIT))
    return found


def _respelled(asked: list[str], vocabulary: Vocabulary) -> list[Reading]:
    likely: list[tuple[float, list[str]]] = [(0.0, [])]
    for word in asked:
        known = not word.isalpha() or vocabulary.foods(word)
        more = _NOT_AS_TYPED if known else _LIKELIER_BEGUN if len(word) <= 3 else 0.0
        meant = [(distance + more, other) for distance, other in vocabulary.meant(word)]
        choices = [(0.0, word), *meant] if known else meant
        ways = ((far + distance, [*way, one]) for far, way in likely for distance, one in choices)
        likely = nsmallest(_RESPELLED + 1, ways)  # the likeliest go on from the likeliest so far
    others = [_literal(words, distance) for distance, words in likely if words != asked]
    return others[:_RESPELLED]


def _shortened(asked: list[str], vocabulary: Vocabulary) -> Iterator[list[Reading]]:
    told = []
    for word in asked:
        if not vocabulary.foods(word):
            word = next((other for _, other in vocabulary.meant(word, 1)), "")
        if word and word not in LINKING:
            told.append(word)
    if told and told != [word for word in asked if word not in LINKING]:
        yield [_literal(told, _WITHOUT)]
    telling = [0.15 * vocabulary.rarity(word) for word in told]
    telling[-1:] = [_LAST + tell for tell in telling[-1:]]
    for size in sorted({len(told) - 1, len(told) - 2, 1} & set(range(1, len(told))), reverse=True):
        ways = []
        for kept in combinations(range(len(told)), size):
            lost = sum(tell for at, tell in enumerate(telling) if at not in kept)
            ways.append(_literal([told[at] for at in kept], _WITHOUT + lost))
        yield ways
