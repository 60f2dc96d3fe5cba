"""Evaluate the parts of postmeal that read texts and rank foods, on a data set with answers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from postmeal.chat import Assistant
from postmeal.errors import InputError, PostmealError
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from postmeal.literature import Literature
from postmeal.literature.embedding.encoder import Encoder
from tools.evaluate import allergen_labels as labels
from tools.evaluate import alternative_foods as foods
from tools.evaluate import blind_meals, food_queries, meal_language, scan_corrections
from tools.evaluate import chat_conversations as chat
from tools.evaluate import literature_questions as literature

__all__ = ["main", "parser"]

Figures = Sequence[tuple[str, float, int]]
Evaluation = tuple[Figures, Callable[[Path], None], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    options = parser().parse_args(arguments)
    try:
        _check_options(options)
        EVALUATIONS[options.data_set](options)
    except (PostmealError, OSError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    command = argparse.ArgumentParser(prog="python -m tools.evaluate", description=__doc__)
    command.add_argument("data_set", choices=EVALUATIONS, help="name of the data set")
    command.add_argument("file", type=Path, help="file or folder with the data set")
    command.add_argument("--predictions", type=Path, help="CSV file to write, with a row per case")
    command.add_argument(
        "--country-hint",
        action="store_true",
        help="with nutribench: interpret each meal text for the country where the meal was eaten",
    )
    command.add_argument("--model", type=Path, help="with chat: folder of the glucose model")
    command.add_argument(
        "--literature", type=Path, help="with chat: folder of the literature library to cite"
    )
    command.add_argument(
        "--tracking", metavar="URI", help="with nutribench and dishes: record a run in MLflow"
    )
    return command


def _check_options(options: argparse.Namespace) -> None:
    if options.country_hint and options.data_set != "nutribench":
        raise InputError(
            "--country-hint", "is accepted only for the data set 'nutribench'", options.data_set
        )
    if options.predictions is not None and options.data_set == "corrections":
        raise InputError(
            "--predictions",
            "must be omitted for the data set 'corrections'",
            options.predictions,
        )
    if options.tracking is not None and options.data_set not in meal_language.MEAL_TEXTS:
        raise InputError(
            "--tracking",
            f"must be omitted for the data set {options.data_set!r}",
            options.tracking,
        )


def _print_figures(evaluate: Callable[[Path], Evaluation], options: argparse.Namespace) -> None:
    """Print one line per metric: its name, its value and the number of cases."""
    figures, write, n = evaluate(options.file)
    for name, value, n_cases in figures:
        print(f"{name} {value:.4g} {n_cases}")
    _write(options, write, n)


def _write(options: argparse.Namespace, write: Callable[[Path], object], n: int) -> None:
    if options.predictions is not None:
        write(options.predictions)
        print(f"wrote {options.predictions}: {n} rows")


def _meals(path: Path) -> Evaluation:
    found = blind_meals.compare_meals(blind_meals.read_blind_meals(path), Catalog.open())
    figures = blind_meals.blind_meal_figures(found)
    return figures, partial(blind_meals.write_findings, found), len(found)


def _queries(
    find: Callable[[Sequence[food_queries.FoodQuery], Catalog], list[food_queries.QueryFinding]],
    path: Path,
) -> Evaluation:
    found = find(food_queries.read_food_queries(path), Catalog.open())
    figures = food_queries.query_figures(found)
    return figures, partial(food_queries.write_query_findings, found), len(found)


def _labels(path: Path) -> Evaluation:
    found = labels.judge_labels(labels.read_allergen_labels(path))
    return labels.label_figures(found), partial(labels.write_label_findings, found), len(found)


def _alternatives(path: Path) -> Evaluation:
    found = foods.judge_alternatives(foods.read_judged_foods(path), Catalog.open())
    figures = foods.alternatives_figures(found)
    return figures, partial(foods.write_alternatives_findings, found), len(found)


def _corrections(options: argparse.Namespace) -> None:
    cases = scan_corrections.read_scan_cases(options.file)
    corrected = scan_corrections.correct_scans(cases, Catalog.open())
    print(scan_corrections.corrections_report(corrected))


def _meal_texts(options: argparse.Namespace) -> None:
    meals = meal_language.MEAL_TEXTS[options.data_set](options.file)
    amounts = meal_language.estimate(meals, Catalog.open(), with_country=options.country_hint)
    table = meal_language.accuracy_table(meals, amounts)
    print(meal_language.accuracy_report(table))
    _write(options, partial(meal_language.write_estimates, amounts), len(amounts))
    if options.tracking is not None:
        run_id = meal_language.record_meal_texts(
            options.data_set, meals, table, options.tracking, with_country=options.country_hint
        )
        print(f"recorded run {run_id} in MLflow")


def _literature(options: argparse.Namespace) -> None:
    data = literature.read_literature_questions(options.file)
    encoder = Encoder.find()
    if encoder is None:
        print("evaluating without vectors: postmeal[literature] or its model is not installed\n")
    findings = literature.evaluate_methods(data, encoder)
    print(literature.methods_report(data, findings))
    rows = sum(map(len, (ranking for each in findings for ranking in each.rankings.values())))
    _write(options, partial(literature.write_rankings, findings), rows)


def _chat(options: argparse.Namespace) -> None:
    conversations = chat.read_conversations(options.file)
    predictor = Predictor.load(options.model)
    assistant = Assistant(Catalog.open(), predictor, Literature.open(options.literature))
    outcomes = chat.evaluate_conversations(assistant, conversations)
    print(chat.conversations_report(outcomes))
    _write(options, partial(chat.write_outcomes, outcomes), len(outcomes))


EVALUATIONS: dict[str, Callable[[argparse.Namespace], None]] = {
    "nutribench": _meal_texts,
    "dishes": _meal_texts,
    "meals": partial(_print_figures, _meals),
    "search": partial(_print_figures, partial(_queries, food_queries.search_queries)),
    "typeahead": partial(_print_figures, partial(_queries, food_queries.suggest_queries)),
    "labels": partial(_print_figures, _labels),
    "alternatives": partial(_print_figures, _alternatives),
    "corrections": _corrections,
    "chat": _chat,
    "literature": _literature,
}
"""Functions that evaluate a data set, by its name."""


if __name__ == "__main__":
    sys.exit(main())
