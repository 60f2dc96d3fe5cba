"""The active places, reloaded at runtime when their file is replaced."""

from __future__ import annotations

import logging
from pathlib import Path
from threading import Lock

from postmeal.errors import CatalogError
from postmeal.restaurants.places import Places
from serve.loaded.followed_file import Identity, identity, open_identified

__all__ = ["ServedPlaces"]

_log = logging.getLogger(__name__)


class ServedPlaces:
    """The places of a process, which are reloaded when their file is replaced.

    Parameters
    ----------
    file : Path or None
        A places file, which is reloaded when another file is renamed to this path; None for the
        demonstration places.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._active: Places | None = None
        self._loaded_identity: Identity | None = None
        self._problem = ""
        self._lock = Lock()

    @property
    def active(self) -> Places | None:
        """The active places; None if none could be opened.

        Read this once per request, since the places may be replaced at any time.
        """
        return self._active

    def follow(self) -> None:
        """Open the places if they are not open yet, or again if their file was replaced.

        If the file cannot be opened, the previous places stay active, and the reason is logged
        once.
        """
        with self._lock:
            try:
                if self._file is None:
                    self._active = self._active or Places.open()
                elif self._problem or identity(self._file) != self._loaded_identity:
                    self._active, self._loaded_identity = open_identified(self._file, Places.open)
                self._problem = ""
            except CatalogError as error:
                if str(error) != self._problem:
                    _log.error("places file cannot be used: %s", error)
                self._problem = str(error)

    def close(self) -> None:
        """Close the places."""
        if self._active is not None:
            self._active.close()
