"""Food endpoints whose catalogue's file is damaged, gone, not there from the start, or slow."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_client import Api, assert_refused
from products import COLA, COLA_FOOD, catalogue_of_products

AUTOCOMPLETE = "/v1.2/foods/autocomplete?query=canary"
SEARCHES = (
    "/v1.2/foods?query=canary",
    f"/v1.2/foods/barcode/{COLA}",
    "/v1.1/search/foods?query=canary",
    f"/v1.1/search/foods?upc={COLA}",
)
READS = (f"/v1.2/foods/{COLA_FOOD.id}", "/v1.1/search/foods/nlp?query=2%20canary%20cola")
PRICED = {"autocomplete_foods": 1, "search_foods": 1, "read_barcode": 1}
CODES = {502: "upstream_error", 503: "service_unavailable", 504: "upstream_timeout"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return catalogue_of_products(tmp_path)


@pytest.fixture
def shop(tmp_path: Path, file: Path) -> Iterator[Api]:
    """A service of its own, whose catalogue a test may spoil."""
    with Api(tmp_path / "state", food_table=file, credit_costs=PRICED) as shop:
        yield shop


def refused(api: Api, path: str, status: int) -> None:
    """The answer has this status; version 1.1 knows 503 alone."""
    answer = api.get(path)
    message = assert_refused(answer, status if path.startswith("/v1.2") else 503)
    assert "canary" not in message
    assert "sqlite" not in message.casefold()
    if path.startswith("/v1.2"):
        assert answer.json()["code"] == CODES[status]


def used_credits(api: Api) -> int:
    used: int = api.get("/v1.2/credits").json()["used_credits"]
    return used


def damage(file: Path) -> None:
    """Write over all pages but the first, which says what the file is."""
    with file.open("r+b") as pages:
        size = pages.seek(0, 2)
        pages.seek(4096)
        pages.write(b"\xa5" * (size - 4096))


def test_a_damaged_catalogue_suggests_nothing(shop, file, caplog):
    """Rows 186, 15, 61: and everything else is 503 at no cost; the log tells it once."""
    damage(file)
    for _ in range(3):
        answer = shop.get(AUTOCOMPLETE)
        assert (answer.status_code, answer.json()) == (200, {"items": []})
    assert used_credits(shop) == 3
    assert caplog.text.count("catalog is damaged; autocomplete returns no suggestions") == 1
    for path in (*SEARCHES, *READS):
        refused(shop, path, 503)
    assert used_credits(shop) == 3
    assert "canary" not in caplog.text


def test_a_catalogue_that_is_gone_is_502(shop, file, caplog):
    """Rows 15, 61, 187, 296: what was open is closed, and the file cannot be opened again."""
    assert shop.get("/v1.2/foods/autocomplete?query=cola").json()["items"]
    shop.service.catalog.close()
    file.unlink()
    for path in (AUTOCOMPLETE, *SEARCHES, *READS):
        refused(shop, path, 502)
    assert used_credits(shop) == 1
    assert "request to /v1.2/foods/autocomplete failed: CatalogError" in caplog.text
    assert "canary" not in caplog.text


def test_a_catalogue_that_answers_too_late_is_504(shop):
    """Rows 15, 61, 187, 296: once it is in time again, so is the answer."""
    usual_s = shop.service.catalog.timeout_s
    shop.service.catalog.timeout_s = 0.0
    for path in (AUTOCOMPLETE, *SEARCHES):
        refused(shop, path, 504)
    assert used_credits(shop) == 0
    shop.service.catalog.timeout_s = usual_s
    for path in (AUTOCOMPLETE, *SEARCHES, *READS):
        assert shop.get(path).status_code == 200
    assert shop.get("/v1.2/foods/autocomplete?query=cola").json()["items"]


@pytest.mark.parametrize("content", [None, b"", b"SQLite format 3\0" + bytes(4096), b"x" * 9999])
def test_a_catalogue_that_never_was_there_is_502_or_503(tmp_path, content):
    """Rows 187, 480: typeahead cannot be reached, of the rest a part is missing."""
    file = tmp_path / "none.sqlite3"
    if content is not None:
        file.write_bytes(content)
    with Api(tmp_path / "state", food_table=file) as api:
        refused(api, AUTOCOMPLETE, 502)
        for path in (*SEARCHES, *READS):
            refused(api, path, 503)
        assert api.client.get("/readyz").json()["parts"]["catalogue"] == "failing"
        assert_refused(api.get("/v1.2/foods/autocomplete?query=rice&limit=21"), 400, "limit")
        assert_refused(api.get("/v1.2/foods/barcode/1"), 400, "barcode")
