"""The figures in docs/explanation are the measured ones, to their last digit."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from judged_alternatives import judged
from relevance import Figures, of_alternatives, sets_of, typeahead

from postmeal.training.card.person import person_tables
from postmeal.training.card.rungs import KNOWN
from postmeal.training.card.worn_test import N_LOOKS
from tools.evaluate.blind_meals import (
    blind_meal_figures,
    compare_meals,
    read_blind_meals,
)
from tools.evaluate.meal_language import MEAL_TEXTS, accuracy_table, estimate

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    page.stem: page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs" / "explanation").glob("*.md"))
}
MODELS = {
    "population": "postmeal",
    "challenger": "LightGBM",
    "linear": "linear model",
    "carb line": "carb line",
    "condition mean": "condition mean",
}
PERSONAL_MODELS = {"population": "population", "person mean": "person mean", "served": "personal"}
SEARCHES = {
    "all": "all",
    "used for tuning": "tuned",
    "used for tuning, not an everyday name": "tuned, not an entry",
    "not used for tuning": "untouched",
    "not used for tuning, not an everyday name": "untouched, not an entry",
    "second author": "blind",
    "second author, not an everyday name": "blind, not an entry",
}
MEAL_SETS = {
    "United States, amounts in grams": "USA, metric",
    "United States, amounts in everyday words": "USA, natural",
    "24 other countries, in grams": "others, metric",
}


def prose(page: str) -> str:
    """Return a page with every run of white space as a single space."""
    return " ".join(PAGES[page].split())


def quoted(page: str, label: str) -> tuple[int, list[str]]:
    """Return the number in the label of a table row, and the row's other cells."""
    ((number, cells),) = re.findall(
        rf"^\| {re.escape(label)} \(([\d,]+)\) \| (.+) \|$", PAGES[page], re.MULTILINE
    )
    return int(number.replace(",", "")), cells.split(" | ")


def percent(share: float, digits: int = 1) -> str:
    return f"{share:.{digits}%}"


def test_the_figures_of_the_model_are_those_of_the_evaluation() -> None:
    metrics = json.loads((ROOT / "models/population/metrics.json").read_text(encoding="utf-8"))
    tables = {
        "model": model_table(metrics["frozen"]),
        "personal_models": personal_table(metrics["forward"]),
    }
    for page, table in tables.items():
        assert table in PAGES[page], f"the table in {page}.md should be\n{table}"


def test_the_figures_of_each_state_of_knowledge_are_those_of_the_evaluation() -> None:
    folder = ROOT / "models" / "population-4"
    metrics = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    table = knowledge_table(metrics["rungs"])
    assert table in PAGES["model"], f"the table in model.md should be\n{table}"
    weights = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
    tables = person_tables(weights)
    assert tables in PAGES["model"], f"the tables in model.md should be\n{tables}"


def test_pages_count_the_looks_at_the_people_of_the_test() -> None:
    choices = (ROOT / "models/population/choices.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| look \|.*?\n\n", choices, re.MULTILINE | re.DOTALL)
    assert int(re.findall(r"^\| (?:\d+–)?(\d+) \|", table, re.MULTILINE)[-1]) == N_LOOKS
    pages = [choices, (ROOT / "README.md").read_text(encoding="utf-8")]
    pages += [PAGES["model"], PAGES["personal_models"]]
    pages += [
        (ROOT / "models" / name / "card.md").read_text(encoding="utf-8")
        for name in ("population", "population-4")
    ]
    for page in pages:
        words = " ".join(page.split())
        assert re.search(rf"\[?{N_LOOKS} times|were {N_LOOKS} looks", words)
        assert "worn test" in words


def knowledge_table(rungs: dict[str, Any]) -> str:
    """Write the table of what each state of knowledge adds."""
    head = "known | sensor | meals | RMSE | rise RMSE | iAUC r | r within a person"
    lines = [f"| {head} | inside the band |", "|" + " --- |" * 8]
    for rung in next(iter(rungs.values())):
        for sensor, result in rungs.items():
            metrics = result[rung]["models"]["postmeal"]
            errors = f"{metrics['absolute_rmse_mg_dl']:.1f} | {metrics['rise_rmse_mg_dl']:.1f}"
            r = f"{metrics['iauc_r']:.2f} | {within(metrics)} | {inside(metrics)}"
            lines.append(f"| {KNOWN[rung]} | {sensor} | {metrics['n_meals']} | {errors} | {r} |")
    return "\n".join(lines)


def model_table(frozen: dict[str, Any]) -> str:
    """Write the table of the model beside its baselines."""
    lines = ["| sensor | model | rise RMSE | iAUC r | r within a person | inside the band |"]
    lines.append("|" + " --- |" * 6)
    for sensor, result in frozen.items():
        for model, name in MODELS.items():
            metrics = result["models"][model]
            error = f"{metrics['rise_rmse_mg_dl']:.1f} | {metrics['iauc_r']:.2f}"
            lines.append(f"| {sensor} | {name} | {error} | {within(metrics)} | {inside(metrics)} |")
    return "\n".join(lines)


def personal_table(forward: dict[str, Any]) -> str:
    """Write the table of what five days of a person's data add."""
    head = ("sensor", "model", "RMSE", "rise RMSE", "iAUC r", "r within a person")
    lines = [f"| {' | '.join((*head, 'inside the band', 'its width'))} |"]
    lines.append("|" + " --- |" * (len(head) + 2))
    for sensor, result in forward.items():
        for model, name in PERSONAL_MODELS.items():
            metrics = result["models"][model]
            errors = f"{metrics['absolute_rmse_mg_dl']:.1f} | {metrics['rise_rmse_mg_dl']:.1f}"
            width = f"{metrics['width_mg_dl']:.0f}" if "coverage" in metrics else "–"
            cells = (errors, f"{metrics['iauc_r']:.2f}", within(metrics), inside(metrics), width)
            lines.append(f"| {sensor} | {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def within(metrics: dict[str, Any]) -> str:
    correlation = metrics["within_person_iauc_r"]
    return f"{correlation:.2f}" if correlation else "–"


def inside(metrics: dict[str, Any]) -> str:
    return f"{metrics['coverage']:.0%}" if "coverage" in metrics else "–"


def test_the_table_of_reliability_names_every_row_of_its_list() -> None:
    """Sixteen rows of security, S1 to S16, and twenty-two of reliability, R1 to R22."""
    named = {
        name
        for cells in re.findall(r"^\| ([SR\d, ]+) \|", PAGES["reliability"], re.MULTILINE)
        for name in cells.split(", ")
    }
    assert named == {f"S{n}" for n in range(1, 17)} | {f"R{n}" for n in range(1, 23)}


def test_every_decision_is_in_the_index() -> None:
    """Each page is named in the index by its number, its title and a link to it."""
    folder = ROOT / "docs" / "decisions"
    index = (folder / "index.md").read_text(encoding="utf-8")
    pages = sorted(page for page in folder.glob("*.md") if page.name != "index.md")
    assert len(pages) >= 51
    for number, page in enumerate(pages, start=1):
        title, *_ = page.read_text(encoding="utf-8").splitlines()
        assert page.name.startswith(f"{number:04d}-")
        assert title.startswith(f"# D{number}: ")
        assert f"| D{number} | [{title.partition(': ')[2]}]({page.name}) |" in index


@pytest.mark.reliability
def test_the_figures_of_search_are_current(catalog):
    sets = sets_of(catalog)
    for label, name in SEARCHES.items():
        n, *shares = Figures.of(sets[name])
        assert quoted("food_search", label) == (n, [percent(share) for share in shares]), label


def test_the_figures_of_typeahead_are_current(catalog):
    (n, first, _), (n_untouched, first_untouched, _) = (
        typeahead(catalog, untouched=side) for side in (False, True)
    )
    text = prose("food_search")
    assert f"on {n + n_untouched} partly typed words" in text
    assert f"{percent(first)} of the {n} words used for tuning" in text
    assert f"{percent(first_untouched)} of the {n_untouched} words not used for tuning" in text


@pytest.mark.reliability
def test_the_figures_of_alternatives_are_current(catalog):
    cells = list(judged(catalog, aside=True))
    good, ruled, absurd, absurd_ruled = (
        percent(share, 0) for share in of_alternatives(cells).values()
    )
    text = prose("food_search")
    n_foods = len({cell.name for cell in cells})
    assert f"evaluated on {n_foods} everyday foods" in text
    assert f"{good} of the foods have at least three good alternatives" in text
    assert f"{absurd} have at least one absurd alternative" in text
    assert f"the shares are {ruled} and {absurd_ruled}" in text


@pytest.mark.reliability
def test_the_figures_of_meals_in_plain_english_are_current(shared_data, catalog):
    meals = MEAL_TEXTS["nutribench"](shared_data / "food" / "nutribench_v2_dev.csv")
    table = accuracy_table(meals, estimate(meals, catalog))
    for label, name in MEAL_SETS.items():
        row = table[name]
        tuned, untouched = (table[f"{name}, {side}"]["accurate"] for side in ("dev", "test"))
        expected = (
            row["meals"],
            [
                percent(row["accurate"]),
                f"{row['mae_g']:.1f} g",
                f"{percent(tuned).removesuffix('%')} / {percent(untouched)}",
            ],
        )
        assert quoted("meal_language", label) == expected, label


@pytest.mark.reliability
def test_the_figures_with_a_country_are_current(shared_data, catalog):
    """Meals are in the half that was looked at if the first byte of their digest is below 128."""
    meals = MEAL_TEXTS["nutribench"](shared_data / "food" / "nutribench_v2_dev.csv")
    halves: dict[str, list[Any]] = {"looked at": [], "only scored": []}
    for meal in meals:
        digest = hashlib.sha256(f"{meal.country}{meal.text}".encode()).digest()
        if meal.country != "US":
            halves["looked at" if digest[0] < 128 else "only scored"].append(meal)
    for label, half in halves.items():
        without, with_it = (
            accuracy_table(half, estimate(half, catalog, with_country=used))["all"]
            for used in (False, True)
        )
        assert quoted("meal_language", f"half that was {label}") == (
            len(half),
            [
                percent(without["accurate"]),
                percent(with_it["accurate"]),
                f"{without['mae_g']:.1f} g",
                f"{with_it['mae_g']:.1f} g",
            ],
        )


@pytest.mark.reliability
def test_the_figures_of_meals_written_blind_are_current(catalog):
    meals = read_blind_meals(ROOT / "tests" / "relevance" / "blind_meals" / "read.csv")
    figures = blind_meal_figures(compare_meals(meals, catalog))
    values = {name: (value, n) for name, value, n in figures}
    labels = {
        "within_7.5_g": "meals within 7.5 g of carbohydrate",
        "foods_found": "foods found",
    }
    for name, label in labels.items():
        value, n = values[name]
        number, cells = quoted("meal_language", label)
        assert (number, cells[1]) == (n, percent(value)), label
    text = PAGES["meal_language"]
    grams = percent(values["grams_within_30_percent"][0])
    assert f"| mean error | 40.4 g | {values['mean_error_g'][0]:.1f} g |" in text
    assert f"| amounts within 30% of the foods found | 53.7% | {grams} |" in text


@pytest.mark.reliability
def test_the_figures_of_dishes_are_current(shared_data, catalog):
    dishes = MEAL_TEXTS["dishes"](shared_data / "scans" / "nutrition5k_dishes_dev.csv")
    row = accuracy_table(dishes, estimate(dishes, catalog))["all"]
    text = prose("meal_language")
    assert f"the {row['meals']:,} dishes of Nutrition5k" in text
    assert f"is {percent(row['carbs_wmape'])} for carbohydrate" in text
    assert f"and {percent(row['energy_wmape'])} for energy" in text
