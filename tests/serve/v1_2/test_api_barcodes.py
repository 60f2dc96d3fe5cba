"""GET /v1.2/foods/barcode/{barcode}."""

import pytest
from api_client import assert_refused
from client_tokens import bearer, mint
from products import CASE, CHIPS, COLA, COLA_FOOD, GUM, MINTS, SALSA, SPREAD

from postmeal.foods.barcodes import possible_gtins

PATH = "/v1.2/foods/barcode"
FOOD = {"id", "type", "name", "description", "brand_name", "nutrients", "glycemic_index",
        "glycemic_load", "image_url", "barcode", "servings"}  # fmt: skip


def scanned(shop, code: str) -> dict:
    answer = shop.get(f"{PATH}/{code}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_product_is_one_food_with_its_default_serving(shop):
    """Rows 201, 161, 163, 208."""
    food = scanned(shop, COLA)
    assert set(food) == FOOD
    assert food["id"] == str(COLA_FOOD.id)
    assert (food["type"], food["name"], food["brand_name"]) == ("branded", "Cola", "Example Foods")
    assert food["image_url"] == COLA_FOOD.image_url
    assert food["glycemic_index"] is food["glycemic_load"] is None
    assert food["servings"] == [
        {
            "id": "2",
            "quantity": 1,
            "unit": "can",
            "scaling_factor": 1,
            "weight_grams": 355,
            "is_primary": True,
        }
    ]
    assert set(food["nutrients"]) == {"calories", "carbohydrates", "total_sugars", "total_fat"}
    assert food["nutrients"]["calories"]["value"] == pytest.approx(42 * 3.55)
    assert food["nutrients"]["total_fat"] == {"value": 0, "unit": "g"}


def test_its_id_reads_all_its_servings(shop):
    """Rows 213, 209."""
    food = shop.get(f"/v1.2/foods/{scanned(shop, COLA)['id']}").json()
    assert [serving["unit"] for serving in food["servings"]] == ["can", "g"]
    assert [serving["is_primary"] for serving in food["servings"]] == [True, False]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (COLA, "Cola"),
        (f"0{COLA}", "Cola"),
        (f"00{COLA}", "Cola"),
        (SPREAD, "Hazelnut spread"),
        (f"0{SPREAD}", "Hazelnut spread"),
        (GUM, "Chewing gum"),
        (GUM.zfill(13), "Chewing gum"),
        (GUM.zfill(14), "Chewing gum"),
        (CASE, "Lemonade, case of 12"),
    ],
)
def test_leading_zeros_do_not_count(shop, code, name):
    """Rows 202, 205: UPC-A, EAN-13, EAN-8 and GTIN-14."""
    assert scanned(shop, code)["name"] == name


@pytest.mark.parametrize("code", ["04963406", "4963406", "0496340", "496340"])
def test_upc_e_is_its_upc_a(shop, code):
    """Rows 202, 206: with and without its number system and its check digit."""
    assert scanned(shop, code)["name"] == "Cola"


def test_eight_digits_are_ean_8_before_upc_e(shop):
    """Row 206: and UPC-E where no product has the EAN-8."""
    assert possible_gtins(MINTS) == (MINTS.zfill(14), CHIPS.zfill(14))
    assert scanned(shop, MINTS)["name"] == "Mints"
    assert scanned(shop, CHIPS)["name"] == "Corn chips"
    assert possible_gtins("04201397")[1] == SALSA.zfill(14)
    assert scanned(shop, "04201397")["name"] == "Salsa"


@pytest.mark.parametrize(
    "code",
    ["12345", "1" * 15, "12a456", "%20" + COLA, COLA + "%20", "04900 006346", "-49000006346",
     "%D9%A0" * 12, "%00" * 8, "0x4900000", "1e10000", "²" * 8],
)  # fmt: skip
def test_what_is_not_6_to_14_digits_is_refused(shop, code):
    """Row 203."""
    answer = shop.get(f"{PATH}/{code}")
    assert_refused(answer, 400, "barcode", "6 to 14 digits")
    assert answer.json()["code"] == "invalid_request"


@pytest.mark.parametrize("code", ["000000", "0" * 14, "123457", "4006381333948", "99999999999997"])
def test_an_unknown_code_is_404(api, shop, code):
    """Row 204: also where no food has a barcode."""
    for service in (api, shop):
        answer = service.get(f"{PATH}/{code}")
        assert_refused(answer, 404, code)
        assert answer.json()["code"] == "not_found"


@pytest.mark.parametrize("code", [COLA, SPREAD, GUM, CASE, "04963406"])
def test_a_wrong_check_digit_is_404(shop, code):
    """Row 207."""
    for digit in set("0123456789") - {code[-1]}:
        assert_refused(shop.get(f"{PATH}/{code[:-1]}{digit}"), 404, "barcode")


@pytest.mark.parametrize("code", [COLA, SPREAD, GUM, CASE])
def test_the_barcode_told_has_the_digits_that_are_printed(shop, code):
    """Row 208: whatever was scanned, and it finds the product again."""
    assert scanned(shop, code.zfill(14))["barcode"] == code
    assert scanned(shop, "4963406")["barcode"] == COLA


def test_a_product_that_is_held_already_is_not_sent_again(shop):
    """Row 214: one scanned and one read by its id are two answers."""
    first = shop.get(f"{PATH}/{COLA}")
    again = shop.get(f"{PATH}/{COLA.zfill(14)}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = shop.get(f"/v1.2/foods/{COLA_FOOD.id}")
    assert other.headers["etag"] != first.headers["etag"]


def test_a_token_needs_the_scope_of_foods(shop):
    """Rows 28, 30: before the code is looked at."""
    partner = shop.partner("scanner")
    may = bearer(mint(shop, partner, scopes=["foods:read"]))
    may_not = bearer(mint(shop, partner, scopes=["restaurants:read"]))
    assert shop.client.get(f"{PATH}/{COLA}", headers=may).status_code == 200
    for code in (COLA, "x"):
        answer = shop.client.get(f"{PATH}/{code}", headers=may_not)
        assert_refused(answer, 403, "foods:read")
        assert answer.json()["code"] == "scope_insufficient"
