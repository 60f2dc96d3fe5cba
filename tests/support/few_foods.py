"""A catalog of a hundred shipped foods, with which a server starts in half the time."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from real_server import shipped_catalog

from postmeal.assets import asset
from postmeal.foods.catalog.file import build_catalog_file, by_kind
from postmeal.foods.table import TableFood, read_table

WORDS = (
    "oatmeal",
    "banana",
    "white rice",
    "toast",
    "apple",
    "rice",
    "milk",
    "egg",
    "bread",
    "beans",
)


@cache
def _few_foods() -> list[TableFood]:
    found = {food.id for words in WORDS for food in shipped_catalog().search(words, limit=10)}
    return [food for food in read_table(asset("data/foods.csv.xz")) if food.id in found]


def few_foods(folder: Path) -> Path:
    """Build the catalog file, if it is not there, and return its path."""
    path = folder / "few_foods.sqlite3"
    if not path.exists():
        build_catalog_file(by_kind(_few_foods()), path)
    return path
