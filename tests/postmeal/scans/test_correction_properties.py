"""Properties that hold for every correction, however it is worded."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from postmeal import Catalog, InputError
from postmeal.scans import Scan, ScannedFood, correct
from postmeal.scans.corrections import (
    Add,
    KeepOnly,
    Operation,
    Remove,
    Rename,
    Scale,
    SetAmount,
    SwapAmounts,
    applied,
)
from postmeal.scans.corrections.correction import LONGEST_CORRECTION

CATALOG = Catalog.open()
READ = Path(__file__).parents[2] / "relevance" / "corrections" / "read.jsonl"

MOST_SHORT_CORRECTIONS = 250  # about 0.4 s on a quiet core; without bounds, 26 s


def seconds(scan: Scan, text: str) -> float:
    """Return the processor time of a correction."""
    start = time.thread_time()
    correct(scan, text, CATALOG)
    return time.thread_time() - start


@pytest.mark.parametrize("part", ["ﷺ", "qu jfh ostk ", "vs ", "rice banana "])
def test_no_correction_of_a_large_scan_takes_long(part: str) -> None:
    names = ["rice", "banana", "salmon", "bread", "milk", "cheese", "chicken soup", "apple"]
    scan = Scan.of([(f"{name} {place}", 100) for place in range(12) for name in names])
    seconds(scan, "no banana")  # reads the catalog
    short = sum(seconds(scan, "no banana") for _ in range(10)) / 10
    text = (part * LONGEST_CORRECTION)[:LONGEST_CORRECTION]
    assert seconds(scan, text) < MOST_SHORT_CORRECTIONS * short


def touched_by(operation: Operation) -> set[int]:
    match operation:
        case Scale(target) | SetAmount(target) | Rename(target) | Remove(target):
            return {target}
        case SwapAmounts(first, second):
            return {first, second}
        case _:
            return set()


def test_random_sentences_raise_nothing_and_leave_other_foods_as_they_are() -> None:
    rows = [json.loads(line) for line in READ.read_text(encoding="utf-8").splitlines()]
    words = [word for row in rows for word in row["text"].split()]
    chance = random.Random(19)
    n_changed = 0
    for _ in range(200):
        scan = Scan.of(chance.choice(rows)["scan"])
        text = " ".join(chance.choice(words) for _ in range(chance.randint(1, 12)))
        corrected = correct(scan, text, CATALOG)
        n_changed += bool(corrected.operations)
        touched = set().union(*map(touched_by, corrected.operations))
        for place, food in zip(corrected.origins, corrected.scan.foods, strict=True):
            if place is not None and place not in touched:
                assert food is scan.foods[place]
        for operation in corrected.operations:
            assert not isinstance(operation, Scale) or 0 < operation.factor <= 10
        if corrected.unread:
            assert corrected.scan is scan
    assert n_changed > 0


@pytest.mark.parametrize("name", ["white rice", "banana", "olive oil", "salmon"])
def test_removing_a_food_and_adding_it_again_restores_it(name: str) -> None:
    food = CATALOG.search(name, limit=1)[0]
    scan = Scan((ScannedFood("broccoli", 80.0), ScannedFood(food.name, 120.0, food)))
    without = correct(scan, f"remove the {name}", CATALOG).scan
    assert without.foods == scan.foods[:1]
    again = correct(without, f"add 120 g of {name}", CATALOG).scan
    assert [(one.name, one.grams, one.food) for one in again.foods[1:]] == [
        (food.name, 120.0, food)
    ]


@pytest.mark.parametrize(
    "operation",
    [
        Scale(0, 11.0),
        Scale(0, 0.0),
        Scale(5, 0.5),
        SetAmount(0, 1e9),
        SetAmount(0, float("nan")),
        Remove(-1),
        KeepOnly((7,)),
        SwapAmounts(0, 3),
    ],
)
def test_operations_out_of_bounds_are_refused(operation: Operation) -> None:
    with pytest.raises(InputError):
        applied([operation], [ScannedFood("white rice", 200.0)])


def test_an_added_food_can_be_changed_in_the_same_correction() -> None:
    scan = Scan.of([("salad", 150)])
    corrected = correct(scan, "add 10 g of olive oil. Actually make it 20 g", CATALOG)
    assert corrected.scan.foods[0] is scan.foods[0]
    assert corrected.scan.foods[1].grams == 20
    assert any(isinstance(one, Add) for one in corrected.operations)
