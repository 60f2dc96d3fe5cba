"""Replace files atomically, so that a crash or power failure never leaves a partial file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: Any) -> None:
    """Create or replace a file atomically, and wait until its content is on disk.

    If the process is killed, a file whose name ends in ``.part`` may remain in the same folder.
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
    """Wait until the names of files that were added or replaced in a folder are on disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
