"""Scans of photos in both versions: POST /v1.2/food-scans/photo and POST /v1.1/vision/foods."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_client import Api, Partner, assert_refused
from client_tokens import CREDITS, bearer, mint
from hostile_pictures import HOSTILE, encoded, fresh_noise
from photos import barcode_photo, base64_of, data_uri
from products import COLA, COLA_FOOD

from postmeal.scans import dish_model
from postmeal_serve.resources.photo_scans import BARCODE_PHOTO
from postmeal_serve.storage.tables import METADATA
from postmeal_serve.wire.upload_limits import LARGEST_BODY

SCAN, OLD_SCAN = "/v1.2/food-scans/photo", "/v1.1/vision/foods"
USER = {"x-partner-user-id": "u-1"}
COLA_PHOTO = barcode_photo(COLA)
CODES = {
    "format unsupported": "image_format_unsupported",
    "corrupt": "image_corrupt",
    "too large": "invalid_request",
}
URLS = ["https://127.0.0.1/a.jpg", "http://169.254.169.254/latest", "https://10.0.0.1/",
        "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://localhost:8000/readyz",
        "https://user@example.com/a.jpg", "https://1.1.1.1:22/"]  # fmt: skip


@pytest.fixture(scope="module")
def without_model(shop: Api) -> Iterator[Api]:
    """A service that does not find the dish model, wherever it may be."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("postmeal_serve.runtime.picture_process._PROGRAM", _PROGRAM_WITHOUT_MODEL)
        with Api(
            shop.settings.state_dir.parent / "without model", food_table=shop.settings.food_table
        ) as api:
            yield api


_PROGRAM_WITHOUT_MODEL = (
    "-c",
    "from postmeal_serve.runtime import picture_decoder as program; program.find = lambda: None;"
    " program.main()",
)


def scanned(api: Api, photo: bytes, kind: str = "jpeg") -> dict[str, Any]:
    answer = api.post(SCAN, json={"image": data_uri(photo, kind)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def old_scan(api: Api, body: Any, **headers: str) -> Any:
    return api.post(OLD_SCAN, json=body, headers=USER | headers)


def test_a_barcode_is_its_product_with_high_confidence(shop):
    """Rows 213, 254, 255, 256."""
    scan = scanned(shop, COLA_PHOTO)
    assert set(scan) == {"meal_name", "total_nutrients", "detections"}
    assert scan["meal_name"] == "Cola"
    (detection,) = scan["detections"]
    assert detection["confidence_score"] == "high"
    food = detection["food"]
    assert food["id"] == str(COLA_FOOD.id)
    assert shop.get(f"/v1.2/foods/{food['id']}").json()["name"] == "Cola"
    assert (food["name"], food["brand_name"]) == ("Cola", "Example Foods")
    assert len(food["servings"]) == 1
    assert scan["total_nutrients"] == food["nutrients"]
    assert food["nutrients"]["carbohydrates"]["value"] == pytest.approx(37.6, abs=0.1)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_each_format_is_read(shop, kind):
    """Rows 259, 375."""
    photo = barcode_photo(COLA, kind)
    assert scanned(shop, photo, kind.lower())["meal_name"] == "Cola"
    old = old_scan(shop, {"photoBase64": data_uri(photo, kind.lower())})
    assert old.json()["mealName"] == "Cola"


def test_the_old_version_has_the_same_scan(shop):
    """Rows 373, 374."""
    scan = old_scan(shop, {"photoBase64": base64_of(COLA_PHOTO)}).json()
    assert set(scan) == {"mealName", "totalNutrients", "detections"}
    (detection,) = scan["detections"]
    assert detection["confidenceScore"] == "high"
    assert detection["food"]["id"] == COLA_FOOD.id
    assert scan["totalNutrients"] == detection["food"]["nutrients"]


def test_nothing_recognized_is_an_empty_scan(shop):
    """Row 257: a barcode of no product, and where the model is, a blank picture."""
    scan = scanned(shop, barcode_photo("012345678905"))
    assert scan == {"meal_name": None, "total_nutrients": {}, "detections": []}
    if dish_model.find() is not None:
        assert scanned(shop, encoded(fresh_noise(64, 64), "PNG"), "png") == scan


def test_without_the_model_dishes_are_503_and_barcodes_work(without_model):
    """The message says what to run."""
    answer = without_model.post(SCAN, json={"image": data_uri(encoded(fresh_noise(), "JPEG"))})
    assert_refused(answer, 503, "postmeal photos fetch", "make photo-model")
    assert scanned(without_model, COLA_PHOTO)["meal_name"] == "Cola"


@pytest.mark.parametrize(
    "image",
    [None, 7, "", [], base64_of(COLA_PHOTO), "ftp://example.com/a.jpg",
     "file:///etc/passwd", "/etc/passwd", "javascript:alert(1)", "data:,a", " "],
    ids=lambda value: repr(value)[:20],
)  # fmt: skip
def test_an_image_that_is_neither_address_nor_data_is_refused(shop, image):
    """Row 258."""
    assert_refused(shop.post(SCAN, json={"image": image}), 400, "image")


def test_a_missing_image_is_refused(shop):
    """Row 258."""
    assert_refused(shop.post(SCAN, json={}), 400, "image is required")


@pytest.mark.sampled
@pytest.mark.parametrize("name", [name for name, (_, reason) in HOSTILE.items() if reason])
def test_a_picture_that_cannot_be_used_has_its_code(shop, name):
    """Rows 259, 260, 262, 379."""
    draw, reason = HOSTILE[name]
    data = draw()
    declared = {b"\x89P": "png", b"RI": "webp", b"GI": "gif"}.get(data[:2], "jpeg")
    body = {"image": data_uri(data, declared)}
    answer = shop.post(SCAN, json=body)
    if len(body["image"]) > LARGEST_BODY:
        assert_refused(answer, 413)
        return
    assert_refused(answer, 400, "image")
    assert answer.json()["code"] == CODES[reason]
    old = old_scan(shop, {"photoBase64": body["image"]})
    assert_refused(old, 400, "photoBase64")


def test_invalid_base64_has_its_code(shop):
    """Row 259."""
    answer = shop.post(SCAN, json={"image": "data:image/png;base64,####"})
    assert_refused(answer, 400, "image must contain valid base64")
    assert answer.json()["code"] == "image_invalid_base64"
    assert_refused(old_scan(shop, {"photoBase64": "####"}), 400, "photoBase64")


def test_the_bytes_must_be_what_is_declared(shop):
    """Rows 374, 380."""
    png = barcode_photo(COLA, "PNG")
    assert_refused(shop.post(SCAN, json={"image": data_uri(png)}), 400, "bytes are PNG")
    old = old_scan(shop, {"photoBase64": base64_of(png)})
    assert_refused(old, 400, "photoBase64 is declared as JPEG, but its bytes are PNG")


@pytest.mark.parametrize("url", URLS)
def test_an_address_that_is_not_public_is_unreachable(shop, url):
    """Rows 261, 381: the same text for all."""
    answer = shop.post(SCAN, json={"image": url})
    assert assert_refused(answer, 400, "image") == assert_refused(
        shop.post(SCAN, json={"image": URLS[0]}), 400
    )
    assert answer.json()["code"] == "image_unreachable"
    assert_refused(old_scan(shop, {"photoUrl": url}), 400, "photoUrl")


def test_the_url_wins_over_the_content(shop):
    """Rows 376, 378."""
    for worse in ("####", 7, base64_of(COLA_PHOTO)):
        both = {"photoUrl": URLS[0], "photoBase64": worse}
        assert_refused(old_scan(shop, both), 400, "photoUrl must be the https")
    one = {"photoUrl": None, "photoBase64": base64_of(COLA_PHOTO)}
    assert old_scan(shop, one).status_code == 200
    assert_refused(old_scan(shop, {"photoUrl": URLS[0], "photoBase64": None}), 400, "photoUrl")


@pytest.mark.parametrize("body", [{}, {"photoUrl": None}, {"photoUrl": None, "photoBase64": None}])
def test_one_of_both_is_required(shop, body):
    """Row 377."""
    assert_refused(old_scan(shop, body), 400, "photoUrl is required if photoBase64 is omitted")


def test_the_old_version_requires_a_user(shop):
    """Row 323."""
    answer = shop.post(OLD_SCAN, json={"photoBase64": base64_of(COLA_PHOTO)})
    assert_refused(answer, 400, "x-partner-user-id")


def test_the_old_scan_is_in_the_history_of_its_user_alone(shop):
    """Rows 325, 382, 386: the food may be sent back without its zeros, by this user only."""
    user = {"x-partner-user-id": "scans-cola"}
    scan = old_scan(shop, {"photoBase64": base64_of(COLA_PHOTO)}, **user).json()
    fixed = {**scan, "userInput": "I drank half of it"}
    del fixed["totalNutrients"]
    answer = shop.post(f"{OLD_SCAN}/fix-ai", json=fixed, headers=user)
    assert answer.status_code == 200, answer.text
    other = shop.post(f"{OLD_SCAN}/fix-ai", json=fixed, headers={"x-partner-user-id": "another"})
    assert other.status_code == 500


def test_a_photo_is_neither_stored_nor_logged(shop, caplog):
    """Rows 263, 381: not its bytes, in any form, nor its place, nor what it shows."""
    draw, _ = HOSTILE["jpeg with a place"]
    photos = draw(), COLA_PHOTO
    caplog.set_level("DEBUG")
    for photo in photos:
        assert shop.post(SCAN, json={"image": data_uri(photo)}).status_code in (200, 503)
        assert old_scan(shop, {"photoBase64": base64_of(photo)}).status_code in (200, 503)
    values = stored_values(shop)
    texts = [caplog.text, *(value for value in values if isinstance(value, str))]
    raw = [caplog.text.encode(), *(value for value in values if isinstance(value, bytes))]
    for photo in photos:
        for start in range(0, len(photo) - 30, len(photo) // 8):
            piece = photo[start : start + 30]
            assert not [each for each in raw if piece in each]
            forms = {base64.b64encode(photo[n : n + 30]).decode() for n in range(start, start + 3)}
            forms |= {form.replace("+", "-").replace("/", "_") for form in forms}
            for form in (*forms, piece.hex(), piece.hex().upper(), repr(piece)[2:-1]):
                assert not [each for each in texts if form in each]
                assert not [each for each in raw if form.encode() in each]
    for secret in ("47.0, 29.0", COLA):
        assert not [each for each in texts if secret in each]


def stored_values(api: Api) -> list[Any]:
    """Return every value of every row; those of JSON columns as text."""
    with api.service.database.reading() as connection:
        rows = [
            row for table in METADATA.sorted_tables for row in connection.execute(table.select())
        ]
    values = [value for row in rows for value in row]
    return [json.dumps(each) if isinstance(each, dict | list) else each for each in values]


def test_a_token_needs_the_scope(shop):
    partner = shop.partner("photos")
    allowed = mint(shop, partner, scopes=["food_scans:write"])
    body = {"image": data_uri(COLA_PHOTO)}
    assert shop.client.post(SCAN, json=body, headers=bearer(allowed)).status_code == 200
    other = mint(shop, partner, scopes=["foods:read"])
    assert_refused(shop.client.post(SCAN, json=body, headers=bearer(other)), 403)


def test_a_refused_photo_costs_no_credits(tmp_path: Path):
    with Api(tmp_path, credit_costs={"scan_photo": 3}) as api:
        partner: Partner = api.partner("pays", plan="free")

        def used() -> int:
            found = api.client.get(CREDITS, headers=partner.headers(CREDITS)).json()
            return int(found["used_credits"])

        for image, cost in (("data:image/png;base64,AAAA", 0), (BARCODE_PHOTO, 3)):
            api.client.post(SCAN, json={"image": image}, headers=partner.headers(SCAN))
            assert used() == cost


def test_a_scan_is_free_unless_the_settings_say_otherwise(shop):
    """Row 60."""
    assert shop.service.credit_cost("scan_photo") == 0


def test_a_misspelled_name_is_refused(shop):
    assert_refused(shop.post(SCAN, json={"imgae": data_uri(COLA_PHOTO)}), 400, "image")
