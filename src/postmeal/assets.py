"""The files that travel with postmeal: the food table and the default model."""

from __future__ import annotations

from pathlib import Path

__all__ = ["asset", "checkout"]

_PACKAGE_PARENT = Path(__file__).resolve().parents[1]


def checkout() -> Path | None:
    """Find the folder of the checkout that this code runs from, None when it is installed."""
    root = _PACKAGE_PARENT.parent
    in_checkout = _PACKAGE_PARENT.name == "src" and (root / "pyproject.toml").is_file()
    return root if in_checkout else None


def asset(name: str) -> Path:
    """Find a file that travels with postmeal.

    A checkout's own ``data/`` and ``models/`` win; an installed wheel carries the same files in
    the package ``postmeal_assets`` beside ``postmeal``.

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
    root = checkout() or _PACKAGE_PARENT / "postmeal_assets"
    return root / name
