"""GET /v1.2/foods/autocomplete."""

import math
import re
from urllib.parse import quote

import pytest
from api_client import assert_refused

PATH = "/v1.2/foods/autocomplete"
SUGGESTION = {"id", "type", "name", "brand_name", "image_url", "nutrients"}


def suggested(api, query: str) -> list[dict]:
    answer = api.get(f"{PATH}?{query}")
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"items"}
    return answer.json()["items"]


def test_a_suggestion_has_what_a_list_shows(api):
    """Rows 176, 213: its energy is that of the food, which its id reads."""
    found = suggested(api, "query=ban")
    expected = api.service.catalog.suggest("ban")
    assert [item["id"] for item in found] == [str(food.id) for food in expected]
    assert any("banana" in item["name"].casefold() for item in found)
    for item in found:
        assert set(item) == SUGGESTION
        assert re.fullmatch("[1-9][0-9]{0,9}", item["id"])
        food = api.get(f"/v1.2/foods/{item['id']}").json()
        assert {key: food[key] for key in SUGGESTION - {"nutrients"}} == {
            key: item[key] for key in SUGGESTION - {"nutrients"}
        }
        assert item["nutrients"] == {"calories": food["nutrients"]["calories"]}
        assert item["nutrients"]["calories"]["unit"] == "kcal"


def test_energy_that_is_unknown_is_left_out_and_none_is_kept(shop):
    """Row 176."""
    found = {item["name"]: item["nutrients"] for item in suggested(shop, "query=sparkling")}
    assert found["Sparkling water"] == {"calories": {"value": 0, "unit": "kcal"}}
    assert found["Sparkling surprise"] == {}
    (cola,) = suggested(shop, "query=col")
    assert cola["image_url"] == "https://pictures.example/cola.jpg"


@pytest.mark.parametrize("query", ["chi", "bu", "chocolate", "mc", "spa", "ham", "pi"])
def test_generic_foods_come_first_and_recipes_never(api, shop, query):
    """Row 177."""
    for service in (api, shop):
        kinds = [item["type"] for item in suggested(service, f"query={query}&limit=20")]
        assert kinds == sorted(kinds, reverse=True)
        assert set(kinds) <= {"generic", "branded"}
    assert shop.service.catalog.search("spark plug", kind="recipe")
    assert suggested(shop, "query=spark%20plug") == []


@pytest.mark.parametrize(
    ("typed", "name"), [("guac", "Guacamole"), ("sush", "Sushi"), ("lasag", "Lasagna")]
)
def test_a_ready_dish_is_a_generic_food_and_is_suggested(api, typed, name):
    """Row 177."""
    first = suggested(api, f"query={typed}")[0]
    assert first["type"] == "generic"
    assert first["name"].startswith(name)


def test_both_types_share_one_list(shop):
    """Rows 177, 182."""
    kinds = [item["type"] for item in suggested(shop, "query=spark")]
    assert kinds == ["generic", "branded", "branded"]


def test_a_missing_query_is_refused(api):
    """Row 178."""
    for query in ("", "type=generic"):
        answer = api.get(f"{PATH}?{query}")
        assert_refused(answer, 400, "query", "at most 64 characters")
        assert "food_id" not in answer.text


@pytest.mark.parametrize("typed", ["", "b", "b!", "--", " ", "é", "日", "1", "🍌🍌", "_b_", "\t"])
def test_fewer_than_two_letters_or_digits_suggest_nothing(api, shop, typed):
    """Row 179."""
    for service in (api, shop):
        assert suggested(service, f"query={quote(typed)}") == []


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("b1", "Vitamin B12 drink"),
        ("éa", "Earl grey tea"),
        ("日本", "日本茶"),
        ("tea EARL", "Earl grey tea"),
    ],
)
def test_letters_and_digits_of_every_script_count(shop, typed, name):
    """Row 180."""
    found = [item["name"] for item in suggested(shop, f"query={quote(typed)}")]
    assert name in found


@pytest.mark.parametrize("letter", ["a", "é", "日", "🍌"])
def test_a_query_may_have_64_characters(api, letter):
    """Row 181: they are counted, not their bytes."""
    assert suggested(api, f"query={quote(letter * 64)}") == []
    assert_refused(api.get(f"{PATH}?query={quote(letter * 65)}"), 400, "query", "64")


@pytest.mark.parametrize("kind", ["generic", "branded"])
def test_a_type_leaves_only_that_type(api, kind):
    """Row 182: as many as are asked for."""
    found = suggested(api, f"query=chicken&type={kind}")
    assert [item["type"] for item in found] == [kind] * 8


@pytest.mark.parametrize("kind", ["recipe", "Generic", "", "generic,branded"])
def test_another_type_is_refused(api, kind):
    """Row 183."""
    answer = api.get(f"{PATH}?query=rice&type={kind}")
    assert_refused(answer, 400, "type", "generic, branded")
    assert "recipe" not in answer.json()["message"].partition("; got")[0]


@pytest.mark.parametrize(("limit", "length"), [("", 8), ("&limit=1", 1), ("&limit=20", 20)])
def test_a_limit_is_kept(api, limit, length):
    """Row 184."""
    assert len(suggested(api, f"query=ch{limit}")) == length


@pytest.mark.parametrize(
    "limit", ["0", "21", "x", "-1", "1.5", "", "50", "9" * 5000, "+1", "%D9%A1"]
)
def test_another_limit_is_refused(api, limit):
    """Row 185: none is taken as another."""
    assert_refused(api.get(f"{PATH}?query=rice&limit={limit}"), 400, "limit", "from 1 to 20")


def test_a_nul_and_a_query_sent_twice_are_refused(api):
    """Rows 11, 13."""
    assert_refused(api.get(f"{PATH}?query=a%00b"), 400, "query")
    assert_refused(api.get(f"{PATH}?query=rice&query=bread"), 400, "query")


def test_the_path_is_no_food_id(api):
    """Row 188: with any query, for any method."""
    assert suggested(api, "query=rice&food_id=1")
    answer = api.post(PATH)
    assert_refused(answer, 405)
    assert answer.headers["allow"] == "GET"
    assert_refused(api.get("/v1.2/foods/autocompletes?query=rice"), 400, "food_id")


def test_what_a_query_language_would_read_is_text(api):
    """Row 175."""
    plain = suggested(api, "query=rice")
    for typed in ('"rice"', "rice*", "(rice)", "^rice", "rice'--", "rice;"):
        assert suggested(api, f"query={quote(typed)}") == plain
    for typed in ("rice OR bread", "NEAR(rice bread)", "name:rice", "{a b}:rice"):
        found = suggested(api, f"query={quote(typed)}")
        expected = api.service.catalog.suggest(re.sub(r"\W", " ", typed))
        assert [item["id"] for item in found] == [str(each.id) for each in expected]
        assert not any(math.isnan(each.energy_kcal) for each in expected)
