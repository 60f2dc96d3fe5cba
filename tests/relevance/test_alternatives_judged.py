"""Alternatives to everyday foods are such as a dietitian would offer, under any one rule."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from allergen_words import gives_away
from judged_alternatives import ASKED, Judged, judged, share

from tools.evaluate.alternative_foods import (
    alternatives_figures,
    judge_alternatives,
    read_judged_foods,
)

HALVES = ("looked at", "put aside")
A_THIRD = [pytest.param((name, 3), id=f"{name}-a third of the rules") for name in HALVES]
ALL = [
    pytest.param((name, 1), id=f"{name}-all rules", marks=pytest.mark.reliability)
    for name in HALVES
]


class Half(NamedTuple):
    """The half of the foods that was looked at, or the one that was put aside meanwhile."""

    name: str
    every: int
    """A food is judged under one rule in so many."""
    cells: list[Judged]


@pytest.fixture(scope="module", params=A_THIRD + ALL)
def half(request, catalog) -> Half:
    name, every = request.param
    return Half(name, every, list(judged(catalog, aside=name == "put aside", every=every)))


# half · least share with three good ones, most with an absurd one: no rule; under one rule
REACHED = {"looked at": (0.97, 0.24, 0.92, 0.14), "put aside": (0.96, 0.34, 0.88, 0.24)}


@pytest.mark.sampled
def test_most_foods_have_three_good_alternatives_and_few_an_absurd_one(half):
    """Reached were 1.00, 0.19, 0.95, 0.10, and 1.00, 0.29, 0.91, 0.21 of the half put aside."""
    cells = half.cells
    plain = [cell for cell in cells if cell.rule is None]
    ruled = [cell for cell in cells if cell.rule is not None]
    assert len(plain) > 60
    for cells_of, groups, each in (
        (Counter(cell.name for cell in ruled), len(plain), len(ASKED) - 1),
        (Counter(cell.rule for cell in ruled), len(ASKED) - 1, len(plain)),
    ):
        assert len(cells_of) == groups
        assert min(cells_of.values()) >= each // half.every
    good, absurd, good_by_rule, absurd_by_rule = REACHED[half.name]
    assert share(plain, "good", 3) >= good
    assert share(plain, "absurd", 1) <= absurd
    assert share(ruled, "good", 3) >= good_by_rule
    assert share(ruled, "absurd", 1) <= absurd_by_rule


def test_of_foods_written_blind_few_have_an_absurd_alternative_among_three(catalog):
    """Reached were 0.85, 0.05 and 0.15."""
    foods = read_judged_foods(Path(__file__).parent / "blind_foods" / "alternatives_read.csv")
    found = {
        name: share for name, share, _ in alternatives_figures(judge_alternatives(foods, catalog))
    }
    assert len(foods) > 60
    assert found["three_good"] >= 0.82
    assert found["an_absurd_in_three"] <= 0.07
    assert found["an_absurd"] <= 0.18
    assert found["no_alternative"] == found["food_not_found"] == 0


def test_hardly_a_food_is_left_without_an_alternative(half):
    assert sum(not cell.answers for cell in half.cells) <= 0.02 * len(half.cells)


def test_no_alternative_gives_away_what_was_to_be_avoided(half):
    """By words that are listed apart from those of the rules."""
    for cell in half.cells:
        for food, _ in cell.answers:
            if cell.rule is not None:
                assert food.diets[cell.rule] == "free"
                assert gives_away(cell.rule, food.name) is None, (cell.rule, food.name)
