"""Lists that are too long are found in the bytes, as far as building them would find them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal_serve.v1_2 import food_logs
from postmeal_serve.v1_2.food_logs import FoodLogRequest
from postmeal_serve.wire import request_body
from postmeal_serve.wire.long_lists import long_list
from postmeal_serve.wire.request_body import parse_body

ITEM = {"id": "1848", "serving": {"id": "2"}, "quantity": 1}
NAMES = st.sampled_from(["foods", "eaten", "other"])
TEXTS = st.text("a,[]{}:\\\"' é", max_size=8) | st.just('"foods": [1, 2, 3]')
VALUES = st.recursive(
    st.integers() | TEXTS | st.booleans(),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(TEXTS | NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(NAMES | TEXTS, VALUES), st.sampled_from([None, 1]), st.booleans())
def test_the_first_list_that_is_too_long_is_found(sent: dict[str, Any], indent, ascii_alone):
    limits = {"foods": 2, "eaten": 3}
    body = json.dumps(sent, indent=indent, ensure_ascii=ascii_alone).encode()
    expected = next(
        (
            name
            for name, value in sent.items()
            if isinstance(value, list) and len(value) > limits.get(name, 99)
        ),
        None,
    )
    assert long_list(body, limits) == expected


def test_a_list_may_be_longer_than_the_pieces_that_are_looked_at():
    body = json.dumps({"x": "y" * 65_530, "foods": ["z" * 1000] * 200}).encode()
    assert long_list(body, {"foods": 200}) is None
    assert long_list(body, {"foods": 199}) == "foods"


def test_the_101st_item_is_refused_and_nothing_is_built(monkeypatch):
    """Row 7: what follows is not read, even if it is not JSON."""
    content = json.dumps({"foods": [ITEM] * 101}).encode()
    monkeypatch.setattr(request_body, "_read_json", None)
    for body in (content, content[:-20], content.replace(b"]", b",]")):
        with pytest.raises(InputError, match=r"^foods must be an array of 1 to 100 objects"):
            parse_body(body, FoodLogRequest, food_logs._ACCEPTS, once=True)


def test_100_items_are_not_too_many():
    content = json.dumps({"foods": [ITEM] * 100}).encode()
    assert len(parse_body(content, FoodLogRequest, food_logs._ACCEPTS, once=True).foods) == 100
