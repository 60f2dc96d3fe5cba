"""The active literature index, reloaded at runtime when another index is put into use."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from threading import Lock

from postmeal.errors import DataSetError
from postmeal.literature import Literature
from postmeal.literature.index import missing_index

__all__ = ["ServedLiterature"]

_log = logging.getLogger(__name__)


class ServedLiterature:
    """The literature index of a process, reloaded when its library folder contains a new index."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._active: Literature | None = None
        self._loaded_index = ""
        self._problem = ""
        self._lock = Lock()

    @property
    def active(self) -> Literature | None:
        """The active literature index, or None if no index could be opened.

        Read this once per request, since the index may be replaced at any time.
        """
        return self._active

    def follow(self) -> None:
        """Open the current index of the library folder unless it is already open.

        If the index cannot be opened, the previous one stays active, and the reason is logged once.
        """
        with self._lock:
            try:
                if self._folder is None:
                    self._active = self._active or Literature.open()
                elif (index := _current(self._folder)) != self._loaded_index or self._problem:
                    self._active, self._loaded_index = _open(self._folder), index
                self._problem = ""
            except (DataSetError, OSError, sqlite3.Error) as error:
                if str(error) != self._problem:
                    _log.error(
                        "the literature index cannot be used; any previous one stays in use: %s",
                        error,
                    )
                self._problem = str(error)

    def close(self) -> None:
        """Close the index and release its files."""
        with self._lock:
            self._active, self._loaded_index = None, ""


def _open(folder: Path) -> Literature:
    """Open a library folder, and search it once to check that no file is damaged."""
    try:
        literature = Literature.open(folder)
        literature.search("glucose", limit=1)
    except (DataSetError, OSError, sqlite3.Error):
        raise
    except Exception as error:  # damaged bytes cause errors of any type
        raise DataSetError(
            f"the index in {folder} is damaged: {error}; build the index again"
        ) from error
    return literature


def _current(folder: Path) -> str:
    """Return the name of the index that a library folder uses."""
    try:
        return (folder / "current").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise missing_index(folder) from error
