"""Weights of released models: JSON files whose hash is verified when they are loaded."""

from __future__ import annotations

import hashlib
import json
import math
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from postmeal.arguments import path_of
from postmeal.assets import asset
from postmeal.errors import ModelError
from postmeal.glucose.population.json_structure import structure_problem

FORMAT = 4
"""Format version of ``weights.json``."""

_READABLE_FORMATS = (2, 3, FORMAT)
_TOLERANCE = 1e-6
_TOLERANCES = dict.fromkeys(
    ("person", "personal", "peak_distribution", "peak_scale", "start"), 1e-4
)


class PinnedWeights(NamedTuple):
    """Content of a weights file, and the hash that the registry pins for it."""

    name: str
    content: bytes
    sha256: str

    def unpack(self) -> dict[str, Any]:
        """Verify the hash and return the weights; see `unpack_weights`."""
        return unpack_weights(self.content, self.sha256, self.name)


def read_weights(folder: str | Path | None = None) -> dict[str, Any]:
    """Read a model's weights and verify their hash.

    The hash is pinned in ``registry.toml``, in the parent of the model's folder::

        [population]
        version = "1"
        weights = "population/weights.json"
        sha256 = "…"
    """
    return read_pinned(folder).unpack()


def read_pinned(folder: str | Path | None = None) -> PinnedWeights:
    """Read a model's weights file and its pinned hash, without verifying the hash."""
    if folder is None:
        folder = asset("models/population")
    folder = path_of("folder", folder).resolve()
    registry_path = folder.parent / "registry.toml"
    try:
        registry = tomllib.loads(registry_path.read_text(encoding="utf-8"))
        content = (folder / "weights.json").read_bytes()
    except (OSError, ValueError) as error:
        reason = _missing(folder, registry_path) or error
        raise ModelError(f"model {folder.name!r} cannot be read: {reason}") from error
    pinned = registry.get(folder.name)
    if not isinstance(pinned, dict) or "sha256" not in pinned:
        raise ModelError(
            f"{registry_path} has no entry with the SHA-256 hash of the model {folder.name!r}; add"
            " the entry, or check the path"
        )
    return PinnedWeights(folder.name, content, str(pinned["sha256"]))


def _missing(folder: Path, registry: Path) -> str:
    """Return an error text about a missing file or folder of a model; empty if none is missing."""
    if not folder.exists():
        return (
            f"the folder {folder} does not exist; check the path, or omit it for the shipped model"
        )
    if not folder.is_dir():
        return f"{folder} is a file; give the folder of a model"
    if not registry.exists():
        return (
            f"{registry} is missing; it must be next to the model folder and contain the SHA-256"
            " hash of weights.json"
        )
    weights = folder / "weights.json"
    return "" if weights.exists() else f"{weights} is missing; check that this is a model folder"


def read_shipped() -> tuple[PinnedWeights, ...]:
    """Read the weights of all models that ship with postmeal.

    Personal models may have been trained on any of them.
    """
    folder = asset("models/registry.toml").parent
    try:
        registry = tomllib.loads((folder / "registry.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"the shipped registry of models cannot be read: {error}; reinstall postmeal"
        ) from error
    return tuple(read_pinned(folder / name) for name in registry)


def unpack_weights(content: bytes, sha256: str, name: str) -> dict[str, Any]:
    """Verify the hash of ``weights.json`` and return the weights."""
    actual = hashlib.sha256(content).hexdigest()
    if actual != sha256:
        raise ModelError(
            f"the weights of {name!r} were changed: their SHA-256 hash must be {sha256}, got"
            f" {actual}; restore the file"
        )
    return parse_weights(content, name)


def parse_weights(content: bytes, name: str) -> dict[str, Any]:
    """Parse weights without verifying their hash; see `unpack_weights`."""
    try:
        weights: dict[str, Any] = json.loads(content)
        version = weights.get("format")
    except (ValueError, AttributeError, RecursionError) as error:
        raise ModelError(
            f"the weights of {name!r} are not a JSON object; restore the file"
        ) from error
    if version not in _READABLE_FORMATS:
        *others, last = map(str, _READABLE_FORMATS)
        formats = f"{', '.join(others)} or {last}"
        raise ModelError(
            f"the weights of {name!r} must be in format version {formats}, got {version!r}"
        )
    return weights


def weights_content(weights: dict[str, Any]) -> bytes:
    """Format weights as the content of ``weights.json``; the output is deterministic."""
    return (json.dumps(weights, indent=1, ensure_ascii=False) + "\n").encode()


def check_structure(weights: dict[str, Any], name: str) -> None:
    """Check that weights have the keys, lengths and types of the shipped weights of their format.

    The families of sensors and the list of training sets may differ.
    """
    like = next(one for one in shipped_weights() if one["format"] == weights["format"])
    sensors = weights.get("sensors")
    if isinstance(sensors, dict):
        sensor = next(iter(like["sensors"].values()))
        like = {**like, "sensors": dict.fromkeys(sensors, sensor)}
    if isinstance(weights.get("trained_on"), list):
        like = {**like, "trained_on": weights["trained_on"]}
        weights = {**weights, "trained_on": like["trained_on"]}
    if problem := structure_problem(weights, like):
        raise ModelError(f"the weights of {name!r} are damaged: {problem}; restore the file")


def check_identity(weights: dict[str, Any]) -> None:
    """Check that weights with the name and version of a shipped model are those of this model.

    By default, `postmeal.training.fit.release.write_model` gives other weights another version.
    """
    for shipped in shipped_weights():
        is_named_so = all(weights[key] == shipped[key] for key in ("name", "version"))
        if is_named_so and not is_same_weights(weights, shipped):
            name = f"{shipped['name']}-{shipped['version']}"
            raise ModelError(
                f"the weights must be those of the shipped model {name!r}, whose name and version"
                " they state, but they differ; restore the file, or give a model of your own"
                " another version"
            )


def shipped_weights() -> list[dict[str, Any]]:
    """Return the weights of all models that ship with postmeal."""
    return [one.unpack() for one in read_shipped()]


def is_same_weights(first: Any, second: Any, tolerance: float = _TOLERANCE) -> bool:
    """Return whether two sets of weights are the same apart from the last digits of numbers.

    Training on the same data on another machine changes these digits. Numbers may differ by one
    millionth of their value. The numbers for personal models, for the chances of high peaks and
    for the effects of a reading at the start of the meal may differ by one ten-thousandth, because
    they depend on where an optimizer stops.
    """
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            is_same_weights(value, second[key], _TOLERANCES.get(key, tolerance))
            for key, value in first.items()
        )
    if isinstance(first, list) and isinstance(second, list):
        pairs = zip(first, second, strict=False)
        return len(first) == len(second) and all(
            is_same_weights(*pair, tolerance) for pair in pairs
        )
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=tolerance)
    return bool(first == second)
