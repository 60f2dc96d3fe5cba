"""The active population model and other versions, reloaded when the model store changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from postmeal.errors import ModelError
from postmeal.glucose.model_store import ModelStore, StoreRegistry
from postmeal.glucose.population.weights import read_pinned, read_shipped
from postmeal.glucose.predictor import Predictor

__all__ = ["FOLLOWED_EVERY_S", "Check", "Models"]

FOLLOWED_EVERY_S = 1.0
"""Seconds between checks for a newly promoted model."""

Check = Callable[[str, str], None]
"""Function that takes a model's version and the SHA-256 of its weights in hexadecimal, and raises
`ModelError` to reject the model."""

_log = logging.getLogger(__name__)


def _accept(version: str, sha256: str) -> None:
    """Accept every model. This check is the default, for use without a database."""


@dataclass(frozen=True)
class _LoadedModels:
    """Immutable snapshot of the loaded models, with the registry they were loaded from."""

    registry: bytes
    active: Predictor | None
    by_version: Mapping[str, Predictor]
    sha256: Mapping[str, str]


_NONE = _LoadedModels(b"", None, MappingProxyType({}), MappingProxyType({}))


class Models:
    """The population models of a process, which are reloaded when the model store changes."""

    def __init__(
        self, model: Path | None = None, store: Path | None = None, check: Check = _accept
    ) -> None:
        self._check = check
        self._model = model
        self._store = None if store is None else ModelStore(store)
        self._models = _NONE
        self._problem = ""
        self._lock = Lock()

    @property
    def active(self) -> Predictor | None:
        """The active model, or None until a model has been loaded."""
        return self._models.active

    @property
    def is_stale(self) -> bool:
        """Whether a model in the store is unusable, so that earlier models stay in use."""
        return bool(self._problem)

    def version(self, version: str) -> Predictor:
        """Return the model with the given version, such as ``population-2``.

        If the version is unknown, the store is read again, because another process may already have
        loaded a newly promoted model and trained a user on it.
        """
        if version not in self._models.by_version:
            self.follow()
        model = self._models.by_version.get(version)
        if model is None:
            message = f"population model {version!r} is not available; it may have been retired"
            raise ModelError(message)
        return model

    def load(self) -> None:
        """Load the active model, and other shipped models for users who were trained on them."""
        if self._store is None:
            pinned = read_pinned(self._model)
            model = Predictor.verified(pinned.unpack())
            self._check(model.version, pinned.sha256)
            models, hashes = {model.version: model}, {model.version: pinned.sha256}
            for other in read_shipped():
                if other.sha256 == pinned.sha256:
                    continue
                former = Predictor.from_weights(other.unpack())
                if former.version not in models:
                    models[former.version] = self._checked(former, other.sha256)
                    hashes[former.version] = other.sha256
            self._models = _LoadedModels(b"", model, models, hashes)
            return
        try:
            registry = self._store.registry_content()
            self._models, problem = self._read_store(self._store, registry)
        except ModelError as error:
            self._problem = str(error)  # The caller logs it.
            raise
        self._report(problem)

    def follow(self) -> None:
        """Load the models that have been added to the store since the last call.

        If a model cannot be loaded, the current models stay in use, and the reason is logged once.
        """
        if self._store is None:
            return
        with self._lock:
            try:
                registry = self._store.registry_content()
                if registry == self._models.registry and not self._problem:
                    return
                models, problem = self._read_store(self._store, registry)
            except ModelError as error:
                models, problem = self._models, str(error)
            self._models = models
            self._report(problem)

    def check_again(self) -> None:
        """Check the loaded models again, and drop those that are rejected.

        The service calls this when its database has become available.
        """
        models, accepted = self._models, {}
        for version, model in models.by_version.items():
            try:
                accepted[version] = self._checked(model, models.sha256[version])
            except ModelError as error:
                if model is models.active:
                    self._models, self._problem = _NONE, str(error)
                    raise
                self._report(str(error))
        self._models = replace(models, by_version=accepted)

    def _checked(self, model: Predictor, sha256: str) -> Predictor:
        self._check(model.version, sha256)
        return model

    def _report(self, problem: str) -> None:
        """Record a problem, and log it if it is new; an empty text clears the record."""
        if problem and problem != self._problem:
            _log.error("a population model cannot be used; other models stay in use: %s", problem)
        self._problem = problem

    def _read_store(self, store: ModelStore, content: bytes) -> tuple[_LoadedModels, str]:
        """Load the models in the registry that are not loaded yet.

        Return all models, and a description of the problem if one of them is unusable (otherwise an
        empty text). Raise `ModelError` if the active model is unusable.
        """
        registry, before = StoreRegistry.parse(content), self._models
        models, problem = {}, ""
        for name, sha256 in registry.sha256.items():
            if before.sha256.get(name) == sha256 and name in before.by_version:
                models[name] = before.by_version[name]
                continue
            try:
                models[name] = self._checked(store.load(name, sha256), sha256)
            except ModelError as error:
                if name == registry.active:
                    raise
                problem = str(error)
        return _LoadedModels(content, models[registry.active], models, registry.sha256), problem
