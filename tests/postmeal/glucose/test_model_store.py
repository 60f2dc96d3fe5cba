"""A store of models: its registry, and files that are read without following links."""

import hashlib
import os
import tomllib
from pathlib import Path

import pytest

from postmeal.assets import asset
from postmeal.errors import ModelError
from postmeal.glucose.model_store import (
    ModelStore,
    StoreRegistry,
    check_model_name,
    version_number,
)
from postmeal.glucose.population.weights import parse_weights, weights_content
from postmeal.glucose.predictor import Predictor

HASHES = {"population-2": "2" * 64, "population-10": "a" * 64, "population-9": "9" * 64}
REGISTRY = StoreRegistry("population-10", ("population-2", "population-9"), HASHES)
SHIPPED = asset("models/population/weights.json").read_bytes()
NAME = Predictor.load().version
MAX_BYTES = 16 * 1024 * 1024


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    """A store with the shipped weights, which another user of the machine may tamper with."""
    folder = tmp_path / "store"
    (folder / NAME).mkdir(parents=True)
    (folder / NAME / "weights.json").write_bytes(SHIPPED)
    registry = StoreRegistry(NAME, (), {NAME: sha256(SHIPPED)})
    (folder / "registry.toml").write_bytes(registry.content())
    return ModelStore(str(folder))


def test_a_registry_is_toml_with_a_table_for_each_model():
    read = tomllib.loads(REGISTRY.content().decode())
    assert (read["active"], read["earlier"]) == ("population-10", ["population-2", "population-9"])
    assert "retired" not in read
    assert [name for name in read if "-" in name] == [
        "population-2",
        "population-9",
        "population-10",
    ]
    assert read["population-9"] == {
        "version": "9",
        "weights": "population-9/weights.json",
        "sha256": "9" * 64,
    }


def test_a_registry_says_in_its_first_lines_who_writes_it():
    comment = [line for line in REGISTRY.content().decode().splitlines() if line.startswith("#")]
    assert comment[0].startswith("# Written by `postmeal models`")
    assert comment[-1].endswith("Altered weights are rejected.")


def test_a_registry_is_read_as_it_was_written():
    retired = {"population-1": "1" * 64, "population-3": "3" * 64}
    for registry in (REGISTRY, StoreRegistry("population-9", (), HASHES, retired)):
        assert StoreRegistry.parse(registry.content()) == registry


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"active = ", "registry.toml is not a valid registry of a model store: "),
        (b"\xff", "registry.toml is not a valid registry of a model store: "),
        (b"earlier = []", "registry.toml is not a valid registry of a model store: 'active'"),
        (b"active = 'population-2'", "registry.toml is not a valid .* store: 'earlier'"),
        (
            b"active = 'population-2'\nearlier = []\n[population-2]\nversion = '2'",
            "registry.toml is not a valid registry of a model store: 'sha256'",
        ),
        (b"active = 'a'\nearlier = []\nformat = 2", "registry.toml is not a valid registry"),
        (
            b"active = 'a'\nearlier = []\n[a]\nsha256 = '0'",
            "a model name must have the form population-NUMBER, such as population-2, got 'a'",
        ),
        (
            b"active = 'population-3'\nearlier = ['population-2']\n[population-4]\nsha256 = '0'",
            "^registry.toml must contain the hash of every active and previous model; missing: "
            "population-2, population-3; restore the file from a backup$",
        ),
    ],
)
def test_a_damaged_registry_is_refused_with_the_reason(content, problem):
    with pytest.raises(ModelError, match=problem):
        StoreRegistry.parse(content)


@pytest.mark.parametrize("name", ["population-1", "population-20", "population-999999999"])
def test_a_model_is_named_by_its_number(name):
    check_model_name(name)
    assert f"population-{version_number(name)}" == name


@pytest.mark.parametrize(
    "name",
    ["population-0", "population-01", "population-1000000000", "Population-2", "population-2\n",
     "population-٢", "population", "../population-2", "", "population-2/.."],
)  # fmt: skip
def test_other_names_are_refused_before_a_file_is_opened(store, name):
    with pytest.raises(ModelError, match=r"a model name must have the form population-NUMBER, "):
        store.weights_content(name)


def test_a_store_gives_its_registry_and_its_models(store):
    registry = store.registry()
    assert registry == StoreRegistry(NAME, (), {NAME: sha256(SHIPPED)})
    assert store.registry_content() == registry.content()
    assert store.weights_content(NAME) == SHIPPED
    assert store.load(NAME, sha256(SHIPPED)).version == NAME


def test_altered_weights_are_refused(store):
    with pytest.raises(ModelError, match=f"the weights of '{NAME}' were changed"):
        store.load(NAME, sha256(b"other weights"))


def test_weights_of_another_model_or_without_a_part_are_refused(store):
    weights = parse_weights(SHIPPED, NAME)
    other = weights_content({**weights, "version": "77"})
    part = weights_content({key: one for key, one in weights.items() if key != "level_mg_dl"})
    for content, problem in (
        (other, f"^the weights of '{NAME}' belong to model 'population-77'; restore"),
        (part, r"^the weights of 'population' are damaged: it must have the keys .*level_mg_dl"),
    ):
        (store.folder / NAME / "weights.json").write_bytes(content)
        with pytest.raises(ModelError, match=problem):
            store.load(NAME, sha256(content))


def test_what_is_missing_is_refused_by_its_path(store):
    path = store.folder / "population-8" / "weights.json"
    with pytest.raises(ModelError, match=f"^{path} cannot be read: .*No such file"):
        store.weights_content("population-8")
    with pytest.raises(ModelError, match=r"registry.toml cannot be read: .*No such file"):
        ModelStore(store.folder / "elsewhere").registry()


def test_the_folder_of_a_store_may_be_a_link_but_nothing_below_it(store, tmp_path):
    (tmp_path / "link").symlink_to(store.folder)
    assert ModelStore(tmp_path / "link").weights_content(NAME) == SHIPPED
    (store.folder / "population-8").symlink_to(store.folder / NAME)
    (store.folder / "population-9").mkdir()
    (store.folder / "population-9" / "weights.json").symlink_to(
        store.folder / NAME / "weights.json"
    )
    for name in ("population-8", "population-9"):
        with pytest.raises(ModelError, match=r"weights\.json cannot be read: "):
            store.weights_content(name)


def test_what_is_no_regular_file_is_refused_at_once(store):
    """A pipe would be waited for, and a device could be endless."""
    file = store.folder / NAME / "weights.json"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ModelError, match="cannot be read: the path is not a regular file"):
        store.weights_content(NAME)
    file.unlink()
    file.mkdir()
    with pytest.raises(ModelError, match="cannot be read: the path is not a regular file"):
        store.weights_content(NAME)


def test_a_file_has_at_most_16_mib(store):
    file = store.folder / NAME / "weights.json"
    os.truncate(file, MAX_BYTES)
    assert len(store.weights_content(NAME)) == MAX_BYTES
    os.truncate(file, MAX_BYTES + 1)
    with pytest.raises(ModelError, match="the file has more than 16,777,216 bytes"):
        store.weights_content(NAME)


def test_no_file_stays_open(store):
    open_before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        store.weights_content(NAME)
        with pytest.raises(ModelError):
            store.weights_content("population-8")
    assert len(os.listdir("/dev/fd")) == open_before
