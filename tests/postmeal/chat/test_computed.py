"""Computed answers: foods, follow-ups, and numbers equal to those of the library."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import pytest
from conversations import answer, assistant

from postmeal.chat import ChatAnswer, Computation, Message
from postmeal.cli import main
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Meal, Selection
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile

GLUCOSE = re.compile(r"(\d+\.\d) mg/dL")


def requested(computation: Computation) -> tuple[Profile, Meal]:
    """Return the person and the meal of the request of a computation."""
    body = computation.request
    catalog = Catalog.open()
    foods = []
    for each in body["foods"]:
        food = catalog.food(int(each["id"]))
        serving = food.serving(int(each["serving"]["id"]))
        foods.append(Selection(food, serving, each["quantity"]))
    person = body["user_profile"]
    profile = Profile(
        age=person["age"],
        sex=person["sex"],
        height_cm=person["height"]["value"],
        weight_kg=person["weight"]["value"],
        health_conditions=tuple(person.get("health_conditions", ())),
    )
    return profile, Meal(tuple(foods), datetime.fromisoformat(body["start_time"]))


def shown(found: ChatAnswer) -> list[float]:
    return [float(number) for number in GLUCOSE.findall(found.text)]


def command(meal: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    person = ["--age", "45", "--sex", "female", "--height", "162cm", "--weight", "68kg"]
    main(["predict", meal, *person, "--at", "12:00", "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    "meal",
    [
        "150 g cooked white rice",
        "120 g banana",
        "60 g oatmeal, 100 g blueberries",
        "60 g toast, 14 g butter",
        "200 g lentils",
        "1 cup orange juice",
        "100 g salmon, 150 g cooked quinoa",
        "30 g almonds",
        "180 g apple, 30 g cheddar",
        "250 ml milk",
    ],
)
def test_the_numbers_are_those_of_the_command(
    meal: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(f"What will {meal} do to my glucose?")
    expected = command(meal, capsys)
    names = [food["name"] for food in expected["foods"]]
    assert all(name in found.sentences[0].text for name in names)
    curve, low, high = (expected[f"{key}_mg_dl"] for key in ("glucose", "lower", "upper"))
    peak = curve.index(max(curve))
    assert shown(found) == [curve[0], max(curve), curve[-1], low[peak], high[peak]]


@pytest.mark.parametrize(
    "text",
    [
        "Which raises glucose more: 150 g cooked rice or 150 g cooked lentils?",
        "Curve of 200 g pasta and 100 g chicken for a 60 year old man with type 2, in mmol/L?",
        "what can I eat instead of white bread?",
    ],
)
def test_each_request_repeats_a_number_of_the_answer(text: str) -> None:
    found = answer(text)
    assert found.route == "computed"
    for computation in found.computed:
        profile, meal = requested(computation)
        peak = Predictor.load().predict(profile, meal).peak_mg_dl
        assert round(peak, 1) in shown(found)


def test_what_is_assumed_is_said() -> None:
    text = answer("What will a bowl of oatmeal do to my glucose?").text
    assert "45-year-old woman of average height (assumed)" in text
    assert "12:00 (assumed)" in text
    assert answer("what will toast do to my glucose?").text.count("typical servings") == 1


def test_what_is_stated_is_used() -> None:
    text = answer("I'm a 60 year old man with type 2. What will 2 eggs for dinner do to me?").text
    assert "a 60-year-old man with type 2 diabetes at 19:00" in text


def test_an_addition_keeps_the_meal_before() -> None:
    found = answer("What does 1 banana do to my glucose?", "and with 30 g almonds?")
    assert [len(each.request["foods"]) for each in found.computed] == [2]


def test_half_of_a_food_is_half_of_its_weight() -> None:
    found = answer(
        "what will 200 g white rice with 100 g salmon do to me?", "only half of the rice?"
    )
    assert "100 g of White rice" in found.text
    assert "100 g of Salmon" in found.text


def test_another_food_replaces_the_similar_one_in_its_amount() -> None:
    found = answer("what will 180 g white rice do to my sugar?", "what about brown rice?")
    assert "180 g of Brown rice" in found.text
    assert "White rice" not in found.text


def test_an_alternative_that_is_refused_is_not_offered_again() -> None:
    first = answer("what can I eat instead of white rice?")
    name = re.search(r"predicted peak: \d+ g of (\w+)", first.text)
    assert name is not None
    second = answer("what can I eat instead of white rice?", f"not {name.group(1).lower()}. else?")
    assert f"g of {name.group(1)}" not in second.text


def test_the_foods_that_drive_the_peak_are_named() -> None:
    found = answer("Why is the peak of 200 g pasta with 14 g butter so high?")
    assert found.computed[0].tool == "explain"
    assert "Pasta" in found.text


def test_a_meal_that_nobody_eats_is_refused() -> None:
    found = answer("what will 9000 g of sugar do to my glucose?")
    assert found.route == "clarify"
    assert not found.computed


@pytest.mark.parametrize(
    ("amount", "grams"),
    [
        ("2.5 g", 2.5),
        ("2,5 g", 2.5),
        (".5 cup", 81.5),
        ("1,500 g", 1500),
        ("1500 g", 1500),
        ("\N{VULGAR FRACTION ONE HALF} cup", 81.5),
        ("1\N{VULGAR FRACTION ONE HALF} cups", 244.5),
    ],
)
def test_decimals_thousands_and_fractions_keep_their_value(amount: str, grams: float) -> None:
    computed = answer(f"how many carbs in {amount} of cooked rice?").computed[0]
    _, meal = requested(computed)
    assert meal.selections[0].weight_g == pytest.approx(grams, abs=0.5)


def test_two_and_a_half_slices_lie_between_two_and_three() -> None:
    grams = []
    for amount in ("2", "2.5", "3"):
        computed = answer(f"how many carbs in {amount} slices of bread?").computed[0]
        grams.append(requested(computed)[1].selections[0].weight_g or 0.0)
    assert grams[0] < grams[1] < grams[2]


def test_a_small_amount_is_not_rounded_away() -> None:
    assert "I read 2.5 g of Sugar" in answer("how many carbs in 2.5 g of sugar?").text


@pytest.mark.timeout(120)
def test_a_long_chain_of_follow_ups_takes_no_exponential_time() -> None:
    turns = [Message("user", "and with it?")] * 200
    assert assistant().answer(turns).route in ("scope", "nothing", "literature")


def test_the_difference_of_peaks_has_the_unit_of_the_user() -> None:
    text = answer("in mmol/l, 150 g cooked rice or 150 g cooked lentils?").text
    assert re.search(r"peaks differ by \d+\.\d mmol/L", text)


@pytest.mark.parametrize(
    ("question", "caution"),
    [
        ("I'm at 320 mg/dL, can I eat 300 g of pasta?", "not at your reading"),
        ("I have celiac disease, what can I eat instead of white bread?", "can be unsafe for you"),
        ("What can I eat instead of peanut butter? I'm allergic to nuts.", "can be unsafe for you"),
        ("My sugar is 162, what will 150 g of rice do to it?", "not at your reading"),
        ("I'm pregnant, will 500 ml wine raise my sugar?", "effects of alcohol"),
    ],
)
def test_what_the_model_does_not_know_is_said(question: str, caution: str) -> None:
    assert caution in answer(question).text


@pytest.mark.parametrize(
    "question",
    [
        "What will 150 g cooked rice do to my glucose?",
        "How many carbs are in 20 g of wine vinegar?",
    ],
)
def test_an_ordinary_meal_gets_no_caution(question: str) -> None:
    assert {each.kind for each in answer(question).sentences} == {"computed"}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("carbs in 1 lb of potatoes", "I read 454 g of Potato"),
        ("how high after 1 kg potatoes?", "I read 1000 g of Potato"),
        ("1 liter of orange juice, how high?", "I read 1048 g of Orange juice"),
        ("50 g each of rice and beans, carbs?", "50 g of White rice, cooked and 50 g of Baked"),
        ("rice and beans, 50 g each: carbs?", "50 g of White rice, cooked and 50 g of Baked"),
        ("carbs in four slices each of rye and white bread?", "144 g of Rye bread and 113 g of"),
    ],
)
def test_large_and_shared_amounts_are_read(text: str, read: str) -> None:
    assert read in answer(text).text


@pytest.mark.parametrize(
    ("said", "food"),
    [
        ("330 ml soft drink", "Cola"),  # each word of the name is a general one
        ("30 g powdered drink powder", "Powdered drink"),
        ("30 g powdered drink base without sugar", "Fruit-flavored drink"),
        ("200 g of brocoli", "Broccoli"),  # misspelled
        ("200 g spagheti", "Pasta"),
    ],
)
def test_general_and_misspelled_words_name_a_food(said: str, food: str) -> None:
    found = answer(f"carbs in {said}")
    assert found.route == "computed"
    assert f"g of {food}" in found.text
