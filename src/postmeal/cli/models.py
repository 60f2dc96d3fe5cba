"""``postmeal models``: list, promote, roll back and retire population models."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.errors import InputError, ModelError

if TYPE_CHECKING:
    from postmeal.glucose.model_store import StoreRegistry
    from postmeal.training.registry.mlflow_registry import RegisteredVersion

_DEFAULT_STORE = Path("var/models")
_VERSION = re.compile(r"(?:population-)?([1-9][0-9]{0,8})", re.ASCII)


def add_to(commands: Any) -> None:
    """Add ``postmeal models`` to the commands."""
    parser = commands.add_parser("models", help="promote, roll back and retire population models")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _action(actions, "list", _list, "list the models in the store and in MLflow")
    promote = _action(actions, "promote", _promote, "make a model active")
    promote.add_argument("version", help="version number of the model")
    promote.add_argument(
        "--folder",
        type=Path,
        help="folder to read the model from (default: search the store, the shipped model and"
        " MLflow)",
    )
    _action(actions, "rollback", _rollback, "make the previous model active again")
    retire = _action(actions, "retire", _retire, "delete a model from the store")
    retire.add_argument("version", help="version number of the model")
    description = "compute the range in which each prediction for the standard meals is credible"
    ranges = actions.add_parser("ranges", help=description)
    ranges.add_argument(
        "--data", type=Path, required=True, help="folder with the training data sets"
    )
    ranges.add_argument("--model", type=Path, help="model folder (default: the shipped model)")
    ranges.add_argument(
        "--output",
        type=Path,
        default=Path("models/credible.json"),
        help="JSON file to write (default: models/credible.json)",
    )
    ranges.set_defaults(run=_ranges)


def _action(actions: Any, name: str, run: Any, description: str) -> Any:
    parser = actions.add_parser(name, help=description)
    parser.add_argument(
        "--store",
        type=Path,
        default=_DEFAULT_STORE,
        help="folder of the model store; for the HTTP service, the folder in POSTMEAL_MODEL_STORE"
        " (default: var/models)",
    )
    parser.add_argument("--tracking", help="MLflow tracking URI (default: sqlite:///var/mlflow.db)")
    parser.set_defaults(run=run)
    return parser


def _ranges(options: argparse.Namespace) -> None:
    from postmeal.glucose.predictor import Predictor
    from postmeal.training.fit.credible_ranges import credible_ranges, write_credible_ranges
    from postmeal.training.fit.release import load_training_data

    predictor = Predictor.load(options.model)
    write_credible_ranges(
        credible_ranges(load_training_data(options.data), predictor), options.output
    )
    print(f"wrote {options.output}")


def _list(options: argparse.Namespace) -> None:
    from postmeal.glucose.model_store import ModelStore, version_number

    status: dict[int, str] = {}
    if (options.store / "registry.toml").exists():
        registry = ModelStore(options.store).registry()
        status = {version_number(name): "stored" for name in registry.sha256}
        status |= {version_number(name): "previous" for name in registry.earlier}
        status[version_number(registry.active)] = "active"
    trained = {version.number: version for version in _registered(options)}
    print(f"{'version':<16}{'store':<16}MLflow")
    for number in sorted({*status, *trained}):
        run = "–"
        if number in trained:
            version = trained[number]
            run = f"run {version.run_id}" + (", champion" if version.is_champion else "")
            run += "" if version.sha256 else ", incomplete"
        print(f"{f'population-{number}':<16}{status.get(number, '–'):<16}{run}")


def _promote(options: argparse.Namespace) -> None:
    from postmeal.training.registry.promotion import model_name, promote

    name = _name(options.version)
    content = _content(options, name)
    if model_name(content) != name:
        problem = f"must be {model_name(content)}, the version of the weights in the folder"
        raise InputError("version", problem, name)
    registry = promote(options.store, content)
    print(f"{name} is now active")
    _update_champion(registry, options)


def _rollback(options: argparse.Namespace) -> None:
    from postmeal.training.registry.promotion import rollback

    registry = rollback(options.store)
    print(f"rolled back; {registry.active} is now active")
    _update_champion(registry, options)


def _retire(options: argparse.Namespace) -> None:
    from postmeal.training.registry.promotion import retire

    retire(options.store, _name(options.version))
    print(f"deleted {_name(options.version)} from the store")


def _content(options: argparse.Namespace, name: str) -> bytes:
    """Return the weights file from the given folder, the store, the shipped model or MLflow."""
    from postmeal.glucose.model_store import ModelStore, version_number
    from postmeal.glucose.population.weights import read_weights
    from postmeal.training.registry.promotion import model_name, shipped_content

    if options.folder is not None:
        read_weights(options.folder)  # verifies the hash
        content: bytes = (options.folder / "weights.json").read_bytes()
        return content
    with suppress(ModelError):  # fall back to the other sources
        store = ModelStore(options.store)
        store.load(name, store.registry().sha256.get(name, ""))
        return store.weights_content(name)
    shipped = shipped_content()
    if model_name(shipped) == name:
        return shipped
    number, tracking = version_number(name), _tracking(options)
    in_mlflow = "which does not exist"
    if _exists(tracking):
        from postmeal.training.registry.mlflow_registry import fetch, registered_versions

        known = [version.number for version in registered_versions(tracking)]
        if number in known:
            return fetch(number, tracking)
        in_mlflow = f"registered versions: {', '.join(map(str, known)) or 'none'}"
    raise ModelError(
        f"version {number} is neither in the store {options.store}, nor the shipped model (version"
        f" {version_number(model_name(shipped))}), nor in MLflow ({tracking}, {in_mlflow}); check"
        " the number and --tracking, or read the model from a folder with --folder"
    )


def _update_champion(registry: StoreRegistry, options: argparse.Namespace) -> None:
    """Point MLflow's champion alias at the active model, if MLflow is in use."""
    if not _uses_mlflow(options):
        return
    from postmeal.training.registry.mlflow_registry import mark_champion

    name = registry.active
    if mark_champion(name, registry.sha256[name], _tracking(options)):
        print(f"MLflow's champion alias now points to {name}")
    else:
        print(
            f"MLflow's champion alias was not changed: the weights of {name} in MLflow are missing"
            " or different"
        )


def _registered(options: argparse.Namespace) -> list[RegisteredVersion]:
    if not _uses_mlflow(options):
        return []
    from postmeal.training.registry.mlflow_registry import registered_versions

    return registered_versions(_tracking(options))


def _uses_mlflow(options: argparse.Namespace) -> bool:
    """Return whether MLflow is installed and in use: a tracking URI is given, or runs exist."""
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING

    default = Path(DEFAULT_TRACKING.removeprefix("sqlite:///"))
    has_runs = options.tracking is not None or default.is_file()
    return has_runs and find_spec("mlflow") is not None


def _exists(tracking: str) -> bool:
    """Return whether a tracking URI is anything but a missing SQLite file."""
    path = tracking.removeprefix("sqlite:///")
    return path == tracking or Path(path).is_file()


def _tracking(options: argparse.Namespace) -> str:
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING

    return options.tracking or DEFAULT_TRACKING


def _name(version: str) -> str:
    match = _VERSION.fullmatch(version)
    if match is None:
        raise InputError("version", "must be a model number such as 2", version)
    return f"population-{match[1]}"
