"""The figures of the README are those that ``make relevance`` computes, to their last digit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from judged_alternatives import judged
from relevance import Figures, of_alternatives, sets_of, typeahead

from postmeal.training.evaluation.meal_language import MEAL_TEXTS, accuracy_table, estimate

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
PROSE = " ".join(README.split())

SEARCHED = {
    "all": "all",
    "tuned on": "tuned",
    "tuned on, not an everyday name": "tuned, not an entry",
    "never looked at": "untouched",
    "never looked at, not an everyday name": "untouched, not an entry",
    "another author's": "blind",
    "another author's, not an everyday name": "blind, not an entry",
}
SENTENCES = {
    "United States, amounts in grams": "USA, metric",
    "United States, amounts as people say them": "USA, natural",
    "24 other countries, in grams": "others, metric",
}


def quoted(label: str) -> tuple[int, list[str]]:
    """Return the number of a row of a table, and its cells."""
    ((number, cells),) = re.findall(
        rf"^\| {re.escape(label)} \(([\d,]+)\) \| (.+) \|$", README, re.MULTILINE
    )
    return int(number.replace(",", "")), cells.split(" | ")


def percent(share: float, digits: int = 1) -> str:
    return f"{share:.{digits}%}".replace("%", " %")


def test_the_readme_quotes_the_search_as_it_is(catalog):
    sets = sets_of(catalog)
    for label, name in SEARCHED.items():
        n, *shares = Figures.of(sets[name])
        assert quoted(label) == (n, [percent(share) for share in shares]), label


def test_the_readme_quotes_typeahead_as_it_is(catalog):
    (n, first, _), (n_untouched, first_untouched, _) = (
        typeahead(catalog, untouched=side) for side in (False, True)
    )
    assert f"{n + n_untouched} words that are begun" in PROSE
    assert f"{percent(first)} of those tuned on ({n})" in PROSE
    assert f"{percent(first_untouched)} of those never looked at ({n_untouched})" in PROSE


@pytest.mark.reliability
def test_the_readme_quotes_the_alternatives_as_they_are(catalog):
    cells = list(judged(catalog, aside=True))
    good, ruled, absurd, absurd_ruled = (
        percent(share, 0) for share in of_alternatives(cells).values()
    )
    assert f"Of {len({cell.name for cell in cells})} everyday foods" in PROSE
    assert f"{good} have three or more that a dietitian's list calls good" in PROSE
    assert f"{ruled} under any one rule; {absurd} and {absurd_ruled} also have one" in PROSE


def test_the_readme_quotes_meals_in_plain_english_as_they_are(shared_data, catalog):
    meals = MEAL_TEXTS["nutribench"](shared_data / "food" / "nutribench_v2_dev.csv")
    table = accuracy_table(meals, estimate(meals, catalog))
    for label, name in SENTENCES.items():
        one = table[name]
        sides = [f"{table[f'{name}, {side}']['accurate']:.1%}" for side in ("dev", "test")]
        told = f"{sides[0].removesuffix('%')} / {sides[1].replace('%', ' %')}"
        assert quoted(label) == (
            one["meals"],
            [percent(one["accurate"]), f"{one['mae_g']:.1f} g", told],
        ), label


def test_the_readme_quotes_dishes_as_they_are(shared_data, catalog):
    dishes = MEAL_TEXTS["dishes"](shared_data / "scans" / "nutrition5k_dishes_dev.csv")
    one = accuracy_table(dishes, estimate(dishes, catalog))["all"]
    assert f"the {one['meals']:,} dishes of Nutrition5k" in PROSE
    assert f"carbohydrate is {percent(one['carbs_wmape'])} off in all" in PROSE
    assert f"energy {percent(one['energy_wmape'])}" in PROSE
