"""Serving: the promoted model is picked up without a restart, and each answer is of one model."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx2
import pytest
from api_client import CHECKED, PREDICT, Api, assert_refused
from cgm_requests import wearer_of
from few_foods import few_foods
from real_server import RealServer
from stored_models import (
    LATER,
    MISSING,
    NEXT,
    SHIPPED,
    break_promotion,
    curve_of,
    store_with,
    trained,
    version_after,
    weights_as,
)

from postmeal.cli import main
from postmeal.errors import ModelError
from postmeal.glucose.model_store import version_number
from postmeal.glucose.predictor import Predictor
from postmeal.training.registry.mlflow_registry import fetch
from postmeal.training.registry.promotion import promote, retire, rollback
from postmeal_serve.loaded.population_models import Models
from postmeal_serve.settings import Settings
from postmeal_serve.wire.errors import Refusal

WRITES_ITS_MODULES = """
import atexit, os, pathlib, sys
def write():
    path = pathlib.Path(__file__).with_name(f"modules-{os.getpid()}")
    path.write_text("\\n".join(sys.modules))
atexit.register(write)
"""


def eventually(found):
    """Wait until something is so; how long is not what is tested."""
    for _ in range(6000):
        if found():
            return
        time.sleep(0.05)
    raise AssertionError("it never came to be")


def parts(server):
    """What the service says of its parts; both processes are asked, sooner or later."""
    with httpx2.Client(base_url=server.address, verify=False, timeout=60) as client:
        return client.get("/readyz").json()["parts"]


def check_errors(server, workers):
    """Each process logs once that the broken promotion cannot be used."""
    eventually(lambda: server.log().count("cannot be used") >= workers)
    errors = [line for line in server.log().splitlines() if "cannot be used" in line]
    assert len(errors) == workers
    assert all(MISSING in line for line in errors)


def keep_asking(server, body, answers, over):
    """Predict again and again, often on a new connection, which leads to either process."""
    while not over.is_set():
        with httpx2.Client(
            base_url=server.address, event_hooks=CHECKED, verify=False, timeout=60
        ) as client:
            for _ in range(5):
                answer = client.post(PREDICT, json=body, headers=server.headers())
                assert answer.status_code == 200, answer.text
                curve = [point["value"] for point in answer.json()["points"]]
                answers.append((answer.headers["x-model-version"], curve))


@pytest.mark.reliability
def test_every_answer_is_of_one_model_while_others_are_promoted_and_rolled_back(tmp_path):
    """R15, rows 473 and 480: two processes follow, without a restart and without MLflow in them.

    The models come from MLflow's registry by the command. Every answer equals one model in every
    point, and its header says which.
    """
    tracking = f"sqlite:///{tmp_path}/var/mlflow.db"
    store, watch = tmp_path / "store", tmp_path / "watch"
    watch.mkdir()
    (watch / "sitecustomize.py").write_text(WRITES_ITS_MODULES)

    def models(*words):
        assert main(["models", *words, "--store", str(store), "--tracking", tracking]) == 0

    for steps, name in ((10, NEXT), (20, LATER)):
        content = weights_as(version_after(steps))
        assert trained(tmp_path / name, content, tracking) == version_number(name)
    models("promote", SHIPPED)
    predictors = {
        name: Predictor.from_weights(json.loads(fetch(version_number(name), tracking)))
        for name in (SHIPPED, NEXT, LATER)
    }
    with Api(tmp_path / "library") as api:
        body = api.body()
        curves = {name: curve_of(one, body, api.service) for name, one in predictors.items()}
    assert len({tuple(curve) for curve in curves.values()}) == 3

    given = {"model_store": store, "food_table": few_foods(tmp_path)}
    server = RealServer(tmp_path / "server", workers=2, **given)
    server.environment["PYTHONPATH"] = f"{watch}:{server.environment['PYTHONPATH']}"
    (tmp_path / "server").mkdir()
    with server:
        workers, answers, over = server.worker_pids(), [], threading.Event()

        def served(name):
            """Whether all of the next answers are of this model."""
            before = len(answers)
            eventually(lambda: len(answers) > before + 60 or asked_in_vain())
            return {version for version, _ in answers[before:]} == {name}

        def asked_in_vain():
            return any(one.done() for one in asked)

        with ThreadPoolExecutor(3) as pool:
            asked = [pool.submit(keep_asking, server, body, answers, over) for _ in range(3)]
            try:
                eventually(lambda: served(SHIPPED))
                models("promote", NEXT)
                eventually(lambda: served(NEXT))
                models("promote", LATER)
                eventually(lambda: served(LATER))
                models("rollback")
                eventually(lambda: served(NEXT))
                break_promotion(store)
                eventually(lambda: all(parts(server)["model"] == "stale" for _ in range(10)))
                assert served(NEXT)
            finally:
                over.set()
        for one in asked:
            one.result()
        assert server.worker_pids() == workers
        check_errors(server, len(workers))
        assert server.stop() == 0
    assert {version for version, _ in answers} == set(curves)
    assert all(curve == curves[version] for version, curve in answers)
    modules = {int(file.name[8:]): file.read_text() for file in watch.glob("modules-*")}
    assert set(workers) <= set(modules)
    for names in modules.values():
        imported = {name.partition(".")[0] for name in names.splitlines()}
        assert not imported & {"mlflow", "pandas", "sklearn", "scipy", "lightgbm", "matplotlib"}


@pytest.mark.reliability
def test_people_are_served_by_the_model_that_they_were_trained_on_until_it_is_retired(tmp_path):
    store = tmp_path / "store"
    store_with(store, NEXT)
    with Api(tmp_path / "service", model_store=store) as api:
        service = api.service
        assert service.predictor.version == NEXT
        before = service.predictor_for(SHIPPED)
        assert service.predictor_for(SHIPPED) is before
        rollback(store)
        eventually(lambda: service.predictor is before)
        promote(store, weights_as(NEXT))
        retire(store, SHIPPED)
        eventually(lambda: service.predictor.version == NEXT)
        eventually(lambda: not keeps(service, SHIPPED))
        with pytest.raises(Refusal, match=f"{SHIPPED}, which has been retired"):
            service.predictor_for(SHIPPED)
        assert before.version == SHIPPED  # whoever holds it may still use it


def test_a_process_finds_the_model_that_another_was_faster_to_follow(tmp_path):
    """Rows 441 and 460: a model that was just promoted is not reported as retired."""
    store_with(tmp_path)
    slower = Models(store=tmp_path)
    slower.load()
    promote(tmp_path, weights_as(NEXT))
    assert slower.version(NEXT).version == NEXT
    with pytest.raises(ModelError, match="is not available"):
        slower.version(LATER)


def keeps(service, version):
    with suppress(Refusal):
        return service.predictor_for(version).version == version
    return False


def test_without_a_store_the_shipped_model_alone_is_kept(tmp_path):
    with Api(tmp_path) as api:
        assert api.service.predictor_for(SHIPPED) is api.service.predictor
        with pytest.raises(Refusal, match="has been retired; train the user again"):
            api.service.predictor_for(NEXT)


def test_a_store_without_a_model_is_no_reason_to_serve_another(tmp_path):
    """Row 294: 503 until something is promoted, and no restart is needed then."""
    (tmp_path / "store").mkdir()
    with Api(tmp_path / "service", model_store=tmp_path / "store") as api:
        assert api.client.get("/readyz").json()["parts"]["model"] == "failing"
        assert_refused(api.predict(api.body()), 503)
        promote(tmp_path / "store", weights_as(NEXT))
        eventually(lambda: api.client.get("/readyz").status_code == 200)
        answer = api.predict(api.body())
        assert answer.headers["x-model-version"] == NEXT


def test_what_was_promoted_but_cannot_be_read_leaves_the_model_before(tmp_path, caplog):
    """Row 473: said once, tried again, and healed by the next promotion."""
    store_with(tmp_path, NEXT)
    models = Models(store=tmp_path)
    models.load()
    serving = models.active
    break_promotion(tmp_path)
    for _ in range(3):
        models.follow()
    assert (models.active, models.is_stale) == (serving, True)
    assert [record.getMessage() for record in caplog.records] == [
        "a population model cannot be used; other models stay in use:"
        f" {tmp_path}/{MISSING}/weights.json cannot be read:"
        f" [Errno 2] No such file or directory: '{MISSING}'"
    ]
    (tmp_path / "registry.toml").unlink()
    models.follow()
    assert (models.active, models.is_stale) == (serving, True)
    promote(tmp_path, weights_as(LATER))
    models.follow()
    assert models.active is not None
    assert (models.active.version, models.is_stale) == (LATER, False)


def test_a_kept_model_that_was_tampered_with_stops_no_other(tmp_path, caplog):
    """Row 473: it is found again once it is as it was."""
    store_with(tmp_path, NEXT)
    weights = tmp_path / SHIPPED / "weights.json"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-2])
    models = Models(store=tmp_path)
    models.load()
    models.follow()
    assert models.active is not None
    assert (models.active.version, models.is_stale) == (NEXT, True)
    assert len(caplog.records) == 1
    with pytest.raises(ModelError, match="is not available"):
        models.version(SHIPPED)
    weights.write_bytes(whole)
    models.follow()
    assert (models.version(SHIPPED).version, models.is_stale) == (SHIPPED, False)


def test_who_was_trained_on_a_model_that_cannot_be_read_is_not_told_to_train_again(tmp_path):
    """Rows 294, 435: 503 while it is damaged, 400 once it is retired."""
    store = tmp_path / "store"
    store_with(store)
    body = {"nutrients": {"carbohydrate": 30}}
    with Api(tmp_path / "service", model_store=store) as api:
        user = api.register()
        assert api.train(user, wearer_of(api).training).status_code == 200
        assert api.predict_user(user, body).headers["x-model-version"].startswith(SHIPPED)
    promote(store, weights_as(NEXT))
    weights = store / SHIPPED / "weights.json"
    weights.write_bytes(weights.read_bytes()[:-2])
    with Api(tmp_path / "service", model_store=store) as api:
        assert_refused(api.predict_user(user, body), 503, SHIPPED)
        retire(store, SHIPPED)
        eventually(lambda: not api.service.models.is_stale)
        assert_refused(api.predict_user(user, body), 400, "train the user again")


def test_one_model_and_a_store_cannot_both_be_set(tmp_path):
    with pytest.raises(ValueError, match="cannot be set together with POSTMEAL_MODEL_FOLDER"):
        Settings(model_folder=tmp_path, model_store=tmp_path)
