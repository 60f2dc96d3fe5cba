"""Every error that postmeal raises on purpose.

::

    PostmealError
    ├── InputError            a value is missing, of the wrong kind or impossible  (ValueError)
    │   ├── UnknownServing    the serving is not one of this food's
    │   ├── TooFewDays        fewer than five days of CGM and meals may be learned from
    │   └── UnusableHistory   the CGM and meals are well formed but cannot be learned from
    ├── UnknownFood           no food has this id                                  (LookupError)
    ├── UnknownBarcode        no food has this barcode                             (LookupError)
    ├── CatalogError          the catalogue's file is damaged or cannot be reached
    ├── DataSetError          a folder does not hold a data set in its official format
    └── ModelError            a model file is missing, altered or of another version
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

__all__ = [
    "CatalogError",
    "DataSetError",
    "InputError",
    "ModelError",
    "PostmealError",
    "TooFewDays",
    "UnknownBarcode",
    "UnknownFood",
    "UnknownServing",
    "UnusableHistory",
]


class PostmealError(Exception):
    """Any error that postmeal raises on purpose.

    Examples
    --------
    >>> try:
    ...     raise InputError("age", "must be 1 to 120 years", 200)
    ... except PostmealError as error:
    ...     print(error)
    age must be 1 to 120 years, got 200
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without calling the constructor, whose parameters differ from `args`."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(
    kind: type[PostmealError], args: tuple[object, ...], state: dict[str, object]
) -> PostmealError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


_NOTHING = object()
_TOLD_DAYS = 31  # of those that did not count: a message has an end


class InputError(PostmealError, ValueError):
    """A value is missing, of the wrong kind or impossible.

    Parameters
    ----------
    field : str
        The field at fault, as a path: ``"age"``, ``"foods[1].quantity"``.
    problem : str
        What is accepted, as the rest of a sentence that starts with the field.
    got : object, optional
        The value at fault; shown in the message, shortened.
    allowed : iterable of str, optional
        The accepted values, where they are few.
    """

    def __init__(
        self, field: str, problem: str, got: object = _NOTHING, *, allowed: Iterable[str] = ()
    ) -> None:
        self.field = field
        self.problem = problem
        self.allowed = tuple(allowed)
        text = f"{field} {problem}"
        if self.allowed:
            text += ": " + ", ".join(self.allowed)
        if got is not _NOTHING:
            shown = repr(got)
            text += f", got {shown if len(shown) <= 60 else shown[:57] + '...'}"
        super().__init__(text)

    def within(self, place: str) -> InputError:
        """Return the same error with a place, such as ``"row 3"``, before the field.

        Examples
        --------
        >>> print(InputError("carbs_g", "must be a number", "x").within("row 3"))
        row 3: carbs_g must be a number, got 'x'
        """
        error = InputError(f"{place}: {self.field}", self.problem, allowed=self.allowed)
        error.args = (f"{place}: {self}",)
        return error


class UnknownServing(InputError):
    """The serving is not one of this food's."""


class TooFewDays(InputError):
    """Fewer days of CGM and meals are complete than training needs.

    Parameters
    ----------
    valid : int
        How many days are valid.
    needed : int
        How many are needed.
    refused : mapping of date to tuple of str
        Every other day, with what it lacks.
    field : str, default="cgm_data"
        The name to blame.
    """

    def __init__(
        self,
        valid: int,
        needed: int,
        refused: Mapping[date, tuple[str, ...]],
        field: str = "cgm_data",
    ) -> None:
        self.valid = valid
        self.needed = needed
        self.refused = dict(refused)
        problem = f"must hold at least {needed} complete days with the meals eaten on them"
        problem += f", found {valid}"
        reasons = [f"; {day}: {', '.join(lacks)}" for day, lacks in refused.items()]
        if len(reasons) > _TOLD_DAYS:
            reasons[_TOLD_DAYS:] = [f"; and {len(reasons) - _TOLD_DAYS} days more"]
        super().__init__(field, problem + "".join(reasons))


class UnusableHistory(InputError):
    """The CGM and meals are well formed but cannot be learned from."""


class UnknownFood(PostmealError, LookupError):
    """No food has this id."""

    def __init__(self, food_id: object) -> None:
        self.food_id = food_id
        super().__init__(f"no food has the id {food_id!r}")


class UnknownBarcode(PostmealError, LookupError):
    """No food has this barcode."""

    def __init__(self, barcode: str) -> None:
        self.barcode = barcode
        super().__init__(f"no food has the barcode {barcode!r}")


class CatalogError(PostmealError):
    """The catalogue's file is damaged, missing, or does not answer in time.

    Attributes
    ----------
    reason : {"damaged", "unreachable", "too slow"}
        What is wrong: a damaged index can be lived with, a file that is gone cannot.
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class DataSetError(PostmealError):
    """A folder does not hold a data set in its official format."""


class ModelError(PostmealError):
    """A model file is missing, altered or of another version."""
