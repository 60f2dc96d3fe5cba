"""Models that were trained: registered in MLflow, kept in a store, refused when touched."""

import hashlib
import json
import os
import pickle
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_models import (
    LATER,
    NEXT,
    SHIPPED,
    active_version,
    store_with,
    trained,
    weights_as,
)

from postmeal.cli import main
from postmeal.errors import InputError, ModelError
from postmeal.glucose.model_store import StoreRegistry, version_number
from postmeal.glucose.predictor import Predictor
from postmeal.training.registry.mlflow_registry import (
    REGISTERED,
    attach_card,
    fetch,
    registered_versions,
)
from postmeal.training.registry.mlflow_runs import record_cohort, record_run, tracking_client
from postmeal.training.registry.promotion import promote, shipped_content

FIRST = version_number(SHIPPED)
SECOND = version_number(NEXT)
NAMES = st.integers(1, 999).map(lambda number: f"population-{number}")


@pytest.fixture(scope="module")
def tracking(tmp_path_factory):
    """MLflow on a fresh SQLite file, with one model trained: the version after the shipped one."""
    folder = tmp_path_factory.mktemp("mlflow")
    tracking = f"sqlite:///{folder}/var/mlflow.db"
    assert trained(folder / "trained", weights_as("population-7"), tracking) == SECOND
    return tracking


def files_of_runs(tracking: str) -> list[Path]:
    """Every file that MLflow keeps with its runs."""
    artifacts = Path(tracking.removeprefix("sqlite:///")).parent / "mlartifacts"
    return [file for file in artifacts.rglob("*") if file.is_file()]


@pytest.mark.reliability
def test_the_first_version_is_the_shipped_model_and_the_next_what_was_trained(tracking):
    """Row 473: a version is a run, plain weights that say its number, and their hash."""
    first, second, *_ = registered_versions(tracking)
    assert (first.number, second.number) == (FIRST, SECOND)
    assert fetch(FIRST, tracking) == shipped_content()
    assert first.sha256 == hashlib.sha256(shipped_content()).hexdigest()
    assert first.is_champion
    weights = json.loads(fetch(SECOND, tracking))
    assert weights == json.loads(weights_as("population-7")) | {"version": str(SECOND)}
    assert second.sha256 == hashlib.sha256(fetch(SECOND, tracking)).hexdigest()
    run = tracking_client(tracking).get_run(second.run_id)
    assert (run.info.status, run.data.params["sets"]) == ("FINISHED", "5")


def test_the_same_weights_are_never_registered_twice(tracking, tmp_path):
    assert trained(tmp_path / "shipped", shipped_content(), tracking) == FIRST
    assert trained(tmp_path / "again", weights_as("population-7"), tracking) == SECOND
    other_machine = json.loads(weights_as("population-7"))["population"]
    other_machine["log_gain"] = [gain * (1 + 1e-7) for gain in other_machine["log_gain"]]
    almost = weights_as("population-7", population=other_machine)
    assert trained(tmp_path / "almost", almost, tracking) == SECOND
    assert len(registered_versions(tracking)) == 2


@pytest.mark.reliability
def test_a_release_that_takes_the_number_of_a_trained_model_hides_neither(tmp_path, capsys):
    """In a database that is older than the release, the shipped number is another model's."""
    tracking = f"sqlite:///{tmp_path}/mlflow.db"
    (tmp_path / "mine").mkdir()
    mine = tmp_path / "mine" / "weights.json"
    mine.write_bytes(weights_as(SHIPPED))
    client = tracking_client(tracking)
    client.create_registered_model(REGISTERED)
    run_id = record_run("train", parameters={}, metrics={}, files=mine.parent, tracking=tracking)
    source = client.get_run(run_id).info.artifact_uri
    for _ in range(FIRST):
        made = client.create_model_version(REGISTERED, source, run_id)
    sha256 = hashlib.sha256(mine.read_bytes()).hexdigest()
    client.set_model_version_tag(REGISTERED, made.version, "sha256", sha256)

    with pytest.raises(ModelError, match="train again to get a new one"):
        promote(tmp_path / "store", fetch(FIRST, tracking))
    place = ["--store", str(tmp_path / "store"), "--tracking", tracking]
    assert main(["models", "promote", str(FIRST), *place]) == 0
    said = capsys.readouterr().out
    assert (
        f"champion alias was not changed: the weights of {SHIPPED} in MLflow are missing or" in said
    )
    assert not any(one.is_champion for one in registered_versions(tracking))
    assert trained(tmp_path / "again", weights_as(SHIPPED), tracking) == SECOND
    assert client.get_registered_model(REGISTERED).description
    assert main(["models", "promote", str(SECOND), *place]) == 0
    assert [one.number for one in registered_versions(tracking) if one.is_champion] == [SECOND]


@pytest.mark.reliability
def test_mlflow_keeps_plain_files_and_knows_nobody(tracking):
    """No pickle and no stage; no user's name, no path, no command line."""
    allowed = {".json", ".md", ".png", ".toml", ".yaml", ".txt"}
    files = files_of_runs(tracking)
    assert {file.suffix for file in files if file.name != "MLmodel"} <= allowed
    client = tracking_client(tracking)
    for version in client.search_model_versions(f"name = '{REGISTERED}'"):
        assert version.current_stage in (None, "None")
    for run in client.search_runs([client.get_experiment_by_name("postmeal").experiment_id]):
        assert set(run.data.tags) <= {
            "mlflow.runName",
            "mlflow.source.name",
            "mlflow.source.type",
            "mlflow.source.git.commit",
            "mlflow.source.git.dirty",
            "mlflow.note.content",
            "registered_version",
        }
        assert run.data.tags["mlflow.source.name"] == "postmeal"
        assert run.info.user_id in (None, "", "unknown")


def test_a_cohort_is_one_run_with_aggregates_and_plots_and_no_table_of_people(tracking, tmp_path):
    (tmp_path / "gain.png").write_bytes(b"\x89PNG")
    (tmp_path / "people.parquet").write_bytes(b"a row a person")
    run_id = record_cohort(
        "cohort",
        parameters={"backend": "loky"},
        aggregates={"users": 1000.0, "rise_rmse_mg_dl/median": 23.0},
        plots=tmp_path,
        tracking=tracking,
    )
    client = tracking_client(tracking)
    assert client.get_run(run_id).data.metrics["users"] == 1000
    assert [one.path for one in client.list_artifacts(run_id)] == ["gain.png"]


def test_a_card_is_attached_to_the_version_that_it_describes(tracking, tmp_path):
    (tmp_path / "weights.json").write_bytes(fetch(SECOND, tracking))
    assert attach_card(tmp_path, "the run", tracking) == SECOND
    version = tracking_client(tracking).get_model_version(REGISTERED, str(SECOND))
    assert version.tags["card_run"] == "the run"
    (tmp_path / "weights.json").write_bytes(weights_as("population-70"))
    assert attach_card(tmp_path, "the run", tracking) is None


@pytest.mark.reliability
def test_a_version_registered_as_bare_weights_by_an_earlier_release_can_be_promoted(tmp_path):
    tracking = f"sqlite:///{tmp_path}/mlflow.db"
    trained(tmp_path / "trained", weights_as(NEXT), tracking)
    client = tracking_client(tracking)
    content = weights_as(LATER)
    (tmp_path / "weights.json").write_bytes(content)
    files = [tmp_path / "weights.json"]
    run_id = record_run("train", parameters={}, metrics={}, files=files, tracking=tracking)
    source = client.get_run(run_id).info.artifact_uri
    made = client.create_model_version(REGISTERED, source, run_id)
    sha256 = hashlib.sha256(content).hexdigest()
    client.set_model_version_tag(REGISTERED, made.version, "sha256", sha256)
    assert version_number(LATER) == int(made.version)
    assert fetch(int(made.version), tracking) == content


@pytest.mark.reliability
def test_weights_altered_inside_mlflow_are_refused_on_the_way_out(tmp_path):
    """Row 473, S11."""
    tracking = f"sqlite:///{tmp_path}/mlflow.db"
    number = trained(tmp_path / "trained", weights_as(LATER), tracking)
    said = b'"version": "%d"' % number
    weights = [file for file in files_of_runs(tracking) if file.name == "weights.json"]
    altered = [file for file in weights if said in file.read_bytes()]
    altered[0].write_bytes(altered[0].read_bytes().replace(said, b'"version": "999"'))
    with pytest.raises(ModelError, match="were changed"):
        fetch(number, tracking)
    altered[0].unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        fetch(number, tracking)
    with pytest.raises(ModelError, match="no version 999"):
        fetch(999, tracking)


def test_a_version_whose_registration_was_broken_off_cannot_be_promoted(tracking, tmp_path):
    client = tracking_client(tracking)
    run_id = registered_versions(tracking)[1].run_id
    source = client.get_run(run_id).info.artifact_uri
    made = client.create_model_version(REGISTERED, source, run_id)
    try:
        with pytest.raises(ModelError, match="were changed"):
            fetch(made.version, tracking)
    finally:
        client.delete_model_version(REGISTERED, str(made.version))


def test_an_address_that_mlflow_cannot_use_is_named():
    with pytest.raises(InputError, match="tracking must be a URI"):
        tracking_client("nonsense://here")


def test_the_command_promotes_rolls_back_and_retires(tracking, tmp_path, capsys):
    """The champion alias follows the active model."""

    def models(*words: str) -> str:
        place = ["--store", str(tmp_path / "store"), "--tracking", tracking]
        assert main(["models", *words, *place]) == 0
        return capsys.readouterr().out

    def champion() -> list[int]:
        return [one.number for one in registered_versions(tracking) if one.is_champion]

    assert f"{NEXT} is now active" in models("promote", str(SECOND))
    assert (active_version(tmp_path / "store"), champion()) == (NEXT, [SECOND])
    assert f"rolled back; {SHIPPED} is now active" in models("rollback")
    assert (active_version(tmp_path / "store"), champion()) == (SHIPPED, [FIRST])
    models("promote", NEXT)
    lines = models("list").splitlines()
    assert lines[1].split()[:2] == [SHIPPED, "previous"]
    assert lines[2].split()[:2] == [NEXT, "active"]
    assert lines[2].endswith("champion")
    models("retire", str(FIRST))
    assert not (tmp_path / "store" / SHIPPED).exists()
    assert f"{SHIPPED:<16}–" in models("list")


def test_a_model_is_promoted_from_its_folder_without_mlflow(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store_with(tmp_path / "elsewhere", LATER)
    folder = str(tmp_path / "elsewhere" / LATER)
    number = version_number(LATER)
    assert main(["models", "promote", str(number), "--folder", folder]) == 0
    assert active_version(tmp_path / "var/models") == LATER
    assert not (tmp_path / "var/mlflow.db").exists()
    assert main(["models", "promote", str(number + 1), "--folder", folder]) == 2
    assert (
        f"version must be {LATER}, the version of the weights in the folder"
        in capsys.readouterr().err
    )


def test_a_version_that_is_nowhere_is_refused_with_all_places(
    tracking, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    places = f"neither in the store var/models, nor the shipped model (version {FIRST}), nor in"
    assert main(["models", "promote", "999"]) == 2
    missing = f"{places} MLflow (sqlite:///var/mlflow.db, which does not exist); check the number"
    assert missing in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["models", "promote", "999", "--tracking", tracking]) == 2
    registered = f"{places} MLflow ({tracking}, registered versions: {FIRST}, {SECOND}"
    assert registered in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rollback"], "no model store"),
        (["retire", "1"], "no model store"),
        (["promote", "one"], "version must be a model number such as 2, got 'one'"),
        (["promote", "../1"], "version must be a model number"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(words, said, tmp_path, capsys):
    assert main(["models", *words, "--store", str(tmp_path / "none")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not (tmp_path / "none").exists()


@given(
    kept=st.dictionaries(NAMES, st.binary(max_size=9).map(lambda b: hashlib.sha256(b).hexdigest())),
    choice=st.randoms(use_true_random=False),
)
def test_a_registry_says_what_was_written(kept, choice):
    kept = kept or {"population-1": "0" * 64}
    names = choice.sample(sorted(kept), choice.randint(1, len(kept)))
    registry = StoreRegistry(names[0], tuple(names[1:]), kept)
    assert StoreRegistry.parse(registry.content()) == registry


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b'active = "population-1"\nearlier = []\n',
        b'active = "population-1"\nearlier = 3\n[population-1]\nsha256 = ""\n',
        b'active = "population-1"\nearlier = []\n[population-1]\nversion = "1"\n',
        b'active = "population-1"\nearlier = ["population-2"]\n[population-1]\nsha256 = "0"\n',
        b'active = "../1"\nearlier = []\n["../1"]\nsha256 = "0"\n',
    ],
)
def test_what_is_no_registry_is_refused(content):
    with pytest.raises(ModelError, match=r"registry\.toml|must have the form population-NUMBER"):
        StoreRegistry.parse(content)


def test_a_flipped_byte_of_the_weights_is_refused_200_times_of_200(tmp_path):
    """Row 473, S11: any bit of any byte, and the file cut or lengthened."""
    store = store_with(tmp_path, NEXT)
    sha256 = store.registry().sha256[NEXT]
    file, chance = tmp_path / NEXT / "weights.json", random.Random(11)
    released, refused = file.read_bytes(), 0
    changed = [released[:-1], released + b" ", b""]
    while len(changed) < 200:
        flipped = bytearray(released)
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        changed.append(bytes(flipped))
    for content in changed:
        file.write_bytes(content)
        with pytest.raises(ModelError, match="were changed"):
            store.load(NEXT, sha256)
        refused += 1
    assert refused == 200
    file.write_bytes(released)
    assert store.load(NEXT, sha256).version == NEXT


class _Planted:
    """What runs, where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def test_a_planted_pickle_never_runs(tmp_path):
    """S11: beside the weights, in their place, and pinned by its own hash."""
    planted = pickle.dumps(_Planted(tmp_path / "ran"))
    store = store_with(tmp_path / "store", NEXT)
    registry = store.registry()
    folder = tmp_path / "store" / NEXT
    for name in ("model.pkl", "python_model.pkl", "MLmodel", "weights.pkl"):
        (folder / name).write_bytes(planted)
    assert active_version(tmp_path / "store") == NEXT
    (folder / "weights.json").write_bytes(planted)
    with pytest.raises(ModelError, match="were changed"):
        store.load(NEXT, registry.sha256[NEXT])
    with pytest.raises(ModelError, match="not a JSON object"):
        store.load(NEXT, hashlib.sha256(planted).hexdigest())
    with pytest.raises(ModelError, match="not a JSON object"):
        promote(tmp_path / "store", planted)
    assert not (tmp_path / "ran").exists()
    pickle.loads(planted)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("linked", [NEXT, f"{NEXT}/weights.json", "registry.toml"])
def test_nothing_is_read_through_a_link_out_of_the_store(tmp_path, linked):
    """Row 473: even where the hash would be right."""
    store = store_with(tmp_path / "store", NEXT)
    sha256 = store.registry().sha256[NEXT]
    place = tmp_path / "store" / linked
    outside = place.rename(tmp_path / "outside")
    place.symlink_to(outside)
    read = {"registry.toml": store.registry}.get(linked, lambda: store.load(NEXT, sha256))
    with pytest.raises(ModelError, match="cannot be read"):
        read()


@pytest.mark.parametrize("name", ["../outside", "population-2/../../outside", "/etc", "weights"])
def test_a_name_that_leads_out_of_the_store_is_none(tmp_path, name):
    """Row 473."""
    store = store_with(tmp_path, NEXT)
    with pytest.raises(ModelError, match="must have the form population-NUMBER"):
        store.load(name, "0" * 64)
    version = name.removeprefix("population-")
    with pytest.raises(ModelError, match="must have the form population-NUMBER"):
        promote(tmp_path, weights_as(NEXT, version=version))


def test_what_is_no_plain_file_is_refused_and_not_waited_for(tmp_path):
    store = store_with(tmp_path, NEXT)
    sha256 = store.registry().sha256[NEXT]
    weights = tmp_path / NEXT / "weights.json"
    weights.unlink()
    os.mkfifo(weights)
    with pytest.raises(ModelError, match="not a regular file"):
        store.load(NEXT, sha256)


def test_weights_under_the_name_of_another_version_are_refused(tmp_path):
    store = store_with(tmp_path, NEXT, LATER)
    other = (tmp_path / LATER / "weights.json").read_bytes()
    (tmp_path / NEXT / "weights.json").write_bytes(other)
    with pytest.raises(ModelError, match=f"belong to model '{LATER}'"):
        store.load(NEXT, hashlib.sha256(other).hexdigest())


def test_a_model_of_the_store_can_be_loaded_by_its_folder(tmp_path):
    store_with(tmp_path, NEXT)
    assert Predictor.load(tmp_path / NEXT).version == NEXT
