"""The files that travel with postmeal: the food table and the default model."""

from __future__ import annotations

from pathlib import Path

__all__ = ["asset", "checkout"]

_PACKAGE = Path(__file__).resolve().parent


def checkout() -> Path | None:
    """Find the folder of the checkout that this code runs from, None when it is installed."""
    root = _PACKAGE.parents[1]
    in_checkout = _PACKAGE.parent.name == "src" and (root / "pyproject.toml").is_file()
    return root if in_checkout else None


def asset(name: str) -> Path:
    """Return the path of a file that ships with postmeal.

    In a checkout it is in ``data/`` or ``models/``; the wheel holds these folders in the package.

    Parameters
    ----------
    name : str
        Path from the root of the checkout: ``"data/foods.csv.xz"``, ``"models/registry.toml"``.

    Returns
    -------
    Path
        Where the file lies, whether or not it is there.

    Examples
    --------
    >>> asset("data/foods.csv.xz").name
    'foods.csv.xz'
    """
    root = checkout() or _PACKAGE
    return root / name
