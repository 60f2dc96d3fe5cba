"""Two hundred meal texts are read as recorded."""

import pytest
from golden.meals import TEXTS, read_meals, reading_of

from tools.evaluate.blind_meals import read_blind_meals

RECORDED = read_meals()


def test_two_hundred_different_texts_are_recorded():
    texts = [one["text"] for one in RECORDED]
    assert texts == [meal.text for meal in read_blind_meals(TEXTS)]
    assert len(set(texts)) == 200


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda one: one["text"][:60])
def test_a_text_is_read_as_recorded(catalog, recorded):
    """After a deliberate change of the reader, run `python tests/support/golden/meals.py`."""
    assert reading_of(recorded["text"], catalog) == recorded
