"""POST /v1.2/foods/{food_id}/alternatives."""

import random
import re

import pytest
from api_client import assert_refused

from postmeal.foods.alternatives import alternatives
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS
from postmeal_serve.v1_2.nutrients import nutrient_table

ENTRY = {"id", "name", "brand_name", "nutrients", "servings"}
SERVING = {"id", "quantity", "unit", "scaling_factor", "weight_grams", "is_primary"}


def path(api, words: str = "white bread") -> str:
    return f"/v1.2/foods/{api.food(words).id}/alternatives"


def found(api, body: object, words: str = "white bread", **options) -> list[dict]:
    answer = api.post(path(api, words), json=body, **options)
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"alternatives"}
    return answer.json()["alternatives"]


@pytest.mark.parametrize(
    "body",
    [{}, {"diet_restrictions": []}, {"diet_restrictions": [], "diet_preferences": []}],
)
def test_arrays_may_be_empty_or_left_out(api, body):
    """Row 189."""
    assert found(api, body) == found(api, {}) != []


def test_both_arrays_have_another_name(api):
    """Row 190."""
    for name in ("diet", "dietary"):
        fit = found(api, {f"{name}_restrictions": ["gluten"], f"{name}_preferences": ["vegan"]})
        assert fit == found(api, {"diet_restrictions": ["gluten"], "diet_preferences": ["vegan"]})
        assert found(api, {f"{name}_restrictions": ["gluten"]}) != found(api, {})
        assert found(api, {f"{name}_preferences": ["keto"]}) != found(api, {})


def test_an_array_may_have_1000_entries(api):
    """Row 194."""
    body = {"diet_restrictions": ["gluten"] * 1000}
    assert found(api, body) == found(api, {"diet_restrictions": ["gluten"]})
    body["diet_restrictions"].append("gluten")
    assert_refused(
        api.post(path(api), json=body), 400, "diet_restrictions must contain at most 1000"
    )


def test_two_names_of_one_array_must_agree(api):
    """Row 190: no restriction is passed over in silence."""
    both = {"diet_restrictions": ["dairy"], "dietary_restrictions": ["peanuts"]}
    answer = api.post(path(api), json=both)
    assert_refused(answer, 400, "dietary_restrictions", "diet_restrictions")
    answer = api.post(path(api), json={"diet_preferences": [], "dietary_preferences": ["vegan"]})
    assert_refused(answer, 400, "dietary_preferences", "diet_preferences")
    same = {"diet_restrictions": ["gluten"], "dietary_restrictions": ["gluten"]}
    assert found(api, same) == found(api, {"diet_restrictions": ["gluten"]})


@pytest.mark.parametrize("value", [
    "gluten", "lactose", "yeast", "tree_nuts", "peanuts", "dairy", "eggs", "sulfites", "soy",
    "wheat", "shellfish", "fish", "mushrooms", "sesame", "msg", "caffeine", "fodmaps",
])  # fmt: skip
def test_a_restriction_is_known_and_respected(api, value):
    """Rows 191, 197."""
    fit = found(api, {"diet_restrictions": [value]}, "apple")
    assert fit
    for one in fit:
        assert api.service.catalog.food(int(one["id"])).diets[value] == "free"


@pytest.mark.parametrize("value", [
    "vegetarian", "vegan", "keto", "paleo", "pescatarian", "low_carbohydrate", "high_protein",
    "kosher", "halal",
])  # fmt: skip
def test_a_preference_is_known_and_respected(api, value):
    """Rows 192, 197."""
    fit = found(api, {"diet_preferences": [value]}, "broccoli")
    assert fit
    for one in fit:
        assert api.service.catalog.food(int(one["id"])).diets[value] == "free"


@pytest.mark.parametrize("value", ["Gluten", "none", "None", "nuts", "", "tree nuts", "vegan"])
def test_a_restriction_outside_the_vocabulary_is_named(api, value):
    """Row 193."""
    for name in ("diet_restrictions", "dietary_restrictions"):
        answer = api.post(path(api), json={name: ["soy", value]})
        assert_refused(answer, 400, name, repr(value), "tree_nuts")


@pytest.mark.parametrize("value", ["Vegan", "none", "gluten", "low carbohydrate", "halal "])
def test_a_preference_outside_the_vocabulary_is_named(api, value):
    """Row 193."""
    answer = api.post(path(api), json={"diet_preferences": [value]})
    assert_refused(answer, 400, "diet_preferences", repr(value), "low_carbohydrate")


@pytest.mark.parametrize("name", ["diet_restrictions", "diet_preferences"])
@pytest.mark.parametrize("value", [None, "gluten", [1], [None], {"gluten": True}, [["gluten"]]])
def test_what_is_no_array_of_text_is_refused(api, name, value):
    """Row 194."""
    assert_refused(api.post(path(api), json={name: value}), 400, name)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b'"gluten"', b"{", b"\xff"])
def test_a_body_that_is_no_object_is_refused(api, content):
    """Row 195: also where there is none."""
    answer = api.post(path(api), content=content, headers={"Content-Type": "application/json"})
    assert_refused(answer, 400, "body")


def test_an_alternative_is_flat_with_one_recommended_serving(api):
    """Row 196."""
    cola = api.food("cola")
    for one in found(api, {}, "cola"):
        assert set(one) == ENTRY
        assert re.fullmatch("[1-9][0-9]{0,9}", one["id"])
        food = api.service.catalog.food(int(one["id"]))
        assert (one["name"], one["brand_name"]) == (food.name, food.brand_name)
        (serving,) = one["servings"]
        assert set(serving) == SERVING
        chosen = food.serving(int(serving["id"]))
        times = serving["quantity"] / chosen.quantity
        assert serving["unit"] == chosen.unit
        assert serving["scaling_factor"] == pytest.approx(chosen.scaling_factor * times)
        assert serving["weight_grams"] == pytest.approx(chosen.weight_g * times)
        assert 0.6 < serving["weight_grams"] / cola.default_serving.weight_g < 1.6
        calories = food.nutrients["energy_kcal"] * serving["scaling_factor"]
        assert one["nutrients"]["calories"]["value"] == pytest.approx(calories, abs=0.006)


def test_the_best_match_comes_first(api):
    """Rows 189, 196: in the order in which the library finds them, and with its amounts."""
    for words, restrictions in (("cola", []), ("white bread", ["eggs"]), ("apple", ["fodmaps"])):
        best = alternatives(api.food(words), api.service.catalog, restrictions).best
        answered = found(api, {"diet_restrictions": restrictions}, words)
        assert [one["id"] for one in answered] == [str(one.food.id) for one in best]
        for one, expected in zip(answered, best, strict=True):
            amount = expected.selection
            assert one["nutrients"] == nutrient_table(amount.nutrients)
            assert one["servings"][0] == {
                "id": str(amount.serving.id),
                "quantity": amount.quantity,
                "unit": amount.serving.unit,
                "scaling_factor": amount.factor,
                "weight_grams": amount.weight_g,
                "is_primary": True,
            }


def test_every_alternative_fits_the_diet_and_is_another_food(api):
    """Row 197: any food, any restrictions and preferences; nothing unknown passes."""
    choose = random.Random(197)
    catalog = api.service.catalog
    foods = [food for kind in ("generic", "recipe", "branded") for food in catalog.foods(kind)]
    answered = 0
    for food in choose.sample(foods, 250):
        restrictions = choose.sample(RESTRICTIONS, choose.choice((0, 1, 1, 2, 3)))
        preferences = choose.sample(PREFERENCES, choose.choice((0, 0, 1, 1, 2)))
        body = {"diet_restrictions": restrictions, "diet_preferences": preferences}
        answer = api.post(f"/v1.2/foods/{food.id}/alternatives", json=body)
        assert answer.status_code == 200, answer.text
        ids = [int(one["id"]) for one in answer.json()["alternatives"]]
        assert food.id not in ids
        assert len(set(ids)) == len(ids) <= 10
        for other in map(catalog.food, ids):
            verdicts = {rule: other.diets[rule] for rule in restrictions + preferences}
            assert set(verdicts.values()) <= {"free"}, (food.name, other.name, verdicts)
            assert other.name != food.name or other.brand_name != food.brand_name
        answered += bool(ids)
    assert answered > 60


def test_nothing_suitable_is_an_empty_list(api):
    """Row 198."""
    assert found(api, {}, "sugar") != []
    assert found(api, {"diet_preferences": ["paleo"]}, "sugar") == []


@pytest.mark.parametrize("food_id", ["0", "012", "abc", "12345678901", "-1", "1.5", "%20"])
def test_what_is_no_food_id_is_refused(api, food_id):
    """Row 199: before the body is looked at."""
    answer = api.post(f"/v1.2/foods/{food_id}/alternatives", content=b"{")
    assert_refused(answer, 400, "food_id")


def test_an_unknown_food_is_told_after_the_body(api):
    """Row 200."""
    unknown = "/v1.2/foods/8999999999/alternatives"
    assert_refused(api.post(unknown, json={}), 404, "8999999999")
    assert_refused(api.post(unknown, json={"diet_restrictions": "soy"}), 400, "diet_restrictions")


def test_for_a_person_each_alternative_tells_its_peak_and_the_lower_come_earlier(api):
    """Rows 196, 197."""
    person = api.body()["user_profile"]
    plain = found(api, {}, "white rice")
    ranked = found(api, {"user_profile": person}, "white rice")
    assert all(set(one) == ENTRY | {"predicted_peak_mg_dl"} for one in ranked)
    peaks = {one["id"]: one["predicted_peak_mg_dl"] for one in ranked}
    order = [one["id"] for one in plain if one["id"] in peaks]
    assert len(order) > 3
    assert order != [one["id"] for one in ranked if one["id"] in order] or len(plain) != len(ranked)
    half = len(ranked) // 2
    assert sum(list(peaks.values())[:half]) / half < sum(list(peaks.values())[half:]) / half + 5
    refused = api.post(path(api), json={"user_profile": person | {"age": 500}})
    assert_refused(refused, 400, "user_profile.age")
