"""Promote, roll back and retire the models in a model store."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from itertools import pairwise, product
from math import isfinite
from pathlib import Path
from typing import get_args

import numpy as np

from postmeal.assets import asset
from postmeal.errors import ModelError
from postmeal.foods.food import Food, Meal, Selection, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.history.meal_history import Responses
from postmeal.glucose.model_store import ModelStore, StoreRegistry, check_model_name
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_to_meals
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.features import Meals
from postmeal.glucose.population.states import STATES, State, state_of
from postmeal.glucose.population.weights import parse_weights
from postmeal.glucose.predictor import Predictor
from postmeal.people import HealthCondition, Profile
from postmeal.training.registry.atomic_file import sync_folder, write_whole

__all__ = ["check_sanity", "model_name", "promote", "retire", "rollback", "shipped_content"]


def shipped_content() -> bytes:
    """Return the content of the shipped model's ``weights.json``."""
    return asset("models/population/weights.json").read_bytes()


def model_name(content: bytes) -> str:
    """Return the name and version of a model, such as ``population-2``, from its weights."""
    weights = parse_weights(content, "new model")
    return f"{weights.get('name')}-{weights.get('version')}"


def promote(folder: str | Path, content: bytes) -> StoreRegistry:
    """Store a model, and make it the active model.

    The weights are written to disk and checked before the registry is replaced atomically. Even if
    the process is interrupted, either the previous or the new model is active. In a new store, the
    shipped model is also stored, as the previously active model.

    Parameters
    ----------
    folder : path
        Folder of the store, which is created if it is missing.
    content : bytes
        Content of ``weights.json``, which includes the model's name and version.

    Returns
    -------
    StoreRegistry
        The registry after the promotion.

    Raises
    ------
    ModelError
        The weights cannot be used, or the store contains or contained different weights with the
        same version. Versions are never reused, because there may be personal models that correct
        the earlier weights.
    """
    name = model_name(content)
    check_model_name(name)
    Path(folder).mkdir(parents=True, exist_ok=True)
    with _locked(folder) as store:
        registry = _registry(store)
        if registry is None:
            shipped = shipped_content()
            first = model_name(shipped)
            registry = StoreRegistry(first, (), {first: _keep(store, first, shipped)})
        sha256 = hashlib.sha256(content).hexdigest()
        if {**registry.retired, **registry.sha256}.get(name, sha256) != sha256:
            contained = "contains" if name in registry.sha256 else "has contained"
            problem = f"the store {contained} a different model {name!r}; versions are never reused"
            if name == model_name(shipped_content()):
                problem += "; the shipped model has this version: train again to get a new one"
            raise ModelError(problem)
        _keep(store, name, content)
        check_sanity(store.load(name, sha256))
        if name == registry.active:
            earlier = registry.earlier
        else:
            earlier = (*(one for one in registry.earlier if one != name), registry.active)
        retired = {one: its for one, its in registry.retired.items() if one != name}
        registry = StoreRegistry(name, earlier, {**registry.sha256, name: sha256}, retired)
        write_whole(store.folder / "registry.toml", registry.content())
    return registry


def rollback(folder: str | Path) -> StoreRegistry:
    """Make the previously active model active again.

    The current model remains in the store.

    Parameters
    ----------
    folder : path
        Folder of the store.

    Returns
    -------
    StoreRegistry
        The registry after the rollback.

    Raises
    ------
    ModelError
        There is no previously active model, or its weights were altered.
    """
    with _locked(folder) as store:
        registry = store.registry()
        if not registry.earlier:
            raise ModelError(
                f"no model was active before {registry.active!r}; promote another model instead"
            )
        *earlier, name = registry.earlier
        check_sanity(store.load(name, registry.sha256[name]))
        registry = replace(registry, active=name, earlier=tuple(earlier))
        write_whole(store.folder / "registry.toml", registry.content())
    return registry


def retire(folder: str | Path, name: str) -> StoreRegistry:
    """Delete a model from the store.

    Personal models that correct the deleted model must be retrained.

    Parameters
    ----------
    folder : path
        Folder of the store.
    name : str
        Name of the model, such as ``population-2``.

    Returns
    -------
    StoreRegistry
        The registry without the model.

    Raises
    ------
    ModelError
        The model is active or is not in the store.
    """
    with _locked(folder) as store:
        registry = store.registry()
        if name == registry.active:
            raise ModelError(f"{name!r} is active; promote another model or roll back first")
        if name not in registry.sha256:
            stored = ", ".join(registry.sha256)
            raise ModelError(f"the store does not contain {name!r}; stored models: {stored}")
        registry = replace(
            registry,
            earlier=tuple(one for one in registry.earlier if one != name),
            sha256={one: sha256 for one, sha256 in registry.sha256.items() if one != name},
            retired={**registry.retired, name: registry.sha256[name]},
        )
        write_whole(store.folder / "registry.toml", registry.content())
        with suppress(FileNotFoundError):  # already deleted
            shutil.rmtree(store.folder / name)
    return registry


def check_sanity(predictor: Predictor) -> None:
    """Check that predictions are finite, and that more carbohydrate raises the predicted peak.

    Raises
    ------
    ModelError
        The check failed for at least one combination of health condition, time of day and amount of
        carbohydrate, with or without a reading at the start of the meal and a personal model.
    """
    wrong = ModelError(
        f"model {predictor.version!r} failed the sanity check of its predictions; promote another"
        " model, or train a new one"
    )
    try:
        for condition, hour in product(get_args(HealthCondition), (8, 20)):
            someone = Profile(
                age=45,
                sex="female",
                height_cm=168.0,
                weight_kg=68.0,
                health_conditions=(condition,),
            )
            answers = [predictor.predict(someone, _meal(g, hour)) for g in (0.0, 20.0, 60.0, 120.0)]
            state, _ = state_of(someone.health_conditions)
            own = _own_model(predictor, state)
            if not all(map(isfinite, (own.personal_rmse_mg_dl, own.scale_mg_dl))):
                raise wrong
            known = [
                predictor.predict(someone, _meal(60.0, hour), personal=personal, start_mg_dl=start)
                for personal, start in ((None, 120.0), (own, None), (own, 120.0))
            ]
            for one in (*answers, *known):
                values = (*one.glucose_mg_dl, *one.lower_mg_dl, *one.upper_mg_dl)
                if not all(map(isfinite, (*values, *one.impact_probabilities.values()))):
                    raise wrong
            if any(less.peak_mg_dl > more.peak_mg_dl for less, more in pairwise(answers)):
                raise wrong
            if answers[0].peak_mg_dl == answers[-1].peak_mg_dl:
                raise wrong
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise wrong from error


def _own_model(predictor: Predictor, state: State) -> PersonalModel:
    """Fit a personal model to meals with readings 10 mg/dL above the population model."""
    n = 15
    utc_s = np.arange(0.0, n * 21600.0, 21600.0)
    meals = Meals(np.full((n, 4), 20.0), utc_s % 86400 / 3600, np.full(n, STATES.index(state)))
    rise = predictor.population.rise(meals, np.array(GRID_MIN))
    read = predictor.level_mg_dl[state] + 10.0 + rise + np.arange(n)[:, None] % 2
    found = Responses(utc_s, utc_s, np.full(n, 6.0), meals.macronutrients, read)
    own = fit_to_meals(predictor, found, state, None, n_days=4)
    # A personal model is only used if its error is smaller than that of the population model.
    return replace(own, population_rmse_mg_dl=2.0, personal_rmse_mg_dl=1.0)


def _meal(carbs_g: float, hour: int) -> Meal:
    known = {"carbs_g": carbs_g, "fiber_g": 0.0, "protein_g": 10.0, "fat_g": 10.0}
    serving = Serving(1, 1.0, "meal", 1.0, None, is_default=True)
    food = Food(1, "meal", "generic", "", Nutrients(known), (serving,))
    return Meal((Selection.of(food),), datetime(2026, 1, 5, hour))


def _registry(store: ModelStore) -> StoreRegistry | None:
    """Read the registry; return None if the file is missing."""
    return store.registry() if os.path.lexists(store.folder / "registry.toml") else None


def _keep(store: ModelStore, name: str, content: bytes) -> str:
    """Write weights to the store without changing the registry, and return their hash."""
    folder = store.folder / name
    if folder.is_symlink():
        raise ModelError(f"{folder} must not be a symbolic link; replace it with a folder")
    folder.mkdir(exist_ok=True)
    write_whole(folder / "weights.json", content)
    sync_folder(store.folder)
    return hashlib.sha256(content).hexdigest()


@contextmanager
def _locked(folder: str | Path) -> Iterator[ModelStore]:
    """Lock a store so that only one process at a time can change it."""
    import fcntl  # not available on Windows

    if not Path(folder).is_dir():
        raise ModelError(
            f"there is no model store at {folder}; run `postmeal models promote` first"
        )
    with open(Path(folder, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield ModelStore(folder)
