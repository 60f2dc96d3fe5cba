"""``postmeal models``: which population model is in service, and which are kept."""

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

__all__ = ["add_to"]

_DEFAULT_STORE = Path("var/models")
_VERSION = re.compile(r"(?:population-)?([1-9][0-9]{0,8})", re.ASCII)


def add_to(commands: Any) -> None:
    """Add the command's options."""
    parser = commands.add_parser("models", help="promote a model to service, or roll back")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _action(actions, "list", _list, "the models that are kept, and those that were trained")
    promote = _action(actions, "promote", _promote, "put a model in service")
    promote.add_argument("version", help="its number")
    promote.add_argument("--folder", type=Path, help="take it from its folder, not from MLflow")
    _action(actions, "rollback", _rollback, "put the one before back in service")
    retire = _action(actions, "retire", _retire, "keep a model no longer")
    retire.add_argument("version", help="its number")
    about = "write the credible ranges of the standard meals, which every model must keep to"
    ranges = actions.add_parser("ranges", help=about)
    ranges.add_argument("--data", type=Path, required=True, help="folder with the training sets")
    ranges.add_argument("--model", type=Path, help="folder of the released model")
    ranges.add_argument("--output", type=Path, default=Path("models/credible.json"))
    ranges.set_defaults(run=_ranges)


def _action(actions: Any, name: str, run: Any, about: str) -> Any:
    parser = actions.add_parser(name, help=about)
    parser.add_argument(
        "--store", type=Path, default=_DEFAULT_STORE, help="folder that POSTMEAL_MODEL_STORE names"
    )
    parser.add_argument("--tracking", help="where MLflow records runs; default var/mlflow.db")
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

    kept: dict[int, str] = {}
    if (options.store / "registry.toml").exists():
        registry = ModelStore(options.store).registry()
        kept = {version_number(name): "kept" for name in registry.sha256}
        kept |= {version_number(name): "served before" for name in registry.earlier}
        kept[version_number(registry.active)] = "in service"
    trained = {one.number: one for one in _registered(options)}
    print(f"{'version':<16}{'store':<16}MLflow")
    for number in sorted({*kept, *trained}):
        run = "–"
        if number in trained:
            one = trained[number]
            run = f"run {one.run_id}" + (", champion" if one.is_champion else "")
            run += "" if one.sha256 else ", broken off"
        print(f"{f'population-{number}':<16}{kept.get(number, '–'):<16}{run}")


def _promote(options: argparse.Namespace) -> None:
    from postmeal.training.registry.promotion import model_name, promote

    name = _name(options.version)
    content = _content(options, name)
    if model_name(content) != name:
        raise InputError("version", f"is not that of these weights, {model_name(content)}", name)
    registry = promote(options.store, content)
    print(f"{name} is in service")
    _mark(registry, options)


def _rollback(options: argparse.Namespace) -> None:
    from postmeal.training.registry.promotion import rollback

    registry = rollback(options.store)
    print(f"{registry.active} is in service again")
    _mark(registry, options)


def _retire(options: argparse.Namespace) -> None:
    from postmeal.training.registry.promotion import retire

    retire(options.store, _name(options.version))
    print(f"{_name(options.version)} is kept no longer")


def _content(options: argparse.Namespace, name: str) -> bytes:
    """Find the weights: in a folder, in the store, among what ships, or in MLflow."""
    from postmeal.glucose.model_store import ModelStore, version_number
    from postmeal.glucose.population.weights import read_weights
    from postmeal.training.registry.promotion import model_name, shipped_content

    if options.folder is not None:
        read_weights(options.folder)  # which checks them
        content: bytes = (options.folder / "weights.json").read_bytes()
        return content
    with suppress(ModelError):  # what the store has lost is looked for elsewhere
        store = ModelStore(options.store)
        store.load(name, store.registry().sha256.get(name, ""))
        return store.weights_content(name)
    shipped = shipped_content()
    if model_name(shipped) == name:
        return shipped
    from postmeal.training.registry.mlflow_registry import fetch

    return fetch(version_number(name), _tracking(options))


def _mark(registry: StoreRegistry, options: argparse.Namespace) -> None:
    """Let MLflow's alias follow what is in service, where MLflow is used here."""
    if not _uses_mlflow(options):
        return
    from postmeal.training.registry.mlflow_registry import mark_champion

    name = registry.active
    if mark_champion(name, registry.sha256[name], _tracking(options)):
        print("MLflow's alias champion names it, too")
    else:
        print(f"MLflow's alias champion stays: what it holds as {name} is another model, or none")


def _registered(options: argparse.Namespace) -> list[RegisteredVersion]:
    if not _uses_mlflow(options):
        return []
    from postmeal.training.registry.mlflow_registry import registered_versions

    return registered_versions(_tracking(options))


def _uses_mlflow(options: argparse.Namespace) -> bool:
    """Whether there are runs to look at; a machine that only serves has none."""
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING

    default = Path(DEFAULT_TRACKING.removeprefix("sqlite:///"))
    is_there = options.tracking is not None or default.is_file()
    return is_there and find_spec("mlflow") is not None


def _tracking(options: argparse.Namespace) -> str:
    from postmeal.training.registry.mlflow_runs import DEFAULT_TRACKING

    return options.tracking or DEFAULT_TRACKING


def _name(version: str) -> str:
    found = _VERSION.fullmatch(version)
    if found is None:
        raise InputError("version", "must be a model's number, such as 2", version)
    return f"population-{found[1]}"
