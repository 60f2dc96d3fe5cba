"""Catalogues: the foods in service, followed while serving when their file is replaced."""

from __future__ import annotations

import logging
from pathlib import Path
from stat import S_ISREG
from threading import Lock

from postmeal.errors import CatalogError
from postmeal.foods.alternatives.pool import pool_of
from postmeal.foods.barcodes import possible_gtins
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal

__all__ = ["Catalogues", "warm"]

_Identity = tuple[int, int, int, int]

_TRIED = 3

_log = logging.getLogger(__name__)


class Catalogues:
    """The catalogue of one process.

    A catalogue that was replaced is closed when the last request that reads it has ended.

    Parameters
    ----------
    foods : Path or None
        Table of the foods that are served where no file is followed; the shipped one when None.
    file : Path or None
        A compiled catalogue, which is followed: it is replaced by renaming another to its name.
    """

    def __init__(self, foods: Path | None = None, file: Path | None = None) -> None:
        self._foods = foods
        self._file = file
        self._active: Catalog | None = None
        self._seen: _Identity | None = None
        self._wrong = ""
        self._following = Lock()

    @property
    def active(self) -> Catalog | None:
        """The catalogue in service: whoever reads it once answers by that one alone."""
        return self._active

    @property
    def is_stale(self) -> bool:
        """Whether the file cannot be served as it is now, so that the one before still is."""
        return bool(self._wrong)

    def load(self) -> None:
        """Open what is to be served.

        Raises
        ------
        CatalogError
            The file is missing or damaged.
        DataSetError
            The table is.
        """
        if self._file is None:
            self._active = Catalog.open(self._foods)
            return
        try:
            self._active, self._seen = _opened(self._file)
        except CatalogError as error:
            self._wrong = str(error)  # which whoever catches it logs
            raise

    def follow(self) -> None:
        """Open the file if it was replaced; while it cannot be opened, all stays as it was.

        Why it cannot is logged once. The new one is laid out before it serves: until then, whoever
        asks is answered by the one before.
        """
        if self._file is None:
            return
        with self._following:
            try:
                if self._wrong or _identity(self._file) != self._seen:
                    opened, seen = _opened(self._file)
                    warm(opened)
                    self._active, self._seen = opened, seen
                self._wrong = ""
            except CatalogError as error:
                if str(error) != self._wrong:
                    _log.error("the catalogue's file cannot be used: %s", error)
                self._wrong = str(error)

    def close(self) -> None:
        """Close the file."""
        if self._active is not None:
            self._active.close()


def _opened(file: Path) -> tuple[Catalog, _Identity]:
    """Open the file, and tell which one it was."""
    for _ in range(_TRIED):
        before = _identity(file)
        catalog = Catalog(file)
        if _identity(file) == before:
            return catalog, before
    raise CatalogError("unreachable", f"{file.name} is being replaced over and over")


def _identity(file: Path) -> _Identity:
    try:
        stat = file.stat()
    except OSError as error:
        raise CatalogError("unreachable", f"{file.name}: {error.strerror}") from error
    if not S_ISREG(stat.st_mode):  # a pipe would be waited at for ever
        raise CatalogError("unreachable", f"{file.name} is no file")
    return stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size


def warm(catalog: Catalog) -> None:
    """Lay the foods of a catalogue out for alternatives and for meals in plain English.

    It takes some seconds. A catalogue that cannot be read is told in the log; whoever asks is
    answered as ever.
    """
    possible_gtins("00000000")  # which loads the tables of GS1
    try:
        read_meal("an egg", catalog)
        pool_of(catalog)
    except CatalogError as error:
        _log.error("the catalogue cannot be laid out: %s", error)
    else:
        _log.info("the catalogue is laid out")
