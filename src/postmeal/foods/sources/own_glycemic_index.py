"""The user's own table of glycemic indices, such as a copy of a published table.

Most tables of glycemic indices are under the copyright of the journals that published them, so
postmeal does not ship such a table. This module reads a CSV file with the columns ``food`` (ID or
name of a food), ``glycemic_index`` and, optionally, ``sd``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.glycemic import GlycemicIndex
from postmeal.foods.sources.collection.text_lines import header_of
from postmeal.foods.sources.labels.numbers_in_text import amount
from postmeal.foods.table import TableFood
from postmeal.foods.words import words

_REQUIRED = ("food", "glycemic_index")
_MAX_INDEX, _MAX_SD = 150.0, 75.0


class OwnIndices:
    """Measured glycemic indices by food ID or name."""

    def __init__(self, path: Path) -> None:
        self._by_food: dict[str, list[GlycemicIndex]] = {}
        self._written: dict[str, str] = {}
        try:
            with path.open(newline="", encoding="utf-8-sig") as file:
                lines = csv.DictReader(file, delimiter=header_of(path)[1])
                if missing := [name for name in _REQUIRED if name not in (lines.fieldnames or ())]:
                    raise DataSetError(f"{path} is missing required columns: {', '.join(missing)}")
                for line in lines:
                    self._add(path, lines.line_num, line)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise DataSetError(f"{path} cannot be read as a CSV file: {error}") from error
        self.unused = set(self._written.values())

    def __len__(self) -> int:
        return len(self._by_food)

    def applied(self, foods: Iterable[TableFood]) -> Iterator[TableFood]:
        """Yield foods, replacing the glycemic index of each food that is in the file.

        A row with an ID applies to the food with this ID. A row with a name applies to every food
        with this name or everyday name, ignoring case, plurals and punctuation.
        """
        for food in foods:
            names = (food.name, f"{food.brand_name} {food.name}", *food.also_called.split(";"))
            keys = (str(food.id), *map(_key, names))
            found = next((key for key in keys if key in self._by_food), None)
            if found is None:
                yield food
                continue
            self.unused.discard(self._written[found])
            yield food.with_index(_mean(self._by_food[found]))

    def _add(self, path: Path, number: int, line: dict[str, str | None]) -> None:
        written = (line["food"] or "").strip()
        key = written if written.isdecimal() else _key(written)
        if not key:
            raise DataSetError(f"{path}, line {number}: food must not be empty")
        index = _number(path, number, "glycemic_index", line, _MAX_INDEX)
        sd = _number(path, number, "sd", line, _MAX_SD) if line.get("sd") else None
        self._by_food.setdefault(key, []).append(GlycemicIndex(index, "measured", sd))
        self._written.setdefault(key, written)


def _mean(listed: list[GlycemicIndex]) -> GlycemicIndex:
    values = [index.value for index in listed if index.value is not None]
    deviations = [index.sd for index in listed if index.sd is not None]
    return GlycemicIndex(sum(values) / len(values), "measured", max(deviations, default=None))


def _number(
    path: Path, number: int, column: str, line: dict[str, str | None], most: float
) -> float:
    value = amount(line[column] or "")
    if value is None or not 0 <= value <= most:
        raise DataSetError(
            f"{path}, line {number}: {column} must be a number from 0 to {most:g}, got"
            f" {line[column]!r}"
        )
    return value


def _key(name: str) -> str:
    return " ".join(words(name))
