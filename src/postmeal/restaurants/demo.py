"""Demo places: 40 made-up places in three made-up towns in the open sea.

The table ``demo.csv`` has the columns of `postmeal.restaurants.sources.place_table`.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from postmeal.assets import cache_folders
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.restaurants.compile import compile_places
from postmeal.restaurants.sources.place_table import read_place_table

_TABLE = Path(__file__).with_name("demo.csv")


def demo_file() -> Path:
    """Return the places file with the demo places, compiling it if it is missing."""
    digest = hashlib.sha256(_TABLE.read_bytes())
    for code in sorted(_TABLE.parent.glob("*.*")):
        digest.update(code.read_bytes())
    name = f"demo-places-{digest.hexdigest()[:16]}.places"
    problem: OSError | None = None
    for folder in cache_folders():
        path = folder / name
        if path.is_file():
            return path
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            compile_places(read_place_table(_TABLE, ImportReport(_TABLE.name)), path)
            return path
        except OSError as error:
            problem = error
    raise problem or OSError(
        "the demo places cannot be stored because no cache or temporary folder is writable"
    )
