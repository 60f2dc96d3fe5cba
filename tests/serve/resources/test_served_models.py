"""The database knows which weights served under which name, and refuses others of that name."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from api_client import Api, VirtualClock, assert_refused
from sqlalchemy import select
from sqlalchemy.exc import OperationalError
from stored_models import LATER, NEXT, SHIPPED, store_with, weights_as
from stored_people import NOW, prepared

import postmeal_serve.service
from postmeal.errors import ModelError
from postmeal.training.registry.promotion import promote
from postmeal_serve.resources.served_models import check_served
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import served_model


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def altered(content: bytes) -> bytes:
    """Weights of the same version whose levels are half a mg/dL higher: credible, yet others."""
    weights = json.loads(content)
    weights["level_mg_dl"] = {k: level + 0.5 for k, level in weights["level_mg_dl"].items()}
    return json.dumps(weights).encode()


def folder_of(folder: Path, content: bytes) -> Path:
    """A folder of a model whose registry pins exactly these weights."""
    (folder / "population").mkdir(parents=True)
    (folder / "population" / "weights.json").write_bytes(content)
    pin = f'[population]\nversion = "1"\nsha256 = "{sha256_of(content)}"\n'
    (folder / "registry.toml").write_text(pin)
    return folder / "population"


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "first", weights_as(NEXT))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The same version, as someone pinned it who can write to the folder."""
    return folder_of(tmp_path / "other", altered(weights_as(NEXT)))


def noted(url: str) -> dict[str, tuple[str, object]]:
    database = Database(url)
    try:
        with database.reading() as connection:
            rows = connection.execute(select(served_model))
            return {row.name: (row.sha256, row.first_served_at) for row in rows}
    finally:
        database.close()


def test_changed_weights_of_a_known_name_are_not_served(
    tmp_path, database_url, first, other, caplog
):
    """S11: although the registry beside them pins them; the name and both hashes are in the log."""
    clock = VirtualClock()
    with Api(tmp_path / "a", clock, database=database_url, model_folder=first) as api:
        assert api.predict(api.body()).headers["x-model-version"] == NEXT
    sha256, began = sha256_of(weights_as(NEXT)), clock.now()
    assert noted(database_url)[NEXT] == (sha256, began)

    clock.advance(3600)
    with Api(tmp_path / "b", clock, database=database_url, model_folder=other) as api:
        assert api.client.get("/readyz").json()["parts"]["model"] == "failing"
        assert_refused(api.predict(api.body()), 503)
    wrong = sha256_of(altered(weights_as(NEXT)))
    assert f"model '{NEXT}' was previously served with different weights" in caplog.text
    assert sha256 in caplog.text
    assert wrong in caplog.text

    with Api(tmp_path / "c", clock, database=database_url, model_folder=first) as api:
        assert api.client.get("/readyz").status_code == 200
    assert noted(database_url)[NEXT] == (sha256, began)


def test_a_promotion_of_changed_weights_leaves_the_model_before_in_service(
    tmp_path, database_url, caplog
):
    """S11, row 473: of a store whose registry was adjusted, too."""
    store = tmp_path / "store"
    store_with(store, NEXT)
    with Api(tmp_path / "service", database=database_url, model_store=store) as api:
        models = api.service.models
        before = models.active
        assert set(noted(database_url)) == {SHIPPED, NEXT}
        content = weights_as(NEXT)
        (store / NEXT / "weights.json").write_bytes(altered(content))
        registry = (store / "registry.toml").read_text()
        changed = registry.replace(sha256_of(content), sha256_of(altered(content)))
        (store / "registry.toml").write_text(changed)
        models.follow()
        assert (models.active, models.is_stale) == (before, True)
        assert api.predict(api.body()).headers["x-model-version"] == NEXT
        assert f"model '{NEXT}' was previously served with different weights" in caplog.text
        (store / "registry.toml").write_text(registry)
        (store / NEXT / "weights.json").write_bytes(content)
        promote(store, weights_as(LATER))
        models.follow()
        assert (models.active.version, models.is_stale) == (LATER, False)
    assert set(noted(database_url)) == {SHIPPED, NEXT, LATER}


@pytest.fixture
def served_before(tmp_path: Path, first: Path) -> Iterator[str]:
    url = f"sqlite:///{tmp_path}/postmeal.sqlite"
    service = Service(Settings(state_dir=tmp_path, database=url, model_folder=first))
    assert service.models.active is not None
    service.close()
    return url


@pytest.mark.parametrize("changed", [False, True])
def test_a_model_is_checked_once_the_database_is_there(
    tmp_path, served_before, first, other, changed, monkeypatch, caplog
):
    """S11: a database that is away at the start makes no model pass unseen."""
    real = postmeal_serve.service.migrate

    def away(database: Database) -> None:
        raise OperationalError("SELECT 1", {}, Exception("away"))

    monkeypatch.setattr(postmeal_serve.service, "migrate", away)
    model = other if changed else first
    service = Service(Settings(state_dir=tmp_path, database=served_before, model_folder=model))
    assert service.failing() == ["database"]
    monkeypatch.setattr(postmeal_serve.service, "migrate", real)
    with caplog.at_level(logging.ERROR):
        asyncio.run(service._do_upkeep())
    assert service.failing() == (["model"] if changed else [])
    assert (service.models.active is None) == changed
    assert ("was previously served with different weights" in caplog.text) == changed
    service.close()


def test_of_two_processes_with_different_weights_one_is_refused(database_url):
    """S11: whichever comes second, at the same moment too."""
    database = prepared(database_url)

    def check(sha256: str) -> bool:
        try:
            check_served(database, NEXT, sha256, NOW)
        except ModelError:
            return False
        return True

    hashes = [f"{number:064x}" for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        passed = list(threads.map(check, hashes))
    assert passed.count(True) == 1
    [(sha256, _)] = noted(database_url).values()
    assert sha256 == hashes[passed.index(True)]
    check_served(database, NEXT, sha256, NOW + timedelta(days=1))
    assert noted(database_url)[NEXT] == (sha256, NOW)
    database.close()
