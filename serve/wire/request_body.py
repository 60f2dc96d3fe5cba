"""JSON bodies: read up to a size, checked for depth, then validated strictly."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar, TypeVar

import jiter
import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request

from postmeal.errors import InputError
from serve.wire.field_names import shape_of
from serve.wire.json_scan import STEPS, Scan, without_escapes
from serve.wire.long_lists import long_list
from serve.wire.near_misses import NearMiss, near_misses
from serve.wire.upload_limits import SMALL_BODY, Upload

__all__ = [
    "DEEPEST_JSON",
    "LARGEST_BODY",
    "MOST_PARTS",
    "MOST_VALUES",
    "WHOLE",
    "Accepts",
    "BodyTooLarge",
    "Notice",
    "Wire",
    "announces_more",
    "parse_body",
    "read_body",
]

WHOLE = "postmeal.whole"
"""Key of a request's state that the server sets once all of the body has arrived."""

LARGEST_BODY = 5 * 1024 * 1024
"""Bytes of the largest body that is read."""

MOST_VALUES = 1000
"""Entries of the longest array of words from a vocabulary."""

DEEPEST_JSON = 64
"""Levels of arrays and objects within each other."""

MOST_PARTS = 150_000
"""Arrays and objects of a body: 5 MiB of empty ones would hold everybody up for seconds."""

_SOON_S = 1.0  # in which a small body arrives before it counts as unfinished
_TWICE = re.compile(r'Detected duplicate key "(.*)" at line', re.DOTALL)
_SMALL_JSON = 65_536
"""Bytes up to which unknown fields are left to the validator: an error for each of 150,000 unknown
fields takes 0.1 s, a look at their names a tenth of that."""

Accepts = Mapping[str, str | tuple[str, ...]]
Notice = Callable[[Iterator[NearMiss]], None]
Body = TypeVar("Body", bound=BaseModel)


class Wire(BaseModel):
    """A shape that a request must have: strict, finite; unknown fields are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)

    other_names: ClassVar[Mapping[str, str]] = {}
    """Names that the other API version gives to fields, where more than the spelling differs."""


class BodyTooLarge(Exception):
    """The body holds more than `LARGEST_BODY` bytes."""


async def read_body(request: Request, upload: Upload) -> bytes:
    """Read a body, whether or not it announces its length.

    Parameters
    ----------
    request : Request
        The request.
    upload : Upload
        What the body is counted in while it arrives.

    Raises
    ------
    BodyTooLarge
        It holds more than `LARGEST_BODY` bytes; what is beyond is not read.
    Refusal
        Too many bodies are arriving, or too many bytes are kept.
    ClientDisconnect
        The caller went away.
    """
    arrived = bytearray()
    if WHOLE not in request.scope["state"]:
        if not _may_be_large(request.headers):
            with suppress(TimeoutError):
                async with asyncio.timeout(_SOON_S):
                    return await _receive(request, upload, arrived)
        if WHOLE not in request.scope["state"]:
            upload.begin()
    return await _receive(request, upload, arrived)


def _may_be_large(headers: Headers) -> bool:
    return "content-length" not in headers or announces_more(headers, SMALL_BODY)


async def _receive(request: Request, upload: Upload, arrived: bytearray) -> bytes:
    """Receive what is left of a body. Until it is complete, its parts are in `arrived`."""
    more = True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body: bytes = message.get("body", b"")
        more = message.get("more_body", False)
        size = len(arrived) + len(body)
        if size > LARGEST_BODY:
            raise BodyTooLarge
        upload.keep(size)
        if size == len(body) and not more:
            upload.finish()
            return body
        arrived += body
    upload.finish()
    return bytes(arrived)


def announces_more(headers: Headers, size: int) -> bool:
    """Return whether the announced length of a body is more than a number of bytes."""
    announced = headers.get("content-length", "")
    return announced.isdecimal() and int(announced[:20]) > size


def parse_body(
    body: bytes,
    model: type[Body],
    accepts: Accepts,
    notice: Notice | None = None,
    *,
    once: bool = False,
) -> Body:
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
    notice : callable, optional
        Called with the unknown fields that are near misses of known ones; it may refuse them.
    once : bool, default=False
        Whether a key that an object gives twice is refused.

    Returns
    -------
    BaseModel
        The body as the model.

    Raises
    ------
    InputError
        It is no JSON object, too deep, holds a number that JSON does not know, or a field is
        missing, of the wrong kind or out of range; the first one at fault is named by its path.
        Or a key is given twice.
    """
    _check_parts(body)
    _check_lists(body, model, accepts)
    sent = _read_json(body, once=True) if once else None
    if sent is None:
        _check_numbers(body)
    if sent is None or len(body) <= _SMALL_JSON:
        try:
            return model.model_validate_json(body, extra="forbid")
        except ValidationError:  # something is wrong, or a field is unknown
            sent = sent or _read_json(body, once=False)
    if notice is not None:
        notice(near_misses(shape_of(model), sent))
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise _input_error(error.errors(include_url=False)[0], accepts) from None


def _read_json(body: bytes, *, once: bool) -> Any:
    """Return what JSON holds, None where it is not JSON; refuse a key that is given twice."""
    try:
        return jiter.from_json(body, allow_inf_nan=False, catch_duplicate_keys=once)
    except ValueError as error:
        if twice := _TWICE.match(str(error)):
            raise InputError(f"field '{twice[1][:60]}'", "is given twice") from None
        return None


def _check_numbers(body: bytes) -> None:
    """Refuse what the validator would let pass in fields that it ignores."""
    for name in (b"NaN", b"Infinity"):
        if name in body and name in _outside_strings(body):
            raise InputError("body", f"must be JSON, which has no number {name.decode()}")


def _outside_strings(body: bytes) -> bytes:
    """Return what does not stand between quotes."""
    return b"".join(signs.tobytes() for signs, _ in Scan(without_escapes(body)).pieces())


def _check_parts(body: bytes) -> None:
    """Refuse great depth and many parts."""
    if body.count(b"{") + body.count(b"[") <= DEEPEST_JSON:
        return
    parts = 0
    for signs, depths in Scan(without_escapes(body)).pieces():
        if depths.max(initial=0) > DEEPEST_JSON:
            raise InputError("body", f"must not be nested more than {DEEPEST_JSON} levels deep")
        parts += int(np.count_nonzero(STEPS[signs] > 0))
        if parts > MOST_PARTS:
            raise InputError("body", f"must hold at most {MOST_PARTS} arrays and objects")


def _check_lists(body: bytes, model: type[BaseModel], accepts: Accepts) -> None:
    """Refuse a list that is too long before its items are built."""
    limits = _limits_of(model)
    name = long_list(body, {name: most for name, most in limits.items() if name in accepts})
    if name is not None:
        context = {"max_length": limits[name]}
        raise _input_error(
            {"type": "too_long", "loc": (name,), "msg": "", "input": [], "ctx": context}, accepts
        )


@cache
def _limits_of(model: type[BaseModel]) -> dict[str, int]:
    """Return how many items the lists of a model may have, by their names."""
    return {
        name: each.max_length
        for name, field in model.model_fields.items()
        for each in field.metadata
        if hasattr(each, "max_length") and "list[" in str(field.annotation)
    }


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
