"""Promotion: a killed process, a race or a model that is none leaves a store that serves."""

import hashlib
import json
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

import pytest
from stored_models import (
    LATER,
    NEXT,
    SHIPPED,
    active_version,
    store_with,
    version_after,
    weights_as,
)

from postmeal.errors import ModelError
from postmeal.glucose.model_store import ModelStore
from postmeal.glucose.population.states import STATES
from postmeal.training.registry import promotion
from postmeal.training.registry.promotion import (
    check_sanity,
    promote,
    retire,
    rollback,
    shipped_content,
)

REFUSED = r"are damaged|failed the|cannot predict"

KILLED_AT_EVERY_LINE = """
import json, os, shutil, signal, sys
from pathlib import Path
from postmeal.glucose import model_store
from postmeal.training.registry import atomic_file, promotion
from postmeal.training.registry.mlflow_registry import fetch

start, folder, action, given = json.loads(sys.argv[1])
given = [one.encode() if action == "promote" else one for one in given]
watched = {promotion.__file__, model_store.__file__, atomic_file.__file__}
promotion.check_sanity = lambda model: None  # it is tried elsewhere, and long to watch

def die_at(line):
    def trace(frame, event, argument):
        nonlocal line
        code = frame.f_code
        if code.co_filename not in watched:
            return None
        if event == "line":
            line -= 1
            if line < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)

killed = 0
while True:
    store = Path(folder, str(killed))
    shutil.copytree(start, store)
    child = os.fork()
    if not child:
        die_at(killed)
        getattr(promotion, action)(store, *given)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0, status
        break
    killed += 1
print(killed)
"""


def killed_at_every_line(tmp_path, start, action, *given):
    """Folders of stores, each left by a process that was killed one line later than the last."""
    folder = tmp_path / action
    folder.mkdir()
    told = json.dumps([str(start), str(folder), action, given])
    command = [sys.executable, "-c", KILLED_AT_EVERY_LINE, told]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return [folder / str(number) for number in range(int(done.stdout) + 1)]


@pytest.mark.reliability
def test_a_promotion_that_is_killed_leaves_the_old_model_or_the_new_one(tmp_path):
    """S11: after every line of the promotion, and the next promotion goes through."""
    store_with(tmp_path / "start", NEXT)
    content = weights_as(LATER)
    left = killed_at_every_line(tmp_path, tmp_path / "start", "promote", content.decode())
    assert len(left) > 50
    found = [active_version(folder) for folder in left]
    assert found == sorted(found)
    assert set(found) == {NEXT, LATER}
    for folder in left[::10]:
        assert promote(folder, content).active == LATER
        assert rollback(folder).active == NEXT


@pytest.mark.reliability
def test_a_first_promotion_that_is_killed_leaves_no_store_or_the_new_model(tmp_path):
    (tmp_path / "start").mkdir()
    given = weights_as(LATER).decode()
    left = killed_at_every_line(tmp_path, tmp_path / "start", "promote", given)
    found = [active_version(one) for one in left if (one / "registry.toml").exists()]
    assert set(found) == {LATER}
    assert len(found) < len(left)
    for folder in left[::10]:
        assert promote(folder, weights_as(LATER)).earlier == (SHIPPED,)


@pytest.mark.reliability
def test_a_rollback_that_is_killed_leaves_the_old_model_or_the_new_one(tmp_path):
    store_with(tmp_path / "start", NEXT)
    found = [
        active_version(folder)
        for folder in killed_at_every_line(tmp_path, tmp_path / "start", "rollback")
    ]
    assert found == sorted(found, reverse=True)
    assert set(found) == {SHIPPED, NEXT}


@pytest.mark.reliability
def test_a_retirement_that_is_killed_keeps_what_is_in_service(tmp_path):
    store_with(tmp_path / "start", NEXT)
    for folder in killed_at_every_line(tmp_path, tmp_path / "start", "retire", SHIPPED):
        assert active_version(folder) == NEXT
        with suppress(ModelError):
            retire(folder, SHIPPED)
        assert [*ModelStore(folder).registry().sha256] == [NEXT]


def test_what_the_registry_names_is_on_disk_before_it_is_named(tmp_path, monkeypatch):
    """A power cut is no kill: files and folders are synced, in this order."""
    store_with(tmp_path, NEXT)
    done = []
    sync, swap = promotion.os.fsync, promotion.os.replace

    def synced(opened):
        place = promotion.Path(f"/proc/self/fd/{opened}").readlink()
        done.append(("sync", place.relative_to(tmp_path.parent).as_posix()))
        sync(opened)

    def swapped(new, path):
        done.append(("swap", path.relative_to(tmp_path.parent).as_posix()))
        swap(new, path)

    monkeypatch.setattr(promotion.os, "fsync", synced)
    monkeypatch.setattr(promotion.os, "replace", swapped)
    promote(tmp_path, weights_as(LATER))
    here = tmp_path.name
    assert done == [
        ("sync", f"{here}/{LATER}/.weights.json.part"),
        ("swap", f"{here}/{LATER}/weights.json"),
        ("sync", f"{here}/{LATER}"),
        ("sync", here),
        ("sync", f"{here}/.registry.toml.part"),
        ("swap", f"{here}/registry.toml"),
        ("sync", here),
    ]


@pytest.mark.reliability
def test_promotions_that_race_all_count(tmp_path):
    """Eight processes at once: every version is kept, none is lost from what was before."""
    names = [version_after(steps) for steps in range(1, 9)]
    code = (
        "import sys; from pathlib import Path;"
        "from postmeal.training.registry.promotion import promote;"
        "promote(sys.argv[1], Path(sys.argv[2]).read_bytes())"
    )
    racing = []
    for name in names:
        file = tmp_path / f"{name}.json"
        file.write_bytes(weights_as(name))
        command = [sys.executable, "-c", code, str(tmp_path / "store"), str(file)]
        racing.append(subprocess.Popen(command))
    assert [one.wait(timeout=500) for one in racing] == [0] * len(racing)
    registry = ModelStore(tmp_path / "store").registry()
    everything = {SHIPPED, *names}
    assert set(registry.sha256) == everything
    assert {registry.active, *registry.earlier} == everything
    assert len(registry.earlier) == len(everything) - 1
    for name, sha256 in registry.sha256.items():
        ModelStore(tmp_path / "store").load(name, sha256)


def test_rolling_back_goes_back_step_by_step(tmp_path):
    store_with(tmp_path, NEXT, LATER)
    promote(tmp_path, weights_as(NEXT))
    assert ModelStore(tmp_path).registry().earlier == (SHIPPED, LATER)
    assert rollback(tmp_path).active == LATER
    assert rollback(tmp_path).active == SHIPPED
    with pytest.raises(ModelError, match="no model was active before"):
        rollback(tmp_path)
    with pytest.raises(ModelError, match="is active"):
        retire(tmp_path, SHIPPED)


def test_a_version_never_changes(tmp_path):
    store_with(tmp_path, NEXT)
    with pytest.raises(ModelError, match="versions are never reused"):
        promote(tmp_path, weights_as(NEXT, level_mg_dl=dict.fromkeys(("normal",), 1.0)))
    with pytest.raises(ModelError, match="versions are never reused"):
        promote(tmp_path, weights_as(SHIPPED))


def test_a_model_that_was_lost_can_be_retired(tmp_path):
    store_with(tmp_path, NEXT, LATER)
    shutil.rmtree(tmp_path / NEXT)
    assert NEXT not in retire(tmp_path, NEXT).sha256
    assert active_version(tmp_path) == LATER


def test_a_retired_number_is_never_another_models(tmp_path):
    """A person's model names the version that it corrects, and would correct the wrong one."""
    store_with(tmp_path, NEXT, LATER)
    retire(tmp_path, NEXT)
    with pytest.raises(ModelError, match=f"has contained a different model '{NEXT}'"):
        promote(
            tmp_path, weights_as(NEXT, level_mg_dl=json.loads(shipped_content())["level_mg_dl"])
        )
    registry = promote(tmp_path, weights_as(NEXT))
    assert (registry.active, registry.retired) == (NEXT, {})
    assert active_version(tmp_path) == NEXT


def test_promoting_a_model_again_heals_what_was_lost(tmp_path):
    store_with(tmp_path, NEXT)
    shutil.rmtree(tmp_path / NEXT)
    promote(tmp_path, weights_as(NEXT))
    assert active_version(tmp_path) == NEXT


def spoiled(**changes):
    """The shipped coefficients, some of them changed."""
    weights = json.loads(shipped_content())
    return {"population": {**weights["population"], **changes}}


def spoiled_prior(**changes):
    """The shipped prior of personal models, some of it changed."""
    return {"personal": {**json.loads(shipped_content())["personal"], **changes}}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "changed",
    [
        spoiled(log_gain=[float("nan")] * 4),
        spoiled(log_gain=[-1e9] * 4),
        spoiled(saturation_g=[0.0] * 4),
        spoiled(saturation_g="60"),
        {"population": {}},
        {"level_mg_dl": {}},
        {"level_mg_dl": dict.fromkeys(STATES, 1e9)},
        {"sensors": None},
        {"start": {**json.loads(shipped_content())["start"], "slope": [float("nan")] * 9}},
        spoiled_prior(noise=[[float("nan")] * 9] * 9),
        spoiled_prior(noise=[[0.0] * 9] * 9),
        spoiled_prior(shapes=[[1.0] * 5] * 3),
        spoiled_prior(day_variance=0.0),
        spoiled_prior(typical_error_mg_dl={}),
    ],
)
@pytest.mark.filterwarnings("ignore")  # numpy's, on numbers that are none
def test_a_model_that_does_not_predict_is_not_promoted(tmp_path, changed):
    store_with(tmp_path, NEXT)
    with pytest.raises(ModelError, match=REFUSED):
        promote(tmp_path, weights_as(LATER, **changed))
    assert active_version(tmp_path) == NEXT
    assert LATER not in ModelStore(tmp_path).registry().sha256


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"level_mg_dl": dict.fromkeys(STATES, 1e9)}, "failed the plausibility check"),
        (spoiled_prior(typical_error_mg_dl={}), "are damaged"),
    ],
)
def test_a_model_that_does_not_predict_is_not_rolled_back_to(tmp_path, changed, problem):
    """This also holds if the registry pins its bytes, as after an earlier release."""
    store = store_with(tmp_path, NEXT, LATER)
    content = weights_as(NEXT, **changed)
    (tmp_path / NEXT / "weights.json").write_bytes(content)
    registry = store.registry()
    pinned = {**registry.sha256, NEXT: hashlib.sha256(content).hexdigest()}
    (tmp_path / "registry.toml").write_bytes(replace(registry, sha256=pinned).content())
    with pytest.raises(ModelError, match=problem):
        rollback(tmp_path)
    assert active_version(tmp_path) == LATER


def test_the_shipped_model_passes(tmp_path):
    registry = store_with(tmp_path).registry()
    check_sanity(ModelStore(tmp_path).load(SHIPPED, registry.sha256[SHIPPED]))
