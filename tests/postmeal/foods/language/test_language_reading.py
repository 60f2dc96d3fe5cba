"""What is understood of any text about a meal. All sentences are written for these tests."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stopwatch import Stopwatch

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.file import build_catalog_file
from postmeal.foods.language import read_meal
from postmeal.foods.language.matching import Matcher
from postmeal.foods.table import Portion, TableFood


def grams(catalog: Catalog, text: str) -> list[float]:
    return [d.selection.weight_g for d in read_meal(text, catalog).detections]


# sentence · words of each food's name · grams of each
SENTENCES = [
    ("For lunch I had 120 g of cooked brown rice and 90 g of grilled salmon.",
     ["rice brown cooked", "salmon"], [120, 90]),
    ("2 eggs and toast", ["egg", "toasted"], [100, 50]),
    ("a small bag of potato chips and a can of cola", ["potato chips", "cola"], [28, 372]),
    ("I'm snacking on a fun-sized Snickers", ["Snickers"], [17]),
    ("a medium slice of cheese pizza with a glass of milk", ["pizza cheese", "milk"], [86, 244]),
    ("a cup of black coffee with a packet of sugar", ["coffee", "sugar"], [240, 4]),
    ("a banana and a kiwi. The banana is 110 grams and the kiwi is 70 grams.",
     ["banana", "kiwi"], [110, 70]),
    ("a peanut butter and jelly sandwich", ["peanut butter jelly sandwich"], [112]),
    ("a large order of french fries", ["fr"], [180]),
    ("12 fl oz of orange juice", ["orange juice"], [372]),
    ("a bowl of oatmeal", ["oat"], [240]),
    ("a tablespoon of peanut butter", ["peanut butter"], [16]),
    ("half an avocado", ["avocado"], [75]),
    ("a jar of strained peach baby food", ["peach"], [113]),
    ("I washed down a beef burrito with a bottle of water", ["burrito", "water"], [225, 507]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "names", "weights_g"), SENTENCES)
def test_foods_and_household_measures_are_understood(catalog, text, names, weights_g):
    found = read_meal(text, catalog)
    assert found.unread == ()
    assert grams(catalog, text) == pytest.approx(weights_g, rel=0.13)
    for detection, words in zip(found.detections, names, strict=True):
        name = detection.selection.food.description.lower()
        assert all(word.lower() in name for word in words.split()), name


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("diet root beer", "diet"),
        ("sugar free gelatin", "gelatin"),
        ("skim milk", "nonfat"),
        ("frankfurter", "frankfurter"),
        ("nonfat plain greek yogurt", "nonfat"),
        ("canned tuna in water", "tuna"),
        ("chicken and bean burrito", "chicken, with beans"),
        ("raw carrots", "carrots, raw"),
        ("uncooked white rice", "raw"),
        ("salt", "salt"),
    ],
)
def test_a_name_that_no_publisher_uses_finds_its_food(catalog, said, name):
    best = Matcher.of(catalog).match(said)[0]
    assert name in catalog.food(best.food_id).description.lower()


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("lappi cheese", "cheese, cheddar"),
        ("blue cornish rice", "rice, white"),
        ("swordfish", "cooked, dry heat"),
        ("polished rice", "cooked"),
        ("fruit drink high in vitamin C", "high vitamin c"),
        ("a 70 g piece of papad", "papad"),
        ("some meat cooked in butter", "beef"),
    ],
)
def test_a_word_that_nobody_knows_leaves_the_plain_food(catalog, said, name):
    (found,) = read_meal(said, catalog).detections
    assert name in found.selection.food.description.lower()


@pytest.mark.parametrize("said", ["rice", "chicken", "potato", "lentils", "salmon", "pasta"])
def test_food_that_is_eaten_cooked_is_cooked_unless_said_otherwise(catalog, said):
    food = catalog.food(Matcher.of(catalog).match(said)[0].food_id)
    assert not {"raw", "uncooked", "unprepared"} & set(
        food.description.lower().replace(",", "").split()
    )


def test_a_product_is_meant_when_its_brand_is_named_and_only_then(tmp_path):
    def food(number: int, name: str, carbs_g: float, brand: str = "") -> TableFood:
        return TableFood(
            source="tests",
            key=str(number),
            kind="branded" if brand else "generic",
            category="tests",
            name=name,
            brand_name=brand,
            portions=(Portion(1, 100, "g", 100),),
            per_100_g={"carbs_g": carbs_g},
            id=number,
        )

    foods = [
        food(1, "Yogurt, strawberry", 15.0),
        food(2, "Bread, white", 49.0),
        food(100_000_000, "Strawberry Yogurt", 9.0, "Brandname"),
    ]
    build_catalog_file(foods, tmp_path / "foods.sqlite3")
    catalog = Catalog(tmp_path / "foods.sqlite3")
    for text, expected in (("100 g brandname strawberry yogurt", 100_000_000),
                           ("100 g strawberry yogurt", 1)):  # fmt: skip
        (found,) = read_meal(text, catalog).detections
        assert found.selection.food.id == expected
    catalog.close()


def test_what_is_in_a_food_is_no_food_of_its_own(catalog):
    found = read_meal("a 150 g soft taco with chicken, lettuce and cheese", catalog)
    assert [d.selection.weight_g for d in found.detections] == [150]
    assert "taco" in found.detections[0].selection.food.description.lower()


@pytest.mark.parametrize(
    "text",
    [
        "a peanut butter and jelly sandwich on white bread",
        "a peanut butter and jelly sandwich made with crunchy peanut butter and grape jelly",
        "a burrito filled with beef, beans, rice and sour cream",
        "a turkey and cheese sandwich with lettuce, tomato, and mayonnaise",
        "macaroni and cheese",
        "one ham, egg, and cheese biscuit",
    ],
)
def test_what_several_phrases_name_is_one_food(catalog, text):
    assert len(read_meal(text, catalog).detections) == 1


@pytest.mark.parametrize(
    ("text", "foods"),
    [
        ("toast with 10 g of butter and 20 g of jam", 3),
        ("3 eggs and toast", 2),
        ("an orange, a pear and a plum", 3),
        ("100 g rice with 50 g chicken", 2),
        ("milk to drink, toast to eat", 2),
        ("eggs, fried and toast", 2),
        ("a bagel, cream cheese", 2),
        ("pizza and salad", 2),
        ("soup and a sandwich", 2),
        ("cheese, cheddar", 1),
    ],
)
def test_each_food_that_is_told_is_one_of_its_own(catalog, text, foods):
    assert len(read_meal(text, catalog).detections) == foods


@pytest.mark.parametrize(
    ("text", "foods"),
    [
        ("eggs and toast", 2),
        ("bread and butter", 2),
        ("macaroni and cheese", 1),
        ("For a snack I had toast and jam", 2),
        ("To start a bowl of oatmeal, to top it off some berries", 2),
        ("To start I had eggs and toast", 2),
        ("To freshen things up, I had some water", 1),
        ("For bulk, I've got white rice (128 g)", 1),
        ("I also threw in some raw tomatoes (22 g)", 1),
        ("a milkshake made with a recipe that doesn't include chocolate", 1),
        ("another 12 fl oz can of ginger ale", 1),
        ("One grapefruit will be my breakfast this morning.", 1),
        ("I ate a pear. Everything's coming together for a tasty meal!", 1),
    ],
)
def test_why_something_is_eaten_is_no_food_and_hides_none(catalog, text, foods):
    found = read_meal(text, catalog)
    assert len(found.detections) == foods
    assert "cake" not in str([d.selection.food.description.lower() for d in found.detections])


def test_words_that_name_the_taste_or_length_of_a_food_measure_it(catalog):
    assert grams(catalog, "a cappuccino cookie") == pytest.approx([24])
    assert grams(catalog, "a footlong turkey sub") == pytest.approx([425])


@pytest.mark.parametrize(
    ("said", "weight_g"),
    [
        ("some curry powder", 1),
        ("some stock cubes", 4),
        ("3 garlic cloves", 9),
        ("a tablespoon of pesto", 16),
        ("some parsnips", 80),
        ("a bowl of bulgur", 260),
        ("pumpkin", 90),
        ("a cup of nesquik", 28),
        ("an orange section", 15),
        ("a waffle cone with vanilla ice cream", 255),
        ("a plain gordita shell", 47),
        ("a peanut butter and jelly sandwich without crusts", 58),
        ("a cheeseburger on a white bun", 110),
    ],
)
def test_a_measure_weighs_what_that_kind_of_food_does(catalog, said, weight_g):
    assert grams(catalog, said) == pytest.approx([weight_g])


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("a burrito stuffed with meat", "burrito, meat, no cheese"),
        ("salad with oil", "salad"),
        ("a meatless burrito", "burrito"),
    ],
)
def test_what_a_dish_is_filled_or_dressed_with_leaves_it_that_dish(catalog, said, name):
    (found,) = read_meal(said, catalog).detections
    assert name in found.selection.food.description.lower()
    assert "oil" not in found.selection.food.description.lower()


def test_a_powder_whose_mass_is_told_is_no_drink(catalog):
    (found,) = read_meal("150 g of milo powder", catalog).detections
    assert found.selection.nutrients.amount("carbs_g") == pytest.approx(130, rel=0.05)


def test_what_is_eaten_beside_a_food_is_one_of_its_own(catalog):
    assert len(read_meal("a hamburger with fries and a coke", catalog).detections) == 3


def test_a_typical_serving_is_marked_as_such(catalog):
    said, typical = read_meal("30 g almonds and some grapes", catalog).detections
    assert said.amount_said
    assert not typical.amount_said
    assert typical.selection.weight_g == pytest.approx(90, rel=0.1)


def test_a_drink_is_meant_rather_than_its_powder(catalog):
    (coffee,) = read_meal("a cup of instant coffee", catalog).detections
    assert coffee.selection.nutrients.amount("carbs_g") < 5


def test_phrases_that_name_no_food_are_told(catalog):
    found = read_meal("xqzwv and a banana", catalog)
    assert found.unread == ("xqzwv",)
    assert [d.said for d in found.detections] == ["a banana"]


@pytest.mark.parametrize("said", ["² eggs ³", "1 1 1 1 1 2/3/4 eggs", "50 go", "just nothing"])
def test_nonsense_is_told_as_unread(catalog, said):
    found = read_meal(said, catalog)
    assert found.detections == ()
    assert len(found.unread) == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("no eggs", ""),
        ("no eggs and toast", "toasted"),
        ("toast, no eggs", "toasted"),
        ("not rice but 2 eggs", "egg"),
        ("I skipped the rice", ""),
        ("a burger, hold the cheese", "hamburger"),
        ("a burger without cheese", "hamburger"),
        ("tuna sandwich no mayo", "tuna"),
        ("no-sugar-added ice cream", "ice cream"),
        ("no bake cookies", "no bake"),
    ],
)
def test_what_is_denied_is_not_eaten(catalog, text, name):
    found = read_meal(text, catalog)
    assert found.unread == ()
    assert len(found.detections) == bool(name)
    assert all(name in one.selection.food.description.lower() for one in found.detections)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cereal with milk", ["cheerios", "milk, whole"]),
        ("a Big Mac and a large coke", ["big mac", "cola"]),
        ("a quarter pounder", ["quarter pounder"]),
        ("a 7 up", ["lemon-lime"]),
        ("eggs x 2", ["egg, whole"]),
    ],
)
def test_a_name_with_a_size_or_a_number_in_it_and_what_is_poured_on_it(catalog, text, names):
    found = [one.selection.food.description.lower() for one in read_meal(text, catalog).detections]
    assert len(found) == len(names)
    assert all(name in food for name, food in zip(names, found, strict=True))


def test_nutrients_of_a_reading_are_the_sum_of_its_foods(catalog):
    found = read_meal("100 g white rice, 50 g black beans", catalog)
    parts = [d.selection.nutrients["carbs_g"] for d in found.detections]
    assert found.nutrients["carbs_g"] == pytest.approx(sum(parts))


def test_how_surely_a_food_is_meant_is_between_none_and_one(catalog):
    exact, vague = (
        read_meal(text, catalog).detections[0].confidence
        for text in ("a banana", "a banana surprise deluxe")
    )
    assert 0 < vague < exact <= 1


FOODS = ["100 g rice", "2 eggs", "a banana", "1 cup milk", "30 g almonds", "a slice of toast"]


@given(st.permutations(FOODS))
@settings(max_examples=20)
def test_the_order_of_foods_does_not_change_the_total(catalog, foods):
    usual = read_meal(", ".join(FOODS), catalog).nutrients
    assert read_meal(", ".join(foods), catalog).nutrients["carbs_g"] == pytest.approx(
        usual["carbs_g"], rel=1e-9
    )


@given(st.integers(1, 20))
@settings(max_examples=20)
def test_twice_as_many_are_twice_as_much_while_that_is_plausible(catalog, count):
    (one,), (two,) = (grams(catalog, f"{n} crackers") for n in (count, 2 * count))
    assert two == pytest.approx(2 * one)


@given(st.text(max_size=200))
@settings(max_examples=60)
def test_a_reading_never_raises_and_is_the_same_each_time(catalog, text):
    assert read_meal(text, catalog) == read_meal(text, catalog)


@pytest.mark.parametrize("text", ["", " ", "?!.,", "0 g salt", "-5 eggs", "99999999 kg rice"])
def test_odd_texts_are_read_without_an_error(catalog, text):
    for detection in read_meal(text, catalog).detections:
        assert detection.selection.quantity > 0


@pytest.mark.parametrize(
    "text",
    ["1 " * 5000, "a banana and " * 800, "x" * 10_000, "half a " * 1500, "1, " * 3400, "(" * 10_000,
     "milk, " + "dry roasted " * 24 + "x", "hard boiled " * 24 + "x",
     "with cheese " * 850, "to the of a " * 850, "weighing 5 g " * 800, "1.5-" * 2500],
)  # fmt: skip
def test_ten_thousand_characters_are_read_soon(catalog, text):
    with Stopwatch() as watch:
        read_meal(text, catalog)
    assert watch.cpu_s < 2


def test_a_catalogue_without_foods_leaves_everything_unread(tmp_path):
    build_catalog_file([], tmp_path / "none.sqlite3")
    reading = read_meal("2 eggs and toast", Catalog(tmp_path / "none.sqlite3"))
    assert reading.detections == ()
    assert reading.unread == ("2 eggs", "toast")


def test_a_text_of_another_type_is_refused(catalog):
    with pytest.raises(InputError, match=r"^text must be a str, got None"):
        read_meal(None, catalog)
