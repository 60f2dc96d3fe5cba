"""Each stage of reading a meal text. All sentences are written for these tests."""

import pytest

from postmeal.foods.foreign_names import read_sayings
from postmeal.foods.language import explain, read_meal
from postmeal.foods.language.converted_measures import CUP_ML
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.phrases.run_ons import with_commas
from postmeal.foods.language.segments import ROLES, segment_rules, segments_of
from postmeal.foods.language.spelling import measures_respelled
from postmeal.foods.language.thresholds import DEFAULT_TUNING
from postmeal.foods.language.translation import LANGUAGES, language_of
from postmeal.foods.language.words.measure_words import measure_words
from postmeal.words.plain import amount_text
from postmeal.words.tokens import tokens_of


def foods(catalog, text):
    """Return the name and grams of each food that is read."""
    return [
        (one.selection.food.description.lower(), one.selection.weight_g)
        for one in read_meal(text, catalog).detections
    ]


@pytest.mark.parametrize("word", measure_words())
def test_each_measure_word_is_read_in_its_example(catalog, word):
    row = measure_words()[word]
    (found,) = read_meal(row.example, catalog).detections
    other = "ml" if row.means == "ml" else f"{row.means} of"
    amount = f"{row.times:g} {other}"
    expected = read_meal(row.example.replace(f"a {word} of", amount), catalog).detections
    assert [one.selection.weight_g for one in expected] == pytest.approx(
        [found.selection.weight_g], rel=0.01
    )
    assert found.amount_said


def test_measure_words_have_plurals_and_fractions(catalog):
    for many, one, times in (
        ("2 knobs of butter", "a knob of butter", 2),
        ("3 stubbies of beer", "a stubby of beer", 3),
        ("half a katori of dal", "a katori of dal", 0.5),
    ):
        weights = [
            read_meal(text, catalog).detections[0].selection.weight_g for text in (many, one)
        ]
        assert weights[0] == pytest.approx(times * weights[1], rel=0.01)


@pytest.mark.parametrize("rule", segment_rules(), ids=lambda rule: rule.example)
def test_each_rule_of_speech_applies_to_its_example(rule):
    assert rule.role in ROLES
    assert rule.role in {one.role for one in segments_of(amount_text(rule.example))}


@pytest.mark.parametrize(
    "text",
    [
        "2 eggs and toast",
        "I had a large coffee with low fat milk",
        "a sandwich with no mayo",
        "half a grapefruit and a bowl of oatmeal",
        "chicken with half and half sauce, 100 g",
        "I left home and had a banana",
    ],
)
def test_plain_sentences_have_one_segment(text):
    assert [one.role for one in segments_of(amount_text(text))] == ["food"]


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2 apples, sorry, 3", "3 apples"),
        ("2 pears no wait 4 and a banana", "4 pears and a banana"),
        ("a pear, no, 2 apples", "2 apples"),
        ("1 cup of rice, scratch that, half a cup", "half a cup of rice"),
        ("a waffle actually two waffles", "two waffles"),
        ("toast, I mean, a bagel", "a bagel"),
        ("a banana, they forgot the banana, and an apple", "an apple"),
        ("soup and a roll, the roll I did not eat", "soup"),
        ("100 g of rice, I left half of it", "50 g of rice"),
        ("100 g of rice, ate a quarter of it, and an egg", "25 g of rice and an egg"),
        ("rice 90 g and fish 60 g, I left a third of the rice", "rice 60 g and fish 60 g"),
        ("200 g of lasagna that I split with my wife", "100 g of lasagna"),
        ("we split a bagel", "half a bagel"),
        ("200 g of fries split four ways", "50 g of fries"),
        ("a kiwi, two of those", "2 kiwis"),
        ("my sugar was 58 so I took 100 ml of apple juice", "100 ml of apple juice"),
        ("um so like 2 eggs at 7 am", "2 eggs"),
        ("x2 bananas", "2 bananas"),
        ("pancakes x3 and an egg", "3 pancakes and an egg"),
    ],
)
def test_second_thoughts_shares_and_remarks_are_understood(catalog, text, same_as):
    read, meant = foods(catalog, text), foods(catalog, same_as)
    assert [name for name, _ in read] == [name for name, _ in meant]
    assert [grams for _, grams in read] == pytest.approx([grams for _, grams in meant], rel=0.02)


def test_a_part_that_was_left_of_a_food_that_was_not_named_is_unread(catalog):
    reading = read_meal("a banana, I left half of the lobster", catalog)
    assert len(reading.detections) == 1
    assert len(reading.unread) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("deli turkey lettuce tomato", ["turkey", "lettuce", "tomato"]),
        ("oatmeal 1 cup banana 1 coffee 200 ml", ["oat", "banana", "coffee"]),
        ("2 eggs then a glass of milk", ["egg", "milk"]),
        ("toast w butter n jam", ["toasted", "butter", "jam"]),
        ("5 oz salmon and rice 1 cup", ["salmon", "rice"]),
        ("6 oz steak, a baked potato, 4 spears asparagus", ["steak", "potato", "asparagus"]),
        ("a plate of rice some salmon a pear", ["rice", "salmon", "pear"]),
        ("waffles with honey a slice of ham a glass of milk", ["waffle", "honey", "ham", "milk"]),
        ("the bus was late so i had a banana", ["banana"]),
        ("no cereal so two eggs", ["egg"]),
        ("my neighbor cooked, a pork chop with lentils and carrots", ["pork", "lentil", "carrot"]),
    ],
)
def test_foods_are_parted_without_punctuation(catalog, text, names):
    read = [name for name, _ in foods(catalog, text)]
    assert len(read) == len(names)
    assert all(name in food for name, food in zip(names, read, strict=True)), read


def test_the_name_of_one_food_is_not_split():
    def names(name):
        return name in ("tomato", "club sandwich", "cheese")

    assert with_commas("cheese tomato club sandwich", names, lambda _: 0.5) == (
        "cheese tomato club sandwich"
    )


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("dos huevos fritos con pan y un vaso de leche", "es", ["egg", "bread", "milk"]),
        ("une tranche de pain avec du fromage et une pomme", "fr", ["bread", "cheese", "apple"]),
        ("zwei Eier, ein Brötchen mit Butter", "de", ["egg", "roll", "butter"]),
        ("riso con piselli e un bicchiere di latte", "it", ["rice", "pea", "milk"]),
        ("pão com manteiga e um copo de suco de laranja", "pt", ["bread", "butter", "orange"]),
        ("do roti aur ek katori dahi", "hi", ["chapati", "yogurt"]),
    ],
)
def test_common_foods_are_read_in_six_languages(catalog, text, language, names):
    known = Matcher.of(catalog).knows
    assert language_of(tokens_of(text), known, DEFAULT_TUNING) == language
    read = " | ".join(name for name, _ in foods(catalog, text))
    assert all(name in read for name in names), read


@pytest.mark.parametrize(
    "text", ["2 eggs and toast with butter", "a pain au chocolat", "cheese from the deli", ""]
)
def test_english_is_not_taken_for_another_language(catalog, text):
    assert language_of(tokens_of(text), Matcher.of(catalog).knows, DEFAULT_TUNING) is None


def test_the_table_of_languages_has_no_saying_twice():
    sayings = [one for one in read_sayings() if one.language in LANGUAGES]
    said = [(one.language, one.said.casefold()) for one in sayings]
    assert len(set(said)) == len(said)
    for language in LANGUAGES:
        of_it = [one for one in sayings if one.language == language]
        assert sum(one.is_food for one in of_it) >= 60
        assert not all(one.is_food for one in of_it)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("scrambeled eggs", "scrambled"),
        ("a bananna", "banana"),
        ("strawbery yogurt", "yogurt"),
        ("brocolli", "broccoli"),
    ],
)
def test_misspelled_names_are_read(catalog, text, name):
    ((read, _),) = foods(catalog, text)
    assert name in read


def test_a_measure_is_respelled_only_after_a_number(catalog):
    matcher = Matcher.of(catalog)
    assert measures_respelled("3 slicess of peices", matcher) == "3 slices of peices"


@pytest.mark.parametrize(
    ("text", "carbs_g"), [("a can of coke zero", 3), ("a diet ginger ale", 3), ("unsweet tea", 2)]
)
def test_words_for_no_sugar_choose_a_food_without_it(catalog, text, carbs_g):
    (found,) = read_meal(text, catalog).detections
    assert found.selection.nutrients.amount("carbs_g") <= carbs_g
    assert found.lacking == ()


def test_a_word_that_changes_the_carbohydrate_is_reported_if_no_food_has_it(catalog):
    reading = read_meal("100 g of keto cheesecake", catalog)
    (found,) = reading.detections
    assert found.lacking == ("low carb",)
    assert "low carb" in reading.unread
    plain = read_meal("100 g of cheesecake", catalog).detections[0]
    assert found.confidence < plain.confidence


@pytest.mark.parametrize(
    "text",
    [
        "a cheeseburger no bun",
        "a cheeseburger, no bun",
        "burger without the bun because I had bread earlier",
    ],
)
def test_a_bun_that_was_not_eaten_is_reported_if_the_food_contains_it(catalog, text):
    reading = read_meal(text, catalog)
    assert reading.detections[0].lacking == ("no bun",)
    assert reading.unread == ("no bun",)


def test_rice_that_was_not_eaten_beside_a_food_is_not_reported(catalog):
    assert read_meal("grilled chicken breast, no rice", catalog).unread == ()


def test_a_drink_has_sugar_unless_something_else_is_said(catalog):
    (found,) = read_meal("an energy drink", catalog).detections
    assert "sugar free" not in found.selection.food.description.lower()


@pytest.mark.parametrize("cup", CUP_ML)
def test_the_cups_of_coffee_chains_have_their_volume(catalog, cup):
    ((_, grams),) = foods(catalog, f"a {cup} latte")
    assert grams == pytest.approx(CUP_ML[cup], rel=0.05)


def test_the_explanation_shows_every_stage(catalog):
    shown = str(explain("2 eggs, sorry, 3, and xqzwv", catalog)).splitlines()
    stages = {line.split()[0] for line in shown}
    assert stages == {"tokens", "plain", "segment", "amount", "candidate", "read", "unread"}
    assert any("correction: 3" in line for line in shown)


def test_the_explanation_has_the_reading(catalog):
    text = "half a bagel and 30 g of cheddar"
    assert explain(text, catalog).reading == read_meal(text, catalog)
