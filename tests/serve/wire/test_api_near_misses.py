"""Near misses of names are refused by version 1.2."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from api_client import (
    CHAT,
    OLD_PREDICT,
    PREDICT,
    Api,
    assert_refused,
    changed,
    without,
)
from asgi_client import AsgiClient, Thing, make_operation
from hypothesis import given, settings
from hypothesis import strategies as st
from misspellings import (
    Object,
    answer_names,
    document,
    misspellings,
    mistyped,
    objects,
    operations,
    query_parameters,
    request_objects,
    respelt,
    send,
)
from products import COLA
from starlette.responses import Response
from stopwatch import Stopwatch

from postmeal_serve.http.call import Call
from postmeal_serve.resources.photo_scans import BARCODE_PHOTO
from postmeal_serve.wire.responses import json_response

OLD_PROFILE_IN_ANSWERS = {"medical_conditions": "health_conditions", "gender": "sex"}


def suggested(message: str) -> tuple[str, list[str]]:
    """The unknown name and what it may mean."""
    matched = re.fullmatch(r"unknown (?:field|parameter) (.+); did you mean (.+)\?", message)
    assert matched, message
    return matched[1].strip("'\""), re.findall(r"'(\w+)'", matched[2])


@pytest.mark.sampled
@objects("v1.2")
def test_every_misspelling_of_every_field_is_refused_with_the_right_name(api, where):
    """Row 12 and D63: in every object of every body, items of arrays included."""
    for name in where.names:
        for wrong in misspellings(name, where, "v1.2"):
            answer = send(api, where, where.holding({wrong: None}))
            path, meant = suggested(assert_refused(answer, 400))
            assert path == where.at(wrong)
            assert name in meant, wrong
            assert answer.json()["code"] == "invalid_request"


@objects("v1.2")
def test_an_unknown_field_is_ignored_where_the_field_itself_is_given(api, where):
    """Row 12."""
    for name in where.names:
        wrong = dict.fromkeys(respelt(name))
        text = send(api, where, where.holding(dict.fromkeys(where.names) | wrong)).text
        assert "did you mean" not in text


def test_the_sweep_reaches_every_body_and_the_objects_inside():
    found = {str(each) for each in request_objects(document("v1.2"))}
    with_body = [path for path, _, entry in operations(document("v1.2")) if "requestBody" in entry]
    bodies = [each for each in request_objects(document("v1.2")) if not each.place]
    assert len(with_body) - 1 == len(bodies) == 10  # the names of the chat are OpenAI's
    assert f"POST {PREDICT} user_profile.height" in found
    assert f"POST {PREDICT} consumed_foods.serving" in found
    assert "PATCH /v1.2/food-logs/{log_id} foods.serving" in found


def test_a_misspelt_allergy_is_never_ignored(api):
    """Row 12: no bread of wheat is recommended to who must not have gluten."""
    bread = api.food("white bread").id
    path = f"/v1.2/foods/{bread}/alternatives"
    for name, meant in (
        ("dietRestrictions", "diet_restrictions"),
        ("dietary_restriction", "dietary_restrictions"),
        ("dietPreferences", "diet_preferences"),
    ):
        message = assert_refused(api.post(path, json={name: ["Gluten"]}), 400)
        assert message == f"unknown field '{name}'; did you mean '{meant}'?"


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("startTime", "start_time"),
        ("cgmData", "cgm_data"),
        ("consumedFoods", "consumed_foods"),
        ("user_profile.healthConditions", "health_conditions"),
        ("user_profile.medical_conditions", "health_conditions"),
        ("user_profile.gender", "sex"),
        ("foods.1.serving_ID", "serving_id"),
    ],
)
def test_a_misspelt_field_of_a_valid_prediction_is_refused(api, field, meant):
    """Row 12: the answer would be a curve of another person, or of another time."""
    body = api.body()
    parent = field.rpartition(".")[0]
    given = f"{parent}.{meant}".strip(".")
    if meant in ("start_time", "health_conditions", "sex"):
        body = without(body, given)
    message = assert_refused(api.predict(changed(body, field, ["junk"])), 400)
    path = field.replace(".1", "[1]")
    assert message == f"unknown field '{path}'; did you mean '{meant}'?"


@pytest.mark.parametrize(
    "field",
    [
        "restrictions",  # not an edit of a name
        "user_profile.conditions",
        "user_profile.healthcare_conditions",
        "statr_tmie",  # two edits
        "srtat_time",
        "stert_tima",
        "start_times_",
        "foods.0.serving.idd",  # of names of fewer than five letters
        "user_profile.ages",
        "start_time.x",  # a key with a dot in it is one key
        "timezone" * 9,
    ],
)
def test_what_is_further_from_a_field_is_ignored(api, field):
    """Row 12."""
    body = without(without(api.body(), "start_time"), "user_profile.health_conditions")
    name = {field: ["junk"]}
    if field.startswith(("user_profile", "foods")):
        body, name = changed(body, field, ["junk"]), {}
    assert api.predict(body | name).status_code == 200


@pytest.mark.parametrize("wrong", ["nam", "nmae", "nane", "names"])
def test_a_name_of_four_letters_is_recognized_in_another_case_alone(api, wrong):
    """Row 12: one edit makes another word of a short one."""
    body = {"foods": api.body()["foods"], wrong: "Tea"}
    someone = {"Service-End-User-ID": "someone"}
    answer = api.post("/v1.2/food-logs", json=body, headers=someone)
    assert (answer.status_code, answer.json()["name"]) == (201, None)
    body = {"foods": body["foods"], "Name": "Tea"}
    answer = api.post("/v1.2/food-logs", json=body, headers=someone)
    assert_refused(answer, 400, "unknown field 'Name'; did you mean 'name'?")


def test_the_spelling_of_version_1_1_is_refused_with_that_of_version_1_2(api):
    """Row 12: each field of a prediction, a log and alternatives; and a profile of an answer."""
    old = {str(each): each for each in request_objects(document("v1.1"))}
    new = {str(each): each for each in request_objects(document("v1.2"))}
    pairs = [
        (f"POST {OLD_PREDICT} ", f"POST {PREDICT} "),
        (f"POST {OLD_PREDICT} userProfile", f"POST {PREDICT} user_profile"),
        (f"POST {OLD_PREDICT} consumedFoods", f"POST {PREDICT} consumed_foods"),
        ("POST /v1.1/logs/foods ", "POST /v1.2/food-logs "),
        ("POST /v1.1/logs/foods foods", "POST /v1.2/food-logs foods"),
        ("POST /v1.1/food-alternatives/{foodId} ", "POST /v1.2/foods/{food_id}/alternatives "),
    ]
    for before, after in pairs:
        names = {*old[before].names}
        if "rofile" in before:
            names |= {*OLD_PROFILE_IN_ANSWERS}
        for name in names - {*new[after].names}:
            answer = send(api, new[after], new[after].holding({name: None}))
            _, meant = suggested(assert_refused(answer, 400))
            renamed = re.sub("([A-Z])", lambda found: "_" + found[1].lower(), name)
            assert meant == [OLD_PROFILE_IN_ANSWERS.get(name, renamed)]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("path", "names"),
    [
        (path, query_parameters(entry))
        for path, _, entry in operations(document("v1.2"))
        if query_parameters(entry)
    ],
)
def test_every_misspelling_of_every_query_parameter_is_refused(api, path, names):
    """Rows 12, 13 and D63."""
    where = Object("GET" if "predictions" not in path else "POST", path, (), names, ())
    for name in names:
        for wrong in misspellings(name, where, "v1.2"):
            answer = send(api, where, {}, f"?{wrong}=1")
            found, meant = suggested(assert_refused(answer, 400))
            assert (found, name in meant) == (wrong, True)
        others = "&".join(f"{each}=1" for each in (name, *respelt(name)))
        assert "did you mean" not in send(api, where, {}, f"?{others}").text


def test_a_search_of_version_1_1_is_refused_with_the_parameter_of_version_1_2(api):
    """Row 12."""
    answer = api.get("/v1.2/foods?query=rice&category=branded")
    message = assert_refused(answer, 400)
    assert message == "unknown parameter 'category'; did you mean 'type'?"


@pytest.fixture(scope="module")
def answered(api: Api, shop: Api) -> list[dict[str, Any]]:
    """Every object in an answer of every operation of version 1.2."""
    someone = {"Service-End-User-ID": "who sends answers back"}
    food_id = api.body()["foods"][0]["id"]
    profile = api.body()["user_profile"]
    day = "start=2026-01-05&end=2026-01-05"
    log = {"foods": api.body()["foods"], "timestamp_utc": "2026-01-05T13:00:00Z", "name": "Tea"}
    logged = api.post("/v1.2/food-logs", json=log, headers=someone)
    scanned = api.post("/v1.2/food-scans/text", json={"text": "2 eggs"})
    correction = {"detections": scanned.json()["detections"], "user_input": "only one egg"}
    one = f"/v1.2/food-logs/{logged.json()['id']}"
    ends = api.headers(one) | someone
    answers = [
        logged,
        api.get(one, headers=someone),
        api.client.patch(one, json={"name": "Coffee"}, headers=ends),
        api.get(f"/v1.2/food-logs?{day}", headers=someone),
        api.get("/v1.2/credits"),
        api.post("/v1.2/auth/client-tokens", json={"end_user_id": "Ada"}),
        api.post("/v1.2/auth/client-token-revocations", json={"end_user_id": "Ada"}),
        api.get("/v1.2/foods?query=rice"),
        api.get(f"/v1.2/foods/{food_id}"),
        shop.get(f"/v1.2/foods/barcode/{COLA}"),
        api.get("/v1.2/foods/autocomplete?query=rice"),
        api.get("/v1.2/restaurants?query=kfc&latitude=45&longitude=-40"),
        api.get("/v1.2/restaurants/demo-01/menu-items?limit=1"),
        api.get("/v1.2/menu-items?query=cheeseburger&latitude=45&longitude=-40"),
        api.post(
            f"/v1.2/foods/{api.food('white bread').id}/alternatives", json={"user_profile": profile}
        ),
        api.post(f"{PREDICT}?band=true", json=api.body()),
        api.post("/v1.2/literature/search", json={"query": "glucose"}),
        api.post(CHAT, json={"model": "service", "messages": [{"role": "user", "content": "hi"}]}),
        scanned,
        api.post("/v1.2/food-scans/corrections", json=correction),
        api.post("/v1.2/food-scans/photo", json={"image": BARCODE_PHOTO}),
    ]
    assert all(each.status_code in (200, 201) for each in answers)
    told = {(answer.request.method, answer.request.url.path) for answer in answers}
    assert len(told) == len([*operations(document("v1.2"))]) - 1  # a deletion answers nothing
    found = {tuple(each): each for answer in answers for each in dicts(answer.json())}
    assert {name for each in found for name in each} <= answer_names(document("v1.2"))
    return [*found.values()]


def dicts(value: Any) -> list[dict[str, Any]]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    own = [value] if isinstance(value, dict) else []
    return own + [each for part in inner for each in dicts(part)]


@pytest.mark.sampled
@objects("v1.2")
def test_no_answer_is_refused_for_its_names_when_it_is_sent_back(api, answered, where):
    """D63: every object of every answer, in the place of every object of every body."""
    for each in answered:
        text = send(api, where, where.holding(each)).text
        assert "did you mean" not in text, text


def test_a_name_of_our_own_answers_is_no_near_miss(api):
    """D63: `expires_in` is what a minted token has, `servings` what a food has."""
    body = {"end_user_id": "Ada", "expires_in": 300}
    assert api.post("/v1.2/auth/client-tokens", json=body).status_code == 201
    food = changed(api.body(), "foods.0.servings", [])
    assert api.predict(food).status_code == 200


def is_near(word: str, name: str) -> bool:
    """What the rule means, told in another way than the service does."""
    plain, other = word.replace("_", "").casefold(), name.replace("_", "").casefold()
    letters = "".join({*word}) or "x"
    return plain == other or word in mistyped(name, letters)


FIELDS = {name for each in request_objects(document("v1.2")) for name in each.names}


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.one_of(
            st.text(max_size=20),
            st.sampled_from(["restrictions", "conditions", "colour", "user", "model", "eaten"]),
            st.sampled_from(sorted(FIELDS)).map(lambda name: name[:-2] + "ed!"),
        ).filter(
            lambda word: (
                word not in FIELDS | {*OLD_PROFILE_IN_ANSWERS, "profile"}
                and not any(is_near(word, name) for name in FIELDS | {"profile"})
            )
        ),
        st.one_of(st.none(), st.integers(), st.text(), st.dictionaries(st.text(), st.booleans())),
        max_size=5,
    )
)
def test_other_unknown_fields_are_still_ignored(api, words):
    """Rows 12, 310: at every level, whatever they hold, in both versions."""
    words = json.loads(json.dumps(words).encode("ascii", "replace"))
    body = without(without(api.body(), "start_time"), "user_profile.activity_level")
    plain = api.predict(body | {"start_time": None}).json()
    profile, food = body["user_profile"], body["foods"][0]
    more = body | {"user_profile": words | profile, "foods": [words | food, body["foods"][1]]}
    answer = api.predict(words | more)
    if any("\ud800" <= letter <= "\udfff" for word in words for letter in word):
        assert_refused(answer, 400, "JSON")
        return
    assert answer.status_code == 200, answer.text
    assert answer.json()["impact_score"] == plain["impact_score"]
    old = api.old_body()
    answer = api.predict_old(words | old)
    assert answer.content == api.predict_old(old).content
    assert "x-ignored-fields" not in answer.headers


async def read_a_thing(call: Call) -> Response:
    """Read a thing."""
    thing = await call.parse(Limited, {})
    return json_response({"given": thing.model_dump()})


class Limited(Thing):
    limit: int = 5


@pytest.mark.parametrize("checked", [True, False])
def test_an_operation_may_leave_names_alone(tmp_path: Path, checked: bool):
    """Row 90: where another API defines the names, one more of its own is no near miss."""
    operation = make_operation(read_a_thing, body=Limited, checks_names=checked)
    with Api(tmp_path) as api:
        client = AsgiClient(api.service)
        answer = client.call(operation, parts=(b'{"size": 1, "limits": 2}',))
        assert answer.status == (400 if checked else 200)
        if not checked:
            assert answer.json == {"given": {"size": 1, "limit": 5}}


@pytest.mark.reliability
def test_a_body_full_of_unknown_names_is_read_at_once(api):
    """Row 12: 5 MB of names that differ from a field in two letters each."""
    words = {f"{place:x}".rjust(10, "g"): 0 for place in range(300_000)}
    content = json.dumps(api.body() | words)
    assert 4_500_000 < len(content) < 5_242_880
    cpu_s = []
    for _ in range(2):
        with Stopwatch() as watch:
            answer = api.post(PREDICT, content=content)
        cpu_s.append(watch.cpu_s)
        assert answer.status_code == 200
    assert min(cpu_s) < 4  # of a parse and validation alone it takes a tenth
