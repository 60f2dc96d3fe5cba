"""A catalog of foods: lookup by ID or barcode, search by name, typeahead."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from postmeal.arguments import check_type, check_whole, path_of
from postmeal.assets import asset
from postmeal.errors import CatalogError, InputError, UnknownBarcode, UnknownFood
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import search as catalog_search
from postmeal.foods.catalog.confidence import is_answer
from postmeal.foods.catalog.connections import Connections
from postmeal.foods.catalog.file import APPLICATION_ID, KINDS, SCHEMA_VERSION, catalog_file
from postmeal.foods.catalog.found_foods import FoundFoods, as_typed
from postmeal.foods.catalog.readings import search_readings
from postmeal.foods.catalog.row import DAMAGE, FOOD_COLUMNS, food_from_row
from postmeal.foods.catalog.search import Span
from postmeal.foods.catalog.suggestion import Suggestion, suggested, suggestions
from postmeal.foods.catalog.vocabulary import Vocabulary, WordCache
from postmeal.foods.catalog.wordings import wordings
from postmeal.foods.emoji import with_emoji_named
from postmeal.foods.food import CatalogKind, Food
from postmeal.foods.id_ranges import FIRST_IMPORTED_ID
from postmeal.foods.words import words

_CACHE_SIZE = 4096
_TIMEOUT_S = 5.0
_FOOD = (
    f"SELECT category.name, {', '.join(f'food.{column}' for column in FOOD_COLUMNS)}"
    " FROM food JOIN category ON category.number = food.category WHERE place = ?"
)
_LISTED = (
    "SELECT food.place, food.id, words, head, also, brand_name, category.name"
    " FROM food JOIN category ON category.number = food.category"
    f" WHERE food.id < {FIRST_IMPORTED_ID} ORDER BY +food.place"  # "+": SQLite uses the index on id
)
_SECTIONS: dict[CatalogKind, tuple[CatalogKind, ...]] = {
    "generic": ("generic", "dish"),
    "dish": ("dish", "recipe"),
}
_HEADER = "PRAGMA application_id", "PRAGMA user_version", "PRAGMA page_size"


class ShippedName(NamedTuple):
    """Names of a food in the shipped table, normalized in the same way as for ranking.

    `words` are the normalized words of the name. The first `head` words identify the food.
    """

    place: int
    id: int
    words: str
    head: int
    also: list[str]
    brand_name: str | None
    category: str


class Catalog:
    """An immutable catalog of foods, safe to share between threads.

    Parameters
    ----------
    path : Path
        A SQLite file built by `postmeal.foods.catalog.file.build_catalog_file`.
    timeout_s : float, default=5
        Time limit for a search or a barcode lookup, in seconds.

    Attributes
    ----------
    version : str
        Schema version of the file, followed by a digest of its foods.

    Raises
    ------
    CatalogError
        The file is missing or damaged, or its schema version is not supported.

    Examples
    --------
    >>> catalog = Catalog.open()
    >>> banana = catalog.search("banana")[0]
    >>> banana.name, banana.default_serving.weight_g
    ('Banana', 118.0)
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
            *header, page_bytes = (read(pragma, ())[0][0] for pragma in _HEADER)
            if header != [APPLICATION_ID, SCHEMA_VERSION]:
                message = f"{path.name} is not a food catalog with schema version {SCHEMA_VERSION}"
                raise CatalogError("damaged", f"{message}; compile the catalog again")
            if path.stat().st_size % page_bytes:  # SQLite itself detects only whole missing pages
                raise CatalogError("damaged", f"{path.name} is truncated; compile or copy it again")
            rows = read(f"SELECT version, {', '.join(KINDS)} FROM catalogue", ())
        self.version, *counts = rows[0]
        self._spans: list[Span] = []
        for kind, count in zip(KINDS, counts, strict=True):
            first = self._spans[-1].last + 1 if self._spans else 1
            self._spans.append(Span(kind, first, first + count - 1))
        reader = _Reader(self._file, self._spans)
        self._place_of = lru_cache(_CACHE_SIZE)(reader.place_of)
        self._read_at = reader.food_at
        self._word_cache = WordCache({}, {})
        self._food_at = lru_cache(_CACHE_SIZE)(reader.food_at)

    @classmethod
    def open(cls, foods: Path | str | None = None) -> Catalog:
        """Open a catalog, after building its SQLite file from a table of foods if necessary.

        A file built from a table is rebuilt if it is damaged.

        Parameters
        ----------
        foods : Path or str, optional
            A compiled catalog file (``.sqlite3``), or a table in the format of
            `postmeal.foods.table` (``.csv.xz``). Defaults to the shipped table.

        Returns
        -------
        Catalog
            The catalog.

        Raises
        ------
        CatalogError
            The compiled file is missing or damaged, or its schema version is not supported.
        DataSetError
            The table is missing or damaged.
        """
        table = asset("data/foods.csv.xz") if foods is None else path_of("foods", foods)
        if table.suffix == ".sqlite3":
            return cls(table)
        path = catalog_file(table)
        try:
            return cls(path)
        except CatalogError:  # the file was damaged after it was built
            path.unlink(missing_ok=True)
            return cls(catalog_file(table))

    def food(self, food_id: int) -> Food:
        """Look up a food by its ID.

        Parameters
        ----------
        food_id : int
            The food's ID.

        Returns
        -------
        Food
            The food with all its servings. Repeated calls return the same object while the food is
            in the cache.

        Raises
        ------
        UnknownFood
            No food has this ID.
        CatalogError
            The file is damaged or cannot be read.
        """
        if not isinstance(food_id, int) or not 0 < food_id < 10**10:
            raise UnknownFood(food_id)
        return self._food_at(self._place_of(food_id))

    def search(
        self,
        query: str,
        *,
        kind: CatalogKind | None = None,
        limit: int = 10,
        offset: int = 0,
        every_word: bool = False,
    ) -> FoundFoods:
        """Return the foods whose names contain every word of a query.

        Case, accents and plurals are ignored. If no food matches, the last word is tried as a
        prefix and misspelled words are corrected; if there is still no match, words of the query
        are dropped. Foods that the user is unlikely to mean are not returned.

        Parameters
        ----------
        query : str
            Words of a name, a brand or an everyday name, or emoji of foods.
        kind : {"generic", "dish", "recipe", "branded"}, optional
            Kind of food to search for; all kinds when omitted. The generic foods include the ready
            dishes; ``dish`` selects only the ready dishes and the recipes.
        limit : int, default=10
            Maximum number of foods, 0 or more.
        offset : int, default=0
            Number of foods to skip. Successive pages of the same query have no gaps or overlaps.
        every_word : bool, default=False
            Whether every word of the query must match. If True, words are never dropped.

        Returns
        -------
        FoundFoods
            A list of the foods, best match first; empty if nothing matches. Its attribute
            `matched_without` contains the words that were dropped.

        Raises
        ------
        InputError
            `query` is not a str, `limit` or `offset` is not a whole number of 0 or more, or `kind`
            is not supported.
        CatalogError
            The file is damaged or cannot be read, or the search timed out.
        """
        if not isinstance(query, str):
            raise InputError("query", "must be a str", query)
        check_whole("limit", limit)
        check_whole("offset", offset)
        named = with_emoji_named(query)
        query_words = words(named)
        if not query_words or limit == 0:
            return FoundFoods()
        spans = self._spans_of(kind)
        with self._file.reading(self.timeout_s) as read:
            vocabulary = Vocabulary(read, len(self), self._word_cache)
            others = cache(lambda: [] if every_word else wordings(named, vocabulary))
            readings = search_readings(query_words, vocabulary, every_word, others)
            found = catalog_search.search(read, readings, spans)
            if found is None or not (
                every_word or is_answer(query_words, found, vocabulary, others)
            ):
                return FoundFoods()
            places = catalog_search.page(read, found, limit, offset)
        dropped = as_typed(query, found.reading.dropped)
        return FoundFoods(map(self._food_at, places), dropped)

    def suggest(
        self, text: str, *, kind: Literal["generic", "branded"] | None = None, limit: int = 8
    ) -> list[Suggestion]:
        """Suggest foods for a partly typed text, in which the last word may be incomplete.

        Parameters
        ----------
        text : str
            The text typed so far. With fewer than two letters or digits, nothing is suggested.
        kind : {"generic", "branded"}, optional
            Kind of food to suggest. When omitted, generic foods come before branded ones. Recipes
            are never suggested.
        limit : int, default=8
            Maximum number of suggestions.

        Returns
        -------
        list of Suggestion
            The suggestions, best match first within each kind.

        Raises
        ------
        InputError
            `text` is not a str, `limit` is not a whole number, or `kind` is not supported.
        CatalogError
            The file is damaged or cannot be read, or the search timed out.
        """
        check_type("text", text, str, "must be a str")
        if not hasattr(limit, "__index__"):
            raise InputError("limit", "must be a whole number", limit)
        if sum(character.isalnum() for character in text) < 2 or limit < 1:
            return []
        kinds: tuple[Literal["generic", "branded"], ...] = ("generic", "branded")
        if kind not in (None, *kinds):
            raise InputError("kind", "must be one of", kind, allowed=kinds)
        sections = {each: self._spans_of(each) for each in kinds if kind in (None, each)}
        with self._file.reading(self.timeout_s) as read:
            vocabulary = Vocabulary(read, len(self), self._word_cache)
            return suggestions(read, suggested(read, vocabulary, text, sections, limit))

    def barcode(self, code: str) -> Food:
        """Look up a product by its barcode, in any of the supported formats.

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
            The code is not 6 to 14 digits.
        UnknownBarcode
            No food has this barcode, or its check digit is wrong.
        CatalogError
            The file is damaged or cannot be read, or the lookup timed out.
        """
        with self._file.reading(self.timeout_s) as read:
            for gtin in possible_gtins(code):
                if rows := read("SELECT place FROM food WHERE barcode = ?", (int(gtin),)):
                    return self._food_at(rows[0][0])
        raise UnknownBarcode(code)

    def everyday(self, name: str) -> Food | None:
        """Return the food with the given everyday name, such as white bread for "toast".

        Parameters
        ----------
        name : str
            The everyday name; case, accents and plurals are ignored.

        Returns
        -------
        Food or None
            The food; None if no food has this everyday name.
        """
        check_type("name", name, str, "must be a str")
        with self._file.reading(self.timeout_s) as read:
            rows = read("SELECT place FROM everyday WHERE name = ?", (" ".join(words(name)),))
        return self._food_at(rows[0][0]) if rows else None

    def foods(self, kind: CatalogKind) -> Iterator[Food]:
        """Yield all foods of a kind, most popular first, with basic foods before ready dishes.

        This is slow for millions of foods.

        Raises
        ------
        InputError
            `kind` is not supported.
        CatalogError
            The file is damaged or cannot be read.
        """
        for span in self._spans_of(kind):
            yield from map(self._read_at, range(span.first, span.last + 1))

    def listed(self) -> list[ShippedName]:
        """Return the names of all foods of the shipped table, in the order of the file.

        Raises
        ------
        CatalogError
            The file is damaged or cannot be read.
        """
        with self._file.reading(math.inf) as read:
            rows = read(_LISTED, ())
        return [
            ShippedName(place, food_id, name, head, also.split(";") if also else [], *rest)
            for place, food_id, name, head, also, *rest in rows
        ]

    def __len__(self) -> int:
        return self._spans[-1].last

    def _spans_of(self, kind: CatalogKind | None) -> list[Span]:
        if kind not in (None, *KINDS):
            raise InputError("kind", "must be one of", kind, allowed=KINDS)
        sections = KINDS if kind is None else _SECTIONS.get(kind, (kind,))
        return [span for span in self._spans if span.kind in sections]


class _Reader:
    """Reader of single foods, without a reference to the `Catalog`, so caches can outlive it."""

    def __init__(self, file: Connections, spans: list[Span]) -> None:
        self.file = file
        self.spans = spans

    def place_of(self, food_id: int) -> int:
        with self.file.reading(math.inf) as read:
            rows = read("SELECT place FROM food WHERE id = ?", (food_id,))
        if not rows:
            raise UnknownFood(food_id)
        return int(rows[0][0])

    def food_at(self, place: int) -> Food:
        with self.file.reading(math.inf) as read:
            rows = read(_FOOD, (place,))
        kind = next(span.kind for span in self.spans if place <= span.last)
        try:
            category, *row = rows[0]
            return food_from_row(kind, category, row)
        except DAMAGE as error:
            raise CatalogError(
                "damaged",
                f"row {place} of the food catalog is damaged; compile or copy the catalog again",
            ) from error
