"""JSON bodies: read up to a size, checked for depth, then validated strictly in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect, Request

from postmeal.errors import InputError

__all__ = [
    "DEEPEST_JSON",
    "LARGEST_BODY",
    "MOST_PARTS",
    "MOST_VALUES",
    "Accepts",
    "BodyTooLarge",
    "Wire",
    "parse_body",
    "read_body",
]

LARGEST_BODY = 5 * 1024 * 1024
"""Bytes of the largest body that is read."""

MOST_VALUES = 1000
"""Entries of the longest array of words from a vocabulary."""

DEEPEST_JSON = 64
"""Levels of arrays and objects within each other."""

MOST_PARTS = 150_000
"""Arrays and objects of a body: 5 MiB of empty ones would hold everybody up for seconds."""

_QUOTE = ord('"')
_PIECE = 65_536  # bytes that are looked at before the next: most that is too deep is so at once
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1

Accepts = Mapping[str, str | tuple[str, ...]]
Body = TypeVar("Body", bound=BaseModel)


class Wire(BaseModel):
    """A shape that a request must have: strict, finite, deaf to fields it does not know."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)


class BodyTooLarge(Exception):
    """The body holds more than `LARGEST_BODY` bytes."""


async def read_body(request: Request) -> bytes:
    """Read a body, whether or not it announces its length.

    Raises
    ------
    BodyTooLarge
        It holds more than `LARGEST_BODY` bytes; what is beyond is not read.
    ClientDisconnect
        The caller went away.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > LARGEST_BODY:
        raise BodyTooLarge
    message = await request.receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        if len(body) > LARGEST_BODY:
            raise BodyTooLarge
        return body
    parts, size = [body], len(body)
    while message.get("more_body"):
        if size > LARGEST_BODY:
            raise BodyTooLarge
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        size += len(parts[-1])
    if size > LARGEST_BODY:
        raise BodyTooLarge
    return b"".join(parts)


def parse_body(body: bytes, model: type[Body], accepts: Accepts) -> Body:
    """Validate a JSON body.

    Parameters
    ----------
    body : bytes
        The body.
    model : type of BaseModel
        What it must be.
    accepts : mapping of str to str or tuple of str
        What a field accepts, by the field's last name: the rest of a sentence, or the values.
        For the others pydantic's own words are used.

    Returns
    -------
    BaseModel
        The body as the model.

    Raises
    ------
    InputError
        It is no JSON object, too deep, holds a number that JSON does not know, or a field is
        missing, of the wrong kind or out of range; the first one at fault is named by its path.
    """
    try:
        _check_json(body)
        return model.model_validate_json(body)
    except ValidationError as error:
        raise _input_error(error.errors(include_url=False)[0], accepts) from None


def _check_json(body: bytes) -> None:
    """Refuse what the validator would let pass: great depth, many parts, NaN where it ignores."""
    if body.count(b"{") + body.count(b"[") > DEEPEST_JSON:
        _check_parts(body)
    for name in (b"NaN", b"Infinity"):
        if name in body and name in b"".join(each.tobytes() for each in _outside_strings(body)):
            raise InputError("body", f"must be JSON, which has no number {name.decode()}")


def _check_parts(body: bytes) -> None:
    depth = parts = 0
    for signs in _outside_strings(body):
        steps = _STEPS[signs]
        if depth + np.cumsum(steps, dtype=np.int32).max(initial=0) > DEEPEST_JSON:
            raise InputError("body", f"must not be nested more than {DEEPEST_JSON} levels deep")
        depth += int(steps.sum())
        parts += int(np.count_nonzero(steps > 0))
        if parts > MOST_PARTS:
            raise InputError("body", f"must hold at most {MOST_PARTS} arrays and objects")


def _outside_strings(body: bytes) -> Iterator[NDArray[np.uint8]]:
    """List by pieces what does not stand between quotes."""
    signs = np.frombuffer(body.replace(rb"\\", b"").replace(rb"\"", b""), dtype=np.uint8)
    within = False
    for start in range(0, len(signs), _PIECE):
        piece = signs[start : start + _PIECE]
        inside = np.logical_xor.accumulate(piece == _QUOTE) ^ within
        yield piece[~inside]
        within = bool(inside[-1])


def _input_error(detail: ErrorDetails, accepts: Accepts) -> InputError:
    kind, location = detail["type"], detail["loc"]
    cause = detail.get("ctx", {}).get("error")
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)[1:]
    if kind == "json_invalid":
        return InputError("body", f"must be valid JSON: {cause}")
    if isinstance(cause, InputError):  # raised by a model about one of its own fields
        return InputError(f"{field}.{cause.field}".strip("."), cause.problem)
    if kind == "missing":
        return _missing(field, accepts.get(str(location[-1]), ()))
    if not location:
        return InputError("body", "must be a JSON object")
    name = next(part for part in reversed(location) if isinstance(part, str))
    accepted, shown = accepts.get(name), _shown(detail["input"])
    if isinstance(location[-1], int) and isinstance(accepted, str):
        accepted = None  # it tells of the array, and one of its entries is at fault
    accepted = accepted or _words(detail["msg"])
    if isinstance(accepted, str):
        return InputError(field, accepted, *shown)
    most = detail.get("ctx", {}).get("max_length")
    problems = {
        "list_type": "must be an array of",
        "too_short": "must hold at least one of",
        "too_long": f"must hold at most {most} of",
    }
    return InputError(field, problems.get(kind, "must be one of"), *shown, allowed=accepted)


def _missing(field: str, accepted: str | tuple[str, ...]) -> InputError:
    if isinstance(accepted, str):
        return InputError(field, f"is required: it {accepted}")
    problem = "is required; it accepts" if accepted else "is required"
    return InputError(field, problem, allowed=accepted)


def _words(message: str) -> str:
    """Turn a validator's message into the rest of a sentence that starts with the field."""
    message = message.removeprefix("Value error, ")
    if message.startswith("Input should be "):
        return "must be " + message.removeprefix("Input should be ")
    return message[:1].lower() + message[1:]


def _shown(value: Any) -> tuple[Any, ...]:
    """Answer the value where it is short enough to show, nothing otherwise."""
    if isinstance(value, str):
        return (value[:60],)
    if isinstance(value, int) and abs(value) >= 2**64:
        return ()
    return (value,) if value is None or isinstance(value, (bool, int, float)) else ()
