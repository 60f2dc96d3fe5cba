"""Evaluation food by food: each figure by hand, and the command."""

import csv
from dataclasses import replace

import pytest

from postmeal.errors import DataSetError
from postmeal.foods.language import MealReading, read_meal
from tools.evaluate.__main__ import main
from tools.evaluate.blind_meals import (
    blind_meal_figures,
    compare_meal,
    compare_meals,
    over_bound,
    read_blind_meals,
)

HEADER = "meal;text;food;grams;carbs_g\n"
BANANA = "M1;150 g of banana;^banana;150;34\n"
TWO_FOODS = "".join(
    f"M2;100 g of apple and 50 g of cheddar;{food}\n" for food in ("apple;100;14", "brie;50;0")
)


@pytest.fixture
def meals(tmp_path):
    file = tmp_path / "meals.csv"
    file.write_text(HEADER + BANANA + TWO_FOODS)
    return read_blind_meals(file)


def test_rows_of_the_same_meal_are_joined(meals):
    assert [(meal.id, len(meal.foods)) for meal in meals] == [("M1", 1), ("M2", 2)]
    assert meals[1].carbs_g == 14


def test_a_detection_counts_only_where_its_name_matches(meals, catalog):
    findings = compare_meals(meals, catalog)
    assert [[food.detection is not None for food in each.foods] for each in findings] == [
        [True],
        [True, False],
    ]


def test_a_detection_counts_for_one_food_only(tmp_path, catalog):
    file = tmp_path / "meals.csv"
    file.write_text(HEADER + "M1;a banana;banana;118;27\nM1;a banana;banana;118;27\n")
    (finding,) = compare_meals(read_blind_meals(file), catalog)
    assert [food.detection is not None for food in finding.foods] == [True, False]


def test_figures_are_those_calculated_by_hand(meals, catalog):
    findings = compare_meals(meals, catalog)
    figures = {name: (value, n) for name, value, n in blind_meal_figures(findings)}
    assert figures["within_7.5_g"] == (1.0, 2)
    assert figures["foods_found"] == (pytest.approx(2 / 3), 3)
    assert figures["grams_within_30_percent"] == (1.0, 2)
    assert figures["over_bound_unmarked"] == (0.0, 3)
    assert figures["far_too_much_unmarked"] == (0.0, 2)
    assert figures["mean_error_g"][0] == pytest.approx(
        sum(abs(each.error_g) for each in findings) / 2
    )


def test_nothing_read_is_an_error_of_everything_eaten(meals):
    assert compare_meal(meals[0], MealReading()).error_g == -34


def test_an_amount_of_more_than_four_times_what_was_eaten_is_far_too_much(meals, catalog):
    eaten = replace(meals[0].foods[0], weight_g=100)
    reading = read_meal("450 g of banana", catalog)
    (food,) = compare_meal(replace(meals[0], foods=(eaten,)), reading).foods
    assert food.far_too_much
    assert not food.grams_agree


def test_an_amount_over_the_bound_counts_until_it_is_marked(catalog):
    (marked,) = read_meal("9 kg of banana", catalog).detections
    assert marked.implausible
    assert not over_bound(marked)
    assert over_bound(replace(marked, implausible=False))


@pytest.mark.parametrize(
    "content", ["", "a;b\n1;2\n", HEADER + "M1;text;(;1;1\n", HEADER + "M1;text;x;much;1\n"]
)
def test_a_file_of_another_format_is_refused(tmp_path, content):
    file = tmp_path / "meals.csv"
    file.write_text(content)
    with pytest.raises(DataSetError):
        read_blind_meals(file)


def test_the_command_prints_one_line_per_figure_and_writes_one_row_per_meal(tmp_path, capsys):
    file, written = tmp_path / "meals.csv", tmp_path / "out.csv"
    file.write_text(HEADER + BANANA + TWO_FOODS)
    assert main(["meals", str(file), "--predictions", str(written)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "within_7.5_g 1 2"
    assert lines[2] == "foods_found 0.6667 3"
    rows = list(csv.DictReader(written.read_text().splitlines()))
    assert [(row["meal"], row["foods"], row["found"]) for row in rows] == [
        ("M1", "1", "1"),
        ("M2", "2", "1"),
    ]


def test_an_evaluation_of_meals_is_not_recorded(tmp_path, capsys):
    file = tmp_path / "meals.csv"
    file.write_text(HEADER + BANANA)
    assert main(["meals", str(file), "--tracking", "sqlite:///x.db"]) != 0
    assert "--tracking" in capsys.readouterr().err
