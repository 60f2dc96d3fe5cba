from postmeal.foods.ordinary_words import ORDINARY
from postmeal.foods.words import words


def test_the_words_are_normalized():
    assert all(words(word) == [word] for word in ORDINARY)


def test_things_that_are_not_foods_have_no_answer(catalog):
    for query in ("soap", "charger", "wallet", "socks", "batteries", "usb cable", "cat litter"):
        assert not catalog.search(query), query


def test_a_misspelled_food_is_not_an_ordinary_word():
    assert ORDINARY.isdisjoint(("flower", "desert", "stake", "meet", "bred", "beat", "leak"))
