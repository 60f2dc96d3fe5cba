"""The active food catalog, reloaded at runtime when its file is replaced."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from postmeal.errors import CatalogError
from postmeal.foods.alternatives.pool import pool_of
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal
from serve.loaded.followed_file import Identity, identity, open_identified

__all__ = ["ServedCatalog", "warm"]

_log = logging.getLogger(__name__)


class ServedCatalog:
    """The food catalog of a process, which is reloaded when its file is replaced.

    A replaced catalog is closed when the last request that uses it has finished.

    Parameters
    ----------
    foods : Path or None
        Table of foods, used if `file` is None. Defaults to the shipped table if both are None.
    file : Path or None
        A compiled catalog. It is reloaded when another file is renamed to this path.
    """

    def __init__(self, foods: Path | None = None, file: Path | None = None) -> None:
        self._foods = foods
        self._file = file
        self._active: Catalog | None = None
        self._loaded_identity: Identity | None = None
        self._problem = ""
        self._lock = Lock()

    @property
    def active(self) -> Catalog | None:
        """The active catalog; None if none could be opened.

        Read this once per request, since the catalog may be replaced at any time.
        """
        return self._active

    @property
    def is_stale(self) -> bool:
        """Whether the current file cannot be used; the previous catalog, if any, stays active."""
        return bool(self._problem)

    def load(self) -> None:
        """Open the catalog.

        Raises
        ------
        CatalogError
            The file is missing or damaged.
        DataSetError
            The table is missing or damaged.
        """
        if self._file is None:
            self._active = Catalog.open(self._foods)
            return
        try:
            self._active, self._loaded_identity = open_identified(self._file, Catalog)
        except CatalogError as error:
            self._problem = str(error)  # The caller logs it.
            raise

    def follow(self) -> None:
        """Open the catalog file again if it was replaced.

        The caches of a new catalog are built before it becomes active. If the file cannot be
        opened, the previous catalog stays active, and the reason is logged once.
        """
        if self._file is None:
            return
        with self._lock:
            try:
                if self._problem or identity(self._file) != self._loaded_identity:
                    opened, seen = open_identified(self._file, Catalog)
                    warm(opened)
                    self._active, self._loaded_identity = opened, seen
                self._problem = ""
            except CatalogError as error:
                if str(error) != self._problem:
                    _log.error("catalog file cannot be used: %s", error)
                self._problem = str(error)

    def close(self) -> None:
        """Close the catalog."""
        if self._active is not None:
            self._active.close()


def warm(catalog: Catalog) -> None:
    """Build the caches of a catalog for alternatives and meal texts, which takes several seconds.

    If the catalog cannot be read, the error is logged, and requests build the caches when needed.
    """
    possible_gtins("00000000")  # This call loads the GS1 tables.
    try:
        read_meal("a scrambeled egg", catalog)  # The misspelling loads the spelling index.
        pool_of(catalog)
    except CatalogError as error:
        _log.error("catalog caches could not be built: %s", error)
    else:
        _log.info("catalog caches built")
