"""/v1.2/food-logs."""

import re
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from api_client import Api, assert_refused, changed, without
from diary_client import NEW, Diarist, with_key, with_token

from postmeal import Selection
from postmeal.foods.nutrients import UNITS
from postmeal_serve.v1_2.nutrients import nutrient_table

UUID4 = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


@pytest.fixture
def me(api: Api) -> Diarist:
    return with_key(api, uuid.uuid4().hex)


@pytest.fixture
def body(api: Api) -> dict:
    return {
        "foods": api.body()["foods"],
        "timestamp_utc": "2026-01-05T13:00:00.25Z",
        "name": "Breakfast",
    }


def at(body: dict, moment: str) -> dict:
    return changed(body, "timestamp_utc", moment)


def created(answer) -> dict:
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_log_is_created_with_its_documented_shape(api, me, body):
    """Rows 237, 245, 320."""
    log = created(me.log(body))
    assert set(log) == {"id", "foods", "timestamp_utc", "name"}
    assert re.fullmatch(UUID4, log["id"])
    assert log["timestamp_utc"] == "2026-01-05T13:00:00.250Z"
    assert log["name"] == "Breakfast"
    assert len(log["foods"]) == 2
    for sent, food in zip(body["foods"], log["foods"], strict=True):
        known = api.service.catalog.food(int(sent["id"]))
        serving = known.serving(int(sent["serving"]["id"]))
        assert food.pop("nutrients")
        assert food == {
            "id": sent["id"],
            "name": known.name,
            "brand_name": known.brand_name,
            "image_url": known.image_url,
            "glycemic_index": known.glycemic_index,
            "glycemic_load": pytest.approx(known.glycemic_load),
            "consumed_serving": {"id": sent["serving"]["id"], "quantity": sent["quantity"]},
            "serving_details": {
                "id": sent["serving"]["id"],
                "unit": serving.unit,
                "quantity": serving.quantity,
                "weight_grams": serving.weight_g,
            },
        }


def test_the_quantity_may_stand_in_either_place(me, body):
    """Rows 238, 239."""
    food = body["foods"][0]
    numbers = {"id": int(food["id"]), "serving": {"id": int(food["serving"]["id"])}}
    nested = {"id": food["id"], "serving": food["serving"] | {"quantity": 2}}
    flat = {"food_id": food["id"], "serving_id": food["serving"]["id"], "quantity": 2}
    forms = (food | {"quantity": 2}, numbers | {"quantity": 2}, nested, nested | {"quantity": 2})
    logs = [created(me.log({**body, "foods": [form]})) for form in (*forms, flat)]
    assert all(log["foods"] == logs[0]["foods"] for log in logs)
    assert_refused(me.log({**body, "foods": [nested | {"quantity": 3}]}), 400, "quantity")


@pytest.mark.parametrize("foods", [None, [], {}, "rice", 101])
def test_there_are_1_to_100_foods(me, body, foods):
    """Rows 240, 3."""
    foods = body["foods"][:1] * foods if isinstance(foods, int) else foods
    assert_refused(me.log({**body, "foods": foods}), 400, "foods", "1 to 100")
    assert_refused(me.log(without(body, "foods")), 400, "foods is required")
    assert_refused(me.log({**body, "foods": ["rice"]}), 400, "foods[0] must be an object")
    assert len(created(me.log({**body, "foods": body["foods"] * 50}))["foods"]) == 100


def test_an_unknown_food_is_404_and_a_serving_of_another_food_400(me, body):
    """Row 241."""
    assert_refused(me.log(changed(body, "foods.1.id", "9999999999")), 404)
    refused = me.log(changed(body, "foods.1.serving.id", "9999999999"))
    assert_refused(refused, 400, "foods[1].serving.id")
    assert me.logs() == []


@pytest.mark.parametrize("quantity", [0, -1, 10_000.1, "1", True, None, 1e-400])
def test_a_quantity_is_above_0_and_at_most_10000(me, body, quantity):
    """Row 242."""
    assert_refused(me.log(changed(body, "foods.0.quantity", quantity)), 400, "quantity")
    created(me.log(changed(body, "foods.0.quantity", 10_000)))


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2026-01-05T08:00-05:00", "2026-01-05T13:00:00.000Z"),
        ("2026-01-05T13:00:00Z", "2026-01-05T13:00:00.000Z"),
        ("2026-01-05T13:00:00,5+0000", "2026-01-05T13:00:00.500Z"),
        ("2026-01-05T23:59:59.9999999Z", "2026-01-05T23:59:59.999Z"),
        ("2026-01-05T13:00:00+05:30", "2026-01-05T07:30:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_is_stored_in_utc_to_the_millisecond(me, body, given, stored):
    """Row 243."""
    log = created(me.log(at(body, given)))
    assert log["timestamp_utc"] == stored
    alias = without(body, "timestamp_utc") | {"eaten_at": given}
    assert created(me.log(alias))["timestamp_utc"] == stored
    assert [each["timestamp_utc"] for each in me.logs()] == [stored, stored]


def test_a_time_under_both_names_is_one_time(me, body):
    """Row 243: the same moment, or 400; null is none."""
    both = body | {"timestamp_utc": "2026-01-05T13:00Z", "eaten_at": "2026-01-05T08:00-05:00"}
    log = created(me.log(both))
    assert log["timestamp_utc"] == "2026-01-05T13:00:00.000Z"
    assert created(me.log(both | {"timestamp_utc": None}))["timestamp_utc"] == log["timestamp_utc"]
    for send in (me.log, lambda sent: me.change(log["id"], sent)):
        assert_refused(send(both | {"eaten_at": "2026-01-05T09:00Z"}), 400, "eaten_at", "differ")
        assert_refused(send(both | {"eaten_at": "noon"}), 400, "eaten_at", "ISO 8601")


@pytest.mark.parametrize(
    "given",
    ["2026-01-05T13:00:00", "2026-01-05", "13:00Z", "", "now", 1767600000, "2026-02-29T08:00Z",
     "2026-01-05T24:01:00Z", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-00:01",
     "0000-01-01T00:00:00Z", "2026-01-05T13:00:00+24:00"],
)  # fmt: skip
def test_a_time_without_designator_or_out_of_the_calendar_is_refused(me, body, given):
    """Row 243."""
    assert_refused(me.log(at(body, given)), 400, "timestamp_utc")


def test_an_omitted_time_is_now(me, body):
    """Row 243."""
    log = created(me.log(without(body, "timestamp_utc")))
    eaten_at = datetime.fromisoformat(log["timestamp_utc"])
    assert abs(datetime.now(UTC) - eaten_at) < timedelta(seconds=30)


def test_a_name_is_optional_and_has_at_most_256_characters(me, body):
    """Rows 244, 11."""
    assert created(me.log(without(body, "name")))["name"] is None
    assert created(me.log({**body, "name": None}))["name"] is None
    for name in ("🥣" * 256, "", "'; DROP TABLE food_log; --"):
        assert created(me.log({**body, "name": name}))["name"] == name
    for name in ("x" * 257, "a\0b", 5, ["x"]):
        assert_refused(me.log({**body, "name": name}), 400, "name", "256")


@pytest.mark.parametrize("words", ["oatmeal", "banana", "white bread", "milk"])
def test_nutrients_are_those_of_what_was_eaten(api, me, words):
    """Rows 246, 311."""
    food = api.food(words)
    for serving in food.servings:
        item = {"id": str(food.id), "serving": {"id": str(serving.id)}}
        for quantity in (serving.quantity, 2.5, 150):
            [logged] = created(me.log({"foods": [item | {"quantity": quantity}]}))["foods"]
            factor = serving.scaling_factor * quantity / serving.quantity
            eaten = Selection(food, serving, quantity)
            assert eaten.factor == pytest.approx(factor)
            assert logged["nutrients"] == nutrient_table(eaten.nutrients)
            assert set(logged["nutrients"]) == set(nutrient_table(food.nutrients))


def test_a_list_is_ordered_by_time_and_then_by_id(me, body):
    """Row 247."""
    for minute in (30, 10, 20, 10, 10):
        created(me.log(at(body, f"2026-01-05T13:{minute}:00Z")))
    answer = me.list("2026-01-05", "2026-01-05")
    assert set(answer.json()) == {"items"}
    order = [(log["timestamp_utc"], log["id"]) for log in answer.json()["items"]]
    assert len(order) == 5
    assert order == sorted(order)


@pytest.mark.parametrize("name", ["start", "end"])
def test_start_and_end_are_required_days_in_order(me, name):
    """Rows 248, 3, 13."""
    days = {"start": "2026-01-05", "end": "2026-01-06"}
    get = me.client.get
    missing = {other: day for other, day in days.items() if other != name}
    answer = get(NEW, params=missing, headers=me.headers)
    assert_refused(answer, 400, name, "required", "YYYY-MM-DD")
    for bad in ("2026-1-5", "20260105", "2023-02-29", "2026-01-05T00:00", "", "٢٠٢٦-٠١-٠٥",
                "0000-01-01", "2026-W01-1"):  # fmt: skip
        assert_refused(get(NEW, params=days | {name: bad}, headers=me.headers), 400, name)
    twice = f"{NEW}?start=2026-01-05&end=2026-01-05&{name}=2026-01-05"
    assert_refused(get(twice, headers=me.headers), 400, name, "once")
    assert_refused(me.list("2026-01-06", "2026-01-05"), 400, "start")


def test_both_edges_of_a_day_are_its_own(me, body):
    """Row 249."""
    moments = ("2026-01-04T23:59:59.999Z", "2026-01-05T00:00:00Z", "2026-01-05T23:59:59.9999Z",
               "2026-01-06T00:00:00Z")  # fmt: skip
    ids = [created(me.log(at(body, moment)))["id"] for moment in moments]
    assert [log["id"] for log in me.logs("2026-01-05", "2026-01-05")] == ids[1:3]
    assert [log["id"] for log in me.logs("2026-01-05", "2026-01-05", timezone="UTC")] == ids[1:3]


@pytest.mark.parametrize(
    ("zone", "day", "first", "after"),
    [
        ("America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
        ("America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),
        ("Asia/Kolkata", "2026-01-05", "2026-01-04T18:30:00Z", "2026-01-05T18:30:00Z"),
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"),
        ("Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00Z", "2026-01-01T10:00:00Z"),
    ],
)
def test_a_time_zone_shifts_both_edges(me, body, zone, day, first, after):
    """Row 249."""
    edges = [datetime.fromisoformat(edge) for edge in (first, after)]
    ms = timedelta(milliseconds=1)
    moments = (edges[0] - ms, edges[0], edges[1] - ms, edges[1])
    ids = [created(me.log(at(body, moment.isoformat())))["id"] for moment in moments]
    assert [log["id"] for log in me.logs(day, day, timezone=zone)] == ids[1:3]


@pytest.mark.parametrize("zone", ["Mars/X", "", "+05:00", "localtime"])
def test_a_time_zone_is_one_of_the_database(me, zone):
    """Row 249."""
    assert_refused(me.list(timezone=zone), 400, "timezone")


def test_a_day_without_logs_is_an_empty_list(me):
    """Row 247."""
    assert me.list().json() == {"items": []}


def test_one_log_is_read_changed_and_deleted(me, body):
    """Row 251."""
    log = created(me.log(body))
    assert me.read(log["id"]).json() == log
    answer = me.change(log["id"], {"timestamp_utc": "2026-01-06T00:00:00+01:00", "name": None})
    assert answer.status_code == 200
    log |= {"timestamp_utc": "2026-01-05T23:00:00.000Z", "name": None}
    assert answer.json() == log
    log["foods"] = log["foods"][:1]
    assert me.change(log["id"], {"foods": body["foods"][:1]}).json() == log
    assert me.change(log["id"], {"eaten_at": "2026-01-05T23:00Z", "unknown": 1}).json() == log
    assert me.change(log["id"], {}).json() == log
    assert me.logs() == [me.read(log["id"]).json()] == [log]
    for _ in range(2):
        answer = me.delete(log["id"])
        assert (answer.status_code, answer.content) == (204, b"")
    assert_refused(me.read(log["id"]), 404)
    assert_refused(me.change(log["id"], {"name": "x"}), 404)
    assert_refused(me.change(log["id"], {}), 404)
    assert me.logs() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("foods", None), ("foods", []), ("timestamp_utc", None), ("timestamp_utc", "2026-01-05"),
     ("timestamp_utc", ""), ("eaten_at", None), ("name", 5), ("name", "x" * 257)],
)  # fmt: skip
def test_a_change_is_as_strict_as_a_new_log(me, body, field, value):
    """Rows 251, 3."""
    log = created(me.log(body))
    assert_refused(me.change(log["id"], {field: value}), 400)
    assert_refused(me.change(log["id"], [{field: value}]), 400, "body")
    assert_refused(me.change(log["id"], changed(body, "foods.0.id", "9999999999")), 404)
    assert me.read(log["id"]).json() == log


@pytest.mark.parametrize("log_id", ["x", "%00", "..%2F", "%F0%9F%A5%A3", "0" * 5000, "NULL"])
def test_an_id_that_is_none_is_an_unknown_one(me, log_id):
    """Row 251."""
    assert_refused(me.read(log_id), 404)
    assert_refused(me.change(log_id, {"name": "x"}), 404)
    assert me.delete(log_id).status_code in (204, 404)  # 404 where the router knows no such path


def test_nobody_sees_the_logs_of_another(api, me, body):
    """Rows 250, 251, 326."""
    log = created(me.log(body))
    user = me.headers["Service-End-User-ID"].decode()
    one, two = api.partner("test"), api.partner("another")
    others = [with_key(api, user, partner=two), with_token(api, user, two),
              with_key(api, f"{user}x"), with_token(api, f"{user}x", one)]  # fmt: skip
    for other in others:
        assert other.logs() == []
        assert_refused(other.read(log["id"]), 404)
        assert_refused(other.change(log["id"], {"name": "mine"}), 404)
        assert other.delete(log["id"]).status_code == 204
    assert me.logs() == [log]


def test_a_client_token_acts_for_its_own_end_user_whatever_the_header_says(api, me, body):
    """Rows 250, 252."""
    user = me.headers["Service-End-User-ID"].decode()
    for header in ("someone else", " ", "x" * 65, user):
        token = with_token(api, user, api.partner("test"), **{"Service-End-User-ID": header})
        log = created(token.log(body))
        assert log in me.logs()


def test_scopes_for_reading_and_writing_are_apart(api, body):
    """Row 252."""
    partner, user = api.partner("test"), uuid.uuid4().hex
    writer = with_token(api, user, partner, ("food_logs:write",))
    reader = with_token(api, user, partner, ("food_logs:read", "foods:read"))
    log = created(writer.log(body))
    assert reader.logs() == [log]
    assert reader.read(log["id"]).json() == log
    refusals = [writer.list(), writer.read(log["id"]), reader.log(body), reader.delete(log["id"])]
    for refused in (*refusals, reader.change(log["id"], {})):
        assert_refused(refused, 403)
        assert refused.json()["code"] == "scope_insufficient"
    assert writer.change(log["id"], {}).status_code == 200
    assert writer.delete(log["id"]).status_code == 204


def test_a_key_must_name_the_end_user(api, body):
    """Rows 237, 247, 251: beside a key the header is required."""
    nobody = Diarist(api.client, NEW, api.headers(NEW))
    log_id = str(uuid.uuid4())
    for answer in (nobody.log(body), nobody.list(), nobody.read(log_id), nobody.delete(log_id),
                   nobody.change(log_id, {})):  # fmt: skip
        assert_refused(answer, 400, "Service-End-User-ID")
        assert answer.json()["code"] == "end_user_id_required"


@pytest.mark.parametrize("user", ["", "  ", "x" * 65, b"a\x07b", "a\u00a0b".encode()])
def test_an_end_user_id_has_1_to_64_printable_characters(api, user):
    """Row 250."""
    sent = api.headers(NEW) | {"Service-End-User-ID": user}
    assert_refused(Diarist(api.client, NEW, sent).list(), 400, "Service-End-User-ID", "64")


def test_an_end_user_id_is_the_same_in_a_header_and_in_a_token(api, body):
    """Row 250: a header's bytes are read as UTF-8."""
    user = f"Zoë {uuid.uuid4().hex[:8]}"
    log = created(with_key(api, user).log(body))
    assert with_token(api, user, api.partner("test")).logs() == [log]


def test_fields_that_nobody_documents_change_nothing(api, me, body):
    """S4: neither owner, id nor nutrients can be assigned."""
    foreign = {"id": str(uuid.uuid4()), "user_id": "v", "organization_id": 2, "end_user_id": "v"}
    log = created(me.log(body | foreign | {"created_at": "1999-01-01", "nutrients": {}}))
    assert log["id"] != foreign["id"]
    spoiled = changed(body, "foods.0.nutrients", {"carbohydrates": {"value": 0, "unit": "g"}})
    assert created(me.log(spoiled))["foods"] == log["foods"]
    assert me.change(log["id"], foreign).json() == log
    assert me.logs()[0]["foods"] == log["foods"]
    assert with_key(api, "v").logs() == []


def test_a_log_shows_nutrients_of_the_shared_vocabulary_alone(me, body):
    """S4."""
    [food, _] = created(me.log(body))["foods"]
    assert len(food["nutrients"]) <= 16
    assert {amount["unit"] for amount in food["nutrients"].values()} <= set(UNITS.values())
