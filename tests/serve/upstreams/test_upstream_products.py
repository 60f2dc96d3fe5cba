"""What sources outside tell of a product is read, whatever stands in its texts."""

from pathlib import Path

import pytest
from api_client import Api
from hypothesis import example, given
from hypothesis import strategies as st
from upstream_server import COOKIE, UpstreamServer, cookie

from postmeal.foods.sources.open_food_facts.csv_export import product_food
from postmeal_serve.upstreams.sanitize import sanitize

GTIN = f"0{COOKIE}"
PIECES = ("9" * 400, "/", "1e999", "nan", "-1", " g", " ml", "(", "1,5", "٣", "²", "en:", "&lt;")
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=5).map("".join)
fields = ("product_name", "serving_size", "serving_quantity", "quantity", "unique_scans_n",
          "last_modified_t", "labels_tags")  # fmt: skip


@given(told=st.dictionaries(st.sampled_from(fields), texts), amount=texts | st.floats())
@example(told={"serving_size": "9" * 400 + "/1 cup"}, amount=1.0)
@example(told={"last_modified_t": "1e999"}, amount=1.0)
@example(told={"unique_scans_n": "nan"}, amount=1.0)
def test_whatever_is_told_makes_a_food(told, amount):
    """S9."""
    found = product_food({**told, "code": COOKIE, "nutriments": {"carbohydrates_100g": amount}})
    assert found is not None
    food = sanitize(found, GTIN)
    assert food.name
    assert 0 <= food.popularity < float("inf")
    assert 0 <= food.per_100_g.get("carbs_g", 0) <= 150
    assert all(0 < portion.weight_g <= 5000 for portion in food.portions)


@pytest.mark.sampled
@pytest.mark.parametrize("text", ["10" * 9_000, "9" * 400 + "/1", "1e999", "1 " * 9_000])
def test_what_is_long_or_huge_is_read_in_time(tmp_path: Path, text):
    """S9, R12: the service answers meanwhile."""
    hostile = cookie(serving_size=text, quantity=text, unique_scans_n=text, last_modified_t=text)
    with UpstreamServer(products=[hostile]) as outside:
        given = {"live_barcodes": ["open_food_facts"], "open_food_facts_url": outside.address}
        with Api(tmp_path, **given) as api:
            answer = api.get(f"/v1.2/foods/barcode/{COOKIE}")
            assert answer.status_code == 200, answer.text
            assert answer.json()["name"] == "Oat cookies"
