"""The released model gives the pinned numbers, by the package and by an independent reference."""

import ast
from pathlib import Path

import pytest
from golden import pairs as golden
from golden import reference

from postmeal import Predictor
from postmeal.assets import asset
from postmeal.glucose.population.weights import read_weights

CONTENT = golden.read_pairs()
PAIRS = {pair["name"]: pair for pair in CONTENT["pairs"]}
RUNGS = {pair["name"]: pair for pair in golden.read_pairs(golden.RUNGS)["pairs"]}
KNOWING = asset("models/population-4")


@pytest.fixture(scope="module")
def predictor() -> Predictor:
    return Predictor.load()


@pytest.fixture(scope="module")
def knowing() -> Predictor:
    """Return the model that uses whatever is known about a person."""
    return Predictor.load(KNOWING)


@pytest.mark.parametrize("name", RUNGS)
def test_package_and_reference_agree_on_each_state_of_knowledge(knowing, name):
    pair = RUNGS[name]
    found = golden.predicted(knowing, pair["input"])
    again = reference.predict(read_weights(KNOWING), pair["input"])
    assert not list(golden.differences(found, pair["expected"]))
    assert not list(golden.differences(again, pair["expected"]))


@pytest.mark.parametrize("name", PAIRS)
def test_the_package_predicts_the_golden_pair(predictor, name):
    pair = PAIRS[name]
    found = golden.predicted(predictor, pair["input"])
    assert not list(golden.differences(found, pair["expected"]))


@pytest.mark.parametrize("name", PAIRS)
def test_the_reference_predicts_the_golden_pair(name):
    pair = PAIRS[name]
    found = reference.predict(read_weights(), pair["input"])
    assert not list(golden.differences(found, pair["expected"]))


def test_the_pairs_are_those_of_the_released_model(predictor):
    assert CONTENT["model"] == predictor.version


def test_the_pairs_reach_every_label_condition_and_limit():
    cases = [pair["input"] for pair in PAIRS.values()]
    outputs = [pair["expected"] for pair in PAIRS.values()]
    assert len(cases) >= 80
    assert {each["impact"] for each in outputs} == {"low", "medium", "high"}
    conditions = {each for case in cases for each in case["health_conditions"]}
    assert conditions == {*reference.TRAINED, *reference.UNTRAINED}
    assert {each["is_personal"] for each in outputs} == {True, False}
    assert min(min(each["lower_mg_dl"]) for each in outputs) == 40
    assert max(max(each["upper_mg_dl"]) for each in outputs) == 400


def test_the_reference_shares_no_code_with_the_package():
    tree = ast.parse(Path(reference.__file__).read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
        )
    }
    assert imported == {"__future__", "datetime", "itertools", "math", "typing"}


@pytest.mark.parametrize(
    ("found", "expected"),
    [(1.0 + 2e-6, 1.0), (float("nan"), 1.0), ([1.0], [1.0, 2.0]), ({"a": 1}, {"b": 1}), (71, 70)],
)
def test_a_difference_is_found(found, expected):
    assert list(golden.differences({"value": found}, {"value": expected}))
