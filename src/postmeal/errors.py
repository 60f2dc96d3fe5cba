"""Exceptions raised by postmeal.

::

    PostmealError
    ├── InputError            a value is missing, has the wrong type or is invalid  (ValueError)
    │   ├── UnknownServing    the food does not have this serving
    │   ├── PictureError      a picture cannot be used
    │   ├── TooFewDays        too few days with enough CGM readings and meals for training
    │   └── UnusableHistory   the readings and meals are valid but cannot be used for training
    ├── UnknownFood           no food has this ID                                   (LookupError)
    ├── UnknownBarcode        no food has this barcode                              (LookupError)
    ├── CatalogError          the catalog file is damaged or missing, or a query took too long
    ├── DataSetError          a file or folder is not in the expected format
    ├── ModelError            a model file is missing, altered or from another version
    └── MissingExtra          a package of an optional extra is not installed  (ModuleNotFoundError)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

__all__ = [
    "CatalogError",
    "DataSetError",
    "InputError",
    "MissingExtra",
    "ModelError",
    "PictureError",
    "PostmealError",
    "TooFewDays",
    "UnknownBarcode",
    "UnknownFood",
    "UnknownServing",
    "UnusableHistory",
]


class PostmealError(Exception):
    """Base class of all postmeal exceptions.

    Examples
    --------
    >>> try:
    ...     raise InputError("age", "must be 1 to 120 years", 200)
    ... except PostmealError as error:
    ...     print(error)
    age must be 1 to 120 years, got 200
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Support unpickling without the constructor, whose parameters differ from `args`."""
        return _restore, (type(self), self.args, self.__dict__)


def _restore(
    kind: type[PostmealError], args: tuple[object, ...], state: dict[str, object]
) -> PostmealError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


_MISSING = object()
_MAX_LISTED_DAYS = 31


class InputError(PostmealError, ValueError):
    """A value is missing, has the wrong type or is invalid.

    Parameters
    ----------
    field : str
        Path of the invalid field, such as ``"age"`` or ``"foods[1].quantity"``.
    problem : str
        What is accepted, worded to follow the field, such as ``"must be 1 to 120 years"``.
    got : object, optional
        The invalid value; long values are shortened in the message.
    allowed : iterable of str, optional
        The accepted values, if there are only a few.
    """

    def __init__(
        self, field: str, problem: str, got: object = _MISSING, *, allowed: Iterable[str] = ()
    ) -> None:
        self.field = field
        self.problem = problem
        self.allowed = tuple(allowed)
        text = f"{field} {problem}"
        if self.allowed:
            has_commas = any("," in value for value in self.allowed)
            text += ": " + ", ".join(map(repr, self.allowed) if has_commas else self.allowed)
        if got is not _MISSING:
            value = repr(got)
            text += "; got " if self.allowed else ", got "
            text += value if len(value) <= 60 else value[:57] + "..."
        super().__init__(text)

    def within(self, place: str) -> InputError:
        """Return a copy whose message starts with a location, such as ``"row 3"``.

        Examples
        --------
        >>> print(InputError("carbs_g", "must be a number", "x").within("row 3"))
        row 3: carbs_g must be a number, got 'x'
        """
        error = InputError(f"{place}: {self.field}", self.problem, allowed=self.allowed)
        error.args = (f"{place}: {self}",)
        return error


class UnknownServing(InputError):
    """The food does not have this serving."""


class PictureError(InputError):
    """A picture cannot be used.

    Parameters
    ----------
    reason : {"format unsupported", "corrupt", "base64 invalid", "too large"}
        Kind of failure.
    field, problem, got
        See `InputError`.
    """

    def __init__(self, reason: str, field: str, problem: str, got: object = _MISSING) -> None:
        self.reason = reason
        super().__init__(field, problem, got)


class TooFewDays(InputError):
    """Fewer days have enough CGM readings and meals than training requires.

    Parameters
    ----------
    valid : int
        Number of valid days.
    needed : int
        Number of days required.
    refused : mapping of date to tuple of str
        The reasons why each invalid day is invalid.
    field : str, default="trace"
        Field name for error messages.
    """

    def __init__(
        self,
        valid: int,
        needed: int,
        refused: Mapping[date, tuple[str, ...]],
        field: str = "trace",
    ) -> None:
        self.valid = valid
        self.needed = needed
        self.refused = dict(refused)
        problem = f"must contain at least {needed} complete days with meals, got {valid}"
        reasons = [f"; {day}: {', '.join(problems)}" for day, problems in refused.items()]
        if len(reasons) > _MAX_LISTED_DAYS:
            reasons[_MAX_LISTED_DAYS:] = [f"; and {len(reasons) - _MAX_LISTED_DAYS} more days"]
        super().__init__(field, problem + "".join(reasons))


class UnusableHistory(InputError):
    """The CGM readings and meals are valid but cannot be used for training."""


class UnknownFood(PostmealError, LookupError):
    """No food has this ID."""

    def __init__(self, food_id: object) -> None:
        self.food_id = food_id
        super().__init__(
            f"no food has the ID {food_id!r}; search for a food by name to find its ID"
        )


class UnknownBarcode(PostmealError, LookupError):
    """No food has this barcode."""

    def __init__(self, barcode: str) -> None:
        self.barcode = barcode
        super().__init__(
            f"no food has the barcode {barcode!r}; check the digits, or search for the food by name"
        )


class CatalogError(PostmealError):
    """The catalog file is damaged or missing, or a query took too long.

    Attributes
    ----------
    reason : {"damaged", "unreachable", "too slow"}
        Kind of failure: the file is damaged, it cannot be opened or read, or a query timed out.
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class DataSetError(PostmealError):
    """A file or folder is not in the expected format."""


class ModelError(PostmealError):
    """A model file is missing, altered or from another version."""


class MissingExtra(PostmealError, ModuleNotFoundError):
    """A package of an optional extra of postmeal is not installed.

    Parameters
    ----------
    package : str
        Name of the missing package.
    extra : str
        The extra that contains it.

    Examples
    --------
    >>> print(MissingExtra("matplotlib", "plot"))
    matplotlib is not installed; run pip install 'postmeal[plot]'
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run pip install 'postmeal[{extra}]'")
