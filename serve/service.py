"""The service's parts: each is loaded once, and each may be missing without the others failing."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from postmeal.errors import PostmealError
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from serve.errors import Refusal
from serve.partners.keys import KeyRing
from serve.settings import Settings

__all__ = ["PARTS", "Service"]

PARTS = ("keys", "catalogue", "model")
"""What the service is made of."""

Part = TypeVar("Part")

_log = logging.getLogger(__name__)


class Service:
    """API keys, food catalogue and model.

    Parameters
    ----------
    settings : Settings
        What to load from where. Why a part could not be loaded is said in the log alone.
    """

    def __init__(self, settings: Settings) -> None:
        self._missing: list[str] = []
        pepper = settings.key_pepper.get_secret_value().encode()
        self._keys = self._load("keys", lambda: KeyRing(settings.keys_file, pepper))
        self._catalog = self._load("catalogue", lambda: Catalog.open(settings.foods))
        self._predictor = self._load("model", lambda: Predictor.load(settings.model))

    @property
    def keys(self) -> KeyRing:
        """The API keys."""
        return self._present(self._keys)

    @property
    def catalog(self) -> Catalog:
        """The foods."""
        return self._present(self._catalog)

    @property
    def predictor(self) -> Predictor:
        """The model."""
        return self._present(self._predictor)

    def failing(self) -> list[str]:
        """Name the parts that cannot be used now."""
        failing = list(self._missing)
        if self._keys is not None:
            try:
                self._keys.check()
            except sqlite3.Error:
                failing.append("keys")
        return failing

    def close(self) -> None:
        """Close the files."""
        if self._keys is not None:
            self._keys.close()
        if self._catalog is not None:
            self._catalog.close()

    def _load(self, name: str, load: Callable[[], Part]) -> Part | None:
        try:
            return load()
        except (PostmealError, OSError, sqlite3.Error) as error:
            _log.error("the %s cannot be used: %s", name, error)
            self._missing.append(name)
            return None

    def _present(self, part: Part | None) -> Part:
        if part is None:
            message = "this part of the service is not available at the moment"
            raise Refusal("service_unavailable", message)
        return part
