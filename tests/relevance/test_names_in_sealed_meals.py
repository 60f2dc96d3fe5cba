"""Whether names were added to the meal reader because they occur in the sealed meals.

The control list was written by an author who saw neither the reader, nor its tables, nor a meal. A
table that was fitted to the sealed meals would hold far more of their words than the control list.
"""

import csv
import re
from pathlib import Path

from postmeal.foods.foreign_names import read_sayings
from postmeal.foods.language.converted_measures import CUP_ML
from postmeal.foods.language.translation import LANGUAGES
from postmeal.foods.language.words.measure_words import measure_words
from tools.evaluate.blind_meals import read_blind_meals
from tools.food_table.names import DISHES, EVERYDAY, NAMES

MEALS = Path(__file__).with_name("blind_meals")
WRITTEN = "2026-11-22"
"""When the meals were written."""


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


def word_for_word(text: str) -> str:
    """Return the words of a text between single spaces."""
    return f" {' '.join(re.findall('[^_ -&(-/:-@]+', text.casefold()))} "


def share_in_meals(terms: set[str], texts: list[str]) -> float:
    """Return the share of terms that stand word for word in a text."""
    said = "\n".join(map(word_for_word, texts))
    return sum(word_for_word(term) in said for term in terms) / len(terms)


def added_names() -> set[str]:
    said = {saying.said for saying in read_sayings() if saying.language in LANGUAGES}
    return said | set(measure_words()) | set(CUP_ML)


def added_foods() -> set[str]:
    """Return the names of foods that were added after the meals had been written."""
    rows = [
        row
        for table in (NAMES, DISHES, EVERYDAY)
        for row in rows_of(table.read_text(encoding="utf-8"))
    ]
    return {row["name"] for row in rows if row["added"] > WRITTEN}


def control_names() -> set[str]:
    text = (MEALS / "control_names.csv").read_text(encoding="utf-8")
    return {row["term"] for row in rows_of(text)}


def test_the_control_list_is_as_long_as_the_list_of_added_names():
    assert len(control_names()) >= 0.9 * len(added_names())


def test_added_names_are_at_most_twice_as_common_in_sealed_meals_as_the_control_list():
    texts = [meal.text for meal in read_blind_meals(MEALS / "sealed.csv")]
    control = share_in_meals(control_names(), texts)
    assert 0 < share_in_meals(added_names(), texts) <= 2 * control
    assert len(added_foods()) > 400
    assert 0 < share_in_meals(added_foods(), texts) <= 2 * control


def test_a_list_of_words_of_the_sealed_meals_would_be_found_out():
    texts = [meal.text for meal in read_blind_meals(MEALS / "sealed.csv")]
    fitted = {word for text in texts for word in re.findall(r"[a-z]{4,}", text.casefold())}
    assert share_in_meals(fitted, texts) > 2 * share_in_meals(control_names(), texts)
