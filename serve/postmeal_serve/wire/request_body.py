"""Receiving and parsing of JSON request bodies, with limits on their size and nesting depth."""

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
from postmeal_serve.wire.field_names import shape_of
from postmeal_serve.wire.json_scan import STEPS, Scan, without_escapes
from postmeal_serve.wire.long_lists import long_list
from postmeal_serve.wire.near_misses import NearMiss, near_misses
from postmeal_serve.wire.started_coroutine import StartedCoroutine
from postmeal_serve.wire.upload_limits import LARGEST_BODY, SMALL_BODY, Upload

__all__ = [
    "DEEPEST_JSON",
    "MAX_CONTAINERS",
    "MOST_VALUES",
    "NOT_BLANK",
    "NO_NUL",
    "WHOLE",
    "Accepts",
    "BodyTooLarge",
    "Notice",
    "RequestModel",
    "declares_more",
    "parse_body",
    "read_body",
]

WHOLE = "postmeal.whole"
"""Key in the state of the ASGI scope, which the server sets when the whole body has arrived."""

MOST_VALUES = 1000
"""Maximum number of items in arrays that normally contain only a few items."""

NO_NUL = r"^[^\u0000]*$"
"""Pattern of texts that do not contain NUL."""

NOT_BLANK = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
"""Pattern of texts that do not contain NUL and are not blank."""

DEEPEST_JSON = 64
"""Maximum nesting depth of arrays and objects."""

MAX_CONTAINERS = 150_000
"""Maximum number of arrays and objects in a body; parsing millions of them takes seconds."""

_SOON_S = 1.0  # Small bodies that arrive within this time never count as unfinished.
_DUPLICATE_KEY = re.compile(r'Detected duplicate key "(.*)" at line', re.DOTALL)
_SMALL_JSON = 65_536
"""Maximum size in bytes of a body in which the validator finds unknown fields. Its errors for
150,000 unknown fields take 0.1 s, ten times as long as a comparison of all names."""

Accepts = Mapping[str, str | tuple[str, ...]]
"""Accepted values by field name, either as the end of a sentence ("must be …") or as a list."""

Notice = Callable[[Iterator[NearMiss]], None]
"""Function that handles the near misses in a body and may raise `Refusal`."""

Body = TypeVar("Body", bound=BaseModel)


class RequestModel(BaseModel):
    """Base model of request bodies, with strict types and without NaN and infinity.

    Unknown fields are ignored.
    """

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)

    other_names: ClassVar[Mapping[str, str]] = {}
    """Field names by their names in the other API version, if these differ by more than case and
    underscores."""


class BodyTooLarge(Exception):
    """The body is larger than `LARGEST_BODY` bytes."""


async def read_body(request: Request, upload: Upload) -> bytes:
    """Receive the body of a request, with or without a declared length."""
    received = bytearray()
    if WHOLE not in request.scope["state"]:
        if not _may_be_large(request.headers):
            receiving = StartedCoroutine(_receive(request, upload, received))
            if receiving.is_done:
                return receiving.result
            with suppress(TimeoutError):
                async with asyncio.timeout(_SOON_S):
                    return await receiving
        if WHOLE not in request.scope["state"]:
            upload.begin()
    return await _receive(request, upload, received)


def _may_be_large(headers: Headers) -> bool:
    return "content-length" not in headers or declares_more(headers, SMALL_BODY)


async def _receive(request: Request, upload: Upload, received: bytearray) -> bytes:
    """Receive the rest of a body; parts of an incomplete body are appended to `received`."""
    more = True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body: bytes = message.get("body", b"")
        more = message.get("more_body", False)
        size = len(received) + len(body)
        if size > LARGEST_BODY:
            raise BodyTooLarge
        upload.keep(size)
        if size == len(body) and not more:
            upload.finish()
            return body
        received += body
    upload.finish()
    return bytes(received)


def declares_more(headers: Headers, size: int) -> bool:
    """Return whether the declared length of a body is greater than `size` bytes."""
    declared = headers.get("content-length", "")
    return declared.isdecimal() and int(declared[:20]) > size


def parse_body(
    body: bytes,
    model: type[Body],
    accepts: Accepts,
    notice: Notice | None = None,
    *,
    once: bool = False,
) -> Body:
    """Parse and validate a JSON body."""
    _check_parts(body)
    _check_lists(body, model, accepts)
    sent = _read_json(body, once=True) if once else None
    if sent is None:
        _check_numbers(body)
    if sent is None or len(body) <= _SMALL_JSON:
        try:
            return model.model_validate_json(body, extra="forbid")
        except ValidationError:  # The body is invalid, or a field is unknown.
            sent = sent or _read_json(body, once=False)
    if notice is not None:
        notice(near_misses(shape_of(model), sent))
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise _input_error(error.errors(include_url=False)[0], accepts) from None


def _read_json(body: bytes, *, once: bool) -> Any:
    """Parse JSON; return None if it is invalid. If `once` is true, refuse duplicate keys."""
    try:
        return jiter.from_json(body, allow_inf_nan=False, catch_duplicate_keys=once)
    except ValueError as error:
        if duplicate := _DUPLICATE_KEY.match(str(error)):
            raise InputError(
                f"field '{duplicate[1][:60]}'", "is given twice; send each field only once"
            ) from None
        return None


def _check_numbers(body: bytes) -> None:
    """Refuse NaN and Infinity, which the validator would accept in unknown fields."""
    for name in (b"NaN", b"Infinity"):
        if name in body and name in _outside_strings(body):
            raise InputError("body", f"must be valid JSON ({name.decode()} is not allowed)")


def _outside_strings(body: bytes) -> bytes:
    """Return the bytes of a body that are outside strings."""
    return b"".join(signs.tobytes() for signs, _ in Scan(without_escapes(body)).pieces())


def _check_parts(body: bytes) -> None:
    """Refuse JSON that is nested too deeply or has too many arrays and objects."""
    if body.count(b"{") + body.count(b"[") <= DEEPEST_JSON:
        return
    parts = 0
    for signs, depths in Scan(without_escapes(body)).pieces():
        if depths.max(initial=0) > DEEPEST_JSON:
            raise InputError("body", f"must not be nested more than {DEEPEST_JSON} levels deep")
        parts += int(np.count_nonzero(STEPS[signs] > 0))
        if parts > MAX_CONTAINERS:
            raise InputError("body", f"must contain at most {MAX_CONTAINERS} arrays and objects")


def _check_lists(body: bytes, model: type[BaseModel], accepts: Accepts) -> None:
    """Refuse a body with a list that is too long, before the items are parsed."""
    limits = _limits_of(model)
    name = long_list(body, {name: most for name, most in limits.items() if name in accepts})
    if name is not None:
        context = {"max_length": limits[name]}
        raise _input_error(
            {"type": "too_long", "loc": (name,), "msg": "", "input": [], "ctx": context}, accepts
        )


@cache
def _limits_of(model: type[BaseModel]) -> dict[str, int]:
    """Return the maximum lengths of a model's lists, by field name."""
    return {
        name: constraint.max_length
        for name, field in model.model_fields.items()
        for constraint in field.metadata
        if hasattr(constraint, "max_length") and "list[" in str(field.annotation)
    }


def _input_error(detail: ErrorDetails, accepts: Accepts) -> InputError:
    kind, location = detail["type"], detail["loc"]
    cause = detail.get("ctx", {}).get("error")
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)[1:]
    if kind == "json_invalid":
        return InputError("body", f"must be valid JSON: {cause}")
    if isinstance(cause, InputError):  # Raised by a validator of the model.
        return InputError(f"{field}.{cause.field}".strip("."), cause.problem)
    if kind == "missing":
        return _missing(field, *_accepted(location, accepts))
    if not location:
        return InputError("body", "must be a JSON object")
    name = next(part for part in reversed(location) if isinstance(part, str))
    accepted, shown = accepts.get(name), _shown(detail["input"])
    if isinstance(location[-1], int) and isinstance(accepted, str):
        accepted = None  # The text describes the array, but the error is in one of its items.
    accepted = accepted or _sentence_end(detail["msg"])
    if isinstance(accepted, str):
        return InputError(field, accepted, *shown)
    most = detail.get("ctx", {}).get("max_length")
    problems = {
        "list_type": "must be an array of",
        "too_short": "must contain at least one of",
        "too_long": f"must contain at most {most} of",
    }
    return InputError(field, problems.get(kind, "must be one of"), *shown, allowed=accepted)


def _accepted(
    location: tuple[int | str, ...], accepts: Accepts
) -> tuple[str, str | tuple[str, ...]]:
    """Return the subject and the accepted values for the error about a missing field.

    The subject is "it" for the field itself, or the name of the object that lacks the field.
    """
    names = [str(part) for part in reversed(location)]
    if names[0] not in accepts and isinstance(accepts.get("".join(names[1:2])), str):
        return names[1], accepts[names[1]]
    return "it", accepts.get(names[0], ())


def _missing(field: str, subject: str, accepted: str | tuple[str, ...]) -> InputError:
    if isinstance(accepted, str):
        return InputError(field, f"is required; {subject} {accepted}")
    problem = "is required; allowed values" if accepted else "is required"
    return InputError(field, problem, allowed=accepted)


def _sentence_end(message: str) -> str:
    """Convert a validator's message to the end of a sentence that starts with the field name."""
    message = message.removeprefix("Value error, ")
    if message.startswith("Input should be "):
        return "must be " + message.removeprefix("Input should be ")
    return message[:1].lower() + message[1:]


class _Word:
    """One of the words of JSON, ``true``, ``false`` and ``null``, as messages show it."""

    def __init__(self, word: str) -> None:
        self.word = word

    def __repr__(self) -> str:
        return self.word


_WORDS = {True: _Word("true"), False: _Word("false"), None: _Word("null")}


def _shown(value: Any) -> tuple[Any, ...]:
    """Return a tuple with the value if it can be shown in a message, or an empty tuple."""
    if isinstance(value, str):
        return (value[:60],)
    if value is None or isinstance(value, bool):
        return (_WORDS[value],)
    if isinstance(value, int) and abs(value) >= 2**64:
        return ()
    return (value,) if isinstance(value, (int, float)) else ()
