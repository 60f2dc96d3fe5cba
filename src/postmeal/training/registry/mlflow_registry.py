"""MLflow's model registry: every population model that was trained, with the run that made it.

A version is a run's ``weights.json`` and its hash. MLflow's own model formats, which are pickles,
are not used: nothing that comes out of the registry is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from postmeal.assets import asset
from postmeal.errors import ModelError
from postmeal.glucose.model_store import version_number
from postmeal.glucose.population.weights import parse_weights, unpack_weights, weights_content
from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING, record_run, tracking_client
from postmeal.training.registry.promotion import model_name, shipped_content

__all__ = [
    "CHAMPION",
    "REGISTERED",
    "RegisteredVersion",
    "attach_card",
    "fetch",
    "mark_champion",
    "register",
    "registered_versions",
]

REGISTERED = "postmeal-population"
"""Name of the registered model."""

CHAMPION = "champion"
"""Alias of the version that was promoted last."""

_HASH = "sha256"


@dataclass(frozen=True)
class RegisteredVersion:
    """One version of the registered model.

    Attributes
    ----------
    number : int
        MLflow's number of the version, which is the model's own.
    sha256 : str
        Hash of its weights; empty where its registration was broken off.
    run_id : str
        The run that made it.
    is_champion : bool
        Whether the alias ``champion`` is its.
    """

    number: int
    sha256: str
    run_id: str
    is_champion: bool


def registered_versions(tracking: str = DEFAULT_TRACKING) -> list[RegisteredVersion]:
    """List the versions of the registered model, ascending."""
    return _versions(tracking_client(tracking))


def register(folder: Path, run_id: str, tracking: str = DEFAULT_TRACKING) -> int:
    """Register the model of a run as the next version.

    The shipped model is registered first, so that numbers are the models' own. Weights that are
    registered already keep the number that they have, whatever their version says; a millionth
    of difference, as between machines, makes no other model. Where an earlier release let them
    have the number that the shipped model has now, they get another.

    Parameters
    ----------
    folder : path
        Folder of the model. What is registered says the version's own number, whatever its
        ``weights.json`` says.
    run_id : str
        The run that made it.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    int
        Number of the version.
    """
    client = tracking_client(tracking)
    if not client.search_registered_models(f"name = '{REGISTERED}'"):
        _register_shipped(client, tracking)
    weights = parse_weights((folder / "weights.json").read_bytes(), folder.name)
    shipped = json.loads(shipped_content())
    for known in _versions(client):
        with suppress(ModelError):  # one that was broken off, or lost, is none
            content = json.loads(_content(client, known))
            is_taken = content["version"] == shipped["version"] and not _alike(content, shipped)
            if not is_taken and _alike({**weights, "version": str(known.number)}, content):
                return known.number
    made = _version_of(client, run_id)
    content = weights_content({**weights, "version": str(made)})
    with tempfile.TemporaryDirectory() as temporary:
        file = Path(temporary, "weights.json")
        file.write_bytes(content)
        client.log_artifact(run_id, str(file))
    digest = hashlib.sha256(content).hexdigest()
    client.set_model_version_tag(REGISTERED, str(made), _HASH, digest)
    return made


def attach_card(folder: Path, run_id: str, tracking: str = DEFAULT_TRACKING) -> int | None:
    """Tell the version whose weights lie in a folder which run evaluated it.

    Parameters
    ----------
    folder : path
        Folder of the model.
    run_id : str
        The run with its card, metrics and plots.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    int or None
        Number of the version, None where the weights are not registered.
    """
    client = tracking_client(tracking)
    digest = hashlib.sha256((folder / "weights.json").read_bytes()).hexdigest()
    for known in _versions(client):
        if known.sha256 == digest:
            client.set_model_version_tag(REGISTERED, str(known.number), "card_run", run_id)
            return known.number
    return None


def fetch(number: int, tracking: str = DEFAULT_TRACKING) -> bytes:
    """Take the weights of a version out of the registry.

    Parameters
    ----------
    number : int
        Number of the version.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    bytes
        What its ``weights.json`` holds.

    Raises
    ------
    ModelError
        There is no such version, its weights are missing, or they are not those that were
        registered.
    """
    client = tracking_client(tracking)
    known = {one.number: one for one in _versions(client)}
    if number not in known:
        raise ModelError(f"MLflow holds no version {number} of {REGISTERED}: {[*known]}")
    return _content(client, known[number])


def mark_champion(name: str, sha256: str, tracking: str = DEFAULT_TRACKING) -> bool:
    """Give the alias ``champion`` to a version; False where MLflow does not hold it.

    MLflow may hold another model under its number: one that was trained before a release took it.

    Parameters
    ----------
    name : str
        Name of the model in service, such as ``population-2``.
    sha256 : str
        Hash of its weights.
    tracking : str, default="sqlite:///var/mlflow.db"
        Where MLflow keeps its runs.

    Returns
    -------
    bool
        Whether the alias is the version's now.
    """
    client = tracking_client(tracking)
    number = version_number(name)
    if (number, sha256) not in [(one.number, one.sha256) for one in _versions(client)]:
        return False
    client.set_registered_model_alias(REGISTERED, CHAMPION, str(number))
    return True


def _register_shipped(client: Any, tracking: str) -> None:
    """Make the registered model, its first version the shipped one under the number it has."""
    content = shipped_content()
    shipped = version_number(model_name(content))
    client.create_registered_model(REGISTERED)
    run_id = record_run(
        "shipped",
        parameters={"version": shipped},
        metrics={},
        files=asset("models/population"),
        tracking=tracking,
    )
    while (made := _version_of(client, run_id)) < shipped:
        client.delete_model_version(REGISTERED, str(made))  # the number of an earlier release
    digest = hashlib.sha256(content).hexdigest()
    client.set_model_version_tag(REGISTERED, str(made), _HASH, digest)
    client.set_registered_model_alias(REGISTERED, CHAMPION, str(made))


def _version_of(client: Any, run_id: str) -> int:
    source = client.get_run(run_id).info.artifact_uri
    return int(client.create_model_version(REGISTERED, source, run_id).version)


def _versions(client: Any) -> list[RegisteredVersion]:
    aliases: dict[str, Any] = {}
    for model in client.search_registered_models(f"name = '{REGISTERED}'"):
        aliases = dict(client.get_registered_model(model.name).aliases)
    found = client.search_model_versions(f"name = '{REGISTERED}'")
    return sorted(
        (
            RegisteredVersion(
                number=int(one.version),
                sha256=one.tags.get(_HASH, ""),
                run_id=one.run_id,
                is_champion=str(aliases.get(CHAMPION)) == str(one.version),
            )
            for one in found
        ),
        key=lambda one: one.number,
    )


def _content(client: Any, version: RegisteredVersion) -> bytes:
    from mlflow.exceptions import MlflowException

    name = f"version {version.number}"
    with tempfile.TemporaryDirectory() as temporary:
        try:
            path = client.download_artifacts(version.run_id, "weights.json", temporary)
            content = Path(path).read_bytes()
        except (MlflowException, OSError) as error:
            raise ModelError(f"the weights of {name} cannot be read: {error}") from error
    unpack_weights(content, version.sha256, name)
    return content


def _alike(one: Any, other: Any) -> bool:
    """Whether two weights are the same but for the last digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6)
    return bool(one == other)
