"""Meal texts in which foods or amounts are easily lost or confused."""

import pytest

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import MealReading, read_meal


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.open()


def grams(reading: MealReading) -> dict[str, int]:
    return {one.selection.food.name: round(one.selection.weight_g) for one in reading.detections}


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("a burger with cheese and fries", "French fries"),
        ("a sandwich with ham and fries", "French fries"),
        ("a salad with chicken and bread", "Bread"),
    ],
)
def test_a_side_after_a_filling_is_a_food_of_its_own(catalog, text, side):
    found = read_meal(text, catalog)
    assert len(found.detections) == 2
    assert side in grams(found)
    assert not found.unread


def test_several_fillings_stay_inside(catalog):
    assert len(read_meal("a sandwich with ham and cheese and tomato", catalog).detections) == 1


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("bananas 2, 100 g chicken", {"Banana": 236, "Chicken breast": 100}),
        ("pizza slices 3, 200 ml milk", {"Pizza": 357, "Milk": 206}),
        ("bread, ham and milk, weighing 50, 20 and 240 grams respectively",
         {"Bread": 50, "Ham, sliced": 20, "Milk": 240}),
    ],
)  # fmt: skip
def test_a_count_before_a_mass_is_not_a_mass(catalog, text, weights):
    assert grams(read_meal(text, catalog)) == weights


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("an apple and a pear, 100 g each", {"Apple": 100, "Pear": 100}),
        ("an apple and 3 eggs, 50 g each", {"Apple": 182, "Egg": 150}),
        ("3 eggs. Each was 50 g", {"Egg": 150}),
        ("half a 50 g bar of chocolate", {"Milk chocolate": 25}),
        ("half of a 200 g steak", {"Steak": 100}),
    ],
)
def test_each_and_half_refer_to_their_foods(catalog, text, weights):
    assert grams(read_meal(text, catalog)) == weights


def test_a_dash_is_not_a_cup(catalog):
    assert grams(read_meal("a dash of milk", catalog))["Milk"] <= 5


def test_fluid_ounces_of_a_drink_with_milk_are_not_grams(catalog):
    (tea,) = read_meal("tea with milk 12 oz", catalog).detections
    assert tea.selection.weight_g == pytest.approx(12 * 29.57, rel=0.05)


def test_the_mass_of_a_nutrient_is_not_the_mass_of_the_food(catalog):
    (bar,) = read_meal("a protein bar (20 g protein)", catalog).detections
    assert bar.selection.weight_g > 40


def test_a_missing_bun_is_reported_behind_a_filling(catalog):
    assert "no bun" in read_meal("a burger with cheese, no bun", catalog).unread


@pytest.mark.parametrize(
    ("text", "name", "other"),
    [
        ("rice or pasta or quinoa", "White rice, cooked", "or pasta or quinoa"),
        ("an apple or a pear", "Apple", "or a pear"),
    ],
)
def test_the_first_of_several_alternatives_counts_and_the_others_are_reported(
    catalog, text, name, other
):
    found = read_meal(text, catalog)
    assert list(grams(found)) == [name]
    assert found.unread == (other,)


@pytest.mark.parametrize("text", ["reese's peanut butter cup", "acai bowl"])
def test_a_cup_or_bowl_in_a_name_is_not_a_measure(catalog, text):
    (found,) = read_meal(text, catalog).detections
    assert not found.amount_said
    assert found.said == text
