"""Files shipped with postmeal: the food table and the default model."""

from __future__ import annotations

from pathlib import Path

__all__ = ["asset", "checkout"]

_PACKAGE = Path(__file__).resolve().parent


def checkout() -> Path | None:
    """Return the root of the source checkout, or None if postmeal is installed as a package."""
    root = _PACKAGE.parents[1]
    in_checkout = _PACKAGE.parent.name == "src" and (root / "pyproject.toml").is_file()
    return root if in_checkout else None


def asset(name: str) -> Path:
    """Return the path of a file that ships with postmeal.

    In a checkout the file is in ``data/`` or ``models/``; the wheel contains these folders inside
    the package.

    Parameters
    ----------
    name : str
        Path relative to the root of the checkout, such as ``"data/foods.csv.xz"``.

    Returns
    -------
    Path
        Path of the file; the file is not required to exist.

    Examples
    --------
    >>> asset("data/foods.csv.xz").name
    'foods.csv.xz'
    """
    root = checkout() or _PACKAGE
    return root / name
