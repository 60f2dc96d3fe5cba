"""POST /v1.1/cgm/user-glucose-predict."""

import dataclasses
import random
import uuid
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from api_client import USER_PREDICT, ZONE, Api, assert_refused, changed
from cgm_requests import wearer_of
from sqlalchemy import update
from synthetic_wearer import EVERYDAY

from postmeal import Meal, Prediction, Predictor, Selection
from postmeal.assets import asset
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_personal
from postmeal_serve.resources.food_choices import selection_of_nutrients
from postmeal_serve.storage.tables import personal_model
from postmeal_serve.v1_1.nutrients import READ_KEYS

AT = "2026-02-02T08:00:00"
EIGHT = datetime(2026, 2, 2, 8)


@pytest.fixture(scope="module")
def strong(api) -> str:
    """A user who rises twice as much as the population says."""
    user: str = api.register()
    assert api.train(user, wearer_of(api, rise=2.0).training).status_code == 200
    return user


@pytest.fixture(scope="module")
def model(api) -> PersonalModel:
    """What the library fits to the same."""
    wearer = wearer_of(api, rise=2.0)
    return fit_personal(api.service.predictor, EVERYDAY, wearer.trace, wearer.meal_history)


def meal(api: Api) -> dict[str, Any]:
    return {"foods": api.old_body()["foods"], "startTime": AT}


def curve(answer: Any) -> list[float]:
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"cgp", "scoring", "cgp_min", "cgp_max"}
    assert [minute for minute, _ in answer.json()["cgp"]] == [*range(0, 121, 15)]
    return [value for _, value in answer.json()["cgp"]]


def written(prediction: Prediction) -> list[float]:
    return [round(glucose, 1) for glucose in prediction.glucose_mg_dl]


def test_a_trained_user_who_rises_more_is_predicted_to(api, strong):
    """Row 441: above the population's curve, in the prediction's shape."""
    answer = api.predict_user(strong, meal(api))
    own = curve(answer)
    others = curve(api.predict_old(api.old_body() | {"startTime": AT}))
    assert max(own) - own[0] > max(others) - others[0] + 5
    assert answer.headers["x-model-version"] == f"{api.service.predictor.version} personal"


def test_the_answer_is_the_librarys_after_rounding(api, strong, model):
    """Rows 441, 474: of foods and of nutrients."""
    predictor = api.service.predictor
    foods = tuple(Selection.of(api.food(words)) for words in ("oatmeal", "banana"))
    expected = predictor.predict(EVERYDAY, Meal(foods, EIGHT), personal=model)
    assert curve(api.predict_user(strong, meal(api))) == written(expected)
    amounts = Nutrients({"carbs_g": 60.0, "protein_g": 10.0, "fat_g": 5.0})
    expected = predictor.predict(
        EVERYDAY, Meal((selection_of_nutrients(amounts),), EIGHT), personal=model
    )
    sent = {"carbohydrate": 60, "protein": 10, "fat_total_lipid": 5}
    answer = api.predict_user(strong, {"nutrients": sent, "startTime": AT})
    assert curve(answer) == written(expected)


@pytest.mark.parametrize(
    "name",
    ["u-1", "", " ", "None", "00000000-0000-0000-0000-00000000000",
     "00000000-0000-4000-8000-0000000000000",
     "{00000000-0000-4000-8000-000000000000}", "00000000000040008000000000000000"],
)  # fmt: skip
def test_an_id_that_is_no_uuid_is_refused(api, name):
    """Row 434."""
    assert_refused(api.predict_user(name, meal(api)), 400, "x-partner-user-id")


def test_the_partners_own_id_is_not_taken(api):
    """Rows 434, 447: even of a user who exists."""
    name = f"u-{uuid.uuid4()}"
    api.register(**{"x-partner-user-id": name})
    assert_refused(api.predict_user(name, meal(api)), 400, "x-partner-user-id")


def test_both_headers_are_required(api, strong):
    """Rows 323, 329."""
    named = {"x-partner-user-id": strong}
    assert_refused(api.post(USER_PREDICT, json=meal(api), headers=ZONE), 400, "x-partner-user-id")
    assert_refused(api.post(USER_PREDICT, json=meal(api), headers=named), 400, "x-partner-timezone")
    wrong = named | {"x-partner-timezone": "Mars/X"}
    assert_refused(api.post(USER_PREDICT, json=meal(api), headers=wrong), 400, "x-partner-timezone")


def test_an_unknown_user_is_404_and_an_untrained_one_400(api, strong):
    """Row 435: a user of another partner is unknown."""
    assert_refused(api.predict_user(str(uuid.uuid4()), meal(api)), 404, "x-partner-user-id")
    assert_refused(api.predict_user(api.register(), meal(api)), 400, "trained", "training")
    other = api.partner(f"other {uuid.uuid4()}").headers(USER_PREDICT)
    headers = other | ZONE | {"x-partner-user-id": strong}
    assert_refused(api.client.post(USER_PREDICT, json=meal(api), headers=headers), 404)


def test_foods_are_used_where_both_are_sent(api, strong):
    """Row 436: whatever the nutrients are."""
    known = curve(api.predict_user(strong, meal(api)))
    for nutrients in ({"carbohydrate": 200}, {}, "x", None, {"fiber": -1}):
        assert curve(api.predict_user(strong, meal(api) | {"nutrients": nutrients})) == known


def test_any_of_the_nineteen_nutrients_will_do(api, strong):
    """Row 437: each alone, and random sets of them."""
    chance = random.Random(19)
    assert len(READ_KEYS) == 19
    some = [chance.sample(READ_KEYS, chance.randint(1, 19)) for _ in range(30)]
    for keys in [[key] for key in READ_KEYS] + some:
        amounts = {key: round(chance.uniform(0, 90), 2) for key in keys}
        curve(api.predict_user(strong, {"nutrients": amounts, "startTime": AT}))


def test_sugars_and_fiber_without_carbohydrate_are_carbohydrate(api, strong):
    """Row 437: sugar alone does not draw the curve of water."""

    def drawn(**nutrients: float) -> list[float]:
        return curve(api.predict_user(strong, {"nutrients": nutrients, "startTime": AT}))

    assert drawn(sugars=50) == drawn(sugars=50, carbohydrate=50) != drawn(water=50)
    assert drawn(sugars=30, fiber=8) == drawn(carbohydrate=38, fiber=8, sugars=30)
    assert drawn(sugars=30, carbohydrate=0) == drawn(water=50)  # stated nutrients count


def test_nutrients_and_a_food_that_holds_them_draw_one_curve(api, strong):
    """Row 437: grams are grams, and sodium is milligrams."""
    food = api.food("oatmeal")
    read = {"carbohydrate": "carbs_g", "fiber": "fiber_g", "protein": "protein_g",
            "fat_total_lipid": "fat_g", "sodium": "sodium_mg"}  # fmt: skip
    amounts = {wire: food.nutrients[name] for wire, name in read.items()}
    serving = {"id": food.default_serving.id, "quantity": food.default_serving.quantity}
    foods = [{"id": food.id, "serving": serving}]
    one, other = (
        curve(api.predict_user(strong, {"startTime": AT} | each))
        for each in ({"foods": foods}, {"nutrients": amounts})
    )
    assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize(
    "nutrients",
    [{}, {"unknown": 1}, {"carbohydrate": "30"}, {"carbohydrate": -1}, {"fiber": None},
     {"fiber": True}, {"protein": 10**400}, {"protein": 2e6}, {"protein": [1]}, [], "x", None, 7],
)  # fmt: skip
def test_nutrients_that_are_none_are_refused(api, strong, nutrients):
    """Row 439."""
    body = {"nutrients": nutrients, "startTime": AT}
    assert_refused(api.predict_user(strong, body), 400, "nutrients")


def test_neither_foods_nor_nutrients_are_refused(api, strong):
    """Row 438."""
    for body in ({}, {"startTime": AT}):
        assert_refused(api.predict_user(strong, body), 400, "foods", "nutrients")


@pytest.mark.parametrize(
    ("field", "value"),
    [("foods", []), ("foods", None), ("foods", "rice"), ("foods.0.id", "1848"),
     ("foods.0.serving.quantity", 0), ("startTime", None), ("startTime", "2026-02-02"),
     ("startTime", 1)],
)  # fmt: skip
def test_a_bad_value_is_refused_by_name(api, strong, field, value):
    """Rows 426, 427, 440."""
    named = field.replace(".0", "[0]")
    assert_refused(api.predict_user(strong, changed(meal(api), field, value)), 400, named)


def test_an_unknown_food_is_404_and_a_foreign_serving_400(api, strong):
    """Row 296."""
    body = changed(meal(api), "foods.0.id", 9_999_999_999)
    assert_refused(api.predict_user(strong, body), 404)
    body = changed(meal(api), "foods.1.serving.id", 99_999)
    assert_refused(api.predict_user(strong, body), 400, "foods[1].serving.id")


def test_the_start_is_local_time_and_now_when_omitted(api, strong, model):
    """Rows 428, 440."""
    body = meal(api)
    eight = curve(api.predict_user(strong, body))
    assert curve(api.predict_user(strong, body | {"startTime": "2026-02-02T13:00:00Z"})) == eight
    zone = {"x-partner-timezone": "Asia/Tokyo"}
    assert curve(api.predict_user(strong, body, **zone)) == eight
    del body["startTime"]
    foods = tuple(Selection.of(api.food(words)) for words in ("oatmeal", "banana"))
    before = datetime.now(ZoneInfo("America/New_York"))
    now = curve(api.predict_user(strong, body))
    expected = api.service.predictor.predict(EVERYDAY, Meal(foods, before), personal=model)
    assert now == pytest.approx(expected.glucose_mg_dl, abs=0.11)


def test_where_the_personal_model_is_no_better_the_header_says_so(api, model):
    """Row 441: the population's curve, and the reason in plain ASCII."""
    user = api.register()
    store(api, user, dataclasses.replace(model, personal_rmse_mg_dl=99.0).to_bytes())
    answer = api.predict_user(user, meal(api))
    assert curve(answer) == curve(api.predict_old(api.old_body() | {"startTime": AT}))
    version = answer.headers["x-model-version"]
    assert version.startswith(f"{api.service.predictor.version}; personal model not used")
    assert version.isascii()


def test_a_changed_profile_leaves_what_was_trained(api):
    """Row 449: the stored state serves on until it is trained anew."""
    user = api.register()
    assert api.train(user, wearer_of(api, rise=2.0).training).status_code == 200
    known = curve(api.predict_user(user, meal(api)))
    profile = {"age": 46, "gender": "female", "height": 66, "weight": 155}
    headers = api.headers(USER_PREDICT) | {"x-partner-user-id": user}
    api.client.patch("/v1.1/user", json={"profile": profile}, headers=headers)
    assert curve(api.predict_user(user, meal(api))) == known


def test_a_user_trained_on_the_previous_release_is_served_without_training_again(api):
    """An upgrade keeps stored models: the previous population model ships with the new one."""
    previous = Predictor.load(asset("models/population-2"))
    wearer = wearer_of(api, rise=2.0)
    own = fit_personal(previous, EVERYDAY, wearer.trace, wearer.meal_history)
    user = api.register()
    assert api.train(user, wearer.training).status_code == 200
    with api.service.database.writing() as connection:
        stored = {"base": own.base, "state": own.to_bytes()}
        connection.execute(
            update(personal_model).where(personal_model.c.end_user_id == user).values(**stored)
        )
    answer = api.predict_user(user, meal(api))
    foods = tuple(Selection.of(api.food(words)) for words in ("oatmeal", "banana"))
    expected = previous.predict(EVERYDAY, Meal(foods, EIGHT), personal=own)
    assert curve(answer) == written(expected)
    assert answer.headers["x-model-version"] == "population-2 personal"


def test_a_model_that_was_trained_on_one_no_longer_served_wants_training(api, model):
    """Rows 294, 435: it is said, and no other model answers."""
    user = api.register()
    store(api, user, dataclasses.replace(model, base="population-0").to_bytes())
    answer = api.predict_user(user, meal(api))
    assert_refused(answer, 400, "population-0", "train the user again")


@pytest.mark.parametrize("state", [b"", b"\x80\x04.", b"postmeal-personal 1 00\n{}", b"\xff" * 90])
def test_a_stored_state_that_is_none_is_503_and_logged(api, state, caplog):
    """Rows 294, 473: never the population's answer; the log names no user."""
    user = api.register()
    store(api, user, state)
    answer = api.predict_user(user, meal(api))
    assert_refused(answer, 503, "train the user again")
    [line] = [each for each in caplog.messages if "personal model" in each]
    assert user not in line
    assert api.train(user, wearer_of(api, days=5).training).status_code == 200
    curve(api.predict_user(user, meal(api)))


def store(api: Api, user: str, state: bytes) -> None:
    """Put a state in place of what training leaves."""
    assert api.train(user, wearer_of(api, days=5).training).status_code == 200
    with api.service.database.writing() as connection:
        of_user = personal_model.c.end_user_id == user
        connection.execute(update(personal_model).where(of_user).values(state=state))
