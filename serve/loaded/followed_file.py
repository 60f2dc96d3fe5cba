"""Files that are opened again at runtime when another file is renamed to their path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from stat import S_ISREG
from typing import TypeVar

from postmeal.errors import CatalogError

__all__ = ["Identity", "identity", "open_identified"]

Identity = tuple[int, int, int, int]
"""Device, inode, modification time and size of a file."""

_ATTEMPTS = 3

Opened = TypeVar("Opened")


def open_identified(file: Path, open_file: Callable[[Path], Opened]) -> tuple[Opened, Identity]:
    """Open a file, and return it with the identity of the file that was opened.

    Raises
    ------
    CatalogError
        The file cannot be read, or it was replaced again and again while it was being opened.
    """
    for _ in range(_ATTEMPTS):
        before = identity(file)
        opened = open_file(file)
        if identity(file) == before:
            return opened, before
    raise CatalogError(
        "unreachable", f"{file.name} was replaced {_ATTEMPTS} times while it was being opened"
    )


def identity(file: Path) -> Identity:
    """Return the identity of a regular file.

    Raises
    ------
    CatalogError
        The file is missing or not a regular file.
    """
    try:
        stat = file.stat()
    except OSError as error:
        raise CatalogError("unreachable", f"{file.name}: {error.strerror}") from error
    if not S_ISREG(stat.st_mode):  # Opening a pipe would block forever.
        raise CatalogError("unreachable", f"{file.name} is not a regular file")
    return stat.st_dev, stat.st_ino, stat.st_mtime_ns, stat.st_size
