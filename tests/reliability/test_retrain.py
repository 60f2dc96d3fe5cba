"""Trainings while others predict, trainings that fail, and trainings that are killed."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from api_client import TRAIN, USER_PREDICT
from few_foods import few_foods
from raw_client import RawClient
from real_server import RealServer
from sqlalchemy import select
from synthetic_wearer import EVERYDAY, Wearer

from postmeal import Catalog, Meal, Predictor, Selection
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_personal
from postmeal_serve.storage.tables import personal_model

WORKERS, CLIENTS = 2, 6
ZONE = "America/New_York"

pytestmark = pytest.mark.reliability


class People:
    """Two histories of one user, what the library makes of them, and a meal."""

    def __init__(self, server: RealServer) -> None:
        self.catalog, self.predictor = Catalog.open(), Predictor.load()
        wearers = [
            Wearer(self.catalog, self.predictor, rise=rise, days=days)
            for rise, days in ((2.0, 5), (0.4, 6))
        ]
        self.models = [
            fit_personal(self.predictor, EVERYDAY, each.trace, each.meal_history)
            for each in wearers
        ]
        self.bodies = [json.dumps(each.training).encode() for each in wearers]
        short = Wearer(self.catalog, self.predictor, days=4).training
        still = json.loads(self.bodies[0])
        for reading in still["cgm_data"]:
            reading["value"] = 100
        self.refused = {400: json.dumps(short).encode(), 422: json.dumps(still).encode()}
        self.meal = {"foods": server.old_body["foods"], "startTime": "2026-02-02T08:00:00"}
        self.curves = [self._curve(each) for each in self.models]
        assert self.curves[0] != self.curves[1]

    def _curve(self, model: PersonalModel) -> list[float]:
        foods = (self.catalog.search(words)[0] for words in ("oatmeal", "banana"))
        time = Wearer(self.catalog, self.predictor).next_morning.replace(2026, 2, 2)
        meal = Meal(tuple(Selection.of(each) for each in foods), time)
        prediction = self.predictor.predict(EVERYDAY, meal, personal=model)
        return [round(glucose, 1) for glucose in prediction.glucose_mg_dl]


@pytest.fixture
def server(tmp_path: Path, database_url: str) -> Any:
    given = {"workers": WORKERS, "database": database_url, "food_table": few_foods(tmp_path)}
    with RealServer(tmp_path, **given, log_level="error") as server:
        yield server


def registered(server: RealServer) -> str:
    profile = {"profile": server.old_body["userProfile"]}
    made = server.client.post("/v1.1/user", json=profile, headers=server.headers("v1.1"))
    user: str = made.json()["user_id"]
    return user


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("predictions", [5_000, pytest.param(50_000, marks=pytest.mark.soak)])
def test_every_prediction_is_of_the_model_before_or_after(server, predictions):
    """R15: exactly, whatever is trained meanwhile; a training that fails leaves what was there."""
    people, user = People(server), registered(server)
    seen = asyncio.run(retrain_and_predict(server, people, user, predictions))
    kind = server.settings.database_url.split(":")[0]
    print(f"\nR15 {kind}: {predictions} predictions, {dict(seen)}: 0 of any other model")
    assert min(seen["model 0"], seen["model 1"]) > 20
    assert min(seen["trained"], seen["400"], seen["422"]) > 3


async def retrain_and_predict(
    server: RealServer, people: People, user: str, predictions: int
) -> Counter[str]:
    seen, left = Counter[str](), itertools.count(predictions, -1)
    key, headers = server.keys["v1.1"], {"x_partner_user_id": user}
    done = asyncio.Event()

    async def train() -> None:
        """Train on either history in turns, and fail in between: what is acknowledged is served."""
        async with RawClient(server.port, key) as client:
            for turn in itertools.count():
                answer = await client.ask("POST", TRAIN, people.bodies[turn % 2], **headers)
                assert answer.status == 200, answer
                seen["trained"] += 1
                for status, body in people.refused.items():
                    answer = await client.ask("POST", TRAIN, body, **headers)
                    assert answer.status == status, answer
                    seen[str(status)] += 1
                assert await predicted(client) == turn % 2
                if done.is_set():
                    return
                await asyncio.sleep(0.01)

    async def predicted(client: RawClient) -> int:
        zone = {"x_partner_timezone": ZONE}
        answer = await client.ask("POST", USER_PREDICT, people.meal, **headers, **zone)
        assert answer.status == 200, answer
        return people.curves.index([value for _, value in answer.body["cgp"]])

    async def predict() -> None:
        async with RawClient(server.port, key) as client:
            while next(left) > 0:
                seen[f"model {await predicted(client)}"] += 1

    async with RawClient(server.port, key) as client:
        answer = await client.ask("POST", TRAIN, people.bodies[1], **headers)
        assert answer.status == 200
    async with asyncio.TaskGroup() as group:
        group.create_task(train())
        async with asyncio.TaskGroup() as clients:
            for _ in range(CLIENTS):
                clients.create_task(predict())
        done.set()
    return seen


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kills", [3, pytest.param(200, marks=pytest.mark.soak)])
def test_a_training_that_is_killed_is_whole_or_not_there(server, kills):
    """R5, R15: after a restart the last acknowledged model serves, or the one in flight."""
    people, user, chance = People(server), registered(server), random.Random(kills)
    turns = itertools.count()
    for _ in range(kills):
        possible = asyncio.run(train_until_killed(server, people, user, turns, chance))
        server.start()
        with server.writing() as connection:
            [state] = connection.execute(select(personal_model.c.state)).scalars()
        assert PersonalModel.from_bytes(state) in [people.models[turn % 2] for turn in possible]


async def train_until_killed(
    server: RealServer, people: People, user: str, turns: Any, chance: random.Random
) -> list[int]:
    """Train until the server is gone; the turns whose model may be there afterwards."""
    told = asked = next(turns)
    killing = None
    try:
        async with RawClient(server.port, server.keys["v1.1"]) as client:
            while True:
                body = people.bodies[asked % 2]
                answer = await client.ask("POST", TRAIN, body, x_partner_user_id=user)
                assert answer.status == 200, answer
                told, asked = asked, next(turns)
                if killing is None:
                    await asyncio.sleep(0)
                    delay_s = chance.uniform(0.005, 0.2)
                    killing = asyncio.get_running_loop().call_later(delay_s, server.kill)
    except ConnectionError:
        return [told, asked]
