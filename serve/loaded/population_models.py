"""Models: the population model in service and those kept beside it, followed while serving."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from postmeal.errors import ModelError
from postmeal.glucose.model_store import ModelStore, StoreRegistry
from postmeal.glucose.plausibility import check_plausibility
from postmeal.glucose.population.weights import read_pinned
from postmeal.glucose.predictor import Predictor

__all__ = ["FOLLOWED_EVERY_S", "Check", "Models"]

FOLLOWED_EVERY_S = 1.0
"""How often a process looks whether another model was promoted."""

Check = Callable[[str, str], None]
"""Takes a model's version and the hash of its weights; raises `ModelError` to refuse it."""

_log = logging.getLogger(__name__)


def _accept(version: str, sha256: str) -> None:
    """Accept each model, as where there is no database."""


@dataclass(frozen=True)
class _Kept:
    """What a store kept when its registry read so; replaced as a whole, never changed."""

    read: bytes
    active: Predictor | None
    by_version: Mapping[str, Predictor]
    sha256: Mapping[str, str]


_NONE = _Kept(b"", None, MappingProxyType({}), MappingProxyType({}))


class Models:
    """The population models of one process.

    Parameters
    ----------
    model : Path or None
        Folder of the one model that is served where there is no store; the shipped one when None.
    store : Path or None
        Folder of a model store, whose active model is served.
    check : Check, optional
        Whether a model that can be loaded may serve.
    """

    def __init__(
        self, model: Path | None = None, store: Path | None = None, check: Check = _accept
    ) -> None:
        self._check = check
        self._model = model
        self._store = None if store is None else ModelStore(store)
        self._kept = _NONE
        self._wrong = ""
        self._following = Lock()

    @property
    def active(self) -> Predictor | None:
        """The model in service; None until one could be loaded."""
        return self._kept.active

    @property
    def is_stale(self) -> bool:
        """Whether the store now says something that cannot be served, so that less is."""
        return bool(self._wrong)

    def version(self, version: str) -> Predictor:
        """Find a model that is kept by its version, such as ``population-2``.

        One that is not known is looked for in the store: another process may have followed a
        promotion earlier, and have trained someone on it.

        Raises
        ------
        ModelError
            It was retired, or never was here.
        """
        if version not in self._kept.by_version:
            self.follow()
        found = self._kept.by_version.get(version)
        if found is None:
            raise ModelError(f"the population model {version!r} is not kept here any more")
        return found

    def load(self) -> None:
        """Load what is to be served.

        Raises
        ------
        ModelError
            It cannot be loaded.
        """
        if self._store is None:
            pinned = read_pinned(self._model)
            one = Predictor.from_weights(pinned.unpack())
            check_plausibility(one)
            self._check(one.version, pinned.sha256)
            self._kept = _Kept(b"", one, {one.version: one}, {one.version: pinned.sha256})
            return
        try:
            read = self._store.registry_content()
            self._kept, wrong = self._loaded(self._store, read)
        except ModelError as error:
            self._wrong = str(error)  # which whoever catches it logs
            raise
        self._note(wrong)

    def follow(self) -> None:
        """Load what has been promoted since; what cannot be loaded leaves all as it was.

        Why it cannot is logged once.
        """
        if self._store is None:
            return
        with self._following:
            try:
                read = self._store.registry_content()
                if read == self._kept.read and not self._wrong:
                    return
                kept, wrong = self._loaded(self._store, read)
            except ModelError as error:
                kept, wrong = self._kept, str(error)
            self._kept = kept
            self._note(wrong)

    def check_again(self) -> None:
        """Check what serves, as if it were loaded only now.

        Raises
        ------
        ModelError
            The model in service is refused; none is in service any more.
        """
        kept, found = self._kept, {}
        for version, model in kept.by_version.items():
            try:
                found[version] = self._checked(model, kept.sha256[version])
            except ModelError as error:
                if model is kept.active:
                    self._kept, self._wrong = _NONE, str(error)
                    raise
                self._note(str(error))
        self._kept = replace(kept, by_version=found)

    def _checked(self, model: Predictor, sha256: str) -> Predictor:
        self._check(model.version, sha256)
        return model

    def _note(self, wrong: str) -> None:
        """Remember what is wrong, and log it when it is new."""
        if wrong and wrong != self._wrong:
            _log.error("a model of the store cannot be used: %s", wrong)
        self._wrong = wrong

    def _loaded(self, store: ModelStore, read: bytes) -> tuple[_Kept, str]:
        """Load what is new; a model that is kept but not active may fail without the others."""
        registry, before = StoreRegistry.parse(read), self._kept
        found, wrong = {}, ""
        for name, sha256 in registry.sha256.items():
            if before.sha256.get(name) == sha256 and name in before.by_version:
                found[name] = before.by_version[name]
                continue
            try:
                found[name] = self._checked(store.load(name, sha256), sha256)
            except ModelError as error:
                if name == registry.active:
                    raise
                wrong = str(error)
        return _Kept(read, found[registry.active], found, registry.sha256), wrong
