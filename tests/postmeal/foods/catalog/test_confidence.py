"""A search answers only with foods that are likely to be meant, and says what they lack."""

import csv
import random
from pathlib import Path

import pytest

RELEVANCE = Path(__file__).parents[3] / "relevance"


@pytest.mark.parametrize(
    "query",
    [
        "bicycle helmet",
        "blorptang",
        "xyzzyplugh stew",
        "banana xyzzyplugh",
        "frozen moon dust",
        "windshield wiper fluid",
        "keyboard soup stand",
    ],
)
def test_what_is_no_food_has_no_answer(catalog, query):
    assert catalog.search(query) == []


def test_most_made_up_words_beside_a_food_word_have_no_answer(catalog):
    """The food is unknown if its name is made up: "flupsnick salad" is not any salad."""
    chance = random.Random(18)
    letters = "bdfgklmnprstvz", "aeiou"
    nonsense = [
        "".join(chance.choice(letters[at % 2]) for at in range(9)) + f" {food}"
        for food in ("salad", "stew", "drink", "shake", "sauce", "mix") * 20
    ]
    answered = sum(bool(catalog.search(query)) for query in nonsense)
    assert answered <= 12  # of 120


@pytest.mark.parametrize(
    ("query", "without"),
    [
        ("dragon scotch egg", ("dragon",)),
        ("Keto, pancakes", ("Keto",)),
        ("costco hot dog", ("costco",)),
        ("large eggs", ()),  # a size
        ("2 bananas", ()),  # an amount
        ("brocolli", ()),  # a correction
        ("banana", ()),
        ("blorptang", ()),  # no answer
    ],
)
def test_words_that_were_left_out_are_named_as_typed(catalog, query, without):
    found = catalog.search(query)
    assert found.matched_without == without
    assert catalog.search(query, limit=3, offset=1).matched_without == without


def test_every_word_as_typed_is_always_an_answer(catalog):
    with (RELEVANCE / "relevance.csv").open(encoding="utf-8") as file:
        queries = [line["query"] for line in csv.DictReader(file, delimiter=";")]
    for query in random.Random(1).sample(queries, 200):
        if literal := catalog.search(query, every_word=True):
            assert catalog.search(query), (query, literal[0].name)


@pytest.mark.parametrize(
    ("query", "first"),
    [("🍌", "Banana"), ("🥑", "Avocado"), ("🍕", "Pizza|Fast Food, Pizza"), ("🍟 large", "potato")],
)
def test_emoji_of_foods_are_names(catalog, query, first):
    found = catalog.search(query, limit=1)[0].description
    assert any(name in found for name in first.split("|"))
    assert catalog.search("🚲") == []
