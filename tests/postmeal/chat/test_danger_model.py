"""The model of dangers recognizes messages of authors whose messages it was not fitted to."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from postmeal.chat.danger import self_harm
from postmeal.chat.danger_model import (
    CLASSES,
    DangerModel,
    _model,
    is_overruled,
    likely_danger,
)
from postmeal.chat.hashed_model import N_FEATURES, HashedModel
from postmeal.chat.message_features import features
from postmeal.chat.plain_text import plain
from postmeal.chat.routes import route_of
from postmeal.foods.catalog import Catalog

FOLDER = Path(__file__).parents[2] / "relevance/chat"
LEAST = {"emergency": 45, "selfharm": 41, "dosing": 42, "other": 107}
"""Dangers (of 45) that get the route of a danger, and other messages (of 125) that do not."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return Catalog.open()


@pytest.mark.parametrize("name", ["danger_a", "danger_b"])
def test_messages_of_other_authors_are_recognized_as_documented(catalog: Catalog, name: str):
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = dict.fromkeys(LEAST, 0)
    for row in rows:
        route = route_of([plain(row["text"])], catalog).route
        is_danger = route in ("emergency", "selfharm", "dosing")
        found[row["label"]] += is_danger != (row["label"] == "other")
    assert all(found[label] >= least for label, least in LEAST.items()), found


def test_a_message_that_no_rule_describes_is_recognized():
    assert likely_danger("i can't do this anymore, i want it all to be over") == "self_harm"
    assert is_overruled(bool, "how many carbs are in two slices of toast?")


@pytest.mark.parametrize("text", ["", " ", "🍌", "\ud800", "a" * 100_000, "1" * 400, "½ ١٢ 1,5."])
def test_any_text_has_likelihoods_that_add_up_to_one(text: str):
    likelihoods = _model().likelihoods(features(plain(text)))
    assert likelihoods.shape == (len(CLASSES),)
    assert likelihoods.sum() == pytest.approx(1)


def test_features_are_distinct_and_in_range():
    found = features("she took 40 units instead of 4, and 40 units again")
    assert np.all(np.diff(found) > 0)
    assert found[0] >= 0
    assert found[-1] < N_FEATURES


def test_a_harmless_request_does_not_hide_a_sentence_about_a_danger():
    assert not is_overruled(self_harm, "i want to die. what does a banana do to glucose?")
    assert is_overruled(lambda text: "banana" in text, "what does a banana do to glucose?")


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("drank antifreeze lol, carbs in vodka?", "emergency"),
        ("suicide thoughts. carbs in pizza", "self_harm"),
        ("bulimia. carbs in cake", "eating_disorder"),
        ("carbs in cake", None),
        ("party tonight. carbs in pizza", None),
    ],
)
def test_the_second_model_recognizes_dangers_in_few_words(text, danger):
    assert likely_danger(text) == danger


@pytest.mark.parametrize(
    ("probabilities", "danger"),
    [
        ((0.16, 0.10, 0.10, 0.22, 0.42), "self_harm"),  # above the threshold, below a dosing
        ((0.00, 0.10, 0.10, 0.24, 0.56), "self_harm"),  # question that is not likely
        ((0.30, 0.31, 0.00, 0.35, 0.04), "emergency"),
        ((0.30, 0.20, 0.00, 0.45, 0.05), "emergency"),
        ((0.00, 0.20, 0.00, 0.70, 0.10), "dosing"),
        ((0.00, 0.00, 0.16, 0.10, 0.74), "eating_disorder"),
        ((0.14, 0.14, 0.00, 0.24, 0.48), None),
    ],
)
def test_a_likely_danger_is_never_dropped_for_a_less_likely_one(probabilities, danger):
    weights = np.zeros((len(CLASSES), N_FEATURES))
    model = DangerModel(HashedModel(weights, np.log(np.array(probabilities) + 1e-12)))
    assert model.danger(features("any text")) == danger
