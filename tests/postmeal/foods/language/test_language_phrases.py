"""Sentences about meals, all written for these tests, parted into foods and amounts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.foods.language.phrases.phrase_splitting import phrases
from postmeal.words.numbers import number_of
from postmeal.words.plain import amount_text


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("two pears", "2 pears"),
        ("half a melon", "0.5 melon"),
        ("one and a half cups", "1.5 cups"),
        ("1 1/2 cups", "1.5 cups"),
        ("1½ cups", "1.5 cups"),
        ("¾ cup", "0.75 cup"),
        ("three quarters of a cup", "0.75 cup"),
        ("a dozen rolls", "12 rolls"),
        ("half a dozen rolls", "6 rolls"),
        ("two dozen rolls", "24 rolls"),
        ("a couple of plums", "2 plums"),
        ("a few dates", "3 dates"),
        ("2-3 plums", "2.5 plums"),
        ("2 to 4 plums", "3 plums"),
        ("1,200 g", "1200 g"),
        ("40g", "40 g"),
        ("a 40-gram bun", "a 40 gram bun"),
        ("an ounce of feta", "1 ounce of feta"),
        ("2% milk", "2% milk"),
        ("another bun", "a bun"),
        ("2 tbsp. honey", "2 tbsp honey"),
        ("2 tbs honey", "2 tbsp honey"),
        ("half and half", "half-and-half"),
    ],
)
def test_numbers_in_words_become_digits(text, digits):
    assert amount_text(text) == digits


@given(st.integers(1, 20), st.sampled_from([0, 1, 2, 3]))
def test_a_number_with_quarters_is_read_back(whole, quarters):
    text = f"{whole} {quarters}/4 cups" if quarters else f"{whole} cups"
    number, _ = amount_text(text).split()
    assert number_of(number) == whole + quarters / 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("For lunch I had 80g of rye bread and a large plum.",
         [("rye bread", None, "", "", 80), ("plum", 1, "", "large", None)]),
        ("I'm having a 60-gram bun with 15 grams of honey.",
         [("bun", 1, "", "", 60), ("honey", None, "", "", 15)]),
        ("dates (40 g), walnuts (20 g)",
         [("dates", None, "", "", 40), ("walnuts", None, "", "", 20)]),
        ("a plum and a fig. The plum is 60 grams, and the fig is 40 grams",
         [("plum", 1, "", "", 60), ("fig", 1, "", "", 40)]),
        ("ham, rice and peas, weighing 50, 120 and 70 grams respectively",
         [("ham", None, "", "", 50), ("rice", None, "", "", 120), ("peas", None, "", "", 70)]),
        ("two 30 g slices of cheddar", [("cheddar", 2, "slice", "", 60)]),
        ("3 slices of toast weighing 75 grams", [("toast", 3, "slice", "", 75)]),
        ("two wraps, each weighing 90 g", [("wraps", 2, "", "", 180)]),
        ("I've got a medium bowl of lentil soup on the side",
         [("lentil soup", 1, "bowl", "medium", None)]),
        ("a Heinz can of tomato soup", [("heinz tomato soup", 1, "can", "", None)]),
        ("half a pound of cherries", [("cherries", None, "", "", 226.8)]),
        ("some grapes", [("grapes", None, "", "", None)]),
        ("plums 3", [("plums", 3, "", "", None)]),
        ("rice: 2 bowls", [("rice", 2, "bowl", "", None)]),
        ("100 g. banana", [("banana", None, "", "", 100)]),
        ("2 eggs, 3", [("eggs", 2, "", "", None), ("", 3, "", "", None)]),
    ],
)  # fmt: skip
def test_each_food_has_its_name_and_its_amount(text, expected):
    found = phrases(amount_text(text))
    assert [(p.name, p.count, p.unit, p.size) for p in found] == [e[:4] for e in expected]
    for phrase, (*_, mass_g) in zip(found, expected, strict=True):
        assert phrase.mass_g == (None if mass_g is None else pytest.approx(mass_g, rel=1e-3))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("For breakfast today, I'm having ", "."),
        ("I just ate ", " as a quick snack."),
        ("Dinner tonight is ", ""),
        ("I've got ", " on my plate"),
        ("I treated myself to ", " this afternoon!"),
        ("This morning I enjoyed ", ""),
    ],
)
def test_what_surrounds_foods_in_speech_is_passed_over(before, after):
    found = phrases(amount_text(f"{before}a ripe mango and two crackers{after}"))
    assert [(p.name, p.count) for p in found] == [("ripe mango", 1), ("crackers", 2)]


@given(st.integers(1, 900), st.sampled_from(["g", " g", " grams", "-gram"]))
def test_a_mass_is_found_wherever_it_stands(grams, unit):
    for text in (f"{grams}{unit} of barley", f"a {grams}{unit} barley", f"barley ({grams}{unit})"):
        (found,) = phrases(amount_text(text))
        assert (found.name, found.mass_g) == ("barley", grams)


@given(st.text(max_size=300))
def test_any_text_has_phrases_or_none(text):
    for phrase in phrases(amount_text(text)):
        assert phrase.name or phrase.unit or any(one.isdigit() for one in phrase.said)
