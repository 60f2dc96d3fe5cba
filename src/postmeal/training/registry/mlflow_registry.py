"""Register trained population models in MLflow, each with the run that trained it.

A version is an MLflow model of the flavor ``python_function``. It contains ``weights.json``, its
hash, and the name of a loader in this package (`postmeal.training.registry.pyfunc`), but no pickle.
A promotion reads only the weights and verifies their hash. It never runs code from the registry.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import postmeal
from postmeal.assets import asset
from postmeal.errors import ModelError
from postmeal.glucose.model_store import version_number
from postmeal.glucose.population.weights import (
    is_same_weights,
    parse_weights,
    shipped_weights,
    unpack_weights,
    weights_content,
)
from postmeal.training.registry.mlflow_model import WEIGHTS_PATH, write_mlflow_model
from postmeal.training.registry.mlflow_runs import (
    DEFAULT_TRACKING,
    clip_description,
    flat,
    record_run,
    tracking_client,
)
from postmeal.training.registry.promotion import model_name, shipped_content

__all__ = [
    "CHAMPION",
    "REGISTERED",
    "RegisteredVersion",
    "attach_card",
    "fetch",
    "find_registered",
    "mark_champion",
    "register",
    "registered_versions",
]

REGISTERED = "postmeal-population"
"""Name of the registered model in MLflow."""

CHAMPION = "champion"
"""Alias of the version that was promoted last."""

_HASH = "sha256"
_MODEL = "model"
_DESCRIPTION = f"""Population model of the two-hour glucose curve after a meal.

`mlflow.pyfunc.load_model("models:/{REGISTERED}/N")` loads version N without pickle. Its input is a
DataFrame with one row per meal, and its output has one row per meal and minute; see the signature.
"""
_TAGS = {"package": "postmeal", "task": "glucose curve after a meal"}


@dataclass(frozen=True)
class RegisteredVersion:
    """One version of the registered model."""

    number: int
    sha256: str  # empty if the registration was interrupted
    run_id: str
    is_champion: bool


def registered_versions(tracking: str = DEFAULT_TRACKING) -> list[RegisteredVersion]:
    """Return the versions of the registered model, in ascending order of their numbers."""
    return _versions(tracking_client(tracking))


def register(folder: Path, run_id: str, tracking: str = DEFAULT_TRACKING) -> int:
    """Register the model of a run as the next version, unless it is already registered.

    The shipped model is registered first, so that the version numbers in MLflow agree with those in
    the models. If the same weights are already registered, they keep their number, unless the
    shipped model now has this number. Weights that differ only in the last digits, as they do
    between machines, are treated as the same.
    """
    client = tracking_client(tracking)
    found = client.search_registered_models(f"name = '{REGISTERED}'")
    if not found:
        _register_shipped(client, tracking)
    elif not found[0].description:  # An earlier release registered the shipped model.
        client.update_registered_model(REGISTERED, _DESCRIPTION)
    weights = parse_weights((folder / "weights.json").read_bytes(), folder.name)
    shipped = {one["version"]: one for one in shipped_weights()}
    for known in _versions(client):
        with suppress(ModelError):  # skip versions whose weights cannot be read
            content = json.loads(_content(client, known))
            if not is_same_weights(content, shipped.get(content["version"], content)):
                continue  # a release took the number
            if is_same_weights({**weights, "version": str(known.number)}, content):
                client.set_tag(run_id, "registered_version", str(known.number))
                return known.number
    while str(made := _version_of(client, run_id)) in shipped:
        client.delete_model_version(REGISTERED, str(made))  # for a shipped model
    _log_model(client, run_id, made, weights)
    return made


def attach_card(folder: Path, run_id: str, tracking: str = DEFAULT_TRACKING) -> int | None:
    """Store the model card of a run with the registered version that the run evaluated.

    The card becomes the description of the version. It is also stored with the run that trained the
    model.
    """
    known = find_registered(folder, tracking)
    if known is None:
        return None
    client, card = tracking_client(tracking), folder / "card.md"
    client.set_model_version_tag(REGISTERED, str(known.number), "card_run", run_id)
    if card.is_file():
        client.log_artifact(known.run_id, str(card))
        text = clip_description(card.read_text(encoding="utf-8"))
        client.update_model_version(REGISTERED, str(known.number), text)
    return known.number


def find_registered(folder: Path, tracking: str = DEFAULT_TRACKING) -> RegisteredVersion | None:
    """Return the registered version with the weights in a folder, or None if there is none."""
    digest = hashlib.sha256((folder / "weights.json").read_bytes()).hexdigest()
    found = (known for known in registered_versions(tracking) if known.sha256 == digest)
    return next(found, None)


def fetch(number: int, tracking: str = DEFAULT_TRACKING) -> bytes:
    """Return the weights of a version in MLflow's model registry."""
    client = tracking_client(tracking)
    known = {one.number: one for one in _versions(client)}
    if number not in known:
        registered = ", ".join(map(str, known)) or "none"
        raise ModelError(
            f"MLflow has no version {number} of {REGISTERED}; registered versions: {registered}"
        )
    return _content(client, known[number])


def mark_champion(name: str, sha256: str, tracking: str = DEFAULT_TRACKING) -> bool:
    """Assign the alias ``champion`` to a model, if MLflow contains the model.

    A version in MLflow can have the number of the model but different weights, if it was trained
    before the number was assigned to a released model. Such a version does not get the alias.
    """
    client = tracking_client(tracking)
    number = version_number(name)
    if (number, sha256) not in [(one.number, one.sha256) for one in _versions(client)]:
        return False
    client.set_registered_model_alias(REGISTERED, CHAMPION, str(number))
    return True


def _register_shipped(client: Any, tracking: str) -> None:
    """Create the registered model, and register the shipped model under its own version number."""
    content, files = shipped_content(), asset("models/population")
    shipped = version_number(model_name(content))
    metrics = json.loads((files / "metrics.json").read_text(encoding="utf-8"))
    client.create_registered_model(REGISTERED, _TAGS, _DESCRIPTION)
    run_id = record_run(
        "shipped",
        parameters={"version": shipped},
        metrics=flat({key: value for key, value in metrics.items() if isinstance(value, dict)}),
        files=[file for file in files.iterdir() if file.name != "weights.json"],
        tracking=tracking,
        description=(files / "card.md").read_text(encoding="utf-8"),
    )
    while (made := _version_of(client, run_id)) < shipped:
        client.delete_model_version(REGISTERED, str(made))  # for an earlier release
    _log_model(client, run_id, made, json.loads(content))
    client.set_registered_model_alias(REGISTERED, CHAMPION, str(made))


def _version_of(client: Any, run_id: str) -> int:
    """Create the next version, whose model is logged later, and return its number."""
    run = client.get_run(run_id)
    made = client.create_model_version(
        REGISTERED,
        f"{run.info.artifact_uri}/{_MODEL}",
        run_id,
        description=run.data.tags.get("mlflow.note.content"),
    )
    return int(made.version)


def _log_model(client: Any, run_id: str, number: int, weights: dict[str, Any]) -> None:
    """Store the weights as an MLflow model with the run, and their hash with the version."""
    client.set_tag(run_id, "registered_version", str(number))
    weights = {**weights, "version": str(number)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, _MODEL)
        write_mlflow_model(weights, folder)
        client.log_artifacts(run_id, str(folder), _MODEL)
    digest = hashlib.sha256(weights_content(weights)).hexdigest()
    client.set_model_version_tag(REGISTERED, str(number), _HASH, digest)
    client.set_model_version_tag(REGISTERED, str(number), "postmeal", postmeal.__version__)


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
            source = client.get_model_version(REGISTERED, str(version.number)).source
            is_model = source.endswith(f"/{_MODEL}")  # Earlier releases registered bare weights.
            artifact = f"{_MODEL}/{WEIGHTS_PATH}" if is_model else "weights.json"
            path = client.download_artifacts(version.run_id, artifact, temporary)
            content = Path(path).read_bytes()
        except (MlflowException, OSError) as error:
            raise ModelError(f"the weights of {name} cannot be read: {error}") from error
    unpack_weights(content, version.sha256, name)
    return content
