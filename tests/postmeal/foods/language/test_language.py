"""Simple meal phrases: everyday words to foods, grams and carbohydrate.

The expected grams are the household portions of USDA FNDDS and SR28; the carbohydrate follows from
their figures per 100 g.
"""

import re
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stopwatch import Stopwatch

from postmeal import InputError
from postmeal.foods.language import parse_meal, read_meal
from postmeal.words.units import MASS_G

# phrase · words of the food's name · grams · grams of carbohydrate
PHRASES = [
    ("1 cup oatmeal", "oats cooked", 234, 28),
    ("a cup of oatmeal", "oats cooked", 234, 28),
    ("1 banana", "Bananas, raw", 118, 27),
    ("banana", "Bananas, raw", 118, 27),
    ("2 bananas", "Bananas, raw", 236, 54),
    ("1 small banana", "Bananas, raw", 101, 23),
    ("one large banana", "Bananas, raw", 136, 31),
    ("2 eggs", "Egg, whole, cooked", 100, 1.1),
    ("two large eggs", "Egg, whole, cooked", 100, 1.1),
    ("2 scrambled eggs", "scrambled", 140, 2.3),
    ("half an avocado", "Avocados", 75, 6.4),
    ("½ cup blueberries", "Blueberries, raw", 74, 10.7),
    ("1 1/2 cups white rice", "Rice, white cooked", 244, 69),
    ("1.5 cups cooked white rice", "Rice, white cooked", 244, 69),
    ("1 cup brown rice", "Rice, brown cooked", 163, 42),
    ("150 g rice", "Rice, white cooked", 150, 42),
    ("150g rice", "Rice, white cooked", 150, 42),
    ("rice 150 g", "Rice, white cooked", 150, 42),
    ("0.2 kg rice", "Rice, white cooked", 200, 56),
    ("a glass of milk", "Milk, whole", 248, 12),
    ("200 ml milk", "Milk, whole", 206, 10),
    ("8 oz milk", "Milk, whole", 244, 12),
    ("1 cup skim milk", "Milk, nonfat", 245, 12),
    ("8 fl oz orange juice", "Orange juice", 248, 26),
    ("1 cup orange juice", "Orange juice", 248, 26),
    ("2 slices of whole wheat bread", "Bread, whole-wheat", 56.7, 24),
    ("1 slice white bread", "Bread, white", 29, 14),
    ("2 slices toast", "Bread, white toasted", 50, 27),
    ("1 tbsp peanut butter", "Peanut butter", 16, 3.6),
    ("2 tablespoons honey", "Honey", 40, 33),
    ("1 tsp sugar", "Sugars, granulated", 4.2, 4.2),
    ("coffee", "coffee, brewed", 237, 0),
    ("cup of tea", "tea brewed", 237, 0.7),
    ("1 chicken breast", "Chicken breast roasted", 130, 0),
    ("6 oz chicken breast", "Chicken breast roasted", 170, 0),
    ("4 oz salmon", "salmon cooked", 113, 0),
    ("1 cup pasta", "Pasta, cooked", 140, 43),
    ("2 cups spaghetti", "Pasta, cooked", 280, 86),
    ("1 apple", "Apples, raw", 182, 25),
    ("1 medium apple", "Apples, raw", 200, 28),
    ("1 orange", "Oranges, raw", 131, 15),
    ("10 grapes", "Grapes", 49, 8.9),
    ("1/4 cup raisins", "Raisins", 37.5, 30),
    ("3 dates", "Dates", 72, 54),
    ("2 kiwis", "Kiwifruit", 138, 20),
    ("1 oz almonds", "almonds", 28.3, 6.1),
    ("1 can of coke", "cola", 370, 38),
    ("1 slice pizza", "pizza", 119, 40),
    ("1 medium potato", "Potatoes, baked", 173, 37),
    ("1 cup mashed potatoes", "Potatoes, mashed", 240, 42),
    ("1 medium french fries", "potato, french fried", 145, 60),
    ("1 bagel", "Bagels, plain", 105, 55),
    ("1 cup yogurt", "Yogurt, plain", 245, 11),
    ("1 cup macaroni and cheese", "Macaroni and cheese", 230, 53),
    ("1 cup lentils", "Lentils boiled", 180, 36),
    ("1 cup black beans", "Beans, black boiled", 180, 43),
    ("1 cup broccoli", "Broccoli, cooked", 156, 11),
    ("1/2 cup vanilla ice cream", "Ice creams, vanilla", 70, 17),
    ("1 oz potato chips", "potato chips", 28.3, 15),
    ("1 tortilla", "Tortillas flour", 66.7, 33),
    ("1 cup chicken noodle soup", "Soup, chicken noodle", 248, 7.3),
    ("big mac", "Big Mac", 230, 46),
    ("6 chicken nuggets", "chicken boneless pieces", 96, 14),
    ("1 beer", "beer", 356, 13),
    ("a glass of wine", "wine, table, red", 147, 3.8),
    ("1.5 cups cooked quinoa", "Quinoa, cooked", 262, 56),
    ("1 donut", "Doughnuts", 75, 36),
    ("sweet potato", "Sweet potato, cooked, boiled", 151, 27),
    ("baked sweet potato", "Sweet potato, cooked, baked", 150, 31),
    ("braised radish 50 g", "Radishes", 50, 1.7),
    ("one and a half cups of rice", "Rice, white cooked", 244, 69),
    ("2.5 cups of milk", "Milk, whole", 610, 29),
    ("a dozen eggs", "Egg, whole, cooked", 600, 6.7),
    ("half a dozen eggs", "Egg, whole, cooked", 300, 3.4),
    ("1,000 g rice", "Rice, white cooked", 1000, 282),
    ("2,5 eggs", "Egg, whole, cooked", 125, 1.4),
    ("half and half", "half and half", 15, 0.6),
    ("a quarter pounder", "Quarter Pounder", 230, 51),
    ("1 large egg, fried", "Egg, whole, cooked, fried", 55, 0.46),
    ("1 egg white", "Egg, white, raw", 33, 0.2),
    ("root beer", "root beer", 370, 39),
    ("hot dog", "hotdog", 57, 10),
    ("rye toast", "Bread, rye, toasted", 50, 27),
    ("salt", "Salt, table", 1, 0),
    ("tortilla chips", "tortilla chips", 28, 19),
    ("peanuts", "Peanuts", 28, 6),
    ("hummus", "Hummus", 62, 8.9),
    ("1 slice apple pie", "Pie, apple", 140, 48),
    ("slice of watermelon", "Watermelon", 286, 22),
    ("3 strips of bacon", "bacon", 24, 0.4),
    ("1 cup greek yogurt", "Yogurt, Greek", 245, 8.8),
    ("a bunch of grapes", "Grapes", 151, 27),
    ("5 cherry tomatoes", "Tomatoes", 85, 3.3),
    ("2 tomatoes", "Tomatoes", 246, 9.6),
    ("a burger without cheese", "hamburger", 100, 31),
    ("a 7up", "lemon-lime soda", 368, 38),
    ("dr pepper", "pepper-type", 368, 38),
    ("1 cup 2% milk", "Milk, reduced fat", 244, 11.7),
    ("2% milk", "Milk, reduced fat", 244, 11.7),
    ("sweet and sour pork", "Sweet and sour pork", 170, 43),
    ("gin and tonic", "Gin and tonic", 225, 15),
    ("california roll", "Sushi roll, California", 180, 33),
    ("a Big Mac", "Big Mac", 230, 46),
    ("rice 2 cups", "Rice, white cooked", 326, 92),
    ("eggs x 2", "Egg, whole, cooked", 100, 1.1),
    ("3 strips bacon", "bacon", 24, 0.4),
    ("2 c white rice", "Rice, white cooked", 326, 92),
    ("2 fl. oz. milk", "Milk, whole", 61, 2.9),
    ("2 oz. cheddar cheese", "Cheese, cheddar", 56.7, 1.9),
    ("1 small onion", "Onions, raw", 70, 6.5),
]


@pytest.mark.parametrize(("phrase", "name", "weight_g", "carbs_g"), PHRASES)
def test_an_everyday_phrase_means_its_usda_portion(catalog, phrase, name, weight_g, carbs_g):
    (selection,) = parse_meal(phrase, catalog)
    assert all(word.lower() in selection.food.description.lower() for word in name.split())
    assert selection.weight_g == pytest.approx(weight_g, rel=0.03)
    assert selection.nutrients["carbs_g"] == pytest.approx(carbs_g, rel=0.06, abs=0.5)


@pytest.mark.parametrize(
    ("meal", "weights_g"),
    [
        ("1 cup oatmeal, 1 banana", [240, 118]),
        ("2 eggs, 1 slice toast and a glass of milk", [100, 25, 244]),
        ("2 slices toast with butter", [50, 14]),
        ("a coffee and 30 ml milk", [237, 31]),
        ("coffee with milk", [240, 15]),
        ("tea with milk and sugar", [240, 15, 4.2]),
        ("coffee with half and half", [240, 15]),
        ("apple + 1 tbsp peanut butter", [182, 16]),
        ("3 pancakes with 2 tbsp maple syrup", [150, 40]),
        ("Rice 100 g\nSpinach 150 g\nBeef 15 g", [100, 150, 15]),
        ("1 bagel with cream cheese; coffee", [105, 29, 240]),
        ("I had 1 apple plus 2 eggs", [182, 100]),
        ("mac and cheese, 1 apple", [230, 182]),
        ("1 banana (100 g)", [100]),
        ("1 banana,, ", [118]),
        ("fish and chips", [380]),
        ("cereal with milk", [40, 244]),
        ("For lunch I had 2 eggs with 1 slice of toast, no butter.", [100, 25]),
        ("- 2 eggs\n- 1 banana", [100, 118]),
        ("macaroni and cheese 200 g", [200]),
        ("bread, cheddar cheese and milk, weighing 50, 20 and 240 g respectively", [50, 20, 240]),
    ],
)
def test_foods_are_parted_and_keep_their_order(catalog, meal, weights_g):
    found = [selection.weight_g for selection in parse_meal(meal, catalog)]
    assert found == pytest.approx(weights_g, rel=0.03)


@pytest.mark.parametrize(
    "phrase",
    [
        "radish toast", "2", "2 cups", "1e5 eggs", "-", "1 banana, 2", "2 eggs, 1 cup",
        "1 banana, 100 g, 50 g", "2 handfuls", "no eggs", "50 go", "1 1 1 1 2/3/4 eggs", "² eggs ³",
    ],
)  # fmt: skip
def test_a_phrase_is_refused_rather_than_half_read(catalog, phrase):
    with pytest.raises(InputError, match="matches no food"):
        parse_meal(phrase, catalog)


@pytest.mark.parametrize("phrase", ["xyzzy", "1 cup of xyzzy", "1 banana, xyzzy"])
def test_a_phrase_that_names_no_food_is_named_in_the_error(catalog, phrase):
    with pytest.raises(InputError, match="xyzzy") as caught:
        parse_meal(phrase, catalog)
    assert caught.value.field == "meal"


@pytest.mark.parametrize("text", ["", "  ", ",", "\n", "()"])
def test_an_empty_meal_is_refused(catalog, text):
    with pytest.raises(InputError, match="at least one food"):
        parse_meal(text, catalog)


@pytest.mark.parametrize(
    "text",
    ["0 bananas", "1/0 banana", "0 g rice", "-2 eggs", "1 banana, -2 eggs"],
)
def test_an_impossible_quantity_is_refused(catalog, text):
    with pytest.raises(InputError, match="quantity"):
        parse_meal(text, catalog)


def test_a_guess_from_a_wide_range_is_refused_with_the_range(catalog):
    with pytest.raises(InputError, match="'bread', of which people eat 15 to 56 g; state the amou"):
        parse_meal("bread", catalog)
    (bread,) = parse_meal("2 slices of bread", catalog)
    assert bread.weight_g == pytest.approx(57, rel=0.05)


@pytest.mark.parametrize("text", ["a lasagna", "rice, about 1 cup", "2 eggs, sorry, 3", "pb&j"])
def test_both_readers_find_the_same_foods_and_grams(catalog, text):
    read = [detection.selection for detection in read_meal(text, catalog).detections]
    assert parse_meal(text, catalog) == read


@given(st.floats(0.5, 5000), st.sampled_from(sorted(MASS_G)))
def test_a_mass_is_that_many_grams(catalog, number, unit):
    number = round(min(number, 9_999 / MASS_G[unit]), 2) or 1
    (selection,) = parse_meal(f"{number} {unit} white rice", catalog)
    assert selection.weight_g == pytest.approx(number * MASS_G[unit], rel=1e-9)


@given(st.integers(1, 2))
def test_twice_the_count_is_twice_the_carbohydrate(catalog, count):
    """Row 461: linear in quantity."""
    (one,), (two,) = (parse_meal(f"{n} bananas", catalog) for n in (count, 2 * count))
    assert two.nutrients["carbs_g"] == pytest.approx(2 * one.nutrients["carbs_g"], rel=1e-9)


@given(st.text(max_size=80))
@example("\U0001fada")  # ginger root, which Python 3.11 cannot name
def test_any_text_is_read_or_refused_as_input(catalog, text):
    with suppress(InputError):
        assert parse_meal(text, catalog)


@pytest.mark.parametrize(
    "text",
    ["1 " * 20_000, "half " * 20_000, "a" * 100_000, "x y " * 20_000, "1 banana, " * 1000,
     "fish and " * 2000],
)  # fmt: skip
def test_a_very_long_text_is_answered_soon(catalog, text):
    with Stopwatch() as watch, suppress(InputError):
        parse_meal(text, catalog)
    assert watch.cpu_s < 2


def test_more_foods_than_are_read_are_refused_rather_than_left_out(catalog):
    with pytest.raises(InputError, match="100 foods"):
        parse_meal("1 banana, " * 200, catalog)


def test_an_error_quotes_up_to_60_characters_of_a_phrase(catalog):
    name = "flying saucer of the unknown planet in the seventh galaxy over"
    for length, quoted in ((60, name[:60]), (61, f"{name[:57]}...")):
        with pytest.raises(InputError, match=re.escape(f"contains {quoted!r},")):
            parse_meal(name[:length], catalog)
