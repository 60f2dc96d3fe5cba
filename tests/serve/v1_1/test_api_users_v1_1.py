"""Version 1.1: users are registered, read, changed, deleted and listed."""

import uuid
from collections.abc import Mapping
from typing import Any

import pytest
from api_client import Api, Partner, assert_refused, changed, without
from diary_client import OLD, Diarist, with_key, with_token
from hypothesis import given, settings
from hypothesis import strategies as st

from postmeal_serve.v1_1.profile import CONDITIONS

USER, USERS = "/v1.1/user", "/v1.1/users"
REQUIRED = ("age", "gender", "height", "weight")
FULL = {
    "profile": {
        "age": 45,
        "gender": "female",
        "height": 66,
        "weight": 150,
        "activityLevel": "lightly_active",
        "healthConditions": ["Prediabetes", "Other"],
    }
}
SHORT = {"profile": {name: FULL["profile"][name] for name in REQUIRED}}


class Users:
    """What a partner's key of version 1.1 does with users."""

    def __init__(self, api: Api, partner: Partner) -> None:
        self.api = api
        self.partner = partner
        self.key = partner.headers(USER)

    def ask(self, method: str, name: str | None = None, body: Any = None) -> Any:
        headers = self.key | ({"x-partner-user-id": name} if name is not None else {})
        options = {} if body is None else {"json": body}
        return self.api.client.request(method, USER, headers=headers, **options)

    def create(self, body: Mapping[str, Any] = FULL, name: str | None = None) -> dict[str, Any]:
        answer = self.ask("POST", name, body)
        assert answer.status_code == 200, answer.text
        user: dict[str, Any] = answer.json()
        return user

    def all(self) -> list[dict[str, Any]]:
        answer = self.api.client.get(USERS, headers=self.key)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()
        return found

    def diary(self, name: str) -> Diarist:
        return with_key(self.api, name, OLD, self.partner)


def a_name() -> str:
    return f"u-{uuid.uuid4()}"


@pytest.fixture
def users(api) -> Users:
    """A partner of its own, without users."""
    return Users(api, api.partner(f"partner {uuid.uuid4()}"))


@pytest.fixture
def others(api) -> Users:
    """Another partner."""
    return Users(api, api.partner(f"partner {uuid.uuid4()}"))


@pytest.fixture
def meal(api) -> dict[str, Any]:
    return {"foods": api.old_body()["foods"], "name": "porridge"}


def test_a_registered_user_has_a_uuid_and_the_profile_that_was_sent(users):
    """Rows 442, 443: `activity_level` and `medical_conditions` are the answer's names."""
    user = users.create()
    assert set(user) == {"user_id", "profile"}
    assert uuid.UUID(user["user_id"]).version == 4
    assert str(uuid.UUID(user["user_id"])) == user["user_id"]
    assert user["profile"] == {
        "age": 45,
        "gender": "female",
        "height": 66,
        "weight": 150,
        "activity_level": "lightly_active",
        "medical_conditions": ["Prediabetes", "Other"],
    }


@settings(max_examples=60)
@given(age=st.floats(1, 120), height=st.floats(20, 107), weight=st.floats(2.3, 1543))
def test_numbers_come_back_to_the_last_digit(users, age, height, weight):
    """Rows 442, 446: inches and pounds are not converted there and back."""
    sent = {"age": age, "gender": "male", "height": height, "weight": weight}
    user = users.create({"profile": sent})
    answers = [user, users.ask("GET", user["user_id"]).json()]
    for answer in answers:
        assert {name: answer["profile"][name] for name in REQUIRED} == sent


def test_whole_numbers_come_back_as_they_were_sent(users):
    """Row 442: 45 is not told as 45.0, and 66.5 not as 66."""
    sent = {"age": 45, "gender": "male", "height": 66.5, "weight": 150}
    user = users.create({"profile": sent})
    for method, more in (("GET", ()), ("PATCH", ({"profile": sent},))):
        told = users.ask(method, user["user_id"], *more).text
        for field in ('"age":45,', '"height":66.5,', '"weight":150,'):
            assert field in told


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_health_condition_comes_back_by_its_name(users, condition):
    """Row 443."""
    user = users.create(changed(FULL, "profile.healthConditions", [condition]))
    assert user["profile"]["medical_conditions"] == [condition]


def test_a_condition_that_is_sent_again_and_again_is_kept_once(users):
    """Row 443: a profile stays small, whatever was sent."""
    told = ["Other", "Prediabetes"] * 500
    user = users.create(changed(FULL, "profile.healthConditions", told))
    assert user["profile"]["medical_conditions"] == told[:2]


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("field", REQUIRED)
def test_age_gender_height_and_weight_are_required(users, method, field):
    """Rows 444, 448."""
    name = users.create()["user_id"] if method == "PATCH" else None
    answer = users.ask(method, name, without(FULL, f"profile.{field}"))
    assert_refused(answer, 400, f"profile.{field}", "is required")


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("field", ["activityLevel", "healthConditions"])
def test_an_optional_field_is_left_out_but_never_null(users, method, field):
    """Row 445."""
    name = users.create()["user_id"] if method == "PATCH" else None
    assert users.ask(method, name, without(FULL, f"profile.{field}")).status_code == 200
    answer = users.ask(method, name, changed(FULL, f"profile.{field}", None))
    assert_refused(answer, 400, f"profile.{field}")


def test_a_user_of_whom_little_was_told_has_no_level_and_no_conditions(users):
    """Rows 443, 445."""
    profile = users.create(SHORT)["profile"]
    assert (profile["activity_level"], profile["medical_conditions"]) == (None, [])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("age", 0),
        ("age", 121),
        ("age", "45"),
        ("age", True),
        ("gender", "other"),
        ("gender", "Female"),
        ("height", 0),
        ("height", 19),
        ("height", 167.6),
        ("weight", -1),
        ("weight", 1544),
        ("weight", None),
        ("activityLevel", "lazy"),
        ("healthConditions", "Prediabetes"),
        ("healthConditions", ["prediabetes"]),
        ("healthConditions", ["None of the above", "Other"]),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_person_who_cannot_be_is_refused(users, method, field, value):
    """Rows 444, 448: and what was known before stays."""
    name = users.create()["user_id"]
    before = users.all()
    answer = users.ask(
        method, name if method == "PATCH" else None, changed(FULL, f"profile.{field}", value)
    )
    assert_refused(answer, 400, f"profile.{field}")
    assert users.all() == before


@pytest.mark.parametrize(("field", "unit"), [("height", "inches"), ("weight", "pounds")])
def test_a_measurement_that_is_no_number_is_refused_with_its_unit(users, field, unit):
    answer = users.ask("POST", body=changed(FULL, f"profile.{field}", "tall"))
    message = f"profile.{field} must be a number of {unit} greater than 0, got 'tall'"
    assert answer.json()["error"]["message"] == message


@pytest.mark.parametrize("body", [{}, {"profile": None}, {"profile": []}, FULL["profile"]])
def test_a_body_without_a_profile_is_refused(users, body):
    """Row 444."""
    assert_refused(users.ask("POST", body=body), 400, "profile")


def test_a_user_is_read_by_the_uuid(users):
    """Rows 446, 447."""
    user = users.create()
    for name in (user["user_id"], user["user_id"].upper()):
        answer = users.ask("GET", name)
        assert (answer.status_code, answer.json()) == (200, user)


def test_a_user_registered_with_the_partners_id_is_known_by_both(users):
    """Row 447: read, changed and deleted by either."""
    name = a_name()
    user = users.create(name=name)
    assert users.ask("GET", name).json() == users.ask("GET", user["user_id"]).json() == user
    older = changed(FULL, "profile.age", 46)
    assert users.ask("PATCH", name, older).json()["user_id"] == user["user_id"]
    assert users.ask("GET", user["user_id"]).json()["profile"]["age"] == 46
    assert users.ask("DELETE", user["user_id"]).status_code == 200
    assert_refused(users.ask("GET", name), 404)


def test_the_diary_under_either_id_is_one(users, meal):
    """Row 447: also what was logged before the user was registered."""
    name = a_name()
    before = users.diary(name).log(meal).json()["id"]
    user = users.create(name=name)
    after = users.diary(user["user_id"]).log(meal).json()["id"]
    for each in (name, user["user_id"]):
        assert {log["id"] for log in users.diary(each).logs()} == {before, after}


@pytest.mark.parametrize("by", ["partner's id", "UUID"])
def test_an_id_that_names_a_user_already_cannot_name_another(users, by):
    """Row 447."""
    name = a_name()
    user = users.create(name=name)
    taken = name if by == "partner's id" else user["user_id"]
    assert_refused(users.ask("POST", taken, SHORT), 400, "x-partner-user-id")
    assert users.all() == [user]


def test_each_user_without_the_partners_id_is_a_new_one(users):
    """Row 442."""
    assert users.create()["user_id"] != users.create()["user_id"]
    assert len(users.all()) == 2


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_an_unknown_user_is_not_found(users, others, method):
    """Rows 446, 448: never registered, or another partner's, is the same."""
    theirs = others.create(name=a_name())
    answers = [
        users.ask(method, name, FULL if method == "PATCH" else None).json()
        for name in (a_name(), str(uuid.uuid4()), theirs["user_id"])
    ]
    assert answers[0]["error"]["code"] == 404
    assert answers[0] == answers[1] == answers[2]
    assert others.all() == [theirs]


def test_a_change_keeps_the_optional_fields_that_it_leaves_out(users):
    """Row 449."""
    user = users.create()
    sent = {"profile": {"age": 46, "gender": "male", "height": 70.5, "weight": 180.25}}
    answer = users.ask("PATCH", user["user_id"], sent)
    assert answer.status_code == 200
    assert answer.json() == {
        "user_id": user["user_id"],
        "profile": {
            **sent["profile"],
            "activity_level": "lightly_active",
            "medical_conditions": ["Prediabetes", "Other"],
        },
    }
    assert users.ask("GET", user["user_id"]).json() == answer.json()


def test_a_change_sets_the_optional_fields_that_it_holds(users):
    """Row 449."""
    user = users.create()
    sent = changed(FULL, "profile.healthConditions", [])
    sent = changed(sent, "profile.activityLevel", "sedentary")
    profile = users.ask("PATCH", user["user_id"], sent).json()["profile"]
    assert (profile["activity_level"], profile["medical_conditions"]) == ("sedentary", [])


def test_deleting_succeeds_for_whoever_and_as_often_as_one_likes(users, others):
    """Row 450: no answer tells whether there was such a user."""
    theirs = others.create(name=a_name())
    user = users.create()
    for name in (user["user_id"], user["user_id"], a_name(), theirs["user_id"]):
        answer = users.ask("DELETE", name)
        assert (answer.status_code, answer.json()) == (200, {"status": "deleted"})
    assert others.all() == [theirs]


def test_with_a_user_everything_goes(users, meal):
    """Row 451: profile, diary under either id, and tokens for either id."""
    name = a_name()
    user = users.create(name=name)
    users.diary(name).log(meal)
    users.diary(user["user_id"]).log(meal)
    assert users.ask("DELETE", name).status_code == 200
    assert users.all() == []
    for each in (name, user["user_id"]):
        assert_refused(users.ask("GET", each), 404)
        assert users.diary(each).logs() == []
    assert users.create(name=name)["user_id"] != user["user_id"]  # someone new
    assert users.diary(name).logs() == []


def test_a_token_of_a_deleted_user_is_no_longer_known(users):
    """Row 451: one that was not seen lately; the others end with the memory of credentials."""
    name = a_name()
    user = users.create(name=name)
    phones = [with_token(users.api, each, users.partner) for each in (name, user["user_id"])]
    users.ask("DELETE", name)
    for phone in phones:
        assert assert_refused(phone.list(), 401)
        assert phone.list().json()["code"] == "token_invalid"


def test_a_user_who_was_never_registered_has_a_diary_and_loses_it(users, meal):
    """Rows 325, 451: any stable value is an identity, and is deleted as one."""
    name = a_name()
    users.diary(name).log(meal)
    assert len(users.diary(name).logs()) == 1
    assert_refused(users.ask("GET", name), 404)
    assert users.ask("DELETE", name).json() == {"status": "deleted"}
    assert users.diary(name).logs() == []


def test_all_users_of_this_partner_alone_are_listed(users, others):
    """Row 452: in the order in which they came."""
    assert users.all() == []
    mine = [users.create(SHORT), users.create(name=a_name()), users.create()]
    theirs = others.create()
    assert users.all() == mine
    assert others.all() == [theirs]


def test_the_same_id_under_two_partners_is_two_users(users, others, meal):
    """Row 326: each has its own profile and diary."""
    name = a_name()
    mine, theirs = users.create(SHORT, name), others.create(FULL, name)
    users.diary(name).log(meal)
    assert (users.ask("GET", name).json(), others.ask("GET", name).json()) == (mine, theirs)
    assert others.diary(name).logs() == []
    others.ask("DELETE", name)
    assert users.ask("GET", name).json() == mine
    assert len(users.diary(name).logs()) == 1


def test_a_fixed_value_for_all_users_merges_them(users, meal):
    """Row 327."""
    for _ in range(2):  # two people whom the partner calls the same
        users.diary("everyone").log(meal)
    assert len(users.diary("everyone").logs()) == 2


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_the_header_that_names_the_user_is_required(users, method):
    """Row 323."""
    body = FULL if method == "PATCH" else None
    assert_refused(users.ask(method, None, body), 400, "x-partner-user-id", "required", "1 to 128")


@pytest.mark.parametrize("method", ["POST", "GET", "PATCH", "DELETE"])
@pytest.mark.parametrize("name", ["", " ", "x" * 129, "a\tb", "a\x7fb"])
def test_an_id_is_1_to_128_printable_characters(users, method, name):
    """Row 324: on registration too, where it may be left out."""
    body = FULL if method in ("POST", "PATCH") else None
    assert_refused(users.ask(method, name, body), 400, "x-partner-user-id", "128")
    assert users.all() == []


def test_a_test_identity_is_an_ordinary_user(users, meal):
    """Row 331: until it is purged."""
    user = users.create(name=f"test-{uuid.uuid4()}")
    users.diary(user["user_id"]).log(meal)
    assert users.all() == [user]
    assert len(users.diary(user["user_id"]).logs()) == 1


@pytest.mark.parametrize(
    "name", ["user_id", "plan", "organization_id", "partner_user_id", "scopes"]
)
def test_fields_that_are_not_asked_for_change_nothing(users, name):
    """S4: nobody chooses their own id, plan or partner."""
    chosen = str(uuid.uuid4())
    body = {**FULL, name: chosen, "profile": {**FULL["profile"], name: chosen}}
    user = users.create(body)
    assert chosen not in str(user)
    assert_refused(users.ask("GET", chosen), 404)
    assert set(user["profile"]) == set(users.create()["profile"])
