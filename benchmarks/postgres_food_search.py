"""PostgreSQL full-text search over the same foods, as a peer for food search.

A GIN index over a `tsvector` column returns ten foods, as `Catalog` does. The foods are sorted by
popularity, without a text rank.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import psycopg

from benchmarks.food_search_figures import Cost, Queries
from benchmarks.synthetic_foods import in_parallel
from postmeal.foods.words import words

__all__ = ["measure"]

_SERVER = os.environ.get("POSTMEAL_BENCH_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres")
_COLUMNS = "place, id, kind, name, brand_name, servings, known, amounts, barcode, image, diets"
_SCHEMA = """
CREATE TABLE food (
    place integer PRIMARY KEY, id bigint, kind text, name text, brand_name text, servings text,
    known integer, amounts bytea, barcode bigint, image text, diets bigint, words tsvector
)
"""
_COPY = f"COPY food ({_COLUMNS}, words) FROM STDIN"
_INDICES = (
    "CREATE INDEX food_words ON food USING gin (words) WITH (fastupdate = off)",
    "CREATE INDEX food_barcode ON food (barcode)",
)
_FIND = f"SELECT {_COLUMNS} FROM food WHERE words @@ %s::tsquery ORDER BY place LIMIT %s"
_SCAN = f"SELECT {_COLUMNS} FROM food WHERE barcode = %s"


def measure(queries: Queries, rows: int) -> dict[str, Cost]:
    """Create a database of `rows` foods, time all queries on it, and drop it."""
    name = f"postmeal_bench_{os.getpid()}"
    with psycopg.connect(_SERVER, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            address = psycopg.conninfo.make_conninfo(_SERVER, dbname=name)
            with psycopg.connect(address, autocommit=True, prepare_threshold=None) as database:
                _fill(database, rows)
                searches = _searches(database)
                return {
                    kind: Cost.of(searches[kind], texts) for kind, texts in queries.by_kind.items()
                }
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _fill(database: psycopg.Connection, rows: int) -> None:
    database.execute(_SCHEMA)
    with database.cursor() as cursor, cursor.copy(_COPY) as copy:
        for place, food in enumerate(in_parallel(rows, os.cpu_count() or 1), 1):
            row = food.row
            copy.write_row(
                (place, row.id, food.kind, row.name, row.brand_name, row.servings, row.known,
                 row.amounts, row.barcode, row.image, row.diets, food.searchable)
            )  # fmt: skip
    for statement in (*_INDICES, "VACUUM ANALYZE food"):
        database.execute(statement)


def _searches(database: psycopg.Connection) -> dict[str, Callable[[str], object]]:
    def search(query: str) -> object:
        return database.execute(_FIND, (" & ".join(words(query)), 10)).fetchall()

    def suggest(text: str) -> object:
        return database.execute(_FIND, (" & ".join(words(text)) + ":*", 8)).fetchall()

    def barcode(code: str) -> object:
        return database.execute(_SCAN, (int(code),)).fetchall()

    by_words = dict.fromkeys(("one word", "two words of a food", "two unrelated words"), search)
    return {**by_words, "typeahead": suggest, "barcode": barcode}
