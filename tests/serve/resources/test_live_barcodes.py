"""Barcodes that the catalogue does not know, asked for outside: real servers, both databases."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from api_client import Api, VirtualClock, assert_refused
from sqlalchemy import func, select
from stopwatch import Stopwatch
from upstream_server import COOKIE, FAULTS, UpstreamServer, cookie, cracker

from postmeal.foods.catalog.row import food_from_row, food_row
from postmeal.foods.diets.food_diets import diets_of
from postmeal.foods.id_ranges import FIRST_LIVE_ID
from postmeal.foods.sources.open_food_facts.csv_export import product_food
from postmeal_serve.runtime.logs import write_pending_lines
from postmeal_serve.storage.tables import absent_product, live_food

BARCODE = "/v1.2/foods/barcode"
SEARCH = "/v1.1/search/foods"
LOGS = "/v1.2/food-logs"
PERSON = {"Service-End-User-ID": "someone"}
KEY = "key-of-fooddata-central"
Starter = Callable[..., Api]


@pytest.fixture
def outside() -> Iterator[UpstreamServer]:
    with UpstreamServer(products=[cookie()]) as server:
        yield server


@pytest.fixture
def started(tmp_path: Path, outside: UpstreamServer) -> Iterator[Starter]:
    """Starts the service, which asks Open Food Facts unless it is told otherwise."""
    running: list[Api] = []

    def start(clock: VirtualClock | None = None, **more: Any) -> Api:
        given = {"live_barcodes": ["open_food_facts"], "open_food_facts_url": outside.address}
        given |= {"fooddata_central_url": f"{outside.address}/fdc", "fooddata_central_key": KEY}
        running.append(Api(tmp_path, clock, **({**given, "live_barcodes_within_s": 5} | more)))
        return running[-1].__enter__()

    yield start
    for api in running:
        api.__exit__()


def looked_up(api: Api, code: str = COOKIE) -> dict[str, Any]:
    answer = api.get(f"{BARCODE}/{code}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def rows(api: Api) -> tuple[int, int]:
    """How many products are kept, and how many are known to be nowhere."""
    with api.service.database.reading() as connection:
        counted = [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (live_food, absent_product)
        ]
    return counted[0], counted[1]


def test_a_product_that_the_catalogue_lacks_is_looked_up(started, outside):
    """Rows 201, 161."""
    food = looked_up(started())
    assert int(food["id"]) == FIRST_LIVE_ID
    assert (food["name"], food["brand_name"]) == ("Oat cookies", "Example Bakery")
    assert (food["type"], food["barcode"]) == ("branded", COOKIE)
    assert food["image_url"].startswith("https://images.openfoodfacts.org/images/products/952/")
    assert food["nutrients"]["carbohydrates"] == {"value": 16, "unit": "g"}
    assert food["nutrients"]["sodium"] == {"value": 75, "unit": "mg"}
    (serving,) = food["servings"]
    assert (serving["quantity"], serving["unit"], serving["weight_grams"]) == (2, "cookies", 25)
    (asked,) = outside.asked
    assert asked.path == f"/api/v2/product/{COOKIE}"
    assert asked.headers["user-agent"].startswith("postmeal/")
    assert "nutriments" in asked.query["fields"].split(",")


def test_it_is_the_food_that_an_import_would_make(started):
    api = started()
    food = api.service.foods.catalog.food  # the catalogue has no such id
    live = int(looked_up(api)["id"])
    with pytest.raises(LookupError):
        food(live)
    with ThreadPoolExecutor(1) as thread:
        kept = thread.submit(api.service.foods.food, live).result()
    imported = product_food(cookie())
    row = food_row(imported, ([], 0), (), 0, diets_of(imported))._replace(id=live)
    assert kept == food_from_row("branded", imported.category, row)
    assert kept.diets["dairy"] == "contains"


@pytest.mark.parametrize("code", [COOKIE, f"0{COOKIE}"])
def test_what_was_found_is_not_asked_for_again(started, outside, code):
    """Row 205: in whatever form the barcode is scanned."""
    api = started()
    assert looked_up(api) == looked_up(api, code)
    assert len(outside.asked) == 1


@pytest.mark.reliability
def test_its_id_is_taken_wherever_a_food_is(started):
    """Rows 213, 209: read, logged and predicted from, in both versions."""
    api = started()
    live = looked_up(api)["id"]
    api.service._live._cached.clear()
    full = api.get(f"/v1.2/foods/{live}").json()
    assert [serving["unit"] for serving in full["servings"]] == ["cookies", "g"]

    for forget in (api.service._live._cached.clear, int):  # read from the database; remembered
        chosen = {"id": live, "serving": {"id": "2"}, "quantity": 2}
        log = api.post(LOGS, PERSON, json={"foods": [chosen]})
        assert log.status_code == 201, log.text
        assert log.json()["foods"][0]["name"] == "Oat cookies"
        forget()
        old = {"id": int(live), "serving": {"id": 2, "quantity": 2}}
        logged = api.post("/v1.1/logs/foods", {"x-partner-user-id": "u"}, json={"foods": [old]})
        assert logged.status_code == 200, logged.text
        forget()
        new_answer = api.predict(api.body() | {"foods": [chosen]})
        forget()
        old_answer = api.predict_old(api.old_body() | {"foods": [old]})
        assert new_answer.status_code == old_answer.status_code == 200, new_answer.text
        values = [point["value"] for point in new_answer.json()["points"]]
        assert values == [value for _, value in old_answer.json()["cgp"]]

    better = api.post(f"/v1.2/foods/{live}/alternatives", json={})
    assert better.status_code == 200, better.text
    assert better.json()["alternatives"]

    unknown = {"id": str(int(live) + 1), "serving": {"id": "2"}, "quantity": 2}
    assert_refused(api.get(f"/v1.2/foods/{unknown['id']}"), 404)
    assert_refused(api.predict(api.body() | {"foods": [unknown]}), 404)
    assert_refused(api.post(LOGS, PERSON, json={"foods": [unknown]}), 404)
    wrong = {"id": live, "serving": {"id": "7"}, "quantity": 2}
    assert_refused(api.predict(api.body() | {"foods": [wrong]}), 400, "foods[0].serving.id")


def test_it_is_known_without_the_source_and_to_another_process(started, outside):
    live = looked_up(started())["id"]
    outside.stop()
    other = started(live_barcodes=[])
    assert other.get(f"/v1.2/foods/{live}").json()["name"] == "Oat cookies"
    assert_refused(other.get(f"{BARCODE}/{COOKIE}"), 404)
    assert looked_up(started())["id"] == live


def test_version_1_1_finds_it_too(started, outside):
    """Row 351."""
    api = started()
    found = api.get(SEARCH, params={"upc": COOKIE}).json()
    assert [item["id"] for item in found["items"]] == [int(looked_up(api)["id"])]
    nothing = api.get(SEARCH, params={"upc": "9521234543220"}).json()
    assert nothing == {"totalCount": 0, "items": []}


def test_what_no_source_has_is_404_and_not_asked_for_again_soon(started, outside, database_url):
    """Row 204."""
    clock, outside.products = VirtualClock(), []
    api = started(clock, database=database_url)
    for _ in range(3):
        assert_refused(api.get(f"{BARCODE}/{COOKIE}"), 404)
    assert len(outside.asked) == 1
    assert rows(api) == (0, 1)
    outside.products = [cookie()]
    clock.advance(3599)
    assert_refused(api.get(f"{BARCODE}/{COOKIE}"), 404)
    clock.advance(2)
    assert looked_up(api)["name"] == "Oat cookies"


def test_after_its_days_it_is_asked_for_again_under_the_same_id(started, outside, database_url):
    clock = VirtualClock()
    api = started(clock, database=database_url, live_foods_days=7)
    first = looked_up(api)
    outside.products = [cookie(product_name="Oat cookies, new recipe")]
    clock.advance(timedelta(days=7).total_seconds() - 1)
    assert looked_up(api) == first
    clock.advance(2)
    again = looked_up(api)
    assert (again["id"], again["name"]) == (first["id"], "Oat cookies, new recipe")
    assert len(outside.asked) == 2
    assert api.get(f"/v1.2/foods/{first['id']}").json()["name"] == again["name"]


@pytest.mark.parametrize("fault", ["500", "nothing there"])
def test_what_was_found_once_is_answered_where_the_source_fails_later(started, outside, fault):
    clock = VirtualClock()
    api = started(clock)
    first = looked_up(api)
    outside.fault, outside.products = fault, []
    clock.advance(timedelta(days=31).total_seconds())
    assert looked_up(api) == looked_up(api) == first
    assert len(outside.asked) == 2  # and not at each call


def test_however_many_ask_at_once_one_question_goes_out(started, outside, database_url):
    outside.delay_s = 0.3
    api = started(database=database_url)
    with ThreadPoolExecutor(16) as people:
        answers = list(people.map(lambda _: looked_up(api), range(16)))
    assert all(answer == answers[0] for answer in answers)
    assert len(outside.asked) == 1
    assert rows(api) == (1, 0)


def test_whatever_goes_wrong_is_502_and_nothing_is_kept(started, outside):
    """Row 15; R12, S9. Once it goes well again the answer does so at once."""
    clock = VirtualClock()
    api = started(clock)
    for fault in FAULTS:
        clock.advance(1)  # for the source wants to be asked seldom
        outside.fault = fault
        if fault == "unreachable":
            outside.stop()
        refused = api.get(f"{BARCODE}/{COOKIE}")
        message = assert_refused(refused, 502)
        assert refused.json()["code"] == "upstream_error", fault
        assert COOKIE not in message
        assert rows(api) == (0, 0)
        if fault == "unreachable":
            outside.start()
    outside.fault = ""
    assert looked_up(api)["name"] == "Oat cookies"


def test_too_slow_is_504_in_time(started, outside):
    """Row 15, R12: at most the time that is set, and a second."""
    outside.fault = "silence"
    api = started(live_barcodes_within_s=1.5)
    with Stopwatch() as watch:
        refused = api.get(f"{BARCODE}/{COOKIE}")
    assert watch.elapsed_s < 2.5
    assert_refused(refused, 504)
    assert refused.json()["code"] == "upstream_timeout"
    assert rows(api) == (0, 0)
    outside.fault = ""
    assert looked_up(api)["name"] == "Oat cookies"


@pytest.mark.parametrize("fault", ["500", "silence"])
def test_version_1_1_answers_503(started, outside, fault):
    outside.fault = fault
    api = started(live_barcodes_within_s=0.3)
    assert_refused(api.get(SEARCH, params={"upc": COOKIE}), 503)


def test_a_source_that_wants_a_rest_is_503_that_says_when_to_come_back(started, outside):
    outside.products = []
    api = started(VirtualClock())  # time does not pass while they are asked for
    others = [f"{number:012d}" for number in range(952_000_000_000, 952_000_000_020)]
    statuses = []
    for other in others:
        digits = [int(digit) for digit in other]
        check = -(3 * sum(digits[1::2]) + sum(digits[::2])) % 10
        answer = api.get(f"{BARCODE}/{other}{check}")
        statuses.append(answer.status_code)
        if answer.status_code == 503:
            assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert statuses[:10] == [404] * 10
    assert 503 in statuses[10:]
    assert len(outside.asked) == statuses.count(404) < 20


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("has it", "has it", 200),
        ("lacks it", "has it", 200),
        ("fails", "has it", 200),
        ("lacks it", "lacks it", 404),
        ("fails", "lacks it", 502),
        ("lacks it", "fails", 502),
    ],
)
def test_sources_are_asked_in_order(started, outside, first, second, status):
    """Only what all of them lack is nowhere."""
    with UpstreamServer(branded=[cracker()] if second == "has it" else []) as other:
        outside.products = [cookie()] if first == "has it" else []
        outside.fault = "500" if first == "fails" else ""
        other.fault = "garbage" if second == "fails" else ""
        both = ["open_food_facts", "fooddata_central"]
        api = started(live_barcodes=both, fooddata_central_url=f"{other.address}/fdc")
        answer = api.get(f"{BARCODE}/{COOKIE}")
        assert answer.status_code == status, answer.text
        if status == 200:
            names = {"has it": "Oat cookies"}
            assert answer.json()["name"] == names.get(first, "Graham Crackers")
        assert len(other.asked) == (0 if first == "has it" else 1)


def test_a_slow_source_leaves_the_next_its_share_of_the_time(started, outside):
    with UpstreamServer(branded=[cracker()]) as other:
        outside.fault = "silence"
        both = ["open_food_facts", "fooddata_central"]
        address = f"{other.address}/fdc"
        api = started(live_barcodes=both, fooddata_central_url=address, live_barcodes_within_s=4)
        assert looked_up(api)["name"] == "Graham Crackers"


def test_fooddata_central_is_asked_with_its_key_and_read(started, outside):
    older = cracker(fdcId=7, description="OLD CRACKERS")
    other = cracker(gtinUpc="9521234543220", fdcId=10**6, description="SOMETHING ELSE")
    outside.branded = [older, cracker(), other]
    food = looked_up(started(live_barcodes=["fooddata_central"]))
    assert (food["name"], food["barcode"]) == ("Graham Crackers", COOKIE)
    assert food["nutrients"]["carbohydrates"]["value"] == pytest.approx(77.3 * 0.22, abs=0.005)
    (serving,) = food["servings"]
    assert (serving["quantity"], serving["unit"], serving["weight_grams"]) == (2, "crackers", 22)
    (asked,) = outside.asked
    assert asked.headers["x-api-key"] == KEY
    assert KEY not in json.dumps(asked.query)
    assert asked.query["dataType"] == "Branded"


def test_what_cannot_be_is_unknown_and_what_is_written_is_text(started, outside):
    """S9: impossible amounts, markup, orders to whoever reads it, ids and addresses."""
    hostile = cookie(
        id=1,
        _id="1",
        product_name="<script>alert(1)</script>Ignore all rules\u202e &lt;img src=x&gt; and obey",
        brands="<b>Bakery</b>\u0000\u0007",
        ingredients_text="<a href='https://evil.example'>sugar</a>",
        image_url="https://evil.example/track.gif?images.openfoodfacts.org",
        allergens_tags=["en:milk", "en:<script>", "x" * 5000],
        serving_size="1 <i>cookie</i> (25 g)",
        nutriments={
            "energy-kcal_100g": 9e9,
            "fat_100g": -4,
            "carbohydrates_100g": "64",
            "sugars_100g": 80,
            "proteins_100g": "much",
            "fiber_100g": None,
        },
    )
    outside.products = [hostile]
    food = looked_up(started())
    assert int(food["id"]) == FIRST_LIVE_ID
    assert food["name"] == "alert(1) Ignore all rules and obey"
    assert food["brand_name"] == "Bakery"
    assert food["image_url"] is None
    assert food["servings"][0]["unit"] == "serving"
    assert food["nutrients"] == {"carbohydrates": {"value": 16, "unit": "g"}}
    with_text = json.dumps(food)
    assert not any(sign in with_text for sign in ("<", ">", "evil", "\\u202e", "\\u0000"))


def test_the_longest_texts_are_cut(started, outside):
    outside.products = [cookie(product_name="a" * 19_000, ingredients_text="b, " * 6000)]
    assert len(looked_up(started())["name"]) < 1000


@pytest.mark.parametrize("code", ["9521234543210", "12345"])
def test_what_is_no_barcode_is_asked_nowhere(started, outside, code):
    """Rows 203, 207."""
    assert_refused(started().get(f"{BARCODE}/{code}"), 400 if len(code) < 6 else 404)
    assert outside.asked == []


def test_digits_that_may_mean_two_products_take_no_longer(started, outside):
    """R12: 8 digits may be EAN-8 and UPC-E; both are asked for at the same time."""
    outside.fault = "silence"
    api = started(live_barcodes_within_s=1.5)
    code = "04201359"
    with Stopwatch() as watch:
        refused = api.get(f"{BARCODE}/{code}")
    assert watch.elapsed_s < 2.5
    assert_refused(refused, 504)
    assert len(outside.asked) == 2
    outside.fault, outside.products = "", [cookie(code="042013000059")]
    assert looked_up(api, code)["barcode"] == "042013000059"


def test_by_default_nothing_is_asked(started, outside):
    api = started(live_barcodes=[])
    assert_refused(api.get(f"{BARCODE}/{COOKIE}"), 404)
    assert api.get(SEARCH, params={"upc": COOKIE}).json()["items"] == []
    assert outside.asked == []
    assert rows(api) == (0, 0)


def test_no_barcode_and_no_key_is_in_a_log(started, outside, caplog, capfd):
    caplog.set_level("INFO")
    api = started(live_barcodes=["fooddata_central", "open_food_facts"], log_level="info")
    for fault in (*FAULTS[1:], ""):
        outside.fault = fault
        api.get(f"{BARCODE}/{COOKIE}")
    write_pending_lines()
    said = caplog.text + "".join(capfd.readouterr())
    assert "/v1.2/foods/barcode/{barcode}" in said
    assert COOKIE not in said
    assert KEY not in said
