"""The table of labels: every dish of the model, and the foods that the labels mean."""

from collections import Counter
from pathlib import Path

import pytest

from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.scans.dishes import DishRecognizer
from postmeal.scans.labels import LabelFoods, read_labels
from postmeal.scans.recognizer import Candidate

NAMED_LABELS = 1_977
"""Labels of the model without the background, the 45 bare ids and the second "Sundae"."""


@pytest.fixture(scope="module")
def label_foods() -> LabelFoods:
    return LabelFoods(Catalog.open())


def test_each_named_label_of_the_model_has_one_row() -> None:
    table = read_labels()
    assert len(table) == NAMED_LABELS
    assert list(table) == sorted(table)


def test_no_label_is_a_bare_id_or_the_background() -> None:
    assert not [label for label in read_labels() if label.startswith(("/", "__")) or not label]


def test_the_table_has_exactly_the_named_labels_of_the_released_model(
    dish_recognizer: DishRecognizer,
) -> None:
    named = {label for label in dish_recognizer.labels if not label.startswith(("/", "__"))}
    assert set(read_labels()) == named


@pytest.mark.parametrize("column", ["food", "kind"])
def test_each_name_in_the_table_is_an_everyday_name_of_a_food(column: str) -> None:
    catalog = Catalog.open()
    names = {getattr(row, column) for row in read_labels().values()} - {""}
    assert not [name for name in sorted(names) if catalog.everyday(name) is None]


def test_a_food_has_at_most_two_kinds_above_it() -> None:
    pairs = {(row.food, row.kind) for row in read_labels().values() if row.food}
    kinds = Counter(food for food, _ in pairs)
    assert not [food for food, count in kinds.items() if count > 2]


@pytest.mark.parametrize(
    ("label", "food", "kind"),
    [
        ("Pepperoni", "pepperoni pizza", "pizza"),
        ("Torta", "layer cake", "layer cake"),
        ("Gari", "", ""),  # pickled ginger; the cassava meal is "Garri"
        ("Angel wings", "faworki", "doughnut"),  # fried dough, not chicken
    ],
)
def test_labels_that_are_easily_misread(label: str, food: str, kind: str) -> None:
    row = read_labels()[label]
    assert (row.food, row.kind) == (food, kind)


def test_labels_of_one_food_are_added(label_foods: LabelFoods) -> None:
    seen = [Candidate("Jiaozi", 0.3), Candidate("Dumpling", 0.25), Candidate("Umeboshi", 0.2)]
    (first, first_sum), (second, second_sum) = label_foods.foods(seen)
    assert first is not None
    assert (first.name, second) == ("Momo", None)
    assert (first_sum, second_sum) == pytest.approx((0.55, 0.2))


def test_a_table_with_a_label_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("label,food,kind\nPho,pho,soup\nPho,pho,\n", encoding="utf-8")
    with pytest.raises(DataSetError, match="line 3 must have 3 values and a new label"):
        read_labels(path)
