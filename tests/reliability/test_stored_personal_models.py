"""Stored personal models that were altered, and what is planted in their place."""

import os
import pickle
import random

import pytest
from api_client import Api, assert_refused
from cgm_requests import wearer_of
from sqlalchemy import select, update

from serve.storage.tables import personal_model

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


def plant(api: Api, state: bytes) -> None:
    with api.service.database.writing() as connection:
        connection.execute(update(personal_model).values(state=state))


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
