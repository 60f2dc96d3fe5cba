"""Map the labels of the dish model to foods in the catalog.

The table ``labels.csv`` is maintained by hand. The column ``food`` contains the everyday name of a
food in the catalog, and is empty if the catalog has no such food. The column ``kind`` contains the
everyday name of a broader food, which is used if the dish in a photo is uncertain. Labels that are
not in the table are not mapped to a food.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food
from postmeal.scans.recognizer import Candidate

__all__ = ["DishLabel", "LabelFoods", "read_labels"]

_TABLE = Path(__file__).with_name("labels.csv")
_COLUMNS = ["label", "food", "kind"]


@dataclass(frozen=True, slots=True)
class DishLabel:
    """A label of the dish model, and the food that it is mapped to.

    Attributes
    ----------
    label : str
        The label, as written in the model.
    food : str
        Everyday name of the food; empty if the catalog has no such food.
    kind : str
        Everyday name of a broader food; empty if there is none.
    """

    label: str
    food: str
    kind: str


@cache
def read_labels(path: Path = _TABLE) -> Mapping[str, DishLabel]:
    """Read the table of labels.

    Raises
    ------
    DataSetError
        The columns are not ``label,food,kind``, a label is empty or occurs twice, or a row does not
        have three values.

    Examples
    --------
    >>> read_labels()["Pepperoni"].kind
    'pizza'
    """
    found: dict[str, DishLabel] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines)
        if (header := next(rows, [])) != _COLUMNS:
            raise DataSetError(
                f"{path.name}: the columns must be {','.join(_COLUMNS)}; got {','.join(header)}"
            )
        for row in rows:
            if len(row) != len(_COLUMNS) or row[0] in found:
                raise DataSetError(
                    f"{path.name}, line {rows.line_num} must have {len(_COLUMNS)} values and a new"
                    f" label, got {row}"
                )
            found[row[0]] = DishLabel(*row)
    return found


class LabelFoods:
    """Find the foods in a catalog for the candidates of a recognizer.

    Parameters
    ----------
    catalog : Catalog
        The catalog.
    labels : mapping of str to DishLabel, optional
        The food of each label. Defaults to the shipped table.
    """

    def __init__(self, catalog: Catalog, labels: Mapping[str, DishLabel] | None = None) -> None:
        self._labels = read_labels() if labels is None else labels
        self._named = lru_cache(4_096)(catalog.everyday)
        self._names: dict[int, str] = {}

    def food(self, label: str) -> Food | None:
        """Return the food that a label is mapped to, or None if there is none."""
        row = self._labels.get(label)
        return self._resolved(row.food) if row and row.food else None

    def kind(self, label: str) -> Food | None:
        """Return the broader food that a label is mapped to, or None if there is none."""
        row = self._labels.get(label)
        return self._resolved(row.kind) if row and row.kind else None

    def everyday_name(self, food: Food) -> str:
        """Return the everyday name of a food in the table, such as "layer cake".

        For other foods, the name in the catalog is returned.
        """
        return self._names.get(food.id, food.name)

    def foods(self, candidates: Iterable[Candidate]) -> list[tuple[Food | None, float]]:
        """Return the foods of candidates with their probabilities, most probable first.

        The probabilities of labels for the same food are added. Each label without a food adds a
        separate entry with None.
        """
        sums: dict[int | str, float] = {}
        named: dict[int | str, Food | None] = {}
        for each in candidates:
            food = self.food(each.label)
            key = each.label if food is None else food.id
            named[key] = food
            sums[key] = sums.get(key, 0.0) + each.probability
        return sorted(((named[key], sums[key]) for key in sums), key=lambda each: -each[1])

    def kind_of(self, food: Food, candidates: Iterable[Candidate]) -> Food | None:
        """Return the broader food for a food, according to the first candidate with this food."""
        for each in candidates:
            meant = self.food(each.label)
            if meant and meant.id == food.id:
                return self.kind(each.label)
        return None

    def _resolved(self, name: str) -> Food | None:
        food = self._named(name)
        if food:
            self._names.setdefault(food.id, name)
        return food
