"""Compile places and menus into a places file, and replace an existing file atomically."""

from __future__ import annotations

import hashlib
import marshal
import os
import sqlite3
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import cache
from itertools import chain as chained
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.assets import asset
from postmeal.errors import DataSetError
from postmeal.foods.catalog.vocabulary import add_misspellings
from postmeal.foods.id_ranges import FIRST_MENU_ID, LAST_MENU_ID
from postmeal.foods.table import read_table
from postmeal.foods.words import words
from postmeal.restaurants.chains import chains
from postmeal.restaurants.file import (
    APPLICATION_ID,
    PLACES_SCHEMA,
    SCHEMA_VERSION,
    append_arrays,
)
from postmeal.restaurants.menus import ImportedDish, dish_text, dish_words, menu_key
from postmeal.restaurants.names import searchable_words
from postmeal.restaurants.near import ROWS, latitude_rows
from postmeal.restaurants.place import Place

_BATCH = 5_000
_APPLICATION = slice(68, 72)  # position in the SQLite header (file format, section 1.3)
_STAGED = """
CREATE TEMP TABLE staged (
    id TEXT PRIMARY KEY, latitude REAL, longitude REAL, name TEXT, brand TEXT, chain TEXT,
    menu TEXT, city TEXT, address1 TEXT, address2 TEXT, cuisines TEXT, diets TEXT, source TEXT
);
CREATE TEMP TABLE name (
    number INTEGER PRIMARY KEY, name TEXT, chain TEXT, menu TEXT
);
"""
_SORTED = (  # computes the same rows as `latitude_rows`
    f"ORDER BY min(CAST((latitude + 90) * {ROWS / 180} AS INTEGER), {ROWS - 1}),"
    " longitude, latitude, id"
)
_SAME_NAME = "name.name = staged.name AND name.chain = staged.chain AND name.menu = staged.menu"

Duplicate = Callable[[str], object]


def compile_places(
    places: Iterable[Place],
    output: Path,
    dishes: Iterable[ImportedDish] = (),
    *,
    duplicate: Duplicate = lambda place_id: None,
) -> int:
    """Write a places file, replacing an existing file atomically or not at all."""
    _refuse_other_file(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=output.stem, suffix=".part", dir=output.parent)
    os.close(handle)
    path = Path(name)
    try:
        count = _write(path, places, dishes, duplicate)
        mask = os.umask(0)
        os.umask(mask)
        path.chmod(0o666 & ~mask)
        os.replace(path, output)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return count


def _write(
    path: Path, places: Iterable[Place], dishes: Iterable[ImportedDish], duplicate: Duplicate
) -> int:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
            f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
            f"PRAGMA temp_store=FILE; {PLACES_SCHEMA} {_STAGED} BEGIN;"
        )
        postings, digest = _Postings(), hashlib.blake2b(digest_size=8)
        menus, dish_menus = _write_dishes(database, dishes, postings, digest)
        _stage(database, places, menus, duplicate)
        arrays = _name_arrays(database, menus, postings) | {"dish_menus": dish_menus}
        arrays |= _place_arrays(database, digest)
        arrays["postings"] = postings.write(database)
        database.execute("CREATE UNIQUE INDEX place_id ON place (id)")
        for block in arrays.values():
            digest.update(np.ascontiguousarray(block).data)
        database.execute("COMMIT")
    version = f"{SCHEMA_VERSION}-{digest.hexdigest()}"
    append_arrays(path, arrays, version, postings.size)
    return len(arrays["latitudes"])


class _Postings:
    """Collect the numbers of the names and dishes that contain each word."""

    def __init__(self) -> None:
        self._words: dict[tuple[str, str], int] = {}
        self._of_word = array("I")
        self._numbers = array("I")
        self.size = 0

    def add(self, kind: str, found: Iterable[str], number: int) -> None:
        for word in found:
            self._of_word.append(self._words.setdefault((kind, word), len(self._words)))
            self._numbers.append(number)

    def write(self, database: sqlite3.Connection) -> NDArray[np.uint32]:
        """Write the vocabulary with the position of each word's postings; return the postings."""
        of_word = np.frombuffer(self._of_word, np.uint32)
        numbers = np.frombuffer(self._numbers, np.uint32)
        order = np.lexsort((numbers, of_word))
        counts = np.bincount(of_word, minlength=len(self._words))
        starts = np.cumsum(counts) - counts
        database.executemany(
            "INSERT INTO posting VALUES (?, ?, ?, ?)",
            (
                (kind, word, int(starts[at]), int(counts[at]))
                for (kind, word), at in sorted(self._words.items())
            ),
        )
        frequency = _food_words().copy()
        for (_, word), at in self._words.items():
            frequency[word] += int(counts[at])
        self.size = len(frequency)
        database.executemany("INSERT INTO vocabulary VALUES (?, ?)", sorted(frequency.items()))
        add_misspellings(database)
        return numbers[order]


def _write_dishes(
    database: sqlite3.Connection,
    dishes: Iterable[ImportedDish],
    postings: _Postings,
    digest: hashlib.blake2b,
) -> tuple[dict[str, int], NDArray[np.uint32]]:
    """Write the menu items, and return the number of each menu and the menu of each item."""
    by_key = {dish.key: dish for dish in dishes}
    ids = dish_ids(by_key)
    ordered = sorted(by_key.values(), key=lambda dish: (dish.menu, dish.food.name, ids[dish.key]))
    menus: dict[str, int] = {}
    dish_menus = np.empty(len(ordered), np.uint32)
    known = _food_words() if ordered else {}
    for number, dish in enumerate(ordered):
        dish_menus[number] = menus.setdefault(dish.menu, len(menus))
        postings.add("dish", dish_words(dish.food.name, known), number)
        postings.add("restaurant", set(words(dish.restaurant)), number)
    for number, dish in enumerate(ordered):
        text = dish_text(dish.food)
        digest.update(f"{ids[dish.key]} {dish.key} {text}".encode())
        values = (number, ids[dish.key], dish.key, int(dish_menus[number]), text)
        database.execute("INSERT INTO dish VALUES (?, ?, ?, ?, ?)", values)
    return menus, dish_menus


def dish_ids(keys: Iterable[str]) -> dict[str, int]:
    """Return a food ID for the key of each menu item: a hash of the key, or the next free ID."""
    size = LAST_MENU_ID - FIRST_MENU_ID + 1
    taken: set[int] = set()
    ids = {}
    for key in sorted(keys):
        offset = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) % size
        while offset in taken:
            offset = (offset + 1) % size
        taken.add(offset)
        ids[key] = FIRST_MENU_ID + offset
    return ids


def _stage(
    database: sqlite3.Connection,
    places: Iterable[Place],
    menus: Mapping[str, int],
    duplicate: Duplicate,
) -> None:
    insert = f"INSERT OR IGNORE INTO staged VALUES ({', '.join('?' * 13)})"
    for place in places:
        if not database.execute(insert, _staged(place, menus)).rowcount:
            duplicate(place.id)


def _staged(place: Place, menus: Mapping[str, int]) -> tuple[Any, ...]:
    menu = f"id:{place.id}"
    if menu not in menus:
        menu = menu_key(place.chain or place.name) if menus else ""
    return (
        place.id, place.latitude, place.longitude, place.name, place.brand, place.chain or "",
        menu if menu in menus else "", place.city, place.address1, place.address2,
        ";".join(place.cuisines), ";".join(place.diets), place.source,
    )  # fmt: skip


def _name_arrays(
    database: sqlite3.Connection, menus: Mapping[str, int], postings: _Postings
) -> dict[str, NDArray[Any]]:
    """Number the names of places in alphabetical order, and index their words."""
    database.execute(
        "INSERT INTO temp.name (name, chain, menu) SELECT DISTINCT name, chain, menu FROM staged"
        " ORDER BY name COLLATE NOCASE, name, chain, menu"
    )
    database.execute("CREATE INDEX temp.same_name ON name (name, chain, menu)")
    numbers = {name: number for number, name in enumerate(chains())}
    database.executemany(
        "INSERT INTO chain VALUES (?, ?)", ((number, name) for name, number in numbers.items())
    )
    chain_numbers, menu_numbers = array("i"), array("i")
    for number, name, chain, menu in database.execute("SELECT * FROM temp.name ORDER BY number"):
        chain_numbers.append(numbers.get(chain, -1))
        menu_numbers.append(menus.get(menu, -1))
        postings.add("name", searchable_words(name, chains().get(chain)), number - 1)
    return {
        "name_chains": np.array(chain_numbers, np.int32),
        "name_menus": np.array(menu_numbers, np.int32),
    }


def _place_arrays(database: sqlite3.Connection, digest: hashlib.blake2b) -> dict[str, NDArray[Any]]:
    """Write the places in the order of the file, and return the arrays of the index."""
    (count,) = database.execute("SELECT count(*) FROM staged").fetchone()
    latitudes, longitudes = np.empty(count), np.empty(count)
    names = np.empty(count, np.uint32)
    columns = (
        "staged.id, staged.name, brand, city, address1, address2, cuisines, diets, source,"
        " latitude, longitude, name.number - 1"
    )
    found = database.execute(
        f"SELECT {columns} FROM staged JOIN temp.name AS name ON {_SAME_NAME} {_SORTED}"
    )
    insert = f"INSERT INTO place VALUES ({', '.join('?' * 10)})"
    done = 0
    while batch := found.fetchmany(_BATCH):
        end = done + len(batch)
        texts = [(done + at, *row[:9]) for at, row in enumerate(batch)]
        digest.update(marshal.dumps(texts, 2))
        database.executemany(insert, texts)
        latitudes[done:end], longitudes[done:end], names[done:end] = zip(
            *(row[9:] for row in batch), strict=True
        )
        done = end
    id_ranks = np.empty(count, np.uint32)
    by_id = np.fromiter(
        chained.from_iterable(database.execute("SELECT number FROM place ORDER BY id")), np.int64
    )
    id_ranks[by_id] = np.arange(count, dtype=np.uint32)
    rows = latitude_rows(latitudes)
    n_names = database.execute("SELECT count(*) FROM temp.name").fetchone()[0]
    return {
        "latitudes": latitudes,
        "longitudes": longitudes,
        "names": names,
        "id_ranks": id_ranks,
        "row_starts": np.searchsorted(rows, np.arange(ROWS + 1)).astype(np.uint32),
        "by_name": np.lexsort((id_ranks, names)).astype(np.uint32),
        "name_starts": np.searchsorted(np.sort(names), np.arange(n_names + 1)).astype(np.uint32),
    }


@cache
def _food_words() -> Counter[str]:
    """Count the words of the shipped foods, which are not misspellings, without names of chains."""
    counts = Counter(
        word for food in read_table(asset("data/foods.csv.xz")) for word in words(food.name)
    )
    for chain in chains().values():
        for word in {word for spelling in chain.spellings for word in spelling}:
            counts.pop(word, None)
    return counts


def _refuse_other_file(output: Path) -> None:
    """Raise a DataSetError if the output exists and is not a places file."""
    if not output.exists():
        return
    try:
        with output.open("rb") as file:
            header = file.read(_APPLICATION.stop)
    except OSError as error:
        raise DataSetError(
            f"{output} cannot be replaced: {error.strerror}; choose another file for the output"
        ) from error
    if header and header[_APPLICATION] != APPLICATION_ID.to_bytes(4, "big"):
        raise DataSetError(
            f"{output} exists and is not a places file; choose another file for the output"
        )
