"""POST /v1.1/cgm/user-glucose-predict with the previous meal from the diary, where agreed."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from api_client import TRAIN, USER_PREDICT, ZONE, Api, Partner
from cgm_requests import wearer_of
from synthetic_wearer import EVERYDAY

from postmeal import Meal, Selection
from postmeal.glucose.personal_fit import fit_personal
from postmeal_serve.resources.diary import Diary

START = datetime(2026, 2, 2, 8, tzinfo=ZoneInfo("America/New_York"))


class User:
    """A trained user of a partner, who keeps a diary."""

    def __init__(self, api: Api, partner: Partner) -> None:
        self.api, self.partner, self.headers = api, partner, partner.headers(USER_PREDICT)
        profile = {"profile": api.old_body()["userProfile"]}
        self.id = self._post("/v1.1/user", profile)["user_id"]
        self._post(TRAIN, wearer_of(api, rise=2.0).training)

    def _post(self, path: str, body: Any) -> Any:
        named = {"x-partner-user-id": self.id} if hasattr(self, "id") else {}
        headers = self.headers | ZONE | named
        answer = self.api.client.post(path, json=body, headers=headers)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def eats(self, at: datetime, words: str = "banana", times: int = 1) -> None:
        food = self.api.food(words)
        serving = {"id": food.default_serving.id, "quantity": food.default_serving.quantity}
        foods = [{"id": food.id, "serving": serving}] * times
        moment = f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        self._post("/v1.1/logs/foods", {"foods": foods, "timestampUtc": moment})

    def curve(self, start: datetime = START) -> list[float]:
        body = {"foods": self.api.old_body()["foods"], "startTime": start.isoformat()}
        return [value for _, value in self._post(USER_PREDICT, body)["cgp"]]


@pytest.fixture
def either(database_url: str, tmp_path) -> Iterator[Api]:
    """The service, on a database of either kind."""
    with Api(tmp_path, database=database_url) as either:
        yield either


def expected(api: Api, since_meal_h: float | None) -> list[float]:
    """The library's curve, with hours since the previous meal."""
    wearer = wearer_of(api, rise=2.0)
    predictor = api.service.predictor
    model = fit_personal(predictor, EVERYDAY, wearer.trace, wearer.meal_history)
    foods = tuple(Selection.of(api.food(words)) for words in ("oatmeal", "banana"))
    prediction = predictor.predict(
        EVERYDAY, Meal(foods, START), personal=model, since_meal_h=since_meal_h
    )
    return [round(value, 1) for value in prediction.glucose_mg_dl]


def test_the_last_meal_of_six_hours_counts_only_where_this_is_agreed(either):
    """D69: version 1.1 is frozen, so the setting is off by default."""
    agreed = User(either, either.partner("agreed", diary_meals=True))
    other = User(either, either.partner("other"))
    unknown = expected(either, None)
    assert agreed.curve() == other.curve() == unknown
    for user in (agreed, other):
        user.eats(START - timedelta(hours=6, minutes=1))
        user.eats(START)
        user.eats(START + timedelta(minutes=30))
        user.eats(START - timedelta(hours=1), "water tap")
    assert agreed.curve() == other.curve() == unknown
    for user in (agreed, other):
        user.eats(START - timedelta(hours=5))
    assert agreed.curve() == expected(either, 5) != unknown
    for user in (agreed, other):
        user.eats(START - timedelta(hours=2))
    assert agreed.curve() == expected(either, 2) != expected(either, 5)
    assert other.curve() == unknown


def test_the_diary_of_another_user_does_not_count(either):
    partner = either.partner("agreed", diary_meals=True)
    one, another = User(either, partner), User(either, partner)
    another.eats(START - timedelta(hours=2))
    assert one.curve() == expected(either, None) != another.curve()


def test_more_logs_than_a_page_are_read(either):
    user = User(either, either.partner("agreed", diary_meals=True))
    for minutes in range(30, 360, 5):
        user.eats(START - timedelta(minutes=minutes), times=10)
    with either.service.database.reading() as connection:
        diary = Diary(connection, user.partner.id, user.id)
        assert not diary.page(START - timedelta(hours=6), START).is_last
    assert user.curve() == expected(either, 355 / 60)


def test_the_beginning_of_the_calendar_is_no_error(either):
    user = User(either, either.partner("agreed", diary_meals=True))
    first = datetime(1, 1, 1, 2, tzinfo=ZoneInfo("UTC"))
    headers = user.headers | {"x-partner-user-id": user.id, "x-partner-timezone": "UTC"}
    body = {"foods": either.old_body()["foods"], "startTime": first.isoformat()}
    answer = either.client.post(USER_PREDICT, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
