"""What belongs to one person of one partner, asked for by everybody else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from api_client import TRAIN, USER_PREDICT, ZONE, Api, Partner
from cgm_requests import wearer_of
from sqlalchemy import select

from postmeal_serve.partners import tokens
from postmeal_serve.partners.tokens import SCOPES
from postmeal_serve.storage.tables import end_user, food_log, personal_model

NEW, OLD = "/v1.2/food-logs", "/v1.1/logs/foods"
SPAN = {"start": "2026-01-01", "end": "2026-01-31"}
EATEN = "2026-01-05T13:00:00Z"

pytestmark = pytest.mark.reliability


@dataclass(frozen=True)
class Reader:
    """A credential and the person that it speaks for."""

    partner: str
    user: str
    version: str
    headers: dict[str, str]

    @property
    def person(self) -> tuple[str, str]:
        return self.partner, self.user


@dataclass(frozen=True)
class World:
    """Partners with the same user ids, whose logs say whose they are in their names."""

    api: Api
    partners: dict[str, Partner]
    readers: list[Reader]
    owners: dict[str, tuple[str, str]]
    registered: dict[str, str]

    def rows(self) -> list[Any]:
        with self.api.service.database.reading() as connection:
            logs = connection.execute(select(food_log).order_by(food_log.c.id)).all()
            models = connection.execute(select(personal_model)).all()
            people = connection.execute(select(end_user).order_by(end_user.c.id)).all()
            return [*logs, *people, *models]


@pytest.fixture(
    params=[(2, 4, 10), pytest.param((2, 10, 100), marks=pytest.mark.soak)],
    ids=lambda each: "{} partners × {} users × {} logs".format(*each),
)
def world(request: pytest.FixtureRequest, tmp_path: Any) -> Iterator[World]:
    number, users, logs = request.param
    with Api(tmp_path) as api:
        partners = {name: api.partner(name) for name in ("north", "south")[:number]}
        world = World(api, partners, [], {}, {})
        for name, partner in partners.items():
            for user in (f"u-{each}" for each in range(users)):
                world.readers.extend(readers_of(api, name, partner, user))
                for _ in range(logs):
                    log = add(world, name, partner, user)
                    world.owners[log] = (name, user)
            headers = {**partner.headers("/v1.1"), "x-partner-user-id": "u-0"}
            profile = {"profile": {"age": 45, "gender": "female", "height": 66, "weight": 150}}
            made = api.client.post("/v1.1/user", json=profile, headers=headers)
            world.registered[name] = made.json()["user_id"]
            training = wearer_of(api, days=5, rise=2.0).training
            assert api.client.post(TRAIN, json=training, headers=headers).status_code == 200
        yield world


def readers_of(api: Api, name: str, partner: Partner, user: str) -> list[Reader]:
    """The key of each version and a client token, and for good measure one that is misled."""
    now = api.service.clock.now()
    with api.service.database.writing() as connection:
        whose = (partner.id, user, SCOPES, 7200, "test")
        token = tokens.mint(connection, now, *whose).secret
    bearer = {"Authorization": f"Bearer {token}", "Service-End-User-ID": "u-1"}
    key, old_key = partner.headers("/v1.2"), partner.headers("/v1.1")
    return [
        Reader(name, user, "v1.2", {**key, "Service-End-User-ID": user}),
        Reader(name, user, "v1.2", bearer),
        Reader(name, user, "v1.1", {**old_key, "x-partner-user-id": user}),
    ]


def add(world: World, name: str, partner: Partner, user: str) -> str:
    body = {"foods": world.api.body()["foods"], "name": f"{name} {user}", "timestamp_utc": EATEN}
    headers = {**partner.headers(NEW), "Service-End-User-ID": user}
    made = world.api.client.post(NEW, json=body, headers=headers)
    log_id: str = made.json()["id"]
    return log_id


@pytest.mark.timeout(3600)
def test_nobody_reads_changes_or_deletes_what_is_anothers(world):
    """S1: every credential tries every id with every verb, in both versions."""
    before, tried, client = world.rows(), Counter[str](), world.api.client
    for reader in world.readers:
        old = reader.version == "v1.1"
        for log_id, owner in world.owners.items():
            if owner == reader.person:
                continue
            path = f"{OLD if old else NEW}/{log_id}"
            gone = client.delete(path, headers=reader.headers)
            tried["DELETE"] += 1
            if old:
                assert gone.json() == {"status": "deleted"}
                continue
            assert (gone.status_code, gone.content) == (204, b"")
            assert client.get(path, headers=reader.headers).status_code == 404
            change = {"name": "taken over"}
            assert client.patch(path, json=change, headers=reader.headers).status_code == 404
            tried.update(("GET", "PATCH"))
    assert world.rows() == before
    print(f"\nS1: {dict(tried)} of {len(world.readers)} credentials: 0 reached another's log")


def test_a_list_holds_what_is_ones_own_alone(world):
    """S1: of logs, by either version; of users, by partner."""
    client, of = world.api.client, Counter(world.owners.values())
    for reader in world.readers:
        old = reader.version == "v1.1"
        answer = client.get(OLD if old else NEW, params=SPAN, headers=reader.headers).json()
        mine = answer if old else answer["items"]
        assert {log["name"] for log in mine} == {" ".join(reader.person)}
        assert len(mine) == of[reader.person]
    for name, partner in world.partners.items():
        listed = client.get("/v1.1/users", headers=partner.headers("/v1.1")).json()
        assert [user["user_id"] for user in listed] == [world.registered[name]]


def test_a_user_is_nobody_to_another_partner(world):
    """S1: by the UUID of a user: read, changed, deleted, trained, predicted, logged and minted."""
    client, (north, south) = world.api.client, world.partners.values()
    uuid, before = world.registered["north"], world.rows()
    old = {**south.headers("/v1.1"), "x-partner-user-id": uuid}
    profile = {"profile": {"age": 30, "gender": "male", "height": 70, "weight": 170}}
    assert client.get("/v1.1/user", headers=old).status_code == 404
    assert client.patch("/v1.1/user", json=profile, headers=old).status_code == 404
    assert client.delete("/v1.1/user", headers=old).json() == {"status": "deleted"}
    training = wearer_of(world.api, days=5).training
    assert client.post(TRAIN, json=training, headers=old).status_code == 404
    meal = {"nutrients": {"carbohydrate": 50}}
    assert client.post(USER_PREDICT, json=meal, headers=old | ZONE).status_code == 404
    new = {**south.headers(NEW), "Service-End-User-ID": uuid}
    assert client.get(NEW, params=SPAN, headers=new).json() == {"items": []}
    minted = client.post(
        "/v1.2/auth/client-tokens", json={"end_user_id": uuid}, headers=south.headers(NEW)
    ).json()
    bearer = {"Authorization": f"Bearer {minted['token']}"}
    assert client.get(NEW, params=SPAN, headers=bearer).json() == {"items": []}
    assert world.rows() == before
    mine = {**north.headers("/v1.1"), "x-partner-user-id": uuid}
    assert client.get("/v1.1/user", headers=mine).json()["user_id"] == uuid
    assert client.post(USER_PREDICT, json=meal, headers=mine | ZONE).status_code == 200


def test_tokens_of_another_partners_user_are_not_revoked(world):
    """S1: the same end-user id under two partners names two people."""
    client, south = world.api.client, world.partners["south"]
    path = "/v1.2/auth/client-token-revocations"
    answer = client.post(path, json={"end_user_id": "u-0"}, headers=south.headers(path))
    assert answer.json() == {"revoked_count": 1}
    of_token = [each for each in world.readers if "Bearer ct-" in each.headers["Authorization"]]
    served = {
        each.person: client.get(NEW, params=SPAN, headers=each.headers).status_code
        for each in of_token
    }
    refused = {person for person, status in served.items() if status != 200}
    assert refused == {("south", "u-0")}
