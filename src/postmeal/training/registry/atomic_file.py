"""Files that are there whole or not at all, whenever the process or the power goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["sync_folder", "write_whole"]


def write_whole(path: Path, content: Any) -> None:
    """Replace a file in one step; it is on disk afterwards.

    A process that is killed meanwhile leaves a file beside it whose name ends in ``.part``.

    Parameters
    ----------
    path : Path
        The file, there already or not.
    content : bytes-like
        What it will hold.
    """
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with open(part, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until names that were added to a folder, or replaced in it, are on disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
