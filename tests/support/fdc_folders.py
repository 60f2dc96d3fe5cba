"""Downloads of FoodData Central, written for tests."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NUTRIENT_HEADER = ["id", "fdc_id", "nutrient_id", "amount", "data_points"]
PORTION_HEADER = [
    "id", "fdc_id", "seq_num", "amount", "measure_unit_id", "portion_description", "modifier",
    "gram_weight",
]  # fmt: skip
LABEL_HEADER = [
    "fdc_id", "brand_owner", "brand_name", "gtin_upc", "ingredients", "serving_size",
    "serving_size_unit", "household_serving_fulltext", "branded_food_category",
]  # fmt: skip


def write(path: Path, header: list[str], rows: Sequence[list[Any]]) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([header, *rows])


def download(
    folder: Path,
    foods: list[tuple[int, str, str]],
    amounts: dict[int, dict[int, float]],
    portions: Sequence[list[Any]] = (),
    labels: Sequence[list[Any]] = (),
    **small: tuple[list[str], list[list[Any]]],
) -> Path:
    """Write a folder like a download of FoodData Central, with amounts in random order."""
    rows = [[0, food, number, amount, ""] for food, of in amounts.items()
            for number, amount in of.items()]  # fmt: skip
    random.Random(3).shuffle(rows)
    write(folder / "food.csv", ["fdc_id", "data_type", "description", "food_category_id"],
          [[fdc_id, kind, name, 2] for fdc_id, kind, name in foods])  # fmt: skip
    write(folder / "food_nutrient.csv", NUTRIENT_HEADER, rows)
    write(folder / "food_portion.csv", PORTION_HEADER, portions)
    if labels:
        write(folder / "branded_food.csv", LABEL_HEADER, labels)
    for name, (header, lines) in small.items():
        write(folder / f"{name}.csv", header, lines)
    return folder
