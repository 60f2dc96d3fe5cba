"""Files that are reopened at runtime when another file is renamed to their path."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from stat import S_ISREG
from threading import Lock
from typing import Generic, Protocol, TypeVar

from postmeal.errors import CatalogError

__all__ = ["FollowedFile", "Identity", "identity_of"]

Identity = tuple[int, int, int, int]  # device, inode, modification time and size of a file

_log = logging.getLogger(__name__)


class Openable(Protocol):
    """An object that reads a file."""

    @property
    def close(self) -> Callable[[], object]:
        """Function that closes the object."""

    @property
    def path(self) -> Path:
        """The file that the object reads."""


Opened = TypeVar("Opened", bound=Openable)


class FollowedFile(Generic[Opened]):
    """A file that a process keeps open, and reopens when the file is replaced.

    The object opened from the earlier file is closed when the last request that uses it has
    finished.
    """

    def __init__(
        self,
        file: Path | None,
        open_file: Callable[[Path], Opened],
        open_default: Callable[[], Opened],
        what: str,
        warm: Callable[[Opened], None] = lambda opened: None,
    ) -> None:
        self._file = file
        self._open_file = open_file
        self._open_default = open_default
        self._what = what
        self._warm = warm
        self._active: Opened | None = None
        self._loaded_identity: Identity | None = None
        self._problem = ""
        self._lock = Lock()

    @property
    def active(self) -> Opened | None:
        """The object that is currently open, or None if the file could not be opened.

        Read this once per request, since it may be replaced at any time.
        """
        return self._active

    @property
    def is_stale(self) -> bool:
        """Whether the current file is unusable, so that the earlier object stays active."""
        return bool(self._problem)

    def load(self) -> None:
        """Open the file, or the default if there is no file; do nothing if it is already open."""
        if self._active is not None:
            return
        if self._file is None:
            self._active = self._open_default()
            self._loaded_identity = identity_of(self._active.path)
            return
        try:
            self._active, self._loaded_identity = self._open(self._file)
        except CatalogError as error:
            self._problem = str(error)  # The caller logs it.
            raise

    def follow(self) -> None:
        """Open the file if it is not open yet, and reopen it if it was replaced.

        If the file cannot be opened, the previously opened object stays active, and the reason is
        logged once.
        """
        with self._lock:
            try:
                if self._file is None:
                    if self._active is None or self._is_replaced(self._active.path):
                        opened = self._open_default()
                        self._warm(opened)
                        self._active, self._loaded_identity = opened, identity_of(opened.path)
                elif self._problem or identity_of(self._file) != self._loaded_identity:
                    opened, loaded_identity = self._open(self._file)
                    self._warm(opened)
                    self._active, self._loaded_identity = opened, loaded_identity
                self._problem = ""
            except CatalogError as error:
                if str(error) != self._problem:
                    _log.error(
                        "the %s cannot be used; any previous one stays in use: %s",
                        self._what,
                        error,
                    )
                self._problem = str(error)

    def close(self) -> None:
        """Close the open object."""
        if self._active is not None:
            self._active.close()

    def _is_replaced(self, default: Path) -> bool:
        """Return whether the file of the default, which is in a cache, is gone or another one."""
        try:
            return identity_of(default) != self._loaded_identity
        except CatalogError:
            return True

    def _open(self, file: Path) -> tuple[Opened, Identity]:
        """Open a file, and return the opened object and the identity of the file.

        If the file is replaced while it is being opened, the returned identity is that of the
        earlier file, so that `follow` reopens the file.
        """
        before = identity_of(file)
        return self._open_file(file), before


def identity_of(file: Path) -> Identity:
    """Return the identity of a regular file."""
    try:
        stat = file.stat()
    except FileNotFoundError as error:
        problem = f"{file} does not exist; give the path of an existing file"
        raise CatalogError("unreachable", problem) from error
    except OSError as error:
        problem = f"{file} cannot be read ({error.strerror}); check the permissions of the file"
        raise CatalogError("unreachable", problem) from error
    if not S_ISREG(stat.st_mode):  # Opening a pipe would block forever.
        raise CatalogError("unreachable", f"{file.name} must be a regular file")
    return stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size
