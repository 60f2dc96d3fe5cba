"""GET /v1.2/foods and GET /v1.2/foods/{food_id}."""

import math
import re
from urllib.parse import quote

import pytest
from api_client import assert_refused
from hypothesis import given, settings
from hypothesis import strategies as st

from postmeal.foods.food import Food, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.rounding import rounded
from postmeal_serve.v1_2.food_response import food_response

FOOD = {"id", "type", "name", "description", "brand_name", "nutrients", "glycemic_index",
        "glycemic_load",
        "image_url", "barcode", "servings"}  # fmt: skip
SERVING = {"id", "quantity", "unit", "scaling_factor", "weight_grams", "is_primary"}
UNITS = {"kcal", "g", "mg", "mcg", "IU"}


def items(api, query: str) -> list[dict]:
    answer = api.get(f"/v1.2/foods?{query}")
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) <= {"items", "matched_without"}
    return answer.json()["items"]


def test_a_search_answers_foods_best_first(api):
    """Rows 160, 161, 162, 163, 164."""
    found = items(api, "query=banana")
    expected = api.service.catalog.search("banana")
    assert [item["id"] for item in found] == [str(food.id) for food in expected]
    assert {item["glycemic_load"] is None for item in found} == {True, False}
    for item, food in zip(found, expected, strict=True):
        assert set(item) == FOOD
        assert (item["type"], item["name"]) == (food.kind, food.name)
        assert item["description"] == food.description
        assert (item["brand_name"], item["barcode"]) == (food.brand_name, None)
        assert item["glycemic_index"] == food.glycemic_index
        assert item["glycemic_load"] == food.glycemic_load
        assert re.fullmatch("[1-9][0-9]{0,9}", item["id"])
        assert [set(serving) for serving in item["servings"]] == [SERVING]
        assert item["servings"][0]["is_primary"] is True
        assert isinstance(item["servings"][0]["id"], str)
        assert all(set(amount) == {"value", "unit"} for amount in item["nutrients"].values())
        assert {amount["unit"] for amount in item["nutrients"].values()} <= UNITS
        known = item["nutrients"]
        assert ("fiber" in known) == (not math.isnan(food.nutrients.amount("fiber_g")))
        assert known["calories"]["value"] == pytest.approx(
            food.nutrients.amount("energy_kcal"), abs=0.005
        )


@pytest.mark.parametrize("query", ["", "query=", "query=%20%20", "query=%00"])
def test_a_missing_or_blank_query_is_refused(api, query):
    """Rows 165, 3: the accepted values are named, whether it is bad or not sent."""
    assert_refused(api.get(f"/v1.2/foods?{query}"), 400, "query", "1 to 256 characters")


@pytest.mark.parametrize("letter", ["a", "é", "🍌"])
def test_a_query_may_have_256_characters(api, letter):
    """Row 166."""
    assert api.get(f"/v1.2/foods?query={quote(letter * 256)}").status_code == 200
    assert_refused(api.get(f"/v1.2/foods?query={quote(letter * 257)}"), 400, "query", "256")


@pytest.mark.parametrize(
    ("kind", "query"), [("generic", "sparkling"), ("branded", "sparkling"), ("recipe", "sparkling")]
)
def test_a_type_leaves_only_that_type(api, shop, kind, query):
    """Row 167: a recipe is a food that a user imported as one; the shipped dishes are generic."""
    found = items(shop, f"query={query}&type={kind}&limit=50")
    assert {item["type"] for item in found} == {kind}
    if kind != "recipe":
        found = items(api, f"query=chicken&type={kind}&limit=50")
        assert [item["type"] for item in found] == [kind] * 50


def test_without_a_type_there_is_one_ranked_list(api, shop):
    """Row 168."""
    assert {item["type"] for item in items(shop, "query=sparkling")} == {
        "generic", "branded", "recipe"
    }  # fmt: skip
    found = items(api, "query=chicken&limit=50")
    assert {item["type"] for item in found} == {"generic", "branded"}
    expected = api.service.catalog.search("chicken", limit=50)
    assert [item["id"] for item in found] == [str(food.id) for food in expected]


@pytest.mark.parametrize("kind", ["general", "Generic", "", "generic,recipe"])
def test_another_type_is_refused(api, kind):
    """Row 169."""
    answer = api.get(f"/v1.2/foods?query=rice&type={kind}")
    assert_refused(answer, 400, "type", "generic, branded, recipe")


@pytest.mark.parametrize(
    ("limit", "length"),
    [
        (None, 10),
        (1, 1),
        (50, 50),
        (51, 50),
        (1_000_000, 50),
        ("9" * 5000, 50),
        ("0" * 20 + "5", 5),
    ],
)
def test_a_limit_above_50_is_50(api, limit, length):
    """Row 170."""
    query = "query=chicken" if limit is None else f"query=chicken&limit={limit}"
    assert len(items(api, query)) == length


@pytest.mark.parametrize("limit", ["0", "-1", "abc", "1.5", "", "+1", "1_0", "%D9%A1", "1e1", " 5"])
def test_a_bad_limit_is_refused(api, limit):
    """Row 171."""
    assert_refused(api.get(f"/v1.2/foods?query=rice&limit={limit}"), 400, "limit", "1")


@pytest.mark.parametrize("offset", ["-1", "x", "1.5", "", "-" + "9" * 5000])
def test_a_bad_offset_is_refused(api, offset):
    """Row 172."""
    assert_refused(api.get(f"/v1.2/foods?query=rice&offset={offset}"), 400, "offset")


@pytest.mark.parametrize("offset", [100_000, 2**63, "9" * 5000])
def test_an_offset_past_the_end_is_an_empty_page(api, offset):
    """Row 172."""
    assert items(api, f"query=rice&offset={offset}") == []
    assert items(api, "query=rice&offset=0") == items(api, "query=rice")


@settings(max_examples=30)
@given(
    query=st.sampled_from(["cheddar", "chicken", "rice", "raw", "ban", "bananna"]),
    kind=st.sampled_from(["", "&type=generic", "&type=branded", "&type=recipe"]),
    size=st.integers(7, 50),
)
def test_pages_join_without_gap_or_overlap(api, query, kind, size):
    """Row 173."""
    whole = api.service.catalog.search(query, kind=kind[6:] or None, limit=10_000)
    pages: list[dict] = []
    while True:
        page = items(api, f"query={query}{kind}&limit={size}&offset={len(pages)}")
        assert len(page) <= size
        pages += page
        if len(page) < size or len(pages) > 1_500:
            break
    ids = [item["id"] for item in pages]
    assert len(set(ids)) == len(ids)
    assert ids == [str(food.id) for food in whole][: len(ids)]
    assert len(ids) == len(whole) or len(ids) > 1_500


def test_nothing_found_is_an_empty_page(api):
    """Row 174."""
    assert items(api, "query=xyzzyplugh") == []


@pytest.mark.parametrize(
    "query",
    ['"', "*", "()", "'", "OR", "--", "a OR", "NEAR(", 'x" OR "y', "^a", "a:b", "{", ";DROP"],
)
def test_what_a_query_language_would_read_is_text(api, query):
    """Row 175."""
    expected = api.service.catalog.search(re.sub(r"[^a-zA-Z]+", " ", query))
    found = items(api, f"query={quote(query)}")
    assert [item["id"] for item in found] == [str(food.id) for food in expected]


def test_no_sign_changes_what_a_word_finds(api):
    """Row 175."""
    plain = items(api, "query=banana")
    for query in (
        '"banana"',
        "banana*",
        "(banana",
        "banana'--",
        "^banana",
        "banana; --",
        "-banana",
    ):
        assert items(api, f"query={quote(query)}") == plain


def test_one_food_comes_with_all_its_servings(api):
    """Rows 209, 210, 213."""
    food = max(api.service.catalog.search("milk", limit=50), key=lambda one: len(one.servings))
    answer = api.get(f"/v1.2/foods/{food.id}")
    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == FOOD
    assert [serving["id"] for serving in body["servings"]] == [str(s.id) for s in food.servings]
    assert sum(serving["is_primary"] for serving in body["servings"]) == 1
    primary = next(serving for serving in body["servings"] if serving["is_primary"])
    assert primary["scaling_factor"] == 1
    protein_g = food.nutrients.amount("protein_g")
    assert body["nutrients"]["protein"]["value"] == rounded(protein_g, "g")
    for serving, known in zip(body["servings"], food.servings, strict=True):
        assert set(serving) == SERVING
        assert (serving["quantity"], serving["unit"]) == (known.quantity, known.unit)
        grams = serving["scaling_factor"] * primary["weight_grams"]
        assert serving["weight_grams"] == pytest.approx(grams)
    assert {serving["quantity"] for serving in body["servings"]} > {1}


def test_what_is_not_known_is_null_or_a_nutrient_left_out():
    """Rows 161, 162, 163."""
    bowl = Serving(3, 1.0, "bowl", 1.0, None, is_default=True)
    written = food_response(Food(7, "Soup", "generic", "", Nutrients({"fat_g": 0.0}), (bowl,)))
    (serving,) = written.pop("servings")
    unknown = ("brand_name", "glycemic_index", "glycemic_load", "image_url", "barcode")
    assert written == dict.fromkeys(unknown) | {
        "id": "7",
        "type": "generic",
        "name": "Soup",
        "description": "Soup",
        "nutrients": {"total_fat": {"value": 0.0, "unit": "g"}},
    }
    assert (serving["quantity"], serving["unit"]) == (1, "bowl")
    assert serving["weight_grams"] is None


@pytest.mark.parametrize(
    "food_id", ["abc", "012", "0", "12345678901", "1.5", "-1", "%20", "%D9%A1"]
)
def test_an_id_of_another_form_is_refused(api, food_id):
    """Row 211."""
    assert_refused(api.get(f"/v1.2/foods/{food_id}"), 400, "food_id", "1 to 10 digits")


def test_an_unknown_food_is_404(api):
    """Row 212."""
    answer = api.get("/v1.2/foods/9999999999")
    assert_refused(answer, 404, "9999999999")
    assert answer.json()["code"] == "not_found"


def test_every_id_of_a_search_resolves(api):
    """Row 213."""
    for item in items(api, "query=soup&limit=50"):
        assert api.get(f"/v1.2/foods/{item['id']}").json()["name"] == item["name"]


def test_a_food_that_is_held_already_is_not_sent_again(api):
    """Row 214."""
    path = f"/v1.2/foods/{api.food('banana').id}"
    first = api.get(path)
    tag = first.headers["etag"]
    for held in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        answer = api.get(path, headers={"If-None-Match": held})
        assert answer.status_code == 304
        assert answer.content == b""
        assert answer.headers["etag"] == tag
    answer = api.get(path, headers={"If-None-Match": '"other"'})
    assert answer.status_code == 200
    assert answer.content == first.content


def test_words_that_the_foods_lack_are_named(api):
    """Row 160: an additional key, left out where the foods have all words."""
    answer = api.get("/v1.2/foods?query=dragon%20scotch%20egg").json()
    assert answer["matched_without"] == ["dragon"]
    assert answer["items"][0]["name"] == "Scotch egg"
    assert set(api.get("/v1.2/foods?query=scotch%20egg").json()) == {"items"}
