"""Paths of the files shipped with postmeal, and of the folders for files compiled from them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def checkout() -> Path | None:
    """Return the root of the source checkout, or None if postmeal is installed as a package."""
    root = _PACKAGE.parents[1]
    in_checkout = _PACKAGE.parent.name == "src" and (root / "pyproject.toml").is_file()
    return root if in_checkout else None


def asset(name: str) -> Path:
    """Return the path of a file that ships with postmeal.

    In a checkout, the files are in ``data/`` and ``models/``. In a wheel, these folders are inside
    the package.
    """
    root = checkout() or _PACKAGE
    return root / name


def cache_folders() -> Iterator[Path]:
    """Yield the folders in which a compiled file can be stored, in order of preference."""
    if root := checkout():
        yield root / "var"
    else:
        try:
            home = Path.home()
            default = home / ("Library/Caches" if sys.platform == "darwin" else ".cache")
            yield Path(os.environ.get("XDG_CACHE_HOME") or default) / "postmeal"
        except RuntimeError:
            pass  # the user does not have a home folder
    user = os.getuid() if hasattr(os, "getuid") else 0
    temporary = Path(tempfile.gettempdir()) / f"postmeal-{user}"
    if not temporary.exists() or temporary.stat().st_uid == user:  # never use another user's file
        yield temporary
