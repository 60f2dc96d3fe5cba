"""What is said of a food behind a comma, and of cut food.

All sentences are written for these tests.
"""

import re

import pytest

from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal

# sentence · for each food what its name holds, and grams where they are stated
# The first were written before any was read; then only grams were changed, to household measures.
WRITTEN_FIRST = [
    ("milk, whole", [("^Milk, whole", 244)]),
    ("1 cup milk, whole", [("^Milk, whole", 244)]),
    ("2 eggs, scrambled, with toast", [("^Egg.*scrambled", 122), ("toasted", None)]),
    ("1 large apple, sliced", [("^Apples, raw", 223)]),
    ("beans, black, 1 cup", [("^Beans, black.*(?:boiled|cooked)", 172)]),
    ("oatmeal, 1 cup", [("oat", 240)]),
    ("salmon, grilled, 150 g", [("salmon.*(?:cooked|grilled)", 150)]),
    ("chicken, 100g", [("^Chicken", 100)]),
    ("rice (white, cooked): 200 g", [("^Rice, white.*cooked", 200)]),
    ("toast - 2 slices", [("toasted", 50)]),
    ("potato, medium, baked", [("^Potato.*baked", None)]),
    ("yogurt, plain, nonfat, 1 cup", [("^Yogurt.*plain.*(?:skim|nonfat)", 245)]),
    ("bread, whole wheat, 2 slices", [("^Bread, whole-wheat", 60)]),
    ("banana, sliced", [("^Bananas, raw", 118)]),
    ("1 cup strawberries, halved", [("^Strawberries, raw", 152)]),
    ("carrots, raw, 1 cup", [("^Carrots.*raw", 125)]),
    ("broccoli, steamed, 1 cup", [("^Broccoli.*cooked", 156)]),
    ("tuna, canned in water, 1 can", [("tuna.*canned in water", 115)]),
    ("chicken breast, skinless, grilled, 6 oz", [("^Chicken.*breast", 170)]),
    ("ground beef, lean, 4 oz", [("beef.*ground|ground beef", 113)]),
    ("cheese, cheddar, 1 oz", [("cheddar", 28)]),
    ("pasta, cooked, 2 cups", [("(?:pasta|spaghetti).*cooked", 260)]),
    ("coffee, black", [("coffee", None)]),
    ("tea, unsweetened, 1 cup", [("tea", 240)]),
    ("sweet potato, baked, large", [("^Sweet potato.*baked", None)]),
    ("almonds, unsalted, 1 oz", [("almonds", 28)]),
    ("peanut butter, smooth, 2 tbsp", [("^Peanut butter, smooth", 32)]),
    ("orange juice, 1 cup", [("^Orange juice", 248)]),
    ("1 mango, peeled and diced", [("^Mangos, raw", 210)]),
    ("1 cup pineapple, diced", [("^Pineapple, raw", 165)]),
    ("a cut up peach", [("^Peaches.*raw", 150)]),
    ("a sliced tomato", [("^Tomatoes.*raw", 123)]),
    ("half a cucumber, sliced", [("^Cucumber.*raw", 150)]),
    ("apple, peeled", [("^Apples, raw", None)]),
    ("chopped carrots, 1 cup", [("^Carrots.*raw", 128)]),
    ("2 slices of ham, lean", [("ham", 56)]),
    ("shrimp, boiled, 100 g, and rice, white, 1 cup",
     [("shrimp.*cooked", 100), ("^Rice, white.*cooked", 160)]),
    ("milk, skim, 1 cup; cereal, corn flakes, 1 cup",
     [("^Milk, nonfat", 245), ("corn flakes", None)]),
    ("corn, canned, drained, half a cup", [("^Corn.*canned", 82)]),
    ("steak, medium rare, 8 oz", [("steak", 227)]),
    ("cottage cheese, low fat, 1/2 cup", [("cottage.*low", 113)]),
    ("spinach, fresh, 2 cups", [("^Spinach, raw", None)]),
    ("popcorn, air-popped, 3 cups", [("popcorn.*air-popped", 33)]),
    ("pork chop, fried", [("pork", None)]),
    ("salad, without dressing", [("salad|lettuce", None)]),
    ("cheeseburger, plain, and a coke, large", [("cheeseburger", None), ("cola", None)]),
]  # fmt: skip

THEN = [
    ("2 cups raw spinach", [("^Spinach, raw", 60)]),
    ("2 cups fresh spinach, sauteed", [("^Spinach, cooked", 350)]),
    ("oatmeal, whole milk, banana", [("oat", 240), ("^Milk, whole", 244), ("^Bananas", 126)]),
    ("corn flakes, whole milk", [("Corn Flakes", None), ("^Milk, whole", 244)]),
    ("milk, full cream", [("^Milk, whole", 205)]),
    ("grapes, large", [("^Grapes", 90)]),
    ("small strawberries", [("^Strawberries, raw", 85)]),
    ("a burger and fries, salted", [("burger", None), ("french fried", None)]),
    ("beef, 80% lean", [("^Beef, ground", 85)]),
    ("between one and two hundred grams of rice", [("^Rice, white.*cooked", 150)]),
    ("150 g salmon teriyaki", [("^Teriyaki salmon", 150)]),
    ("1 cup of raw broccoli", [("^Broccoli, raw", 91)]),
    ("coffee, iced, unsweetened", [("^Iced coffee", None)]),
    ("orange juice, no added sugar", [("^Orange juice", 248)]),
    ("apples (sliced) with peanut butter", [("^Apples, raw", None), ("^Peanut butter", None)]),
    ("milk (whole)", [("^Milk, whole", 244)]),
    ("a glass of milk, 2%", [("^Milk, reduced fat", 244)]),
    ("wine, red, 150 ml", [("wine.*red", 149)]),
    ("chicken thigh, boneless, skinless, roasted, 120 g", [("^Chicken.*thigh", 120)]),
    ("ham, 60 g, sliced", [("ham", 60)]),
    ("salmon, 150 g grilled", [("salmon", 150)]),
    ("lentils, cooked - 1 cup", [("^Lentils.*cooked", 198)]),
    ("eggs, boiled, 2", [("^Egg.*boiled", 100)]),
    ("eggs, 3, fried", [("^Egg.*fried", 165)]),
    ("toast, 1 slice, dry", [("toasted", 25)]),
    ("a pear, peeled and sliced", [("^Pears, raw", 178)]),
    ("a banana, ripe, and milk, skim, 200 ml", [("^Bananas", 118), ("^Milk, nonfat", 206)]),
    ("cola, large", [("cola", None)]),
    ("french fries, small", [("french fr", None)]),
    ("tofu, firm, fried, 80 g", [("tofu.*fried", 80)]),
    ("chickpeas, canned, drained, 100 g", [("chickpeas", 100)]),
    ("cucumber, peeled, 100 g", [("^Cucumber, peeled, raw", 100)]),
    ("100 g peeled peach", [("^Peaches.*raw", 100)]),
    ("peas, frozen, boiled, 80 g", [("^Peas.*cooked", 80)]),
    ("turkey, sliced, on whole wheat bread", [("turkey", None), ("^Bread", None)]),
    ("oats, dry, 40 g", [("oat", 40)]),
    ("cheddar, grated, 30 g", [("cheddar", 30)]),
    ("pancakes, 3 medium, plain", [("^Pancakes", None)]),
    ("bread, white; butter, salted, 1 tsp", [("^Bread, white", None), ("^Butter, salted", 5)]),
    ("beef, ground, 90% lean, 100 g", [("^Beef, ground, 90%", 100)]),
    ("pineapple, fresh, cut into chunks, 1 cup", [("^Pineapple, raw", 165)]),
    ("peaches, canned, in juice, 1 cup", [("^Peaches, canned.*juice", 250)]),
    ("cheese, cheddar, 2 slices", [("cheddar", 42)]),
    ("spaghetti, whole wheat, cooked, 140 g", [("(?:spaghetti|pasta).*whole", 140)]),
    ("grapes, red, seedless, 100 g", [("^Grapes, red", 100)]),
    ("a burrito, no beans, and a beer, cold", [("burrito", None), ("beer", None)]),
]  # fmt: skip


def foods_of(catalog: Catalog, text: str) -> list[tuple[str, float]]:
    found = read_meal(text, catalog)
    assert found.unread == ()
    return [(one.selection.food.description, one.selection.weight_g) for one in found.detections]


@pytest.mark.parametrize(("text", "foods"), [*WRITTEN_FIRST, *THEN])
def test_what_only_qualifies_a_food_belongs_to_the_food_before_it(catalog, text, foods):
    found = foods_of(catalog, text)
    for (name, weight_g), (said, grams) in zip(found, foods, strict=True):
        assert re.search(said, name, re.IGNORECASE), name
        assert grams is None or weight_g == pytest.approx(grams, rel=0.15)


@pytest.mark.parametrize(
    ("behind", "before"),
    [
        ("potato, medium, baked", "a medium baked potato"),
        ("sweet potato, baked, large", "a large baked sweet potato"),
        ("spinach, fresh, 2 cups", "2 cups fresh spinach"),
        ("rice (brown, cooked)", "cooked brown rice"),
        ("carrots - raw - 50 g", "50 g raw carrots"),
        ("100 g tuna, canned in oil", "100 g canned tuna in oil"),
        ("2 eggs, fried and toast", "2 fried eggs and toast"),
        ("almonds, a handful", "a handful of almonds"),
        ("salmon, 1 piece, grilled", "1 piece of grilled salmon"),
        ("two large, ripe bananas", "two large ripe bananas"),
        ("chips, 1 bag", "1 bag chips"),
        ("an apple, peeled and sliced, and tea", "a peeled sliced apple and tea"),
    ],
)
def test_a_qualifier_means_the_same_behind_its_food_as_before_it(catalog, behind, before):
    assert foods_of(catalog, behind) == foods_of(catalog, before)


@pytest.mark.parametrize(
    "prepared", ["sliced", "chopped", "diced", "peeled", "fresh", "cut up", "halved"]
)
@pytest.mark.parametrize(
    "food", ["apple", "peach", "pineapple", "cucumber", "carrot", "mango", "pear", "orange"]
)
def test_fresh_food_stays_fresh_however_it_is_cut(catalog, prepared, food):
    for text in (f"{prepared} {food}", f"1 {food}, {prepared}", f"100 g {food}s ({prepared})"):
        ((name, _),) = foods_of(catalog, text)
        assert "raw" in name.lower()
        assert food in name.lower()
