"""POST /v1.1/food-alternatives/{foodId}."""

import random

import pytest
from allergen_words import gives_away
from api_client import assert_refused

from postmeal.assets import asset
from postmeal.foods.diets.food_diets import diets_of
from postmeal.foods.diets.rules import PREFERENCES, RESTRICTIONS
from postmeal.foods.table import read_table

RESTRICTION_VALUES = {
    "Gluten": "gluten", "Lactose": "lactose", "Yeast": "yeast", "Tree nuts": "tree_nuts",
    "Peanuts": "peanuts", "Dairy": "dairy", "Eggs": "eggs", "Sulfites": "sulfites", "Soy": "soy",
    "Wheat": "wheat", "Shellfish": "shellfish", "Fish": "fish", "Mushrooms": "mushrooms",
    "Sesame": "sesame", "Monosodium glutamate (MSG)": "msg", "Caffeine": "caffeine",
    "FODMAPs": "fodmaps",
}  # fmt: skip
PREFERENCE_VALUES = {
    "Vegetarian": "vegetarian", "Vegan": "vegan", "Keto": "keto", "Paleo": "paleo",
    "Pescatarian": "pescatarian", "Low carbohydrate": "low_carbohydrate",
    "High protein": "high_protein", "Kosher": "kosher",
}  # fmt: skip
NOTHING = {"dietRestrictions": ["None"], "dietPreferences": ["None"]}


def path(api, words: str = "white bread") -> str:
    return f"/v1.1/food-alternatives/{api.food(words).id}"


def found(api, words: str = "white bread", **asked: list[str]) -> list[dict]:
    answer = api.post(path(api, words), json={**NOTHING, **asked})
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"alternatives"}
    return [one["food"] for one in answer.json()["alternatives"]]


@pytest.mark.reliability
def test_none_in_both_arrays_asks_for_nothing_special(api):
    """Rows 389, 328: and no user is named."""
    assert found(api) != []


@pytest.mark.parametrize("name", ["dietRestrictions", "dietPreferences"])
@pytest.mark.parametrize("value", ["left out", [], None, "None", [1], [None], {}])
def test_each_array_is_required_and_not_empty(api, name, value):
    """Row 390: the accepted values are named, whatever was sent in its place."""
    body = {**NOTHING, name: value}
    if value == "left out":
        del body[name]
    answer = api.post(path(api), json=body)
    vocabulary = RESTRICTION_VALUES if name == "dietRestrictions" else PREFERENCE_VALUES
    message = assert_refused(answer, 400, name, *vocabulary)
    assert answer.json()["error"]["details"]["allowed"] == ["None", *vocabulary]
    if value == "left out":
        assert message.startswith(f"{name} is required")
    if value == []:
        assert message.startswith(f"{name} must contain at least one of")


@pytest.mark.parametrize(("name", "value"), [
    ("dietRestrictions", "gluten"), ("dietRestrictions", "tree nuts"),
    ("dietRestrictions", "Tree Nuts"), ("dietRestrictions", "Vegan"), ("dietRestrictions", "MSG"),
    ("dietPreferences", "Vegan "), ("dietPreferences", "none"), ("dietPreferences", "Halal"),
])  # fmt: skip
def test_a_value_outside_the_vocabulary_is_named(api, name, value):
    """Row 391."""
    answer = api.post(path(api), json={**NOTHING, name: ["None", value]})
    assert_refused(answer, 400, name, repr(value))
    assert value not in answer.json()["error"]["details"]["allowed"]


@pytest.mark.parametrize("value", RESTRICTION_VALUES)
def test_a_restriction_is_accepted_exactly_and_respected(api, value):
    """Row 392."""
    fit = found(api, "apple", dietRestrictions=[value])
    assert fit
    for one in fit:
        assert api.service.catalog.food(one["id"]).diets[RESTRICTION_VALUES[value]] == "free"


@pytest.mark.parametrize("value", PREFERENCE_VALUES)
def test_a_preference_is_accepted_exactly_and_respected(api, value):
    """Row 392."""
    fit = found(api, "broccoli", dietPreferences=[value])
    assert fit
    for one in fit:
        assert api.service.catalog.food(one["id"]).diets[PREFERENCE_VALUES[value]] == "free"


def test_the_vocabularies_are_those_of_the_library():
    """Row 392: but halal, which came with version 1.2."""
    assert tuple(RESTRICTION_VALUES.values()) == RESTRICTIONS
    assert (*PREFERENCE_VALUES.values(), "halal") == PREFERENCES


def test_an_unknown_food_is_not_found(api):
    """Row 393."""
    assert_refused(api.post("/v1.1/food-alternatives/8999999999", json=NOTHING), 404)


@pytest.mark.parametrize("food_id", ["abc", "0", "012", "12345678901", "1.0", "-1"])
def test_what_is_no_food_id_is_refused(api, food_id):
    """Row 393."""
    answer = api.post(f"/v1.1/food-alternatives/{food_id}", json=NOTHING)
    assert_refused(answer, 400, "foodId")


def test_an_entry_wraps_a_food_with_one_calibrated_serving(api):
    """Rows 394, 395, 396."""
    cola, answered = api.food("cola"), found(api, "cola")
    assert answered
    keys = {"calories", "protein", "carbohydrates", "totalFat", "fiber"}
    for one in answered:
        assert set(one) == {"name", "id", "brandName", "nutrients", "servings"}
        food = api.service.catalog.food(one["id"])
        assert (one["name"], one["brandName"]) == (food.name, food.brand_name or "")
        (serving,) = one["servings"]
        assert set(serving) == {"id", "quantity", "unit"}
        chosen = food.serving(serving["id"])
        grams = chosen.weight_g * serving["quantity"] / chosen.quantity
        assert 0.6 < grams / cola.default_serving.weight_g < 1.6
        assert set(one["nutrients"]) <= keys
        assert all(set(amount) == {"value", "unit"} for amount in one["nutrients"].values())
        assert all(amount["value"] > 0 for amount in one["nutrients"].values())
        eaten = food.nutrients * (grams / food.default_serving.weight_g)
        if "carbohydrates" in one["nutrients"]:
            carbs = one["nutrients"]["carbohydrates"]["value"]
            assert carbs == pytest.approx(eaten["carbs_g"], rel=0.005, abs=0.006)


def test_the_best_match_comes_first(api):
    """Rows 394, 395, 396: foods, order and amounts are those of version 1.2."""
    names = {"calories": "calories", "protein": "protein", "carbohydrates": "carbohydrates",
             "totalFat": "total_fat", "fiber": "fiber"}  # fmt: skip
    for words, value in (("cola", "None"), ("white bread", "Eggs"), ("apple", "FODMAPs")):
        asked = [] if value == "None" else [RESTRICTION_VALUES[value]]
        new = f"/v1.2/foods/{api.food(words).id}/alternatives"
        expected = api.post(new, json={"diet_restrictions": asked}).json()["alternatives"]
        answered = found(api, words, dietRestrictions=[value])
        assert [str(one["id"]) for one in answered] == [one["id"] for one in expected] != []
        for one, other in zip(answered, expected, strict=True):
            (serving,), (known,) = one["servings"], other["servings"]
            assert serving == {"id": int(known["id"])} | {
                key: known[key] for key in ("quantity", "unit")
            }
            amounts = {key: amount["value"] for key, amount in other["nutrients"].items()}
            assert {names[key]: amount["value"] for key, amount in one["nutrients"].items()} == {
                key: amounts[key] for key in names.values() if amounts.get(key)
            }


def test_nothing_suitable_is_an_empty_list(api):
    """Row 397."""
    assert found(api, "sugar") != []
    assert found(api, "sugar", dietPreferences=["Paleo"]) == []


def test_none_beside_others_does_nothing(api):
    """Row 398."""
    for words in ("white bread", "apple"):
        alone = found(api, words, dietRestrictions=["Gluten"])
        assert alone == found(api, words, dietRestrictions=["None", "Gluten"])
        assert alone == found(api, words, dietRestrictions=["Gluten", "None", "Gluten"])
    assert found(api, dietRestrictions=["Gluten"]) != found(api)
    keto = found(api, dietPreferences=["Keto"])
    assert keto == found(api, dietPreferences=["None", "Keto", "None"]) != found(api)


def test_every_alternative_fits_when_judged_anew(api):
    """Row 392: any food and values; by the table's lines, and by words listed apart."""
    choose = random.Random(392)
    lines = {line.id: line for line in read_table(asset("data/foods.csv.xz"))}
    answered = 0
    for food_id in choose.sample(sorted(lines), 150):
        restrictions = choose.sample(sorted(RESTRICTION_VALUES), choose.choice((1, 2)))
        preferences = choose.sample(sorted(PREFERENCE_VALUES), choose.choice((0, 1)))
        body = {"dietRestrictions": restrictions, "dietPreferences": preferences or ["None"]}
        answer = api.post(f"/v1.1/food-alternatives/{food_id}", json=body)
        rules = [RESTRICTION_VALUES[value] for value in restrictions]
        rules += [PREFERENCE_VALUES[value] for value in preferences]
        for one in answer.json()["alternatives"]:
            line = lines[one["food"]["id"]]
            diets = diets_of(line)
            assert line.id != food_id
            for rule in rules:
                assert diets[rule] == "free", (line.name, rule)
                assert gives_away(rule, line.name) is None, (line.name, rule)
            answered += 1
    assert answered > 150
