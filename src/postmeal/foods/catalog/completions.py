"""Complete partly typed food names.

A typed text can match the beginning of an everyday name, of the displayed name, of a word in the
first everyday name, or of a part of the publisher's name between commas. It cannot match a later
word in one of the other everyday names.

Each name or ending of a name that can be matched is stored with a cost, so that only one range of
an index is read for a typed text. The ranges for two and three letters are long. Therefore, the
best completions of these prefixes are stored separately.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from postmeal.foods.catalog.ranking import FORMS, LINKING
from postmeal.foods.catalog.row import FoodRow
from postmeal.foods.catalog.search import Found
from postmeal.foods.catalog.vocabulary import Read
from postmeal.foods.words import name_words, words

COMPLETION_SCHEMA = """
CREATE TABLE completion (
    text TEXT,                      -- a name as words, from the beginning of one of them
    place INTEGER,
    cost REAL NOT NULL,
    PRIMARY KEY (text, place)
) WITHOUT ROWID;
CREATE TABLE short_completion (
    prefix TEXT,                    -- two or three letters
    cost REAL,
    place INTEGER,
    PRIMARY KEY (prefix, cost, place)
) WITHOUT ROWID;
"""

_SHORT = (2, 3)  # lengths of the prefixes whose best completions are stored separately
_STORED = 40  # number of completions stored for each of these prefixes
_OTHER_NAME, _RANK = 0.3, 0.05  # costs of any later everyday name, and of each name before it
_OWN_NAME, _WORD, _PART = (
    0.5,
    1.2,
    1.4,
)  # costs of the publisher's name, of a later word, and of a later part
_FORM, _HIDDEN = (
    1.0,
    1.5,
)  # costs of names such as "cooked carrot", and "pizza cheese" for mozzarella
_LENGTH = 0.35  # cost of each word of the name
_WHOLE = 0.5  # bonus if the last word typed is a whole word
_LONGEST = 64  # maximum number of letters in a stored text
_LAST = "\U0010ffff"
_FOUND = (
    "SELECT text, place, cost FROM completion WHERE text >= ? AND text < ? ORDER BY cost, place"
    " LIMIT ?"
)
_NAMES = "SELECT place, words, head, also FROM food WHERE place IN ({})"
_FOUND_SHORT = (
    "SELECT prefix, place, cost FROM short_completion WHERE prefix = ? ORDER BY cost, place LIMIT ?"
)


def beginnings(row: FoodRow, standing: int) -> dict[str, float]:
    """Return the texts that typeahead can complete to a food, each with a cost."""
    found: dict[str, float] = {}
    popularity = 0.4 * math.log2(1 + standing / 100)
    for name, cost in _names(row):
        text = " ".join(name)[:_LONGEST]
        total = popularity + cost + _LENGTH * (len(name) - 1)
        found[text] = min(total, found.get(text, math.inf))
    return found


def completed(read: Read, text: str, limit: int) -> list[int]:
    """Return the places (row numbers) of foods whose names begin with a text, best match first."""
    best: dict[int, float] = {}
    for prefixes in _prefixes(text):
        for prefix in prefixes:
            for name, place, cost in _found(read, prefix, 4 * limit):
                is_whole = len(prefix) not in _SHORT and name[len(prefix) :][:1] in ("", " ")
                total = cost - _WHOLE if is_whole else cost
                best[place] = min(total, best.get(place, math.inf))
        if best:
            break
    return sorted(best, key=lambda place: (best[place], place))[:limit]


def named(read: Read, found: Found) -> list[int]:
    """Return the places (row numbers) of the foods that have all words of the query in one name.

    Foods that have the words in different names, which the index also finds, are omitted. If the
    query is a single word, it must help to identify the food or begin an everyday name.
    """
    marks = ",".join("?" * len(found.places))
    names = {
        place: (f" {own}", head, [f" {name}" for name in also.split(";")])
        for place, own, head, also in read(_NAMES.format(marks), found.places)
    }
    starts = [f" {word}" for word in found.reading.words]

    def is_called(place: int) -> bool:
        own, head, also = names[place]
        if len(starts) > 1:
            return any(all(start in name for start in starts) for name in (own, *also))
        identifying = " ".join(own.split(" ")[: head + 1])
        return starts[0] in identifying or any(name.startswith(starts[0]) for name in also)

    return [place for place in found.places if is_called(place)]


def build_short_completions(database: sqlite3.Connection) -> None:
    """Store the best completions of each short prefix in the table ``short_completion``."""
    for letters in _SHORT:
        database.execute(
            "INSERT INTO short_completion SELECT prefix, cost, place FROM ("
            " SELECT prefix, place, cost,"
            " row_number() OVER (PARTITION BY prefix ORDER BY cost, place) AS number FROM ("
            "  SELECT substr(text, 1, ?) AS prefix, place, min(cost) AS cost FROM completion"
            "  WHERE length(text) >= ? GROUP BY substr(text, 1, ?), place))"
            " WHERE number <= ?",
            (letters, letters, letters, _STORED),
        )


def _found(read: Read, prefix: str, limit: int) -> list[tuple[Any, ...]]:
    if len(prefix) in _SHORT:
        return read(_FOUND_SHORT, (prefix, limit))
    return read(_FOUND, (prefix, prefix + _LAST, limit))


def _names(row: FoodRow) -> Iterator[tuple[Sequence[str], float]]:
    """Yield each name of a food, and its endings from which a match may begin, with their costs."""
    also = [name.split() for name in row.also.split(";")] if row.also else []
    spoken, head = name_words(row.name)
    for rank, name in enumerate(also):
        cost = _OTHER_NAME + _RANK * min(rank, 9) if rank else 0.0
        if len(name) > 1 and name[0] in FORMS:
            cost += _FORM
        elif rank and len(name) > 1 and name[0] not in spoken:
            cost += _HIDDEN
        yield name, cost
    yield spoken, _OWN_NAME
    for name, cost in ((also[0] if also else [], _WORD), (spoken[:head], _OWN_NAME + _WORD)):
        for at in range(1, len(name)):
            if name[at] not in LINKING:
                yield name[at:], cost
    if row.display_name and (shown := words(row.display_name)) not in (spoken, *also):
        yield shown, _OWN_NAME
    for part in row.name.split(",")[1:]:
        if name := words(part):
            yield name, _OWN_NAME + _PART


def _prefixes(text: str) -> list[list[str]]:
    """Return the prefixes to look up for a text: as typed, then without a plural ending."""
    typed = words(text)
    if not typed:
        return []
    normalized = " ".join(typed)
    last = "".join(letter for letter in text.casefold().split()[-1] if letter.isalnum())
    prefixes = [[normalized]]
    if last.startswith(typed[-1]) and last != typed[-1]:  # "chees" may be the beginning of "cheese"
        prefixes.insert(0, [" ".join((*typed[:-1], last))])
    if normalized.endswith("i"):  # "berri" begins "berries", which is stored as "berry"
        prefixes[-1].append(normalized[:-1] + "y")
    return prefixes
