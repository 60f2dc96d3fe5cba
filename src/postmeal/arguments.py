"""Check the types of arguments, and raise an `InputError` if a type is wrong."""

from os import PathLike, fspath
from pathlib import Path
from typing import Any

from postmeal.errors import InputError


def check_type(field: str, value: object, accepted: type | tuple[type, ...], problem: str) -> None:
    """Check that an argument has an accepted type."""
    if not isinstance(value, accepted):
        raise InputError(field, problem, value)


def check_whole(field: str, value: Any, least: int = 0) -> None:
    """Check that an argument is a whole number of at least `least`."""
    is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
    if not is_whole or value < least:
        raise InputError(field, f"must be a whole number of {least} or more", value)


def path_of(field: str, value: str | PathLike[str]) -> Path:
    """Convert an argument to a path.

    Examples
    --------
    >>> path_of("folder", 5)
    Traceback (most recent call last):
    postmeal.errors.InputError: folder must be a str or a Path, got 5
    """
    try:
        path = fspath(value)
    except TypeError:
        raise InputError(field, "must be a str or a Path", value) from None
    if not isinstance(path, str):
        raise InputError(field, "must be a str or a Path", value)
    return Path(path)
