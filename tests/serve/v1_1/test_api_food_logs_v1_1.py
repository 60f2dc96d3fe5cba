"""/v1.1/logs/foods."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from api_client import Api, assert_refused, changed, without
from diary_client import NEW, OLD, Diarist, with_key, with_token

from postmeal import Selection
from postmeal.rounding import rounded
from postmeal_serve.resources.diary import Diary
from postmeal_serve.resources.logged_food import LoggedFood
from postmeal_serve.v1_1.nutrients import LOG_KEYS, nutrient_object

UNITS = {"calories": "calories", "sodium": "mg", "cholesterol": "mg", "calcium": "mg",
         "iron": "mcg", "potassium": "mg", "vitaminD": "IU"}  # fmt: skip


@pytest.fixture
def me(api: Api) -> Diarist:
    return with_key(api, uuid.uuid4().hex, OLD)


@pytest.fixture
def body(api: Api) -> dict:
    return {
        "foods": api.old_body()["foods"],
        "timestampUtc": "2024-09-13T11:34:56Z",
        "name": "Lunch",
    }


def created(answer) -> dict:
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_what_is_not_known_of_a_food_is_null_or_left_out(api):
    """Rows 315, 411: of a food without weight, nutrients, index and brand, in both versions."""
    user, now = uuid.uuid4().hex, datetime.now(UTC)
    unknown = LoggedFood(7, "Soup", None, None, None, None, {}, 1, 1.0, "bowl", None, 2.0)
    owner = api.partner("test").id
    with api.service.database.writing() as connection:
        Diary(connection, owner, user).add([unknown], now, None, now)
    ((old,),) = (log["foods"] for log in with_key(api, user, OLD).logs())
    assert old["nutrients"] == {}
    assert old["servingDetails"] == {"id": 1, "unit": "bowl", "quantity": 1, "weightGrams": None}
    assert (old["brandName"], old["glycemicIndex"], old["glycemicLoad"]) == (None, None, None)
    ((new,),) = (log["foods"] for log in with_key(api, user, NEW).logs())
    assert new["nutrients"] == {}
    assert new["serving_details"]["weight_grams"] is None


def test_a_log_is_created_with_its_documented_shape(api, me, body):
    """Rows 320, 399, 409."""
    log = created(me.log(body))
    assert set(log) == {"id", "foods", "timestampUtc", "name"}
    assert isinstance(log["id"], str)
    assert log["timestampUtc"] == "2024-09-13T11:34:56.000Z"
    assert log["name"] == "Lunch"
    for sent, food in zip(body["foods"], log["foods"], strict=True):
        known = api.service.catalog.food(sent["id"])
        serving = known.serving(sent["serving"]["id"])
        assert food.pop("nutrients")
        assert food == {
            "id": sent["id"],
            "name": known.name,
            "brandName": None,
            "imageUrl": None,
            "glycemicIndex": known.glycemic_index,
            "glycemicLoad": pytest.approx(known.glycemic_load),
            "consumedServing": sent["serving"],
            "servingDetails": {
                "id": serving.id,
                "unit": serving.unit,
                "quantity": serving.quantity,
                "weightGrams": serving.weight_g,
            },
        }


@pytest.mark.parametrize("foods", [None, [], {}, "rice", 101])
def test_there_are_1_to_100_foods(me, body, foods):
    """Row 400."""
    foods = body["foods"][:1] * foods if isinstance(foods, int) else foods
    assert_refused(me.log({**body, "foods": foods}), 400, "foods", "1 to 100")
    assert_refused(me.log(without(body, "foods")), 400, "foods is required")


@pytest.mark.parametrize("bad", ["123", 1.5, True, None, -1, 0, 10**10, 10**400, [], {}])
def test_ids_are_json_numbers_alone(me, body, bad):
    """Rows 401, 402."""
    for field in ("foods.1.id", "foods.1.serving.id"):
        assert_refused(me.log(changed(body, field, bad)), 400, "foods[1]", "not a string")
    assert me.logs() == []


@pytest.mark.parametrize("quantity", ["1", 0, -1, 10_000.1, None, True])
def test_a_quantity_is_above_0_and_at_most_10000(me, body, quantity):
    """Row 403."""
    field = "foods.0.serving.quantity"
    assert_refused(me.log(changed(body, field, quantity)), 400, "quantity", "10000")
    assert_refused(me.log(without(body, field)), 400, "quantity is required")
    created(me.log(changed(body, field, 10_000)))


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("2024-09-13T11:34Z", "2024-09-13T11:34:00.000Z"),
        ("2024-09-13T11:34:56Z", "2024-09-13T11:34:56.000Z"),
        ("2024-09-13T11:34:56.123Z", "2024-09-13T11:34:56.123Z"),
        ("2024-09-13T11:34:56.1239999Z", "2024-09-13T11:34:56.123Z"),
        ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"),
    ],
)
def test_a_time_ends_in_z_with_or_without_seconds(me, body, given, stored):
    """Row 404."""
    assert created(me.log({**body, "timestampUtc": given}))["timestampUtc"] == stored
    assert [log["timestampUtc"] for log in me.logs()] == [stored]


@pytest.mark.parametrize(
    "given",
    ["2024-09-13T11:34:56+00:00", "2024-09-13T11:34:56", "2024-09-13T11:34:56z", "2024-09-13",
     "2024-02-30T00:00Z", "2024-09-13T24:00Z", "2024-09-13 11:34Z", "20240913T1134Z",
     "2024-09-13T11Z", "2024-09-13T11:34:56,5Z", "2024-09-13T11:34:60Z", "", "Z", 1726227296,
     "2024-09-13T11:34:56-00:00Z", "٢٠٢٤-09-13T11:34Z"],
)  # fmt: skip
def test_any_other_time_is_refused(me, body, given):
    """Row 405."""
    assert_refused(me.log({**body, "timestampUtc": given}), 400, "timestampUtc", "ending in Z")


def test_an_omitted_time_is_now(me, body):
    """Row 406."""
    log = created(me.log(without(body, "timestampUtc")))
    eaten_at = datetime.fromisoformat(log["timestampUtc"])
    assert abs(datetime.now(UTC) - eaten_at) < timedelta(seconds=30)


@pytest.mark.parametrize("field", ["timestampUtc", "name"])
def test_an_optional_field_is_left_out_and_never_null(me, body, field):
    """Row 407."""
    assert_refused(me.log({**body, field: None}), 400, field)
    created(me.log(without(body, field)))
    [log] = me.logs()
    assert (log["name"] is None) == (field == "name")


@pytest.mark.parametrize("name", ["x" * 257, "a\0b", 5, []])
def test_a_name_is_text(me, body, name):
    """Rows 11, 407."""
    assert_refused(me.log({**body, "name": name}), 400, "name", "256")


def test_an_unknown_food_is_404_and_a_serving_of_another_food_400(me, body):
    """Row 408."""
    assert_refused(me.log(changed(body, "foods.1.id", 9_999_999_999)), 404)
    refused = me.log(changed(body, "foods.1.serving.id", 9_999_999_999))
    assert_refused(refused, 400, "foods[1].serving.id")
    assert me.logs() == []


@pytest.mark.parametrize("words", ["oatmeal", "banana", "salmon", "egg", "beef liver"])
def test_nutrients_are_those_of_what_was_eaten_without_the_zeros(api, me, words):
    """Rows 246, 311, 312, 313, 314, 315, 316, 317, 410."""
    food = api.food(words)
    per_serving = nutrient_object(food.nutrients, LOG_KEYS)
    assert rounded(food.nutrients["iron_mg"] * 1000, "mcg") == per_serving["iron"]["value"]
    for serving in food.servings:
        for quantity in (0.001, serving.quantity, 2.5):
            item = {"id": food.id, "serving": {"id": serving.id, "quantity": quantity}}
            [logged] = created(me.log({"foods": [item]}))["foods"]
            factor = serving.scaling_factor * quantity / serving.quantity
            assert set(logged["nutrients"]) == set(per_serving) <= set(LOG_KEYS)
            eaten = Selection(food, serving, quantity)
            assert eaten.factor == pytest.approx(factor)
            assert logged["nutrients"] == nutrient_object(eaten.nutrients, LOG_KEYS)
            for name, amount in logged["nutrients"].items():
                assert amount["unit"] == UNITS.get(name, "g")
                assert amount["value"] != 0


def test_the_list_is_a_bare_array_in_order_with_both_days(me, body):
    """Row 412."""
    moments = ("2024-09-12T23:59:59.999Z", "2024-09-14T23:59:59.999Z", "2024-09-13T00:00Z",
               "2024-09-14T08:00Z", "2024-09-15T00:00Z")  # fmt: skip
    for moment in moments:
        created(me.log({**body, "timestampUtc": moment}))
    logs = me.list("2024-09-13", "2024-09-14").json()
    assert [log["timestampUtc"] for log in logs] == [
        "2024-09-13T00:00:00.000Z", "2024-09-14T08:00:00.000Z", "2024-09-14T23:59:59.999Z"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["start", "end"])
def test_start_and_end_are_required_days_in_order(me, name):
    """Row 413."""
    days = {"start": "2023-02-01", "end": "2023-02-03"}
    missing = {other: day for other, day in days.items() if other != name}
    assert_refused(me.client.get(OLD, params=missing, headers=me.headers), 400, name)
    for bad in ("2024-9-1", "20240901", "2023-02-29", "", "yesterday"):
        sent = days | {name: bad}
        assert_refused(me.client.get(OLD, params=sent, headers=me.headers), 400, name)
    assert_refused(me.list("2023-02-02", "2023-02-01"), 400, "start")


def test_no_logs_are_an_empty_array(me):
    """Row 414."""
    answer = me.list()
    assert (answer.status_code, answer.json()) == (200, [])


def test_deleting_answers_the_same_whatever_was_there(api, me, body):
    """Rows 415, 416."""
    log, kept = created(me.log(body)), created(me.log(body))
    other = with_key(api, uuid.uuid4().hex, OLD)
    unknown = (str(uuid.uuid4()), "x", "%00", log["id"].upper())
    attempts = [(other, log["id"]), *((me, log_id) for log_id in unknown)]
    for who, log_id in attempts:
        answer = who.delete(log_id)
        assert (answer.status_code, answer.json()) == (200, {"status": "deleted"})
    assert {each["id"] for each in me.logs()} == {log["id"], kept["id"]}
    for _ in range(2):
        answer = me.delete(log["id"])
        assert (answer.status_code, answer.json()) == (200, {"status": "deleted"})
    assert me.logs() == [kept]


def test_users_and_organizations_never_cross(api, body):
    """Rows 325, 326, 327, 417."""
    user, two = uuid.uuid4().hex, api.partner("another")
    diarists = [with_key(api, user, OLD), with_key(api, f"{user}x", OLD),
                with_key(api, user, OLD, two), with_key(api, f"{user}x", OLD, two)]  # fmt: skip
    logs = [created(each.log(body)) for each in diarists]
    for each, log in zip(diarists, logs, strict=True):
        assert each.logs() == [log]
    assert with_key(api, user, OLD).logs() == logs[:1]


def test_both_versions_keep_one_diary(api, me, body):
    """Row 418."""
    user = me.headers["x-partner-user-id"].decode()
    new = with_key(api, user)
    of_old = created(me.log(body))
    of_new = new.log(api.body() | {"timestamp_utc": "2024-09-13T12:00:00+00:00"}).json()
    for logs in (me.logs(), new.logs(), with_token(api, user, api.partner("test")).logs()):
        assert [log["id"] for log in logs] == [of_old["id"], of_new["id"]]
    [old_shape, _], [new_shape, _] = me.logs(), new.logs()
    assert old_shape["foods"][0]["name"] == new_shape["foods"][0]["name"]
    assert me.delete(of_new["id"]).json() == {"status": "deleted"}
    assert new.delete(of_old["id"]).status_code == 204
    assert me.logs() == new.logs() == []


def test_the_user_must_be_named(api, body):
    """Row 323."""
    nobody = Diarist(api.client, OLD, api.headers(OLD))
    for answer in (nobody.log(body), nobody.list(), nobody.delete(str(uuid.uuid4()))):
        assert_refused(answer, 400, "x-partner-user-id")


@pytest.mark.parametrize("user", ["", " ", "x" * 129, b"a\x01b", b"a\x7fb"])
def test_the_users_id_has_1_to_128_visible_characters(api, user):
    """Row 324."""
    sent = api.headers(OLD) | {"x-partner-user-id": user}
    for answer in (
        Diarist(api.client, OLD, sent).list(),
        Diarist(api.client, OLD, sent).delete("x"),
    ):
        assert_refused(answer, 400, "x-partner-user-id", "128")
    assert with_key(api, "~" * 128, OLD).logs() == []


def test_fields_that_nobody_documents_change_nothing(api, me, body):
    """S4."""
    foreign = {"id": "mine", "user_id": "v", "organization_id": 2, "nutrients": {}}
    log = created(me.log(body | foreign | {"scopes": ["*"]}))
    assert log["id"] != "mine"
    assert me.logs() == [log]
    assert with_key(api, "v", OLD).logs() == []
