"""Staging tables that join the rows of several FoodData Central files by food.

``food_nutrient.csv`` has tens of millions of rows, which are not always sorted by food. The rows
are therefore stored temporarily in tables of the collection. These tables are emptied after all
foods have been imported.
"""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import Collection
from postmeal.foods.sources.fooddata_central.nutrient_amounts import NUTRIENT_IDS, amounts_of

_SCHEMA = """
CREATE TABLE IF NOT EXISTS fdc_run (download TEXT NOT NULL, number TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS fdc_food (
    fdc_id INTEGER PRIMARY KEY, data_type TEXT, description TEXT, category TEXT
);
CREATE TABLE IF NOT EXISTS fdc_part (fdc_id INTEGER NOT NULL, file TEXT NOT NULL, part TEXT);
CREATE INDEX IF NOT EXISTS fdc_part_of ON fdc_part (fdc_id);
"""


class StagedFood(NamedTuple):
    """A row of ``food.csv``."""

    fdc_id: int
    data_type: str
    description: str
    category: str


class StagedPortion(NamedTuple):
    """A row of ``food_portion.csv``."""

    number: int
    amount: str
    measure: str
    description: str
    modifier: str
    weight_g: float


class FdcStage:
    """Staging tables in a collection for the rows of one download."""

    prefix = "fdc stage: "
    """Prefix of the names under which the collection records the imports of staged files."""

    def __init__(self, collection: Collection, download: str) -> None:
        self._database = collection.database
        self._path = collection.path
        self._run = (download, secrets.token_hex(8))
        with collection.writing():
            self._create_tables()
            if (self._current() or ("",))[0] != download:
                self.clear()
            self._database.execute("DELETE FROM fdc_run")
            self._database.execute("INSERT INTO fdc_run VALUES (?, ?)", self._run)

    def raise_if_superseded(self) -> None:
        """Raise a DataSetError, in a transaction, if another run has taken over these tables."""
        if self._current() != self._run:
            raise DataSetError(
                f"another import of FoodData Central into {self._path} has started; wait until it"
                " has finished, and run this command again"
            )

    def add_foods(self, foods: Iterable[StagedFood]) -> None:
        """Stage rows of ``food.csv``."""
        self.raise_if_superseded()
        self._database.executemany("INSERT OR REPLACE INTO fdc_food VALUES (?, ?, ?, ?)", foods)

    def add_amounts(self, rows: Iterable[tuple[int, int, float]]) -> None:
        """Stage rows of ``food_nutrient.csv`` with an ID in `NUTRIENT_IDS`."""
        parts: dict[int, dict[int, float]] = defaultdict(dict)
        for fdc_id, nutrient, amount in rows:
            if nutrient in NUTRIENT_IDS:
                parts[fdc_id][nutrient] = amount
        self._add("amounts", parts.items())

    def add_portions(self, rows: Iterable[tuple[int, StagedPortion]]) -> None:
        """Stage rows of ``food_portion.csv``."""
        self._add("portion", rows)

    def food(self, fdc_id: int) -> StagedFood | None:
        """Return the staged row of ``food.csv`` for a food, or None if there is none."""
        found = self._database.execute(
            "SELECT * FROM fdc_food WHERE fdc_id = ?", (fdc_id,)
        ).fetchone()
        return StagedFood(*found) if found else None

    def amounts(self, fdc_id: int) -> dict[str, float]:
        """Return the known amounts of a food per 100 g, by nutrient key."""
        by_id: dict[int, float] = {}
        for part in self._parts(fdc_id, "amounts"):
            by_id.update({int(nutrient): amount for nutrient, amount in json.loads(part).items()})
        return amounts_of(by_id)

    def portions(self, fdc_id: int) -> list[StagedPortion]:
        """Return the portions of a food without duplicates, sorted by number."""
        return sorted({StagedPortion(*json.loads(part)) for part in self._parts(fdc_id, "portion")})

    def remaining(self) -> list[StagedFood]:
        """Return up to 1,000 foods that are still staged, sorted by ID."""
        found = self._database.execute("SELECT * FROM fdc_food ORDER BY fdc_id LIMIT 1000")
        return [StagedFood(*row) for row in found]

    def remove(self, fdc_ids: Iterable[int]) -> None:
        """Remove imported foods, so that `remaining` no longer returns them."""
        self._database.executemany(
            "DELETE FROM fdc_food WHERE fdc_id = ?", ((fdc_id,) for fdc_id in fdc_ids)
        )

    def clear(self) -> None:
        """Delete all staged rows; call this within a transaction."""
        for table in ("fdc_run", "fdc_food", "fdc_part"):
            self._database.execute(f"DROP TABLE {table}")
        self._create_tables()
        self._database.execute(
            "DELETE FROM import WHERE substr(name, 1, ?) = ?", (len(self.prefix), self.prefix)
        )

    def _create_tables(self) -> None:
        for statement in _SCHEMA.split(";"):
            self._database.execute(statement)

    def _current(self) -> tuple[str, str] | None:
        found: tuple[str, str] | None = self._database.execute("SELECT * FROM fdc_run").fetchone()
        return found

    def _add(self, file: str, parts: Iterable[tuple[int, object]]) -> None:
        self.raise_if_superseded()
        self._database.executemany(
            "INSERT INTO fdc_part VALUES (?, ?, ?)",
            ((fdc_id, file, json.dumps(part, separators=(",", ":"))) for fdc_id, part in parts),
        )

    def _parts(self, fdc_id: int, file: str) -> list[str]:
        found = self._database.execute(
            "SELECT part FROM fdc_part WHERE fdc_id = ? AND file = ? ORDER BY rowid", (fdc_id, file)
        )
        return [part for (part,) in found]
