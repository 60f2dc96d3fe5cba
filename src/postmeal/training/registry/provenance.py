"""Determine the provenance of a run: the versions of libraries and the commit of the code."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["git_commit", "library_versions"]

_LIBRARIES = ("postmeal", "numpy", "scipy", "pandas", "scikit-learn", "lightgbm", "mlflow")


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that affect the results of a run."""
    found = {"version/python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[f"version/{library}"] = version(library)
        except PackageNotFoundError:  # mlflow-skinny has a different name
            found[f"version/{library}"] = "not installed"
    return found


def git_commit() -> tuple[str, bool] | None:
    """Return the commit of postmeal's source code, and whether there are uncommitted changes."""
    file = Path(__file__)
    try:
        _git("ls-files", "--error-unmatch", file.name, folder=file.parent)
        changes = _git("status", "--porcelain", "--untracked-files=no", folder=file.parent)
        return _git("rev-parse", "HEAD", folder=file.parent), bool(changes)
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*words: str, folder: Path) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
