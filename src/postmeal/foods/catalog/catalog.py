"""A catalogue of foods: look up by id or barcode, search by name, complete what is typed."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from postmeal.assets import asset
from postmeal.errors import CatalogError, InputError, UnknownBarcode, UnknownFood
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import search as catalog_search
from postmeal.foods.catalog.connections import Connections
from postmeal.foods.catalog.file import APPLICATION_ID, KINDS, SCHEMA_VERSION, catalog_file
from postmeal.foods.catalog.readings import searched, typed
from postmeal.foods.catalog.row import DAMAGE, FOOD_COLUMNS, food_of
from postmeal.foods.catalog.search import Span
from postmeal.foods.catalog.suggestion import Suggestion, suggestions
from postmeal.foods.catalog.vocabulary import Remembered, Vocabulary
from postmeal.foods.food import Food, FoodKind
from postmeal.foods.id_ranges import FIRST_IMPORTED_ID
from postmeal.foods.words import words

__all__ = ["Catalog", "ListedFood", "Suggestion"]

_CACHED = 4096
_TIMEOUT_S = 5.0
_SUGGESTED = 12  # matches of each kind, or more where more are wanted, that are ranked
_FOOD = (
    f"SELECT category.name, {', '.join(f'food.{column}' for column in FOOD_COLUMNS)}"
    " FROM food JOIN category ON category.number = food.category WHERE place = ?"
)
_LISTED = (
    "SELECT food.place, food.id, words, head, also, brand_name, category.name"
    " FROM food JOIN category ON category.number = food.category"
    f" WHERE food.id < {FIRST_IMPORTED_ID} ORDER BY +food.place"  # +: by the index of ids
)
_HEADER = "PRAGMA application_id", "PRAGMA user_version", "PRAGMA page_size"


class ListedFood(NamedTuple):
    """What names a food that ships, as `postmeal.foods.catalog.ranking` splits names into words."""

    place: int
    id: int
    words: str
    head: int
    also: list[str]
    brand_name: str | None
    category: str


class Catalog:
    """An immutable catalogue of foods, safe to share between threads.

    Parameters
    ----------
    path : Path
        A SQLite file made by `postmeal.foods.catalog.file.build_catalog_file`.
    timeout_s : float, default=5
        Seconds after which a search that has not ended is given up.

    Attributes
    ----------
    version : str
        Version of the file's schema and a digest of its foods.

    Raises
    ------
    CatalogError
        The file is missing, damaged or of another version.

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

    def __init__(self, path: Path, *, timeout_s: float = _TIMEOUT_S) -> None:
        self.path = path
        self.timeout_s = timeout_s
        self._file = Connections(path)
        self.close = weakref.finalize(self, self._file.close)
        with self._file.reading(math.inf) as read:
            *header, page_bytes = (read(question, ())[0][0] for question in _HEADER)
            if header != [APPLICATION_ID, SCHEMA_VERSION]:
                message = f"{path.name} is no food catalogue of schema version {SCHEMA_VERSION}"
                raise CatalogError("damaged", message)
            if path.stat().st_size % page_bytes:  # SQLite notices only pages that are gone
                raise CatalogError("damaged", f"{path.name} was cut off")
            about = read(f"SELECT version, {', '.join(KINDS)} FROM catalogue", ())
        self.version, *counts = about[0]
        self._spans: list[Span] = []
        for kind, count in zip(KINDS, counts, strict=True):
            first = self._spans[-1].last + 1 if self._spans else 1
            self._spans.append(Span(kind, first, first + count - 1))
        reader = _Reader(self._file, self._spans)
        self._place_of = lru_cache(_CACHED)(reader.place_of)
        self._read_at = reader.food_at
        self._remembered = Remembered({}, {})
        self._food_at = lru_cache(_CACHED)(reader.food_at)

    @classmethod
    def open(cls, foods: Path | None = None) -> Catalog:
        """Open a catalogue, building its SQLite file from a table of foods the first time.

        A file that was built from a table and cannot be read any more is built anew.

        Parameters
        ----------
        foods : Path, optional
            A built catalogue file (``.sqlite3``), or a table in the format of
            `postmeal.foods.table` (``.csv.xz``); the shipped table when omitted.

        Returns
        -------
        Catalog
            The foods.

        Raises
        ------
        CatalogError
            The built file is missing, damaged or of another version.
        DataSetError
            The table is missing or damaged.
        """
        if foods is not None and foods.suffix == ".sqlite3":
            return cls(foods)
        table = foods or asset("data/foods.csv.xz")
        path = catalog_file(table)
        try:
            return cls(path)
        except CatalogError:  # damaged since it was built
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
        CatalogError
            The file is damaged or cannot be reached.
        """
        if not isinstance(food_id, int) or not 0 < food_id < 10**10:
            raise UnknownFood(food_id)
        return self._food_at(self._place_of(food_id))

    def search(
        self,
        query: str,
        *,
        kind: FoodKind | None = None,
        limit: int = 10,
        offset: int = 0,
        every_word: bool = False,
    ) -> list[Food]:
        """Find the foods whose names hold every word of a query.

        Case, accents and plurals do not count. If no food holds every word, the last word may be
        the beginning of a longer one, or words are mistyped; if that finds nothing either, foods
        are found that hold all words but one, or but two.

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
        every_word : bool, default=False
            Find nothing rather than a food that lacks a word of the query.

        Returns
        -------
        list of Food
            The best match first; empty when nothing matches.

        Raises
        ------
        InputError
            `limit` or `offset` is negative, or the kind is none.
        CatalogError
            The file is damaged, cannot be reached or does not answer in time.
        """
        if limit < 0:
            raise InputError("limit", "must be zero or more", limit)
        if offset < 0:
            raise InputError("offset", "must be zero or more", offset)
        asked = words(query)
        if not asked or limit == 0:
            return []
        spans = self._of(kind)
        with self._file.reading(self.timeout_s) as read:
            readings = searched(asked, Vocabulary(read, len(self), self._remembered), every_word)
            found = catalog_search.search(read, readings, spans)
            places = catalog_search.page(read, found, limit, offset) if found else []
        return [self._food_at(place) for place in places]

    def suggest(
        self, text: str, *, kind: Literal["generic", "branded"] | None = None, limit: int = 8
    ) -> list[Suggestion]:
        """Complete what is being typed: the last word may be the beginning of one.

        Parameters
        ----------
        text : str
            What was typed so far; fewer than two letters or digits suggest nothing.
        kind : {"generic", "branded"}, optional
            Only foods of this kind; both, and all generic ones first, when omitted. Recipes are
            never suggested.
        limit : int, default=8
            At most this many.

        Returns
        -------
        list of Suggestion
            The best match first within its kind.

        Raises
        ------
        InputError
            The kind is none.
        CatalogError
            The index is damaged, cannot be reached or does not answer in time.
        """
        if sum(character.isalnum() for character in text) < 2 or limit < 1:
            return []
        considered = max(limit, _SUGGESTED)
        spans = [span for span in self._of(kind) if span.kind != "recipe"]
        with self._file.reading(self.timeout_s) as read:
            for readings in typed(words(text), Vocabulary(read, len(self), self._remembered)):
                shown: list[tuple[FoodKind, int]] = []
                for span in spans:
                    found = None
                    if len(shown) < limit:
                        found = catalog_search.search(read, [readings], [span], considered)
                    if found:
                        places = found.places[: limit - len(shown)]
                        shown += [(span.kind, place) for place in places]
                if shown:
                    return suggestions(read, shown)
        return []

    def barcode(self, code: str) -> Food:
        """Look up a product by its barcode in any form.

        Parameters
        ----------
        code : str
            6 to 14 digits: UPC-E, EAN-8, UPC-A, EAN-13 or GTIN-14.

        Returns
        -------
        Food
            The product.

        Raises
        ------
        InputError
            It is not 6 to 14 digits.
        UnknownBarcode
            No food has it, or its check digit is wrong.
        CatalogError
            The file is damaged, cannot be reached or does not answer in time.
        """
        with self._file.reading(self.timeout_s) as read:
            for gtin in possible_gtins(code):
                if found := read("SELECT place FROM food WHERE barcode = ?", (int(gtin),)):
                    return self._food_at(found[0][0])
        raise UnknownBarcode(code)

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
        with self._file.reading(self.timeout_s) as read:
            found = read("SELECT place FROM everyday WHERE name = ?", (" ".join(words(name)),))
        return self._food_at(found[0][0]) if found else None

    def foods(self, kind: FoodKind) -> Iterator[Food]:
        """Read every food of a kind, the most popular first: for thousands, not for millions.

        Raises
        ------
        InputError
            The kind is none.
        CatalogError
            The file is damaged or cannot be reached.
        """
        for span in self._of(kind):
            yield from map(self._read_at, range(span.first, span.last + 1))

    def listed(self) -> list[ListedFood]:
        """List the names of the foods that ship, in the order of the file.

        Raises
        ------
        CatalogError
            The file is damaged or cannot be reached.
        """
        with self._file.reading(math.inf) as read:
            rows = read(_LISTED, ())
        return [
            ListedFood(place, food_id, name, head, also.split(";") if also else [], *rest)
            for place, food_id, name, head, also, *rest in rows
        ]

    def __len__(self) -> int:
        return self._spans[-1].last

    def _of(self, kind: FoodKind | None) -> list[Span]:
        if kind not in (None, *KINDS):
            raise InputError("kind", "must be one of", kind, allowed=KINDS)
        return [span for span in self._spans if kind in (None, span.kind)]


class _Reader:
    """Reads one food; apart from the catalogue, so that its cache does not keep that alive."""

    def __init__(self, file: Connections, spans: list[Span]) -> None:
        self.file = file
        self.spans = spans

    def place_of(self, food_id: int) -> int:
        with self.file.reading(math.inf) as read:
            found = read("SELECT place FROM food WHERE id = ?", (food_id,))
        if not found:
            raise UnknownFood(food_id)
        return int(found[0][0])

    def food_at(self, place: int) -> Food:
        with self.file.reading(math.inf) as read:
            found = read(_FOOD, (place,))
        kind = next(span.kind for span in self.spans if place <= span.last)
        try:
            category, *row = found[0]
            return food_of(kind, category, row)
        except DAMAGE as error:
            raise CatalogError("damaged", f"the food at place {place} is damaged") from error
