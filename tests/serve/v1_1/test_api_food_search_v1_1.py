"""GET /v1.1/search/foods."""

from urllib.parse import quote

import pytest
from api_client import assert_refused
from products import COLA, COLA_FOOD, SPREAD

from postmeal.foods.nutrients import UNITS
from postmeal.rounding import rounded

PATH = "/v1.1/search/foods"
FOOD = {"id", "name", "brand_name", "protein", "energy", "carbs", "fat", "fat_total_saturated",
        "net_carbs", "sodium", "sugars", "added_sugars", "gi", "gl", "fiber", "potassium",
        "cholesterol", "photo_url", "servings"}  # fmt: skip
SERVING = {"id", "quantity", "unit", "scaling_factor", "weight_grams", "is_primary"}
NUTRIENTS = {
    "protein": "protein_g",
    "energy": "energy_kcal",
    "carbs": "carbs_g",
    "fat": "fat_g",
    "fat_total_saturated": "saturated_fat_g",
    "sodium": "sodium_mg",
    "sugars": "sugars_g",
    "added_sugars": "added_sugars_g",
    "fiber": "fiber_g",
    "potassium": "potassium_mg",
    "cholesterol": "cholesterol_mg",
}
NOTHING = {"totalCount": 0, "items": []}


def page(api, query: str) -> dict:
    answer = api.get(f"{PATH}?{query}")
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert set(found) == {"totalCount", "items"}
    return found


def ids(api, query: str) -> list[int]:
    return [item["id"] for item in page(api, query)["items"]]


def test_a_search_answers_foods_best_first(api):
    """Rows 333, 334: 8 foods with every field, an unknown amount as null."""
    found = page(api, "query=banana&limit=8")
    expected = api.service.catalog.search("banana", kind="generic", limit=8)
    assert found["totalCount"] == len(
        api.service.catalog.search("banana", kind="generic", limit=40)
    )
    assert [item["id"] for item in found["items"]] == [food.id for food in expected]
    seen = set()
    for item, food in zip(found["items"], expected, strict=True):
        assert set(item) == FOOD
        assert (item["name"], item["brand_name"]) == (food.name, None)
        assert (item["gi"], item["gl"]) == (food.glycemic_index, food.glycemic_load)
        known = food.nutrients.known()
        for name, key in NUTRIENTS.items():
            amount = known.get(key)
            assert item[name] == (None if amount is None else rounded(amount, UNITS[key])), name
            seen.add(item[name] is None)
    assert seen == {True, False}


def test_a_food_has_all_its_servings(api):
    """Row 335."""
    for item in page(api, "query=milk&limit=20")["items"]:
        servings = api.service.catalog.food(item["id"]).servings
        assert item["servings"] == [
            {
                "id": serving.id,
                "quantity": serving.quantity,
                "unit": serving.unit,
                "scaling_factor": serving.scaling_factor,
                "weight_grams": serving.weight_g,
                "is_primary": serving.is_default,
            }
            for serving in servings
        ]
        assert all(set(serving) == SERVING for serving in item["servings"])
        assert sum(serving["is_primary"] for serving in item["servings"]) == 1


@pytest.mark.parametrize(
    ("category", "kind"),
    [("", "generic"), ("&category=general", "generic"), ("&category=branded", "branded"),
     ("&category=recipe", "generic")],
)  # fmt: skip
def test_a_category_leaves_only_its_foods(api, category, kind):
    """Rows 336, 337: general foods where none is named; recipes are ready dishes."""
    found = page(api, f"query=chicken&limit=400{category}")["items"]
    assert len(found) == 40
    foods = [api.service.catalog.food(item["id"]) for item in found]
    assert {food.kind for food in foods} == {kind}
    assert all(food.is_dish for food in foods) or "recipe" not in category
    assert all((item["brand_name"] is not None) <= (kind == "branded") for item in found)


@pytest.mark.parametrize("category", ["Branded", "generic", "", "general,recipe", "General"])
def test_another_category_is_refused(api, category):
    """Row 338."""
    answer = api.get(f"{PATH}?query=rice&category={category}")
    assert_refused(answer, 400, "category", "branded, general, recipe")
    details = answer.json()["error"]["details"]
    assert details == {"field": "category", "allowed": ["branded", "general", "recipe"]}


def test_a_recipe_tells_no_potassium_and_no_cholesterol(api, shop):
    """Row 339: not even where they are known."""
    found = page(api, "query=soup&category=recipe")["items"]
    assert len(found) == 10
    for item in found:
        assert set(item) == FOOD - {"potassium", "cholesterol"}
    same = {item["id"]: item for item in page(api, "query=soup&limit=40")["items"]}
    assert same.keys() & {item["id"] for item in found}
    assert all(set(item) == FOOD for item in same.values())
    (stew,) = page(shop, "query=stew&category=recipe")["items"]
    assert "potassium" not in stew
    (apple,) = page(shop, "query=sparkling%20apple")["items"]
    assert apple["potassium"] == 90


def test_a_picture_is_told_where_there_is_one(shop):
    """Row 340."""
    photos = {i["name"]: i["photo_url"] for i in page(shop, "upc=" + COLA)["items"]}
    assert photos == {"Cola": COLA_FOOD.image_url}
    (spread,) = page(shop, "upc=" + SPREAD)["items"]
    assert spread["photo_url"] is None


def test_net_carbohydrate_is_carbohydrate_less_fiber(api):
    """Row 341."""
    found = page(api, "query=beans&limit=40")["items"]
    assert any(item["fiber"] for item in found)
    for item in found:
        if None in (item["carbs"], item["fiber"]):
            assert item["net_carbs"] is None
        else:
            net_carbs = max(0, item["carbs"] - item["fiber"])
            assert item["net_carbs"] == pytest.approx(net_carbs, abs=0.016)


@pytest.mark.parametrize(
    ("limit", "length"), [(None, 10), ("1", 1), ("40", 40), ("41", 40), ("400", 40), ("007", 7)]
)
def test_a_name_answers_no_more_than_40(api, limit, length):
    """Rows 342, 343, 344: a longer page may be asked for."""
    found = page(api, "query=chicken" + (f"&limit={limit}" if limit else ""))
    assert len(found["items"]) == length
    assert found["totalCount"] == 40


@pytest.mark.parametrize(
    "limit", ["0", "401", "-1", "1.5", "x", "", "1e2", "+5", "9" * 5000, "%D9%A1"]
)
def test_another_limit_is_refused(api, limit):
    """Row 342: none is taken as another."""
    assert_refused(api.get(f"{PATH}?query=rice&limit={limit}"), 400, "limit", "from 1 to 400")
    assert_refused(api.get(f"{PATH}?limit={limit}"), 400, "limit")


@pytest.mark.parametrize(
    ("offset", "limit", "length"), [(0, 10, 10), (35, 10, 5), (39, 10, 1), (39, 400, 1), (12, 3, 3)]
)
def test_a_page_ends_at_40(api, offset, limit, length):
    """Row 345."""
    whole = ids(api, "query=chicken&limit=40")
    found = ids(api, f"query=chicken&offset={offset}&limit={limit}")
    assert found == whole[offset : offset + length]
    assert len(found) == length


@pytest.mark.parametrize("offset", ["40", "41", "100000", "9" * 5000])
def test_there_is_nothing_from_40_on(api, offset):
    """Row 346."""
    assert page(api, f"query=chicken&offset={offset}") == {"totalCount": 40, "items": []}


@pytest.mark.parametrize("offset", ["-1", "x", "1.5", "", "+1", "-" + "9" * 5000])
def test_another_offset_is_refused(api, offset):
    """Row 347."""
    assert_refused(api.get(f"{PATH}?query=rice&offset={offset}"), 400, "offset")


def test_pages_join_without_gap_or_overlap(api):
    """Rows 342, 345."""
    whole = ids(api, "query=rice&limit=400")
    for size in (1, 7, 13, 40):
        pages: list[int] = []
        for offset in range(0, 40, size):
            pages += ids(api, f"query=rice&limit={size}&offset={offset}")
        assert pages == whole
    assert len(set(whole)) == len(whole) == 40


def test_a_name_and_a_barcode_together_are_refused(shop):
    """Row 348."""
    assert_refused(shop.get(f"{PATH}?query=cola&upc={COLA}"), 400, "upc", "query")
    assert_refused(shop.get(f"{PATH}?upc=1&query=x"), 400, "upc")


def test_what_is_empty_is_not_sent(shop):
    """Rows 349, 350."""
    assert ids(shop, f"query=&upc={COLA}") == [COLA_FOOD.id]
    assert ids(shop, "query=cola&upc=&category=branded") == [COLA_FOOD.id]
    for query in ("", "query=", "upc=", "query=&upc=", "category=branded", "limit=5"):
        assert page(shop, query) == NOTHING


@pytest.mark.parametrize("category", ["", "&category=branded", "&category=general"])
def test_a_barcode_finds_its_product(shop, category):
    """Row 351: in every form, and whatever the category, whose default is general."""
    for code in (COLA, COLA.zfill(13), COLA.zfill(14), "04963406"):
        found = page(shop, f"upc={code}{category}")
        assert [item["id"] for item in found["items"]] == [COLA_FOOD.id]
        assert found["totalCount"] == 1
    assert page(shop, f"upc={COLA}{category}&offset=1") == {"totalCount": 1, "items": []}
    (cola,) = page(shop, f"upc={COLA}")["items"]
    assert (cola["brand_name"], cola["fat"], cola["protein"]) == ("Example Foods", 0, None)
    assert [serving["unit"] for serving in cola["servings"]] == ["can", "g"]


@pytest.mark.parametrize("upc", ["4006381333948", "049000006347", "12345", "1" * 15, "0"])
def test_a_barcode_that_is_not_known_finds_nothing(api, shop, upc):
    """Row 351: a wrong check digit, or too few digits or many, are a product of nobody."""
    for service in (api, shop):
        assert page(service, f"upc={upc}") == NOTHING


@pytest.mark.parametrize("upc", ["12a456", "%20" + COLA, "-49000006346", "x", "1.5", "%D9%A1" * 8])
def test_a_barcode_of_other_signs_is_refused(api, upc):
    """Row 352."""
    answer = api.get(f"{PATH}?upc={upc}")
    assert_refused(answer, 400, "upc", "digits")
    assert answer.json()["error"]["details"]["field"] == "upc"


def test_no_match_is_an_empty_page(api):
    """Row 333."""
    for query in ("xyzzyplugh", "%20", "---"):
        assert page(api, f"query={query}") == NOTHING


def test_a_query_may_have_256_characters(api):
    """Rows 11, 296: it is text, whatever a query language would read."""
    assert page(api, f"query={quote('é' * 256)}") == NOTHING
    assert_refused(api.get(f"{PATH}?query={'a' * 257}"), 400, "query", "256")
    assert_refused(api.get(f"{PATH}?query=a%00b"), 400, "query")
    plain = ids(api, "query=rice")
    for typed in ('"rice"', "rice*", "(rice", "rice'--", "rice;"):
        assert ids(api, f"query={quote(typed)}") == plain


def test_the_user_may_be_named(api):
    """Rows 328, 324: or not; a name that can be none is refused."""
    for path in (f"{PATH}?query=rice", f"{PATH}/nlp?query=rice"):
        plain = api.get(path)
        assert plain.status_code == 200
        named = api.get(path, headers={"x-partner-user-id": "test-u1"})
        assert named.json() == plain.json()
        for bad in ("", " ", "x" * 129, "a\tb"):
            answer = api.get(path, headers={"x-partner-user-id": bad})
            assert_refused(answer, 400, "x-partner-user-id")
