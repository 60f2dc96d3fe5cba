"""Generate the possible interpretations of a search query, which are called readings.

A query can be read as typed, with its last word as a prefix, with corrections, or with words
dropped. Readings come in rounds. Later rounds are used only if no food matches an earlier round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import combinations
from typing import NamedTuple

from postmeal.foods.catalog.ranking import CUTS, FORMS, LINKING
from postmeal.foods.catalog.vocabulary import Vocabulary
from postmeal.foods.catalog.wordings import Wording, plain_words
from postmeal.foods.ordinary_words import ORDINARY

_INDEXED_PREFIX = 3  # number of letters of the longest prefix in the full-text index
_SHORT_QUERY = 8  # maximum number of words in a query that is corrected
_COMPLETED = 24  # maximum number of words to which a longer prefix is expanded
_CORRECTIONS = 16  # maximum number of corrections of a query
# Limit on index reads, which take about 20 ms: the foods with the rarest word of each reading.
_READ = 500_000
_PREFIX, _WITHOUT_LINKING, _JOINED, _SPLIT = 1.0, 0.2, 0.5, 0.7  # penalties
_PREFIX_OF_A_WORD = -0.6  # penalty (negative) for a query of one word with at least four letters
_SHORT_WORD = 0.6  # extra penalty for a word of up to three letters, which is more likely a prefix
_RARE = 10.0  # rarity of a word in one of a thousand foods
_NOT_AS_TYPED = 1.0  # penalty for replacing a word that the catalog contains
_SIDE_WORDS = frozenset({"in", "no", "on", "with", "without"})
_SYNONYM, _WITHOUT_SIDE = 2.6, 3.5
_WITHOUT_FORM = 4.0  # larger than the cost of a food that has all words of the query in other names
_WITHOUT_CUT = 1.5
_WITHOUT = 2.5
_OF_A_FORM = 0.3  # share of the extra penalty for dropping a word of `FORMS`
_LAST = 1.5  # extra penalty for dropping the last word, which names the food: "tomato ketchup"
_DEFINING_WORD = 1.5  # extra penalty for dropping a word that changes the nutrients
_DEFINING = frozenset({
    "decaffeinated", "diet", "free", "gluten", "keto", "light", "low", "nonfat", "protein",
    "reduced", "skim", "sugarless", "unsweetened", "vegan", "vegetarian", "zero",
})  # fmt: skip
_NEAR_SYNONYMS = (
    ("low fat", "reduced fat", "light"),
    ("fat free", "nonfat", "skim"),
    ("sugar free", "diet", "low calorie", "zero sugar", "zero"),
    ("low sodium", "reduced sodium", "low salt"),
    ("grilled", "broiled"),
    ("roasted", "roast", "baked"),
    ("steamed", "boiled"),
    ("sauteed", "pan fried", "stir fried"),
    ("breaded", "coated", "battered"),
)
"""Groups of words that mean nearly the same."""


class Reading(NamedTuple):
    """One interpretation of a query."""

    words: Sequence[str]
    expression: str
    """Expression for the full-text index."""
    is_prefix: bool = False
    """Whether the words may be prefixes."""
    penalty: float = 0.0
    """Penalty for an unlikely reading, on the scale of `ranking.Query.cost`."""
    dropped: tuple[str, ...] = ()
    """Words of the query that the reading does not contain."""
    edits: float = 0.0
    """Distance of the corrected words from the words as typed."""


def search_readings(
    query_words: list[str],
    vocabulary: Vocabulary,
    every_word: bool = False,
    others: Callable[[], Sequence[Wording]] = tuple,
) -> Iterator[Iterable[Reading]]:
    """Yield the readings of a submitted query, one round at a time."""
    yield _as_typed(query_words, vocabulary, every_word, others)
    query_words = plain_words(query_words, others())
    if len(query_words) > _SHORT_QUERY:
        return
    content_words = [word for word in query_words if word not in LINKING] or query_words
    guesses = []
    if content_words[-1] not in ORDINARY and (
        prefix_reading := _as_prefix(content_words, vocabulary, len(content_words) - 1)
    ):
        if len(content_words) == 1 and len(content_words[0]) > _INDEXED_PREFIX:
            prefix_reading = prefix_reading._replace(penalty=_PREFIX_OF_A_WORD)
        guesses.append(prefix_reading)
    guesses += _joined_or_split(content_words, vocabulary)
    guesses += _corrected(content_words, vocabulary)
    shortened = [] if every_word else list(_with_words_dropped(query_words, vocabulary))
    if all(vocabulary.foods(word) for word in content_words):
        # In "can of coke", an extra word is more likely than a typo that is a valid word by chance.
        guesses += [reading for readings in shortened for reading in readings]
        shortened = []
    for readings in (guesses, *shortened):
        yield _within_budget(readings, vocabulary)


def typeahead_readings(query_words: list[str], vocabulary: Vocabulary) -> Iterator[list[Reading]]:
    """Yield the readings of a partly typed text, one round at a time."""
    if not query_words:
        return
    if prefix_reading := _as_prefix(query_words, vocabulary, len(query_words) - 1):
        yield [prefix_reading]
    if len(query_words) > _SHORT_QUERY:
        return
    others = _joined_or_split(query_words, vocabulary) + _corrected(query_words, vocabulary)
    if len(query_words) > 1 and (prefix_reading := _as_prefix(query_words, vocabulary, 0)):
        others.append(prefix_reading)
    others += _corrected_prefix(query_words, vocabulary)
    yield list(_within_budget(others, vocabulary))


def _as_typed(
    query_words: list[str],
    vocabulary: Vocabulary,
    every_word: bool,
    others: Callable[[], Sequence[Wording]],
) -> Iterator[Reading]:
    yield from _with_and_without_linking(query_words, 0.0)
    for wording in others():
        yield from _with_and_without_linking(wording.words, wording.penalty)
    if len(query_words) > _SHORT_QUERY:
        return
    rare = vocabulary.foods(query_words[-1]) and vocabulary.rarity(query_words[-1]) > _RARE
    if (
        rare
        and not every_word
        and (prefix_reading := _as_prefix(query_words, vocabulary, len(query_words) - 1))
    ):
        # Few foods contain the word "app", and many more contain a word that starts with it.
        yield prefix_reading._replace(penalty=_PREFIX + _NOT_AS_TYPED)
    for at, word in enumerate(query_words):
        if other := vocabulary.likely_correction(word):
            yield _literal([*query_words[:at], other, *query_words[at + 1 :]], _NOT_AS_TYPED)
    if not every_word:
        for each in (query_words, *(other.words for other in others())):
            yield from _with_synonyms(each)
            yield from _simplified(each)


def _with_and_without_linking(query_words: list[str], penalty: float) -> Iterator[Reading]:
    yield _literal(query_words, penalty)
    content_words = [word for word in query_words if word not in LINKING]
    if content_words and content_words != query_words and len(query_words) <= _SHORT_QUERY:
        yield _literal(content_words, penalty + _WITHOUT_LINKING)


def _with_synonyms(query_words: list[str]) -> Iterator[Reading]:
    """Yield readings with near synonyms, such as "reduced fat" in place of "low fat"."""
    text = f" {' '.join(query_words)} "
    for group in _NEAR_SYNONYMS:
        found = next((f" {phrase} " for phrase in group if f" {phrase} " in text), None)
        if found is None:
            continue
        for phrase in group:
            if found != f" {phrase} ":
                yield _literal(text.replace(found, f" {phrase} ").split(), _SYNONYM)


def _simplified(query_words: list[str]) -> Iterator[Reading]:
    """Yield readings without the words for a side dish, a cut or the preparation."""
    for at, word in enumerate(query_words):
        if at and word in _SIDE_WORDS:  # "caesar salad with chicken" is a caesar salad
            side = tuple(word for word in query_words[at:] if word not in LINKING)
            yield _literal(query_words[:at], _WITHOUT_SIDE, side)
    for words, penalty in ((CUTS, _WITHOUT_CUT), (FORMS, _WITHOUT_FORM)):
        plain = [word for word in query_words if word not in words]
        if len(plain) < len(query_words) and not LINKING.issuperset(plain):
            left_out = tuple(word for word in query_words if word in words)
            yield _literal(plain, penalty, left_out)


def _within_budget(readings: list[Reading], vocabulary: Vocabulary) -> Iterator[Reading]:
    """Yield the readings, most likely first, until the limit on index reads is reached."""
    read = 0
    for reading in sorted(readings, key=lambda reading: reading.penalty):
        yield reading
        read += min(vocabulary.foods(word) for word in reading.words)
        if read > _READ:
            break


def _literal(
    words: Sequence[str], penalty: float = 0.0, dropped: tuple[str, ...] = (), edits: float = 0.0
) -> Reading:
    expression = " ".join(f'"{word}"' for word in words)
    return Reading(words, expression, penalty=penalty, dropped=dropped, edits=edits)


def _as_prefix(query_words: list[str], vocabulary: Vocabulary, first: int) -> Reading | None:
    """Return the reading in which the words from index `first` onward are prefixes.

    The result is None if no word in the catalog begins with one of the prefixes.
    """
    words = list(query_words[:first])
    parts = [f'"{word}"' for word in words]
    for prefix in query_words[first:]:
        if len(prefix) <= _INDEXED_PREFIX:
            words.append(prefix)
            parts.append(f'"{prefix}"*')
            continue
        # A longer prefix is expanded here, because the index would read the foods of all its words.
        completions = vocabulary.completions(prefix, _COMPLETED)
        if prefix.endswith("i"):  # "berri" begins "berries", which is stored as "berry"
            completions += vocabulary.completions(prefix[:-1] + "y", _COMPLETED)
        if not completions:
            return None
        words.append(completions[0] if len(completions) == 1 else prefix.removesuffix("i"))
        quoted = [f'"{word}"' for word in completions]
        parts.append(quoted[0] if len(quoted) == 1 else f"({' OR '.join(quoted)})")
    separator = " AND " if any("(" in part for part in parts) else " "
    return Reading(words, separator.join(parts), is_prefix=True, penalty=_PREFIX)


def _corrected_prefix(query_words: list[str], vocabulary: Vocabulary) -> list[Reading]:
    """Return readings in which all words are corrected and the last one is a prefix."""
    penalty, before = 0.0, []
    for word in query_words[:-1]:
        distance, corrected = 0.0, word
        if not vocabulary.foods(word):
            distance, corrected = next(iter(vocabulary.corrections(word, 1)), (0.0, word))
        penalty += distance
        before.append(corrected)
    readings = [
        Reading([*before, word], _literal([*before, word]).expression, True, penalty + distance)
        for distance, word in vocabulary.prefix_corrections(query_words[-1])
    ]
    if before != query_words[:-1] and (
        prefix_reading := _as_prefix([*before, query_words[-1]], vocabulary, len(before))
    ):
        readings.append(prefix_reading._replace(penalty=penalty))
    return readings


def _joined_or_split(query_words: list[str], vocabulary: Vocabulary) -> list[Reading]:
    readings = [_literal(joined, _JOINED) for joined in vocabulary.joined(query_words)]
    for at, word in enumerate(query_words):
        if not vocabulary.foods(word) and (halves := vocabulary.split(word)):
            readings.append(_literal([*query_words[:at], *halves, *query_words[at + 1 :]], _SPLIT))
    return readings


def _corrected(query_words: list[str], vocabulary: Vocabulary) -> list[Reading]:
    likely: list[tuple[float, list[str]]] = [(0.0, [])]
    for word in query_words:
        known = not word.isalpha() or vocabulary.foods(word)
        extra = _NOT_AS_TYPED if known else _SHORT_WORD if len(word) <= 3 else 0.0
        corrected = [(distance + extra, other) for distance, other in vocabulary.corrections(word)]
        choices = [(0.0, word), *corrected] if known else corrected
        longer = (
            (total + distance, [*words, choice])
            for total, words in likely
            for distance, choice in choices
        )
        likely = nsmallest(_CORRECTIONS + 1, longer)
    others = [
        _literal(words, distance, edits=distance)
        for distance, words in likely
        if words != query_words
    ]
    return others[:_CORRECTIONS]


def _with_words_dropped(query_words: list[str], vocabulary: Vocabulary) -> Iterator[list[Reading]]:
    content_words, typed, edits, unknown = [], [], [], []
    for word in query_words:
        distance, corrected = 0.0, word
        if not vocabulary.foods(word):
            distance, corrected = next(iter(vocabulary.corrections(word, 1)), (0.0, ""))
        if not corrected:
            unknown.append(word)
        elif corrected not in LINKING:
            content_words.append(corrected)
            typed.append(word)
            edits.append(distance)
    if content_words and content_words != [word for word in query_words if word not in LINKING]:
        yield [_literal(content_words, _WITHOUT, tuple(unknown), sum(edits))]
    weights = [
        0.15 * vocabulary.rarity(word) * (_OF_A_FORM if word in FORMS else 1.0)
        + (_DEFINING_WORD if word in _DEFINING else 0.0)
        for word in content_words
    ]
    weights[-1:] = [_LAST + weight for weight in weights[-1:]]
    sizes = {len(content_words) - 1, len(content_words) - 2, 1} & set(range(1, len(content_words)))
    for size in sorted(sizes, reverse=True):
        readings = []
        for kept in combinations(range(len(content_words)), size):
            left_out = [at for at in range(len(content_words)) if at not in kept]
            readings.append(
                _literal(
                    [content_words[at] for at in kept],
                    _WITHOUT + sum(weights[at] for at in left_out),
                    (*unknown, *(typed[at] for at in left_out)),
                    sum(edits[at] for at in kept),
                )
            )
        yield readings
