"""A food is found, or told as unread, in whatever sentence it stands.

All sentences are written for these tests.
"""

import pytest

from postmeal.foods.language import read_meal

FOODS = [
    "banana",
    "pear",
    "boiled egg",
    "slice of toast",
    "bowl of lentil soup",
    "cheese sandwich",
    "glass of milk",
    "handful of almonds",
    "baked potato",
    "doughnut",
    "bagel",
    "piece of salmon",
    "cup of coffee",
    "drink of water",
    "plate of spaghetti",
    "snack bar",
    "dessert wine",
    "breakfast burrito",
    "dinner roll",
    "mixed salad",
    "fried egg",
    "dried fig",
    "pickled onion",
    "stuffed pepper",
    "bread pudding",
    "everything bagel",
    "rice ball",
]
SENTENCES = [
    "{a}",
    "For extra energy {a}",
    "for that matter {a}",
    "For good measure, {a}",
    "For added fiber I had {a}",
    "For some protein there was {a}",
    "For the vitamins {a}",
    "To finish {a}",
    "To finish, {a}",
    "to top it off {a}",
    "To keep me going {a}",
    "to be honest {a}",
    "to my surprise {a}",
    "Everything was fine and {a}",
    "everything else was {a}",
    "I skipped lunch but had {a}",
    "I was hungry so {a}",
    "It was {a}",
    "It's {a}",
    "That was {a}.",
    "{a}, that's all",
    "{a} is what I had",
    "{a} was my lunch",
    "{a} as always",
    "My lunch: {a}",
    "Lunch - {a}",
    "At noon {a}",
    "while walking {a}",
    "while watching TV I ate {a}",
    "after running {a}",
    "After training, {a}",
    "before bed {a}",
    "between meals {a}",
    "on the way home {a}",
    "in a hurry {a}",
    "with my kids {a}",
    "thanks to my friend {a}",
    "my daughter made me {a}",
    "I finished {a}",
    "I managed {a}",
    "I bought {a} and ate it",
    "There's {a} on my plate",
    "only {a}, nothing else",
    "nothing but {a}",
    "{a}!",
    "{a}?",
    "ate {a} :)",
    "just {a} today",
    "maybe {a}",
    "Not much, {a}",
    "I did not eat much, only {a}",
    "I don't eat much: {a}",
    "without thinking I ate {a}",
    "no time, {a}",
    "No lunch, {a} instead",
    "instead of lunch {a}",
    "to hold me over until dinner {a}",
    "for the road {a}",
    "for dessert {a}",
    "For {a}",
    "to share {a}",
    "as a reward {a}",
    "because I was tired, {a}",
    "Had toast. It was followed by {a}",
    "water, and it was with {a}",
    "I had water. Then {a}",
    "I had water. It came with {a}",
    "I had water. The {f} was good",
    "Besides water {a}",
    "water plus {a}",
    "water & {a}",
    "water; {a}",
    "water\n{a}",
    "I drank water to wash down {a}",
    "I drank water to go with {a}",
]


@pytest.mark.sampled
@pytest.mark.parametrize("sentence", SENTENCES)
def test_no_food_is_lost_in_a_sentence(catalog, sentence):
    for food in FOODS:
        told = ("an " if food[0] in "aeiou" else "a ") + food
        (alone,) = read_meal(told, catalog).detections
        reading = read_meal(sentence.format(a=told, f=food), catalog)
        found = {one.selection.food.id for one in reading.detections}
        named = " ".join(one.selection.food.description.lower() for one in reading.detections)
        what = food.split()[-1]
        assert (
            alone.selection.food.id in found or what in named or what in " ".join(reading.unread)
        ), food


@pytest.mark.parametrize(
    ("text", "foods", "unread"),
    [
        ("For some protein, yogurt", 1, 0),
        ("for extra flavor", 0, 0),
        ("To add some almonds", 1, 0),
        ("to add a touch of sweetness", 0, 0),
        ("To dress the salad, olive oil", 1, 1),
        ("I had rice, and to go with the rice some chicken", 2, 0),
        ("I had a burger a coke", 2, 0),
        ("chicken a la king", 1, 0),
        ("coffee once a day", 1, 0),
    ],
)
def test_why_and_when_something_is_eaten_is_no_food(catalog, text, foods, unread):
    reading = read_meal(text, catalog)
    assert (len(reading.detections), len(reading.unread)) == (foods, unread)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("150 g banana, 100 g apple and pear", ("pear",)),
        ("I had toast. It was a banana", ("it was a banana",)),
        ("a pizza. It was a cheese pizza", ()),
        ("a 100 g taco with beef, lettuce and cheese", ()),
    ],
)
def test_a_food_that_is_taken_for_no_part_of_another_is_told_as_unread(catalog, text, unread):
    assert read_meal(text, catalog).unread == unread


@pytest.mark.parametrize(
    "text", ["150 g banana and pear", "5 oz grilled salmon and steamed broccoli"]
)
def test_a_food_beside_a_single_weighed_one_has_a_typical_serving(catalog, text):
    reading = read_meal(text, catalog)
    assert [one.amount_said for one in reading.detections] == [True, False]
    assert reading.unread == ()


@pytest.mark.parametrize(
    ("text", "weights_g"),
    [
        ("I had banana and pear. The pear is 150 g", [118, 150]),
        ("rice with chicken. The rice is 100 g and the chicken 50 g", [100, 50]),
    ],
)
def test_a_mass_that_is_told_later_makes_its_food_one_of_its_own(catalog, text, weights_g):
    found = read_meal(text, catalog).detections
    assert [one.selection.weight_g for one in found] == pytest.approx(weights_g, rel=0.05)
