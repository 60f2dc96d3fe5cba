"""What a common word means in the country of a meal. All sentences are written for these tests."""

import csv
from importlib.resources import files
from itertools import pairwise

import pytest

from postmeal import InputError, parse_meal, read_meal
from postmeal.foods.language import explain
from postmeal.foods.language.countries import country_code, local_foods

ROWS = list(
    csv.DictReader(
        files("postmeal.foods.language")
        .joinpath("countries.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    )
)
LEAST_DIFFERENCE_G = 2


def read(catalog, text, country=None):
    """Return the name and grams of each food that is read."""
    return [
        (one.selection.food.description, round(one.selection.weight_g))
        for one in read_meal(text, catalog, country=country).detections
    ]


def names(catalog, text, country=None):
    return [name for name, _ in read(catalog, text, country)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['country']} {row['said']}")
def test_each_rule_applies_to_each_of_its_words(catalog, row):
    meant = catalog.everyday(row["means"])
    assert meant is not None
    for said in row["said"].split(";"):
        assert read(catalog, f"120 g of {said}", row["country"]) == [(meant.description, 120)]
        (selection,) = parse_meal(f"120 g of {said}", catalog, country=row["country"])
        assert (selection.food, selection.weight_g) == (meant, pytest.approx(120))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['country']} {row['said']}")
def test_each_rule_changes_the_carbohydrate_of_a_serving_or_of_100_g(catalog, row):
    said = row["said"].split(";")[0]
    differences_g = []
    for text in (said, f"100 g of {said}"):
        here, elsewhere = (
            read_meal(text, catalog, country=country).nutrients.amount("carbs_g")
            for country in (row["country"], None)
        )
        differences_g.append(abs(here - elsewhere))
    assert max(differences_g) >= LEAST_DIFFERENCE_G


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['country']} {row['said']}")
def test_each_rule_states_a_reason_a_source_and_a_date(row):
    assert row["country"] == country_code(row["country"])
    assert len(row["reason"]) > 10
    assert any(character.isdigit() for character in row["source"]) or "http" in row["source"]
    assert row["date"].startswith("20")


def test_a_word_has_one_meaning_in_a_country_and_the_table_is_sorted():
    said = [(row["country"], name) for row in ROWS for name in row["said"].split(";")]
    assert len(set(said)) == len(said)
    order = [(row["country"], row["said"]) for row in ROWS]
    assert all(one < after for one, after in pairwise(order))


@pytest.mark.parametrize(
    ("country", "text", "expected"),
    [
        ("LA", "grilled fish and rice", "Sticky rice"),
        ("PK", "two parathas and a cup of tea", "Tea, hot, with milk"),
        ("GB", "a burger and chips", "Fast foods, potato, french fried in vegetable oil"),
        ("MX", "scrambled eggs with 3 tortillas", "Tortillas, ready-to-bake or -fry, corn"),
        ("ES", "a slice of tortilla", "Tortilla española"),
        ("AU", "a pie for lunch", "Meat pie"),
    ],
)
def test_a_meal_is_read_as_in_its_country(catalog, country, text, expected):
    assert expected in names(catalog, text, country)
    assert expected not in names(catalog, text)


@pytest.mark.parametrize(
    ("country", "text"),
    [
        ("LA", "200 g of brown rice"),
        ("LA", "fried rice"),
        ("PK", "a cup of tea, no sugar"),
        ("IN", "tea with 1 tsp of sugar"),
        ("IN", "a cup of green tea"),
        ("GB", "tortilla chips and salsa"),
        ("GB", "a peanut butter and jelly sandwich"),
        ("MX", "a flour tortilla"),
        ("AU", "a slice of apple pie"),
        ("ET", "a bowl of oat porridge"),
    ],
)
def test_a_word_that_states_the_food_is_stronger_than_the_country(catalog, country, text):
    assert read(catalog, text, country) == read(catalog, text)


@pytest.mark.parametrize("text", ["rice and tea", "chips", "a tortilla"])
def test_a_country_without_rules_has_no_effect(catalog, text):
    assert read(catalog, text, "SE") == read(catalog, text)
    assert dict(local_foods("SE", text)) == {}


def test_a_cup_in_the_country_has_its_own_weight(catalog):
    assert read(catalog, "2 cups of tea", "IN") == [("Tea, hot, with milk", 400)]
    assert read(catalog, "half a cup of tea", "IN") == [("Tea, hot, with milk", 100)]
    assert read(catalog, "150 g of tea", "IN") == [("Tea, hot, with milk", 150)]


def test_an_amount_and_a_correction_apply_to_the_local_food(catalog):
    assert read(catalog, "rice, sorry, 100 g of rice", "LA") == [("Sticky rice", 100)]
    (detection,) = read_meal("80 g rice", catalog, country="LA").detections
    assert (detection.said, detection.amount_said) == ("80 g rice", True)


@pytest.mark.parametrize("country", ["UK", "PAK", "", "Laos", "l a", 3])
def test_a_country_that_is_no_iso_code_is_refused(catalog, country):
    for function in (read_meal, parse_meal):
        with pytest.raises(InputError, match=r"country must be an ISO 3166-1 alpha-2 code"):
            function("1 banana", catalog, country=country)


def test_the_case_of_the_code_does_not_matter(catalog):
    assert names(catalog, "rice", "la") == ["Sticky rice"]


def test_the_explanation_shows_the_local_food(catalog):
    shown = str(explain("grilled fish and rice", catalog, country="LA"))
    assert "candidate   sticky rice: Sticky rice" in shown
