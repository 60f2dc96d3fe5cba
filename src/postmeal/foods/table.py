"""The compact table of foods shipped with the package: one row per food, most popular first.

The table is UTF-8 CSV compressed with xz; ``data/README.md`` describes its columns. Amounts are
per 100 g, and an empty field means that the amount is unknown. All servings are in one field, the
default one first, as ``id~quantity~unit~grams`` joined by ``^`` (``~`` and ``^`` never occur in a
unit).
"""

from __future__ import annotations

import csv
import io
import lzma
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from postmeal.errors import DataSetError
from postmeal.foods.food import CatalogKind, GISource
from postmeal.foods.glycemic import GlycemicIndex
from postmeal.foods.nutrients import NUTRIENTS

COLLECTION_ID = 0x706D6663  # "pmfc"
"""Application ID in the SQLite header of a collection of imported foods."""

_SQLITE = b"SQLite format 3\0"
_APPLICATION = slice(68, 72)  # bytes of the application ID in a SQLite header
_XZ = b"\xfd7zXZ\0"
_TEXT_COLUMNS = (
    "id",
    "source",
    "key",
    "kind",
    "category",
    "name",
    "display_name",
    "brand_name",
    "also_called",
    "glycemic_index",
    "gi_source",
    "gi_sd",
    "gi_in_model",
    "added_sugars_estimated",
    "servings",
)
COLUMNS: tuple[str, ...] = (*_TEXT_COLUMNS, *NUTRIENTS)
"""Columns of the table, in order."""


@dataclass(frozen=True, slots=True)
class Portion:
    """A household measure of a food and its mass in grams."""

    id: int
    quantity: float
    unit: str
    weight_g: float


@dataclass(frozen=True, slots=True)
class TableFood:
    """A row of the table, or a food as read by an importer."""

    source: str
    key: str
    kind: CatalogKind
    category: str
    name: str
    portions: tuple[Portion, ...]
    per_100_g: dict[str, float]
    brand_name: str = ""
    description: str = ""
    display_name: str = ""
    also_called: str = ""
    glycemic_index: float | None = None
    gi_source: GISource = "none"
    gi_sd: float | None = None
    gi_in_model: bool = True
    added_sugars_estimated: bool = False
    id: int = 0
    barcode: str = ""
    image_url: str = ""
    popularity: float = 0.0
    ingredients: str | None = None
    declared: tuple[str, ...] = ()

    def with_index(self, index: GlycemicIndex) -> TableFood:
        """Return a copy of the food with this glycemic index."""
        return replace(
            self,
            glycemic_index=index.value,
            gi_source=index.source,
            gi_sd=index.sd,
            gi_in_model=index.in_model,
        )

    def with_default(self, portion: Portion) -> TableFood:
        """Return a copy of the food with this portion as its default serving."""
        others = (other for other in self.portions if other.id != portion.id)
        return replace(self, portions=(portion, *sorted(others, key=lambda other: other.id)))


def read_table(path: Path, *, older: bool = False) -> list[TableFood]:
    """Read a table of foods."""
    content = b""
    try:
        content = path.read_bytes()
        text = lzma.decompress(content).decode("utf-8")
    except FileNotFoundError as error:
        raise DataSetError(f"the table of foods {path} does not exist; check the path") from error
    except OSError as error:
        problem = f"{error.strerror}; it must be a .csv.xz table or a .sqlite3 catalog"
        raise DataSetError(f"{path} cannot be read as a table of foods: {problem}") from error
    except (lzma.LZMAError, UnicodeDecodeError) as error:
        raise DataSetError(f"{path} {_no_table(content)}") from error
    lines = csv.reader(io.StringIO(text, newline=""))
    header = tuple(next(lines, ()))
    if older and set(header) <= set(COLUMNS) and "id" in header:
        places = [header.index(column) if column in header else -1 for column in COLUMNS]
        return [_food([line[at] if at >= 0 else "" for at in places]) for line in lines]
    if header != COLUMNS:
        expected = ", ".join(COLUMNS)
        raise DataSetError(f"{path} must have the columns {expected}; got {', '.join(header)}")
    try:
        return [_food(line) for line in lines]
    except ValueError as error:
        raise DataSetError(f"line {lines.line_num} of {path} is damaged: {error}") from error


def _no_table(content: bytes) -> str:
    """Describe a file that is not a table of foods, as the end of a sentence."""
    if content.startswith(_SQLITE) and content[_APPLICATION] == COLLECTION_ID.to_bytes(4, "big"):
        return "is a collection of imported foods; compile it with `postmeal foods compile`"
    if content.startswith(_XZ):
        return "is a damaged table of foods; restore it from a backup, or download it again"
    return (
        "is not a food table or catalog; it must be a .csv.xz table or a .sqlite3 catalog written"
        " by `postmeal foods compile`"
    )


def write_table(foods: Iterable[TableFood], path: Path) -> None:
    """Write a table of foods; the same foods always produce the same bytes."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_line(food) for food in foods)
    packed = lzma.compress(text.getvalue().encode("utf-8"), preset=9 | lzma.PRESET_EXTREME)
    path.write_bytes(packed)


def _food(line: list[str]) -> TableFood:
    texts, amounts = line[: len(_TEXT_COLUMNS)], line[len(_TEXT_COLUMNS) :]
    food_id, source, key, kind, category, name, display_name, brand_name, also, *rest = texts
    index, gi_source, gi_sd, gi_in_model, estimated, servings = rest
    return TableFood(
        id=int(food_id),
        source=source,
        key=key,
        kind=cast(CatalogKind, kind),
        category=category,
        name=name,
        display_name=display_name,
        brand_name=brand_name,
        also_called=also,
        glycemic_index=float(index) if index else None,
        gi_source=cast(GISource, gi_source),
        gi_sd=float(gi_sd) if gi_sd else None,
        gi_in_model=gi_in_model == "1",
        added_sugars_estimated=estimated == "1",
        portions=tuple(_portion(text) for text in servings.split("^")),
        per_100_g={
            nutrient: float(amount)
            for nutrient, amount in zip(NUTRIENTS, amounts, strict=True)
            if amount
        },
    )


def _portion(text: str) -> Portion:
    number, quantity, unit, grams = text.split("~")
    return Portion(int(number), float(quantity), unit, float(grams))


def _line(food: TableFood) -> list[str]:
    servings = (f"{p.id}~{p.quantity:.10g}~{p.unit}~{p.weight_g:.10g}" for p in food.portions)
    index = "" if food.glycemic_index is None else f"{food.glycemic_index:g}"
    amounts = (f"{food.per_100_g[key]:.10g}" if key in food.per_100_g else "" for key in NUTRIENTS)
    return [
        str(food.id),
        food.source,
        food.key,
        food.kind,
        food.category,
        food.name,
        food.display_name,
        food.brand_name,
        food.also_called,
        index,
        food.gi_source,
        "" if food.gi_sd is None else f"{food.gi_sd:g}",
        str(int(food.gi_in_model)),
        str(int(food.added_sugars_estimated)),
        "^".join(servings),
        *amounts,
    ]
