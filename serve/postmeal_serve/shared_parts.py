"""Parts of the service that exist before its worker processes are forked, so that these share them.

The food catalog, the places and the literature index are read-only, and each process opens its own
connections to their files. Databases, threads and event loops are created after the fork.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass

from postmeal.errors import PostmealError
from postmeal.glucose.predictor import Predictor
from postmeal_serve.accounting.minutes import Minutes
from postmeal_serve.loaded.food_catalog import ServedCatalog, warm
from postmeal_serve.loaded.literature import ServedLiterature
from postmeal_serve.loaded.places import ServedPlaces
from postmeal_serve.resources.chat import Chat
from postmeal_serve.runtime.garbage_collection import freeze_loaded
from postmeal_serve.runtime.heartbeats import Heartbeats
from postmeal_serve.settings import Settings

__all__ = ["SharedParts"]

_PROBLEMS = (PostmealError, OSError, sqlite3.Error)


@dataclass
class SharedParts:
    """Parts that the worker processes of a service share."""

    minutes: Minutes
    catalogs: ServedCatalog
    places: ServedPlaces
    literature: ServedLiterature
    decoder: str | None = None
    heartbeats: Heartbeats | None = None
    is_warm: bool = False
    process_id: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> SharedParts:
        """Return the parts that the settings describe; no file is open yet."""
        return cls(
            Minutes(),
            ServedCatalog(settings.food_table, settings.catalog_file),
            ServedPlaces(settings.places),
            ServedLiterature(settings.literature),
        )

    def load(self) -> None:
        """Open the files; `Service` tries again to open a catalog that cannot be opened."""
        with suppress(*_PROBLEMS):
            self.catalogs.load()
        self.places.follow()
        self.literature.follow()

    def follow(self) -> None:
        """Reopen the files that were replaced, so that the next worker starts with the new ones."""
        if self.catalogs.active is not None:
            with suppress(*_PROBLEMS):
                self.catalogs.follow()
        self.places.follow()
        self.literature.follow()

    def warm(self, predictor: Predictor | None) -> None:
        """Build the caches of meals and, if there is a model, of the chat; this takes seconds."""
        if (catalog := self.catalogs.active) is None:
            return
        warm(catalog)
        if predictor is not None:
            Chat(catalog, predictor, self.literature, None).warm()
        freeze_loaded()
