"""Diaries of six people in two organizations, through every door, against a plain model."""

import itertools
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from api_client import Api, Partner, VirtualClock
from diary_client import NEW, OLD, Diarist, with_key, with_token
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from postmeal.rounding import rounded

pytestmark = pytest.mark.reliability

ORGANIZATIONS = ("one", "two")
USERS = ("anna", "ben", "chloë")
ZONES = (None, "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kolkata")
START = datetime(2026, 10, 25, tzinfo=UTC)
NUMBERS = itertools.count()
NAMES = st.none() | st.sampled_from(["Breakfast", "🥣", ""])


@pytest.fixture(scope="module")
def virtual_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with Api(tmp_path_factory.mktemp("diaries"), VirtualClock(START)) as api:
        yield api


@pytest.fixture(scope="module")
def partners(virtual_api: Api) -> dict[str, Partner]:
    return {name: virtual_api.partner(name) for name in ORGANIZATIONS}


@dataclass
class Entry:
    """What the model knows of a log."""

    owner: tuple[str, str]
    moment: datetime
    name: str | None
    foods: list[tuple[int, int, float]]


@dataclass
class Model:
    """The diaries as one plain dict."""

    entries: dict[str, Entry] = field(default_factory=dict)

    def of(self, owner: tuple[str, str]) -> dict[str, Entry]:
        mine = {i: entry for i, entry in self.entries.items() if entry.owner == owner}
        return dict(sorted(mine.items(), key=lambda pair: (pair[1].moment, pair[0])))

    def between(
        self, owner: tuple[str, str], start: date, end: date, zone: str | None
    ) -> list[str]:
        where = ZoneInfo(zone or "UTC")
        return [
            log_id
            for log_id, entry in self.of(owner).items()
            if start <= entry.moment.astimezone(where).date() <= end
        ]


def moments() -> st.SearchStrategy[datetime]:
    """Moments of three weeks in which clocks are changed in several zones, many at midnights."""
    near = st.integers(-2, 2).map(lambda ms: timedelta(milliseconds=ms))
    half_hours = st.integers(0, 48 * 21).map(lambda n: timedelta(minutes=30 * n))
    return st.builds(lambda a, b: START - timedelta(days=3) + a + b, half_hours, near)


class Diaries(RuleBasedStateMachine):
    """What six people do, the same people through keys of both versions and through tokens."""

    logs = Bundle("logs")
    people = st.tuples(st.sampled_from(ORGANIZATIONS), st.sampled_from(USERS))
    doors = st.sampled_from([OLD, NEW, "token", "UUID"])
    meals = st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0.5, 1.0, 3.7])), min_size=1,
                     max_size=3)  # fmt: skip
    days = st.integers(-4, 20).map(lambda n: START.date() + timedelta(days=n))

    def __init__(self, api: Api, partners: dict[str, Partner]) -> None:
        super().__init__()
        self.api = api
        self.partners = partners
        self.clock: VirtualClock = api.service.clock  # type: ignore[assignment]
        self.model = Model()
        self.foods = [
            (food, serving)
            for words in ("rice", "banana", "milk")
            for food in [api.food(words)]
            for serving in food.servings[:2]
        ]
        self.example = f"{next(NUMBERS)}-{uuid.uuid4().hex[:8]}"
        self.tokens: dict[tuple[str, str], tuple[Diarist, datetime]] = {}
        self.uuids: dict[tuple[str, str], str] = {}
        self.answers: dict[tuple[tuple[str, str], str], tuple[Any, bytes]] = {}
        self.deleted: set[bytes] = set()

    def user(self, who: tuple[str, str]) -> str:
        return f"{who[1]} {self.example}"

    @initialize()
    def anna_is_registered(self) -> None:
        profile = self.api.old_body()["userProfile"]
        for name in ORGANIZATIONS:
            who = (name, "anna")
            sent = self.partners[name].headers(OLD) | {"x-partner-user-id": self.user(who)}
            answer = self.api.client.post("/v1.1/user", json={"profile": profile}, headers=sent)
            self.uuids[who] = answer.json()["user_id"]

    def diarist(self, who: tuple[str, str], door: str) -> Diarist:
        partner, user = self.partners[who[0]], self.user(who)
        if door == "UUID":
            return with_key(self.api, self.uuids.get(who, user), NEW, partner)
        if door != "token":
            return with_key(self.api, user, door, partner)
        known = self.tokens.get(who)
        if known is None or known[1] <= self.clock.now():
            ends_at = self.clock.now() + timedelta(minutes=30)
            header = {"Service-End-User-ID": "someone else"}
            known = self.tokens[who] = (with_token(self.api, user, partner, **header), ends_at)
        return known[0]

    def someone(self, who: tuple[str, str], log_id: str, own: bool) -> tuple[str, str]:
        """Whose the log is, or who was drawn: mostly someone else."""
        return self.model.entries[log_id].owner if own and log_id in self.model.entries else who

    def body(self, meal: Any, at: datetime | None, name: str | None, old: bool) -> dict[str, Any]:
        chosen = [(*self.foods[index], quantity) for index, quantity in meal]
        told: dict[str, Any] = {} if name is None else {"name": name}
        if old:
            foods: list[Any] = [
                {"id": food.id, "serving": {"id": serving.id, "quantity": quantity}}
                for food, serving, quantity in chosen
            ]
            if at is not None:
                told["timestampUtc"] = at.isoformat().removesuffix("+00:00") + "Z"
        else:
            foods = [
                {"id": str(food.id), "serving": {"id": str(serving.id)}, "quantity": quantity}
                for food, serving, quantity in chosen
            ]
            if at is not None:
                told["timestamp_utc"] = at.isoformat()
        return {"foods": foods, **told}

    def entry(self, who: Any, meal: Any, at: datetime | None, name: str | None) -> Entry:
        now = self.clock.now()
        return Entry(who, at or now.replace(microsecond=now.microsecond // 1000 * 1000), name, meal)

    @rule(target=logs, who=people, door=doors, meal=meals, at=st.none() | moments(), name=NAMES)
    def log(self, who: Any, door: str, meal: Any, at: datetime | None, name: str | None) -> str:
        answer = self.diarist(who, door).log(self.body(meal, at, name, door == OLD))
        assert answer.status_code == (200 if door == OLD else 201), answer.text
        log_id: str = answer.json()["id"]
        assert log_id not in self.model.entries
        self.model.entries[log_id] = self.entry(who, meal, at, name)
        return log_id

    @rule(target=logs, who=people, meal=meals, at=moments(), key=st.sampled_from(["a", "b"]))
    def log_with_a_key(self, who: Any, meal: Any, at: datetime, key: str) -> str:
        now = self.clock.now()
        answer = self.diarist(who, NEW).log(
            self.body(meal, at, None, False), **{"Idempotency-Key": key}
        )
        log_id: str = answer.json().get("id", "")
        kept = self.answers.get((who, key))
        if kept is not None and now - kept[0][2] < timedelta(hours=24):
            if (meal, at) != kept[0][:2]:
                assert answer.status_code == 422
                return str(uuid.uuid4())
            if kept[1] in self.deleted:
                assert answer.status_code == 404
                return str(uuid.uuid4())
            assert (answer.status_code, answer.content) == (201, kept[1])
            return log_id
        assert answer.status_code == 201
        self.answers[who, key] = ((meal, at, now), answer.content)
        self.model.entries[log_id] = self.entry(who, meal, at, None)
        return log_id

    @rule(who=people, door=doors, days=st.tuples(days, days), zone=st.sampled_from(ZONES))
    def list_some(self, who: Any, door: str, days: tuple[date, date], zone: str | None) -> None:
        start, end = sorted(days)
        query = {} if zone is None or door == OLD else {"timezone": zone}
        found = self.diarist(who, door).logs(start.isoformat(), end.isoformat(), **query)
        expected = self.model.between(who, start, end, query.get("timezone"))
        assert [log["id"] for log in found] == expected

    @rule(who=people, door=doors)
    def list_all(self, who: Any, door: str) -> None:
        found = self.diarist(who, door).logs()
        mine = self.model.of(who)
        assert [log["id"] for log in found] == list(mine)
        for log, entry in zip(found, mine.values(), strict=True):
            self.same(log, entry, door == OLD)

    @rule(who=people, door=st.sampled_from([NEW, "token", "UUID"]), log_id=logs, own=st.booleans())
    def read(self, who: Any, door: str, log_id: str, own: bool) -> None:
        who = self.someone(who, log_id, own)
        answer = self.diarist(who, door).read(log_id)
        entry = self.model.of(who).get(log_id)
        assert answer.status_code == (404 if entry is None else 200)
        if entry is not None:
            self.same(answer.json(), entry, old=False)

    @rule(who=people, door=st.sampled_from([NEW, "token", "UUID"]), log_id=logs,
          meal=st.none() | meals, at=st.none() | moments(), name=NAMES,
          names=st.booleans(), own=st.booleans())  # fmt: skip
    def change(self, who: Any, door: str, log_id: str, meal: Any, at: Any, name: Any, names: bool,
               own: bool) -> None:  # fmt: skip
        who = self.someone(who, log_id, own)
        body = self.body(meal or [], at, None, False) | ({"name": name} if names else {})
        if meal is None:
            del body["foods"]
        answer = self.diarist(who, door).change(log_id, body)
        entry = self.model.of(who).get(log_id)
        assert answer.status_code == (404 if entry is None else 200)
        if entry is not None:
            entry.foods = meal or entry.foods
            entry.moment = at or entry.moment
            entry.name = name if names else entry.name
            self.same(answer.json(), entry, old=False)

    @rule(who=people, door=doors, log_id=logs, own=st.booleans())
    def delete(self, who: Any, door: str, log_id: str, own: bool) -> None:
        who = self.someone(who, log_id, own)
        answer = self.diarist(who, door).delete(log_id)
        assert answer.status_code == (200 if door == OLD else 204)
        if log_id in self.model.of(who):
            del self.model.entries[log_id]
            told = (content for _, content in self.answers.values())
            self.deleted.update(each for each in told if json.loads(each)["id"] == log_id)

    @rule(seconds=st.sampled_from([0.0015, 31.0, 3600.0, 86_400.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def same(self, log: dict[str, Any], entry: Entry, old: bool) -> None:
        """The log is the entry, and each food has the nutrients that the model computes."""
        at = log["timestampUtc" if old else "timestamp_utc"]
        assert datetime.fromisoformat(at) == entry.moment
        assert log["name"] == entry.name
        chosen = [(*self.foods[index], quantity) for index, quantity in entry.foods]
        assert [int(food["id"]) for food in log["foods"]] == [food.id for food, _, _ in chosen]
        for (food, serving, quantity), logged in zip(chosen, log["foods"], strict=True):
            factor = serving.scaling_factor * quantity / serving.quantity
            expected = rounded(food.nutrients["carbs_g"] * factor, "g")
            assert logged["nutrients"]["carbohydrates"]["value"] == expected

    def teardown(self) -> None:
        for who in itertools.product(ORGANIZATIONS, USERS):
            found = self.diarist(who, NEW).logs()
            assert [log["id"] for log in found] == list(self.model.of(who))


def run(api: Api, partners: dict[str, Partner], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        lambda: Diaries(api, partners),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_service_is_what_a_plain_model_says(virtual_api, partners):
    """R3: 200 lives of 30 steps; nobody is ever shown an item of another."""
    run(virtual_api, partners, 200, 30)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_the_service_is_what_a_plain_model_says_at_length(virtual_api, partners):
    """R3: 5,000 lives of 60 steps."""
    run(virtual_api, partners, 5_000, 60)
