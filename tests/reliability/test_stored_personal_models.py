"""Stored personal models: of an earlier model, altered, and what is planted in their place."""

import hashlib
import json
import os
import pickle
import random
from typing import Any

import pytest
from api_client import Api, assert_refused
from cgm_requests import wearer_of
from golden import reference, scenarios
from sqlalchemy import select, update

from postmeal.assets import asset
from postmeal.glucose.population.weights import read_weights
from postmeal_serve.storage.tables import personal_model

MEAL = {"nutrients": {"carbohydrate": 60}, "startTime": "2026-02-02T08:00:00"}

pytestmark = pytest.mark.reliability


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A service with one trained user."""
    with Api(tmp_path_factory.mktemp("trained")) as api:
        user = api.register()
        assert api.train(user, wearer_of(api, rise=2.0).training).status_code == 200
        yield api, user


def stored(api: Api) -> bytes:
    with api.service.database.reading() as connection:
        state: bytes = connection.execute(select(personal_model.c.state)).scalar_one()
        return state


def plant(api: Api, state: bytes, **others: str) -> None:
    with api.service.database.writing() as connection:
        connection.execute(update(personal_model).values(state=state, **others))


def test_a_flipped_byte_is_refused_200_times_of_200(trained, caplog):
    """S11, row 473: 503 and a line in the log that names no user; never the population's answer."""
    api, user = trained
    state, chance, refused = stored(api), random.Random(200), 0
    for place in [*range(100), *chance.sample(range(100, len(state)), 100)]:
        flipped = bytearray(state)
        flipped[place] ^= chance.randrange(1, 256)
        plant(api, bytes(flipped))
        caplog.clear()
        assert_refused(api.predict_user(user, MEAL), 503, "train the user again")
        assert any("personal model cannot be read" in each for each in caplog.messages)
        assert user not in caplog.text
        refused += 1
    plant(api, state)
    assert api.predict_user(user, MEAL).status_code == 200
    print(f"\nS11: {refused} of 200 flipped bytes of a state of {len(state)} refused")


class Planted:
    """What runs when it is unpickled."""

    def __init__(self, path: object) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return os.mkdir, (self.path, 0o700)


def test_a_planted_pickle_never_runs(trained, tmp_path):
    """S11: bare, behind our head, and behind our head with a true hash."""
    api, user = trained
    state, trap = stored(api), tmp_path / "ran"
    head = state.partition(b"\n")[0]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        planted = pickle.dumps(Planted(trap), protocol)
        for content in (planted, head + b"\n" + planted, planted + b"\n" + state):
            plant(api, content)
            assert_refused(api.predict_user(user, MEAL), 503)
    assert not trap.exists()
    pickle.loads(planted)
    assert trap.exists()  # it would have run
    plant(api, state)


def stored_by_population_3(number: int) -> dict[str, Any]:
    """Return the values of a made-up state in the format that population-3 stored."""
    return scenarios.person(
        number,
        base="population-3",
        state=("normal", "prediabetes", "type_2", "type_1")[number % 4],
        sensor=(None, "Dexcom G6", "FreeStyle Libre 2")[number % 3],
        n_days=2 + number % 9,
        drift_mg_dl=number % 11 - 5.0,
        last_day=20_486 - number % 40,
        scale_mg_dl=14.0 + number % 20,
        low_mg_dl=68.0,
        high_mg_dl=190.0,
        personal_rmse_mg_dl=21.5 + number % 7,
        response_rmse_mg_dl=22.5 + number % 6,
    )


@pytest.mark.parametrize("active", ["population", "population-4"])
def test_a_hundred_states_of_population_3_answer_with_the_same_numbers(tmp_path, active):
    """Item of stored states: the golden reference gives the numbers; no user is asked to train."""
    weights = read_weights(asset("models/population"))
    case = {
        "health_conditions": ["prediabetes"],
        "foods": [
            {"grams": 100, "carbs_g": 60.0, "fiber_g": None, "protein_g": None, "fat_g": None}
        ],
        "time": MEAL["startTime"],
        **dict.fromkeys(("sensor", "minutes", "start_mg_dl", "since_meal_h")),
    }
    with Api(tmp_path, model_folder=asset(f"models/{active}")) as api:
        assert active in ("population", api.service.models.active.version)
        user = api.register()
        assert api.train(user, wearer_of(api).training).status_code == 200
        for values in map(stored_by_population_3, range(100)):
            body = json.dumps(values, separators=(",", ":"))
            digest = hashlib.sha256(body.encode()).hexdigest()
            state = f"postmeal-personal 1 {digest}\n{body}".encode()
            plant(api, state, base="population-3")
            answer = api.predict_user(user, MEAL)
            assert answer.status_code == 200, answer.text
            curve = [value for _, value in answer.json()["cgp"]]
            expected = reference.predict(weights, case | {"personal": values})
            assert curve == pytest.approx(expected["glucose_mg_dl"], abs=0.051)
            version = "population-3 personal" if expected["is_personal"] else "population-3"
            assert answer.headers["x-model-version"].startswith(version)
