"""``postmeal evaluate`` for foods: searches, ingredient lists, alternatives and corrections."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postmeal.foods.catalog import Catalog
    from postmeal.training.evaluation.food_queries import FoodQuery, QueryFinding

__all__ = ["FOOD_DATA_SETS", "evaluate_corrections", "evaluate_foods"]

_Figures = Sequence[tuple[str, float, int]]


def evaluate_foods(options: argparse.Namespace) -> None:
    """Print one line per metric: its name, its value and the number of cases."""
    figures, write, n = FOOD_DATA_SETS[options.data_set](options.folder)
    for name, value, n_cases in figures:
        print(f"{name} {value:.4g} {n_cases}")
    if options.predictions is not None:
        write(options.predictions)
        print(f"wrote {options.predictions}: {n} rows")


def evaluate_corrections(path: Path) -> None:
    """Print each wrong scan correction, and the number of corrections by outcome."""
    from postmeal.foods.catalog import Catalog
    from postmeal.training.evaluation import scan_corrections

    cases = scan_corrections.read_scan_cases(path)
    print(
        scan_corrections.corrections_report(scan_corrections.correct_scans(cases, Catalog.open()))
    )


def _meals(path: Path) -> tuple[_Figures, Callable[[Path], None], int]:
    from postmeal.foods.catalog import Catalog
    from postmeal.training.evaluation import blind_meals

    meals = blind_meals.read_blind_meals(path)
    found = blind_meals.compare_meals(meals, Catalog.open())
    figures = blind_meals.blind_meal_figures(found)
    return figures, lambda output: blind_meals.write_findings(found, output), len(found)


def _search(path: Path) -> tuple[_Figures, Callable[[Path], None], int]:
    from postmeal.training.evaluation.food_queries import search_queries

    return _queries(path, search_queries)


def _typeahead(path: Path) -> tuple[_Figures, Callable[[Path], None], int]:
    from postmeal.training.evaluation.food_queries import suggest_queries

    return _queries(path, suggest_queries)


def _queries(
    path: Path, find: Callable[[Sequence[FoodQuery], Catalog], list[QueryFinding]]
) -> tuple[_Figures, Callable[[Path], None], int]:
    from postmeal.foods.catalog import Catalog
    from postmeal.training.evaluation import food_queries

    found = find(food_queries.read_food_queries(path), Catalog.open())
    figures = food_queries.query_figures(found)
    return figures, lambda output: food_queries.write_query_findings(found, output), len(found)


def _labels(path: Path) -> tuple[_Figures, Callable[[Path], None], int]:
    from postmeal.training.evaluation import allergen_labels

    found = allergen_labels.judge_labels(allergen_labels.read_allergen_labels(path))
    figures = allergen_labels.label_figures(found)
    return figures, lambda output: allergen_labels.write_label_findings(found, output), len(found)


def _alternatives(path: Path) -> tuple[_Figures, Callable[[Path], None], int]:
    from postmeal.foods.catalog import Catalog
    from postmeal.training.evaluation import alternative_foods as foods

    found = foods.judge_alternatives(foods.read_judged_foods(path), Catalog.open())
    figures = foods.alternatives_figures(found)
    return figures, lambda output: foods.write_alternatives_findings(found, output), len(found)


FOOD_DATA_SETS: dict[str, Callable[[Path], tuple[_Figures, Callable[[Path], None], int]]] = {
    "meals": _meals,
    "search": _search,
    "typeahead": _typeahead,
    "labels": _labels,
    "alternatives": _alternatives,
}
"""Functions that evaluate a file, by the name of the data set."""
