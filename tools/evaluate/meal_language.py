"""Evaluate the interpretation of meal texts by comparing their carbohydrate with known values.

Two data sets are supported, in their official formats. NutriBench v2 (Hua et al. 2024,
arXiv:2407.12843) contains meals described by people from 24 countries. Nutrition5k (Thames et al.
2021, arXiv:2103.03375) contains dishes as names and grams. Neither is shipped or used for training.

NutriBench is divided into meals that were looked at while the language rules were written (dev) and
all other meals (test). Sentences that describe the same meal in two ways have the same true
amounts. The meals are divided by these amounts, so that no meal is in both parts. The test part is
still not entirely unseen: 103 names of three or more words in the table of foods occur literally in
its sentences, but not in those of the dev part. Without these names, its share of accurate meals is
lower by at most 0.3 percentage points.
"""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal

__all__ = [
    "ACCURATE_G",
    "MACRONUTRIENTS",
    "MEAL_TEXTS",
    "MealText",
    "accuracy_report",
    "accuracy_table",
    "estimate",
    "read_dishes",
    "read_nutribench",
    "record_meal_texts",
    "write_estimates",
]

MACRONUTRIENTS = ("carbs_g", "energy_kcal", "protein_g", "fat_g")
"""The amounts that are estimated, in the order of the columns."""

ACCURATE_G = 7.5
"""Error below which an estimate is accurate: half of a 15 g carbohydrate exchange."""

_DEV = 0.7
_NUTRIBENCH = ("meal_description", "carb", "energy", "protein", "fat", "country", "serving_type")
_PER_INGREDIENT = 7
_SOURCES = {
    "nutribench": "https://arxiv.org/abs/2407.12843",
    "dishes": "https://arxiv.org/abs/2103.03375",
}
_ALPHA_2 = {
    "ARG": "AR", "BFA": "BF", "BGR": "BG", "BRA": "BR", "COD": "CD", "CRI": "CR",
    "ETH": "ET", "GTM": "GT", "IND": "IN", "ITA": "IT", "KEN": "KE", "KNA": "KN",
    "LAO": "LA", "LKA": "LK", "MEX": "MX", "MYS": "MY", "PAK": "PK", "PER": "PE",
    "PHL": "PH", "ROU": "RO", "STP": "ST", "TUN": "TN", "USA": "US", "ZMB": "ZM",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MealText:
    """A description of a meal, and its true amounts."""

    text: str
    truth: tuple[float, ...]
    groups: tuple[str, ...]
    country: str | None = None


def read_nutribench(path: Path) -> list[MealText]:
    """Read the CSV file of NutriBench v2."""
    lines = _lines(path)
    columns = {name: place for place, name in enumerate(lines[0] if lines else ())}
    if missing := [name for name in _NUTRIBENCH if name not in columns]:
        raise DataSetError(f"{path.name} is missing required columns: {', '.join(missing)}")
    meals = []
    for number, line in enumerate(lines[1:], 2):
        try:
            text, carb, energy, protein, fat, country, kind = (
                line[columns[c]] for c in _NUTRIBENCH
            )
            truth = (float(carb), float(energy), float(protein), float(fat))
        except (ValueError, IndexError) as error:
            raise DataSetError(f"{path.name} is damaged in line {number}: {error}") from error
        side = "dev" if _share(truth) < _DEV else "test"
        nation = country if country == "USA" else "others"
        groups = (f"{country}, {kind}", f"{nation}, {kind}", f"{nation}, {kind}, {side}")
        code = _ALPHA_2.get(country)
        meals.append(MealText(text, truth, tuple(dict.fromkeys(groups)), code))
    return meals


def read_dishes(path: Path) -> list[MealText]:
    """Read the dishes of Nutrition5k, and describe each in a sentence of names and grams."""
    meals = []
    for number, line in enumerate(_lines(path), 1):
        try:
            energy, _, fat, carb, protein = (float(field) for field in line[1:6])
            parts = [
                f"{float(line[place + 2]):.6g} g {line[place + 1]}"
                for place in range(6, len(line) - 2, _PER_INGREDIENT)
                if line[place + 1]
            ]
        except ValueError as error:
            raise DataSetError(f"{path.name} is damaged in line {number}: {error}") from error
        meals.append(MealText(", ".join(parts), (carb, energy, protein, fat), ()))
    return meals


MEAL_TEXTS: dict[str, Callable[[Path], list[MealText]]] = {
    "nutribench": read_nutribench,
    "dishes": read_dishes,
}
"""Functions that read the data sets of meal texts, by name of the data set."""


def estimate(
    meals: Sequence[MealText], catalog: Catalog, *, with_country: bool = False
) -> NDArray[np.float64]:
    """Read each meal text, and sum the nutrients of the foods that were found."""
    amounts = np.zeros((len(meals), len(MACRONUTRIENTS)))
    for row, meal in zip(amounts, meals, strict=True):
        country = meal.country if with_country else None
        for detection in read_meal(meal.text, catalog, country=country).detections:
            nutrients = detection.selection.nutrients
            row += np.nan_to_num([nutrients.amount(key) for key in MACRONUTRIENTS])
    return amounts


def accuracy_table(
    meals: Sequence[MealText], amounts: NDArray[np.float64]
) -> dict[str, dict[str, float]]:
    """Compare estimates with the true amounts."""
    truth = np.array([meal.truth for meal in meals]).reshape(-1, len(MACRONUTRIENTS))
    error = np.abs(amounts - truth)
    groups: dict[str, list[int]] = {"all": list(range(len(meals)))}
    for row, meal in enumerate(meals):
        for group in meal.groups:
            groups.setdefault(group, []).append(row)
    return {
        group: {
            "meals": len(rows),
            "accurate": float((error[rows, 0] < ACCURATE_G).mean()) if rows else math.nan,
            "mae_g": float(error[rows, 0].mean()) if rows else math.nan,
            "carbs_wmape": _ratio(error[rows, 0].sum(), truth[rows, 0].sum()),
            "energy_wmape": _ratio(error[rows, 1].sum(), truth[rows, 1].sum()),
        }
        for group, rows in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def accuracy_report(table: Mapping[str, Mapping[str, float]]) -> str:
    """Format the accuracy of each group of meals."""
    width = max(len(name) for name in table)
    lines = [" " * width + "   meals  Acc@7.5  MAE g  carb wMAPE  kcal wMAPE"]
    for name, row in table.items():
        lines.append(
            f"{name:<{width}} {row['meals']:>7} {row['accurate']:>8.1%} {row['mae_g']:>6.1f}"
            f" {row['carbs_wmape']:>11.1%} {row['energy_wmape']:>11.1%}"
        )
    return "\n".join(lines)


def record_meal_texts(
    name: str,
    meals: Sequence[MealText],
    metrics: Mapping[str, Any],
    tracking: str,
    *,
    with_country: bool = False,
) -> str:
    """Record the accuracy on a data set in MLflow, without its texts; return the ID of the run."""
    import pandas as pd

    from postmeal.training.registry.mlflow_runs import flat, record_run
    from postmeal.training.registry.run_inputs import RunInput

    truth = pd.DataFrame([meal.truth for meal in meals], columns=list(MACRONUTRIENTS))
    table = truth.assign(text=[meal.text for meal in meals])
    parameters = {"data_set": name, "seed": "none: no random step", "country_hint": with_country}
    return record_run(
        "evaluate",
        parameters=parameters,
        metrics=flat(metrics),
        files=[],
        tracking=tracking,
        inputs=[RunInput(name, table, _SOURCES[name], "evaluation")],
        tags={"data_set": name},
        description=f"Evaluation of the meal language on {len(meals)} meal texts of {name}",
    )


def write_estimates(amounts: NDArray[np.float64], path: Path) -> None:
    """Write estimates to a CSV file with the columns ``row`` and `MACRONUTRIENTS`.

    Rows are counted from 0, in the order of the file with the meal texts.
    """
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("row", *MACRONUTRIENTS))
        writer.writerows(
            (row, *(f"{amount:.4f}" for amount in line)) for row, line in enumerate(amounts)
        )


def _lines(path: Path) -> list[list[str]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise DataSetError(f"{path} cannot be read: {reason}") from error


def _share(truth: Iterable[float]) -> float:
    """Hash the true amounts of a meal to a number from 0 to below 1."""
    text = ",".join(f"{amount:.3f}" for amount in truth)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / 2**64


def _ratio(above: float, below: float) -> float:
    return float(above / below) if below else math.nan
