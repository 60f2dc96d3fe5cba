"""R16: training days of 5,000 random histories, against the slow reference."""

import random

import pytest
from days_by_hand import (
    columns,
    judged,
    judged_by_hand,
    meals_at,
    random_history,
    trace_of,
)

pytestmark = pytest.mark.reliability

CASES = 5_000


def test_5000_random_histories_are_judged_as_the_slow_reference_judges_them():
    """R16; row 467: gaps, duplicates, shuffles, zones, changes of the clocks, chunks."""
    at_the_edge = {46: 0, 47: 0, 48: 0, 49: 0}
    for seed in range(CASES):
        chance = random.Random(seed)
        history = random_history(chance)
        trace, meals = trace_of(history.readings), meals_at(history.meals)
        found = judged(trace, meals)
        assert found == judged_by_hand(history), seed
        for _, quarters, _ in found:
            if quarters in at_the_edge:
                at_the_edge[quarters] += 1
        cut = chance.randint(0, len(history.readings))
        turned = history.readings[cut:] + history.readings[:cut]
        assert columns(trace_of(turned)) == columns(trace), seed
    assert min(at_the_edge.values()) > CASES / 20
