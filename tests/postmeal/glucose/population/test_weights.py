"""Weights files: the shipped models, and what is refused."""

import hashlib
import json

import pytest

from postmeal.assets import asset
from postmeal.errors import ModelError
from postmeal.glucose.population import weights as module
from postmeal.glucose.population.weights import (
    parse_weights,
    read_pinned,
    read_shipped,
    read_weights,
    weights_content,
)


def test_all_shipped_models_are_read_with_their_hashes():
    shipped = read_shipped()
    assert [one.name for one in shipped] == ["population", "population-4", "population-2"]
    for one in shipped:
        assert one.content == asset(f"models/{one.name}/weights.json").read_bytes()
        assert one.sha256 == hashlib.sha256(one.content).hexdigest()
    assert [one.unpack()["version"] for one in shipped] == ["3", "4", "2"]


def test_the_default_model_is_the_shipped_one():
    assert read_pinned() == read_pinned(asset("models/population"))
    assert read_weights()["version"] == read_pinned().unpack()["version"]


@pytest.mark.parametrize("registry", [None, b"[population", b"\xff"])
def test_a_missing_or_damaged_registry_of_shipped_models_is_refused(
    tmp_path, monkeypatch, registry
):
    file = tmp_path / "registry.toml"
    if registry is not None:
        file.write_bytes(registry)
    monkeypatch.setattr(module, "asset", lambda name: tmp_path / name.rpartition("/")[2])
    with pytest.raises(ModelError, match=r"^the shipped registry of models cannot be read: "):
        read_shipped()


def test_weights_are_written_alike_and_read_back():
    values = {"format": 3, "name": "Größe", "levels": [1.5, 2.0]}
    content = weights_content(values)
    assert content == weights_content(json.loads(content))
    assert content.decode().splitlines()[0] == "{"
    assert '"name": "Größe"' in content.decode()
    assert content.endswith(b"\n}\n")
    assert parse_weights(content, "population-3") == values


@pytest.mark.parametrize("version", [1, 5, "3", None])
def test_weights_in_another_format_are_refused(version):
    content = weights_content({"format": version})
    problem = f"^the weights of 'population' must be in format version 2, 3 or 4, got {version!r}$"
    with pytest.raises(ModelError, match=problem):
        parse_weights(content, "population")


@pytest.mark.parametrize("content", [b"[]", b"{", b"\xff", b"[" * 100_000])
def test_weights_that_are_no_object_are_refused(content):
    with pytest.raises(
        ModelError, match=r"^the weights of 'population' are not a JSON object; restore the file$"
    ):
        parse_weights(content, "population")


@pytest.mark.parametrize("pinned", ["population = 3", "[population]\nversion = '3'", "[other]"])
def test_a_registry_without_the_hash_of_a_model_is_refused(tmp_path, pinned):
    folder = tmp_path / "population"
    folder.mkdir()
    (folder / "weights.json").write_bytes(b"{}")
    registry = tmp_path / "registry.toml"
    registry.write_text(pinned)
    with pytest.raises(ModelError, match=f"^{registry} has no entry with the SHA-256 hash of the"):
        read_pinned(folder)


def test_a_model_that_is_not_there_is_refused_by_its_name(tmp_path):
    folder = tmp_path / "nothing"
    said = "^model 'nothing' cannot be read: "
    with pytest.raises(ModelError, match=f"{said}the folder {folder} does not exist; check"):
        read_pinned(folder)
    folder.mkdir()
    registry = tmp_path / "registry.toml"
    with pytest.raises(ModelError, match=f"{said}{registry} is missing; it must be next to"):
        read_pinned(folder)
    registry.write_text("[nothing]\nsha256 = '0'\n")
    with pytest.raises(ModelError, match=f"{said}{folder}/weights.json is missing; check"):
        read_pinned(folder)
