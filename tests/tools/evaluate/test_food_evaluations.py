"""Evaluations of search, typeahead, ingredient lists and alternatives: figures and commands."""

import csv
import re

import pytest

from postmeal.errors import DataSetError
from tools.evaluate.__main__ import main
from tools.evaluate.allergen_labels import (
    judge_labels,
    label_figures,
    read_allergen_labels,
)
from tools.evaluate.alternative_foods import (
    JudgedFood,
    alternatives_figures,
    judge,
    judge_alternatives,
    read_judged_foods,
)
from tools.evaluate.food_queries import (
    FoodQuery,
    QueryFinding,
    query_figures,
    read_food_queries,
)
from tools.evaluate.truth_file import FoodTexts

QUERIES = "query;right\nbanana;^bananas?, raw\nxqzvwk;NONE\nwhite rice;^rice, white\n"
LABELS = (
    "text;language;allergen\n"
    "sugar, wheat flour, salt;en;gluten\n"
    "sugar, salt, celery;en;celery\n"
    "rice, salt;en;milk\n"
)
FOODS = (
    "id;food;matters;good;absurd\n"
    ";white rice;fiber_g;brown|quinoa|bulgur|barley;flour\n"
    ";xqzvwk;fiber_g;brown;flour\n"
)


def texts(*names):
    return tuple(FoodTexts(name, name) for name in names)


def written(tmp_path, content):
    file = tmp_path / "truth.csv"
    file.write_text(content)
    return file


def lines_of(capsys):
    return dict(line.split(" ", 1) for line in capsys.readouterr().out.splitlines())


def test_a_position_is_that_of_the_first_correct_food():
    query = FoodQuery("rice", re.compile("rice", re.IGNORECASE))
    assert QueryFinding(query, texts("Bread", "Rice, white", "Rice, brown")).position == 1
    assert QueryFinding(query, texts("Bread")).position is None


def test_a_query_without_a_correct_food_wants_no_food():
    query = FoodQuery("huel", None)
    assert QueryFinding(query, ()).position == 0
    assert QueryFinding(query, texts("Pho")).position is None


def test_shares_of_queries_are_those_counted_by_hand():
    rice, nothing = FoodQuery("rice", re.compile("rice")), FoodQuery("huel", None)
    found = [
        QueryFinding(rice, texts("rice")),
        QueryFinding(rice, texts("bread", "tofu", "rice")),
        QueryFinding(rice, texts("bread", "tofu", "tea", "rice")),
        QueryFinding(rice, ()),
        QueryFinding(nothing, texts("rice")),
        QueryFinding(nothing, ()),
    ]
    assert query_figures(found) == [
        ("first", 0.25, 4),
        ("first_three", 0.5, 4),
        ("first_five", 0.75, 4),
        ("answered_without_a_food", 1.0, 2),
        ("answered_with_another_food", 3.0, 6),
    ]


@pytest.mark.parametrize("command", ["search", "typeahead"])
def test_the_command_prints_the_figures_of_queries(tmp_path, capsys, command):
    output = tmp_path / "out.csv"
    words = [str(written(tmp_path, QUERIES)), "--predictions", str(output)]
    assert main([command, *words]) == 0
    lines = lines_of(capsys)
    assert lines["first"] == "1 2"
    assert lines["answered_without_a_food"].endswith(" 1")
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert [row["query"] for row in rows] == ["banana", "xqzvwk", "white rice"]
    assert rows[0]["position"] == "1"


def test_a_verdict_free_of_the_allergen_is_counted_as_an_error(tmp_path):
    found = judge_labels(read_allergen_labels(written(tmp_path, LABELS)))
    assert [str(each.verdict) for each in found] == ["contains", "free"]
    assert label_figures(found) == [("free", 1.0, 2), ("contains", 0.5, 2), ("unknown", 0.0, 2)]


def test_the_command_writes_the_verdict_on_each_ingredient_list(tmp_path, capsys):
    output = tmp_path / "out.csv"
    words = [str(written(tmp_path, LABELS)), "--predictions", str(output)]
    assert main(["labels", *words]) == 0
    assert lines_of(capsys)["free"] == "1 2"
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert [(row["allergen"], row["verdict"]) for row in rows] == [
        ("gluten", "contains"),
        ("milk", "free"),
    ]


def test_alternatives_are_judged_by_name_and_by_the_nutrients_that_matter(catalog):
    white, brown = (catalog.search(name, limit=1)[0] for name in ("white rice", "brown rice"))
    food = JudgedFood(None, "white rice", ("fiber_g",), re.compile("Rice"), re.compile("flour"))
    assert judge(food, white, brown) == "good"
    assert judge(food, brown, white) == "neither"
    assert judge(food, brown, white, must_improve=False) == "good"
    flour = catalog.search("white rice flour", limit=1)[0]
    assert judge(food, white, flour) == "absurd"


@pytest.mark.reliability
def test_a_food_that_is_not_found_has_no_alternatives(tmp_path, catalog):
    found = judge_alternatives(read_judged_foods(written(tmp_path, FOODS)), catalog)
    figures = {name: (value, n) for name, value, n in alternatives_figures(found)}
    assert figures["food_not_found"] == (1.0, 2)
    assert figures["no_alternative"] == (1.0, 2)
    assert figures["three_good"] == (0.5, 2)
    assert figures["an_absurd"] == (0.0, 2)


def test_the_command_lists_the_alternatives_of_each_food(tmp_path, capsys):
    output = tmp_path / "out.csv"
    words = [str(written(tmp_path, FOODS)), "--predictions", str(output)]
    assert main(["alternatives", *words]) == 0
    assert lines_of(capsys)["an_absurd_in_three"] == "0 2"
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert rows[0]["found"].startswith("White rice, cooked")
    assert "(good)" in rows[0]["alternatives"]


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (read_food_queries, "query,right\n"),
        (read_food_queries, "query;right\nx;(\n"),
        (read_food_queries, "query;right\nx\n"),
        (read_allergen_labels, "text;language;allergen\nx;en;love\n"),
        (read_judged_foods, "id;food;matters;good;absurd\none;x;fiber_g;a;b\n"),
        (read_judged_foods, "id;food;matters;good;absurd\n;x;fibre;a;b\n"),
    ],
)
def test_a_file_of_another_format_is_refused(tmp_path, read, content):
    with pytest.raises(DataSetError):
        read(written(tmp_path, content))
