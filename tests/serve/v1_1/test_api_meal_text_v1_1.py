"""GET /v1.1/search/foods/nlp."""

from urllib.parse import quote, unquote

import pytest
from api_client import assert_refused
from hypothesis import given, settings
from hypothesis import strategies as st

from postmeal.foods.food import Food, Selection, Serving
from postmeal.foods.language import read_meal
from postmeal.foods.nutrients import Nutrients
from postmeal_serve.v1_1.detection import detection, total_nutrients
from postmeal_serve.v1_1.meal_text import unread_header
from postmeal_serve.v1_1.nutrients import DETECTION_KEYS, nutrient_object

PATH = "/v1.1/search/foods/nlp"
NOTHING = {"totalNutrients": {}, "detections": []}
MEALS = (
    "2 eggs and toast",
    "a banana, 150 g rice and a glass of milk",
    "coffee",
    "3 tbsp olive oil",
)


def found(api, text: str) -> dict:
    answer = api.get(f"{PATH}?query={quote(text)}")
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"totalNutrients", "detections"}
    return answer.json()


def test_two_eggs_and_toast_are_two_foods(api):
    """Rows 353, 356: with nothing but the food itself."""
    eggs, toast = found(api, "2 eggs and toast")["detections"]
    for each, name in ((eggs, "egg"), (toast, "toast")):
        assert set(each) == {"food"}
        assert set(each["food"]) == {"name", "id", "brandName", "nutrients", "servings"}
        assert name in each["food"]["name"].casefold()
        known = api.service.catalog.food(each["food"]["id"])
        assert each["food"]["name"] == known.name
    one = found(api, "1 egg")["detections"][0]["food"]["nutrients"]
    for key, amount in eggs["food"]["nutrients"].items():
        assert amount["value"] == pytest.approx(2 * one[key]["value"], rel=0.005, abs=0.015)


@pytest.mark.parametrize("text", MEALS)
def test_the_totals_are_the_sums_of_the_detections(api, text):
    """Row 354: of each nutrient that any of them tells."""
    answer = found(api, text)
    sums: dict[str, float] = {}
    for each in answer["detections"]:
        for key, amount in each["food"]["nutrients"].items():
            sums[key] = sums.get(key, 0) + amount["value"]
    totals = answer["totalNutrients"]
    assert {key: amount["value"] for key, amount in totals.items()} == pytest.approx(sums, abs=0.03)
    assert sums


@pytest.mark.parametrize("text", MEALS)
def test_the_serving_and_how_much_of_it_give_the_nutrients(api, text):
    """Rows 355, 246: a meal read from text can be logged as it is."""
    for each in found(api, text)["detections"]:
        food = each["food"]
        (serving,) = food["servings"]
        assert set(serving) == {"id", "quantity", "unit", "selected_quantity"}
        known = api.service.catalog.food(food["id"])
        own = known.serving(serving["id"])
        assert (serving["quantity"], serving["unit"]) == (own.quantity, own.unit)
        chosen = {"id": serving["id"], "quantity": serving["selected_quantity"]}
        body = {"foods": [{"id": food["id"], "serving": chosen}]}
        headers = {"x-partner-user-id": "test-nlp"}
        logged = api.post("/v1.1/logs/foods", json=body, headers=headers).json()["foods"][0]
        for key, amount in food["nutrients"].items():
            assert logged["nutrients"][key]["value"] == pytest.approx(amount["value"])


def test_nutrients_are_of_the_amount_that_is_said(api):
    """Rows 353, 355."""
    rice = found(api, "150 g rice")["detections"][0]["food"]
    assert rice["servings"][0]["unit"] == "g"
    assert rice["servings"][0]["selected_quantity"] == 150
    more = found(api, "300 g rice")["detections"][0]["food"]
    carbs = rice["nutrients"]["carbohydrates"]["value"]
    assert more["nutrients"]["carbohydrates"]["value"] == pytest.approx(2 * carbs, abs=0.015)


def test_nutrients_have_the_names_and_units_of_detections(api):
    """Rows 311, 312, 313, 314, 315, 318."""
    for text in MEALS:
        answer = found(api, text)
        for written in (
            answer["totalNutrients"],
            *(each["food"]["nutrients"] for each in answer["detections"]),
        ):
            assert set(written) <= set(DETECTION_KEYS)
            for key, amount in written.items():
                assert set(amount) == {"value", "unit"}
                unit = {"calories": "calories", "sodium": "mg"}.get(key, "g")
                assert (amount["unit"], amount["value"] > 0) == (unit, True)
    oil = found(api, "3 tbsp olive oil")["detections"][0]["food"]
    assert api.service.catalog.food(oil["id"]).nutrients["carbs_g"] == 0
    assert "carbohydrates" not in oil["nutrients"]
    assert "totalFat" in oil["nutrients"]


def test_a_food_without_a_brand_has_an_empty_one(api):
    """Row 320."""
    brands = [each["food"]["brandName"] for each in found(api, "a banana, a Whopper")["detections"]]
    assert brands == ["", "Burger King"]


def test_a_serving_without_a_weight_tells_no_selected_quantity():
    """Rows 355, 314, 315, 316, 320."""
    bowl = Serving(3, 1.0, "bowl", 1.0, None, is_default=True)
    nutrients = Nutrients({"carbs_g": 0.02, "fat_g": 0.0, "energy_kcal": 50.0})
    soup = Food(7, "Soup", "generic", "", nutrients, (bowl,))
    written = detection(Selection(soup, bowl, 2))
    assert written == {
        "food": {
            "name": "Soup",
            "id": 7,
            "brandName": "",
            "nutrients": {
                "calories": {"value": 100.0, "unit": "calories"},
                "carbohydrates": {"value": 0.04, "unit": "g"},
            },
            "servings": [{"id": 3, "quantity": 1.0, "unit": "bowl"}],
        }
    }


def test_a_total_of_which_a_part_is_unknown_is_the_sum_of_the_others():
    """Row 354."""
    bowl = Serving(3, 1.0, "bowl", 1.0, 200.0, is_default=True)
    parts = [
        Selection.of(Food(7, "Soup", "generic", "", Nutrients(amounts), (bowl,)))
        for amounts in ({"fat_g": 3.0, "protein_g": 1.0}, {"fat_g": 4.0})
    ]
    assert total_nutrients(map(detection, parts)) == {
        "totalFat": {"value": 7.0, "unit": "g"},
        "protein": {"value": 1.0, "unit": "g"},
    }
    assert total_nutrients([]) == {}


@pytest.mark.parametrize("query", ["", "?", "?query=", "?query=%20%20", "?q=2%20eggs"])
def test_without_a_query_nothing_is_found(api, query):
    """Row 357: silently."""
    answer = api.get(f"{PATH}{query}")
    assert (answer.status_code, answer.json()) == (200, NOTHING)


@pytest.mark.parametrize("text", ["xyzzyplugh", "!?", "1234", "qqq wwww, zzzz", "🧱🧱", ",,,"])
def test_where_nothing_is_recognized_nothing_is_found(api, text):
    """Row 358."""
    assert found(api, text) == NOTHING


def test_what_names_no_food_is_passed_over(api):
    """Row 358: the rest is found all the same."""
    (food,) = found(api, "xyzzyplugh, a banana")["detections"]
    assert "banana" in food["food"]["name"].casefold()


@pytest.mark.reliability
def test_a_text_may_have_1000_characters(api):
    """Row 296."""
    text = ("a banana, " * 100)[:1000]
    assert len(found(api, text)["detections"]) == 100
    assert_refused(api.get(f"{PATH}?query={'é' * 1001}"), 400, "query", "1000")
    assert_refused(api.get(f"{PATH}?query=a%00b"), 400, "query")


@settings(max_examples=100)
@given(
    text=st.text(max_size=120)
    | st.lists(
        st.sampled_from(
            ["2", "½", "1/0", "egg", "toast", "and", "with", ",", "cup of", "g", "rice", "-", "%"]
        ),
        max_size=12,
    ).map(" ".join)
)
def test_any_text_is_answered_as_the_library_reads_it(api, text):
    """Rows 11, 354, 358."""
    if "\0" in text:
        return
    answer = found(api, text)
    expected = read_meal(text, api.service.catalog).detections
    assert [each["food"]["id"] for each in answer["detections"]] == [
        each.selection.food.id for each in expected
    ]
    for each, known in zip(answer["detections"], expected, strict=True):
        assert each["food"]["nutrients"] == nutrient_object(known.selection.nutrients)


def test_phrases_that_were_not_read_are_in_a_header(api):
    answer = api.get(f"{PATH}?query={quote('2 eggs, xqzwv blürp and 1 zzyzx')}")
    phrases = [unquote(phrase) for phrase in answer.headers["X-Unread"].split(",")]
    assert "zzyzx" in phrases[-1]
    assert len(answer.json()["detections"]) == 1
    assert "X-Unread" not in api.get(f"{PATH}?query={quote('2 eggs')}").headers


@given(st.lists(st.text(max_size=60), max_size=40))
def test_the_header_of_unread_phrases_is_short_and_printable(unread):
    value = unread_header(unread)
    assert len(value) <= 1024
    assert value.isascii()
    assert value.isprintable()
    assert " " not in value
