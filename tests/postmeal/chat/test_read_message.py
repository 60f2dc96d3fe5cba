"""The foods, the intent and the terms of a message, as the learned models read them."""

from __future__ import annotations

import pytest

from postmeal.chat.food_spans import food_spans
from postmeal.chat.hashed_model import HashedModel
from postmeal.chat.intents import INTENTS
from postmeal.chat.plain_text import plain
from postmeal.chat.question_terms import question_terms
from postmeal.chat.read_message import read_messages
from postmeal.foods.catalog import Catalog
from postmeal.words.plain import with_decimals

ODD = ["", " ", "🍌", "\ud800", "a" * 2_000, "1" * 400, "½ ١٢ 1,5.", "[food] {food}", "?" * 99]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.open()


def foods(text: str, catalog: Catalog) -> list[str]:
    return [span.text(text) for span in food_spans(text, catalog) if span.is_eaten]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how many carbs are in 150 g of cooked rice?", ["150 g of cooked rice"]),
        ("i'm 62, 80 kg, type 2: what will a bagel with jam do?", ["a bagel with jam"]),
        ("which is better, 2 slices of rye bread or a bowl of porridge?",
         ["2 slices of rye bread", "a bowl of porridge"]),
        ("does walking after dinner lower blood sugar?", []),
    ],
)  # fmt: skip
def test_stretches_about_food_are_found(text: str, expected: list[str], catalog: Catalog) -> None:
    assert foods(text, catalog) == expected


def test_a_food_that_is_left_out_is_not_eaten(catalog: Catalog) -> None:
    text = "and what if i leave out the rice?"
    spans = food_spans(text, catalog)
    assert [(span.text(text), span.is_eaten) for span in spans] == [("the rice", False)]


@pytest.mark.parametrize("text", ODD)
def test_spans_of_any_text_are_in_order_and_in_the_text(text: str, catalog: Catalog) -> None:
    text = plain(text)
    edges = [edge for span in food_spans(text, catalog) for edge in (span.start, span.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)
    assert question_terms(text, catalog).topics == () or text


@pytest.mark.parametrize("text", ODD)
def test_likelihoods_of_intents_add_up_to_one(text: str, catalog: Catalog) -> None:
    likelihoods = read_messages(["150 g rice?", plain(text)], catalog)[-1].likelihoods
    assert set(likelihoods) == set(INTENTS)
    assert sum(likelihoods.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("texts", "intent"),
    [
        (["what will 2 slices of toast do to my glucose?"], "effect"),
        (["protein in 3 eggs"], "nutrients"),
        (["white rice or quinoa, which one raises me less?"], "compare"),
        (["what can i eat instead of cornflakes?"], "swap"),
        (["do studies show that vinegar helps?"], "research"),
        (["will my lunch spike me?"], "describe"),
        (["hello there"], "smalltalk"),
        (["who won the match last night?"], "scope"),
        (["what will a bowl of rice do?", "and with butter?"], "effect"),
    ],
)
def test_a_message_has_its_intent(texts: list[str], intent: str, catalog: Catalog) -> None:
    assert read_messages(texts, catalog)[-1].intent == intent


def test_the_texts_of_a_message_are_its_foods_and_the_rest(catalog: Catalog) -> None:
    read = read_messages(["what will 1,5 cups of rice do?"], catalog)[-1]
    assert read.food_text == "1.5 cups of rice"
    assert read.other_texts == ("what will ", " do?")


def test_terms_of_a_follow_up_keep_the_topic_of_the_question_before(catalog: Catalog) -> None:
    first = question_terms("does vinegar help in type 2 diabetes?", catalog)
    later = question_terms("and in type 1?", catalog)
    assert first.topics == ("vinegar",)
    assert later.topics == ()
    assert later.after(first).topics == ("vinegar",)
    assert "type 1" in " ".join(later.after(first).people)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1,200 g", "1200 g"), (".5 cup", "0.5 cup"), ("0,75 l", "0.75 l"), ("1,2,3", "1,2,3")],
)
def test_numbers_get_decimal_points(text: str, expected: str) -> None:
    assert with_decimals(text) == expected


def test_a_model_with_other_classes_is_refused() -> None:
    with pytest.raises(ValueError, match="fit the model again"):
        HashedModel.read("intents.npz", ["effect", "research"])
