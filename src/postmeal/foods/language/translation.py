"""Translate foods and amounts from other languages into English.

The table in `postmeal.foods.foreign_names` lists common foods and, for the languages in
`LANGUAGES`, the words around them, such as numbers and measures. The author of the table had
already read the open half of the test meals in tests/relevance/blind_meals, so the test results on
that half are optimistic.

A text is translated as a whole if enough of it is in one of `LANGUAGES`. In other texts, such as "2
phulke and dal", only words that do not occur in English names of foods are translated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from postmeal.foods.foreign_names import Saying, read_sayings
from postmeal.foods.language.thresholds import Tuning
from postmeal.words.spans import Edit
from postmeal.words.tokens import Token, plain_word, tokens_of

LANGUAGES = ("es", "fr", "de", "it", "pt", "hi")
"""ISO 639-1 codes of the languages from which common foods are translated."""

_SHORTEST_ALONE = 4  # minimum number of letters of a word that is translated in an English text
_SENTENCE = 4  # number of words; shorter texts may be names of dishes, such as "chili con carne"
_OF = " of"
_JOINS = frozenset({"and", "with", "without", "no", "then", "also"})


def language_of(
    tokens: Sequence[Token], known: Callable[[str], bool], tuning: Tuning
) -> str | None:
    """Return the language of a text if it is one of `LANGUAGES`."""
    n_words = sum(token.kind == "word" for token in tokens)
    english = {"a", "an"} | _ENGLISH_ONLY
    may_be_whole = n_words >= _SENTENCE and not any(token.word in english for token in tokens)
    best, most = None, 0.0
    for language in LANGUAGES:
        said = 0.0
        connects, n_found = False, 0
        for start, end, sayings in _found(tokens, (language,)):
            n_found += end - start
            for token in tokens[start:end]:
                foreign = not known(token.word) and token.word not in _ENGLISH
                said += 1.0 if foreign else tuning.shared_word
            words = {token.word for token in tokens[start:end]}
            connects = connects or not (sayings[0].is_food or words & _ENGLISH)
        if connects and may_be_whole and n_found >= tuning.whole_share * n_words:
            # The names of dishes contain every word of texts such as "dos huevos con tostada".
            said = max(said, n_found)
        if said > most:
            best, most = language, said
    return best if most >= max(1.5, tuning.foreign_share * n_words) else None


def translations(
    tokens: Sequence[Token],
    known: Callable[[str], bool],
    named: Callable[[str], bool],
    tuning: Tuning,
) -> tuple[Edit, ...]:
    """Translate the words of a text that are in another language."""
    if all(token.word not in _sayings() or token.word in _ENGLISH for token in tokens):
        return ()
    language = language_of(tokens, known, tuning)
    mixed = not _ENGLISH_ONLY.isdisjoint(token.word for token in tokens)
    edits: list[Edit] = []
    for start, end, sayings in _found(tokens, LANGUAGES):
        mine = [saying for saying in sayings if saying.language == language]
        said = " ".join(token.word for token in tokens[start:end])
        is_name = any(saying.is_food for saying in sayings) and named(said)
        if is_name and (end - start > 1 or language is None):
            continue
        if mine and not (mixed and end - start == 1 and said in _ENGLISH):
            saying = mine[0]
        elif any(
            known(token.word) or token.word in _ENGLISH or len(token.word) < _SHORTEST_ALONE
            for token in tokens[start:end]
        ):
            continue
        else:
            saying = sayings[0]
        meant = saying.meant
        if meant.endswith(_OF) and not _names_follow(tokens, end, language):
            meant = meant.removesuffix(_OF)
        edits.append(Edit(tokens[start].start, tokens[end - 1].end, meant))
    return tuple(edits)


def _names_follow(tokens: Sequence[Token], place: int, language: str | None) -> bool:
    """Return whether the next word can name a food, as in "vaso de leche"."""
    if place >= len(tokens) or tokens[place].kind != "word":
        return False
    sayings = _sayings().get(tokens[place].word, ())
    return not any(
        saying.language == language and saying.meant in _JOINS
        for said, meant in sayings
        for saying in meant
        if len(said) == 1
    )


def _found(
    tokens: Sequence[Token], languages: Sequence[str]
) -> list[tuple[int, int, tuple[Saying, ...]]]:
    """Find the longest known expressions of the given languages, from left to right."""
    sayings = _sayings()
    found: list[tuple[int, int, tuple[Saying, ...]]] = []
    place = 0
    while place < len(tokens):
        for said, meant in sayings.get(tokens[place].word, ()):
            end = place + len(said)
            if tuple(token.word for token in tokens[place:end]) != said:
                continue
            if mine := tuple(one for one in meant if one.language in languages):
                found.append((place, end, mine))
                place = end
                break
        else:
            place += 1
    return found


@lru_cache(1)
def _sayings() -> dict[str, tuple[tuple[tuple[str, ...], tuple[Saying, ...]], ...]]:
    """Return the known expressions by their first word, longest expressions first."""
    sayings: dict[tuple[str, ...], tuple[Saying, ...]] = {}
    for one in read_sayings():
        if one.language in LANGUAGES:
            said = tuple(token.word for token in tokens_of(plain_word(one.said)))
            sayings[said] = (*sayings.get(said, ()), one)
    begins: dict[str, tuple[tuple[tuple[str, ...], tuple[Saying, ...]], ...]] = {}
    for said in sorted(sayings, key=len, reverse=True):
        begins[said[0]] = (*begins.get(said[0], ()), (said, sayings[said]))
    return begins


_ENGLISH_ONLY = frozenset({"and", "with", "of", "the", "for", "had", "my"})
_ENGLISH_TEXT = """
a ail all also am an and as at ate bol both bra burro but by car chair col come das date dates
demi den der des die do du each el er es fin five for four gin grande gut had hat have i in is
it la large latte le less main male mare mate me media mine more my no of on one or pain pan
panna par petit petite plus rot rum sale salsa sans six so solo some son tea tel ten that the
then this three to tot two um us uva van war was with without
"""
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
"""Words of other languages that are also English words."""
