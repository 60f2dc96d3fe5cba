"""The active food catalog, reloaded at runtime when its file is replaced."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

from postmeal.errors import CatalogError
from postmeal.foods.alternatives.pool import pool_of
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal
from postmeal_serve.loaded.followed_file import FollowedFile

__all__ = ["ServedCatalog", "warm"]

_log = logging.getLogger(__name__)


class ServedCatalog(FollowedFile[Catalog]):
    """The food catalog of a process, which is reloaded when its file is replaced.

    The caches of a new catalog are built before it becomes active.
    """

    def __init__(self, foods: Path | None = None, file: Path | None = None) -> None:
        super().__init__(
            file,
            Catalog,
            partial(Catalog.open, foods),
            "catalog file (POSTMEAL_CATALOG_FILE)",
            warm,
        )


def warm(catalog: Catalog) -> None:
    """Build the caches of a catalog for alternatives and meal texts, which takes several seconds.

    If the catalog cannot be read, the error is logged, and the first requests that need the caches
    build them.
    """
    possible_gtins("00000000")  # This call loads the GS1 tables.
    try:
        read_meal("a scrambeled egg", catalog)  # The misspelling loads the spelling index.
        pool_of(catalog)
    except CatalogError as error:
        _log.error(
            "catalog caches cannot be built yet, so the first requests may be slow: %s", error
        )
    else:
        _log.info("catalog caches built")
