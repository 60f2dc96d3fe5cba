"""The shipped foods: look up by id, search by name."""

from __future__ import annotations

import json
import sqlite3
import weakref
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from postmeal.assets import asset
from postmeal.errors import InputError, UnknownFood
from postmeal.foods.catalog_file import catalog_file
from postmeal.foods.food import Food, FoodKind, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.foods.ranking import cost, words

__all__ = ["Catalog"]

_RERANKED = 200
_CACHED = 4096
_FOOD = (
    "SELECT id, name, kind, category, brand_name, glycemic_index, gi_source, servings, amounts"
    " FROM food WHERE id = ?"
)
_MATCHES = (
    "SELECT food.place, food.id, food.words, food.head, food.also"
    " FROM food_words JOIN food ON food.place = food_words.rowid"
    " WHERE food_words MATCH :words AND food_words.rowid > :after"
    " AND (:kind IS NULL OR food.kind = :kind)"
    " ORDER BY food_words.rowid LIMIT :limit"
)


class Catalog:
    """An immutable catalogue of foods, safe to share between threads.

    Parameters
    ----------
    path : Path
        A SQLite file made by `postmeal.foods.catalog_file.build_catalog_file`.

    Examples
    --------
    >>> catalog = Catalog.open()
    >>> banana = catalog.search("banana")[0]
    >>> banana.name, banana.default_serving.weight_g
    ('Bananas, raw', 118.0)
    >>> round(banana.nutrients["carbs_g"], 1)
    27.0
    >>> catalog.food(banana.id) is banana
    True
    >>> len(catalog) > 12_000
    True
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        uri = path.resolve().as_uri() + "?mode=ro&immutable=1"
        self._database = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._lock = Lock()
        self.close = weakref.finalize(self, self._database.close)
        self._length = int(self._all("SELECT count(*) FROM food", ())[0][0])
        self._cached_food = lru_cache(_CACHED)(_Reader(self._database, self._lock))

    @classmethod
    def open(cls, table: Path | None = None) -> Catalog:
        """Open the catalogue of a table of foods, building its SQLite file the first time.

        A file that cannot be read any more is built anew.

        Parameters
        ----------
        table : Path, optional
            A table in the format of `postmeal.foods.table`; the shipped one when omitted.

        Returns
        -------
        Catalog
            The foods.

        Raises
        ------
        DataSetError
            The table is missing or damaged.
        """
        table = table or asset("data/foods.csv.xz")
        path = catalog_file(table)
        try:
            return cls(path)
        except sqlite3.DatabaseError:  # damaged since it was built
            path.unlink(missing_ok=True)
            return cls(catalog_file(table))

    def food(self, food_id: int) -> Food:
        """Look up a food by its id.

        Parameters
        ----------
        food_id : int
            The food's number.

        Returns
        -------
        Food
            The food with all its servings; the same object at each call, while it is cached.

        Raises
        ------
        UnknownFood
            No food has this id.
        """
        if not isinstance(food_id, int) or not 0 < food_id < 10**10:
            raise UnknownFood(food_id)
        return self._cached_food(food_id)

    def search(
        self, query: str, *, kind: FoodKind | None = None, limit: int = 10, offset: int = 0
    ) -> list[Food]:
        """Find the foods whose names hold every word of a query.

        Case, accents and plurals do not count. If no food holds every word, the last word may be
        the beginning of a longer one.

        Parameters
        ----------
        query : str
            Words of a name, a brand or an everyday name.
        kind : {"generic", "branded", "recipe"}, optional
            Only foods of this kind.
        limit : int, default=10
            At most this many foods, 0 or more.
        offset : int, default=0
            Leave out this many of the best. Pages of one query join without gap or overlap.

        Returns
        -------
        list of Food
            The best match first; empty when nothing matches.

        Raises
        ------
        InputError
            `limit` or `offset` is negative.
        """
        if limit < 0:
            raise InputError("limit", "must be zero or more", limit)
        if offset < 0:
            raise InputError("offset", "must be zero or more", offset)
        asked = words(query)
        if not asked or limit == 0:
            return []
        for expression in (_all_words(asked), _all_words(asked) + "*"):
            best = self._matches(expression, kind, after=0, limit=_RERANKED)
            if best:
                break
        ids = [match[1] for match in sorted(best, key=lambda match: _cost(asked, match))]
        if offset + limit > len(ids) and len(best) == _RERANKED:
            wanted = offset + limit - len(ids)
            rest = self._matches(expression, kind, after=best[-1][0], limit=wanted)
            ids += [match[1] for match in rest]
        return [self._cached_food(food_id) for food_id in ids[offset : offset + limit]]

    def everyday(self, name: str) -> Food | None:
        """Find the food that an everyday name means: of "toast", toasted white bread.

        Parameters
        ----------
        name : str
            What people call it; case, accents and plurals do not count.

        Returns
        -------
        Food or None
            None when this is nobody's everyday name.
        """
        found = self._all("SELECT food_id FROM everyday WHERE name = ?", (" ".join(words(name)),))
        return self._cached_food(found[0][0]) if found else None

    def __len__(self) -> int:
        return self._length

    def _matches(
        self, expression: str, kind: FoodKind | None, after: int, limit: int
    ) -> list[tuple[Any, ...]]:
        values = {"words": expression, "kind": kind, "after": after, "limit": limit}
        return self._all(_MATCHES, values)

    def _all(self, sql: str, values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._database.execute(sql, values).fetchall()


class _Reader:
    """Reads one food; apart from the catalogue, so that its cache does not keep that alive."""

    def __init__(self, database: sqlite3.Connection, lock: Lock) -> None:
        self.database = database
        self.lock = lock

    def __call__(self, food_id: int) -> Food:
        with self.lock:
            row = self.database.execute(_FOOD, (food_id,)).fetchone()
        if row is None:
            raise UnknownFood(food_id)
        number, name, kind, category, brand_name, index, gi_source, servings, amounts = row
        portions = json.loads(servings)
        default_g = portions[0][3]
        return Food(
            id=number,
            name=name,
            kind=kind,
            category=category,
            nutrients=Nutrients.of_amounts(np.frombuffer(amounts) * (default_g / 100)),
            servings=tuple(
                Serving(serving_id, quantity, unit, grams / default_g, grams, place == 0)
                for place, (serving_id, quantity, unit, grams) in enumerate(portions)
            ),
            brand_name=brand_name,
            glycemic_index=index,
            gi_source=gi_source,
        )


def _all_words(asked: list[str]) -> str:
    return " ".join(f'"{word}"' for word in asked)


def _cost(asked: list[str], match: tuple[Any, ...]) -> tuple[float, int]:
    place, _, name, head, also = match
    return cost(asked, name.split(), head, also.split(";"), place), place
