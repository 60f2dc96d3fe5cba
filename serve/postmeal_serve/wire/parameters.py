"""Declarations of query, path and header parameters, for validation and documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qsl

from starlette.datastructures import Headers

from postmeal.errors import InputError
from postmeal_serve.wire.field_names import Shape

__all__ = [
    "Choice",
    "Choices",
    "Integer",
    "OptionalInteger",
    "Parameter",
    "Text",
    "query_names",
    "query_shape",
    "query_values",
]

_INTEGER = re.compile(r"-?\d+", re.ASCII)
_HUGE = 2**53


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter that accepts any text; subclasses accept fewer values."""

    name: str
    about: str
    place: Literal["query", "path", "header"] = "query"
    required: bool = False
    other_name: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        return {"type": "string"}

    @property
    def document(self) -> dict[str, Any]:
        """The OpenAPI parameter object."""
        return {
            "name": self.name,
            "in": self.place,
            "required": self.required,
            "description": self.about,
            "schema": self.schema,
        }

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        return "must be text"

    def present(self, values: Mapping[str, str]) -> str | None:
        """Return the raw value, or None if the parameter was not sent."""
        text = values.get(self.name)
        if text is not None and isinstance(values, Headers) and len(values.getlist(self.name)) > 1:
            raise InputError(self.name, "must be sent only once")
        if text is None and self.required:
            kind = "header" if self.place == "header" else "parameter"
            raise InputError(self.name, f"is a required {kind}; it {self.accepts}")
        return text


@dataclass(frozen=True, kw_only=True)
class Text(Parameter):
    """A parameter that accepts text."""

    longest: int = 256
    may_be_blank: bool = False
    pattern: str | None = None
    form: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        if self.pattern:
            return {"type": "string", "pattern": f"^{self.pattern}$"}
        if self.may_be_blank:
            return {"type": "string", "maxLength": self.longest, "pattern": r"^[^\u0000]*$"}
        # Require one non-space character and exclude NUL.
        pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
        return {"type": "string", "minLength": 1, "maxLength": self.longest, "pattern": pattern}

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        if self.form:
            return f"must be {self.form}"
        if self.may_be_blank:
            return f"must be at most {self.longest} characters, without NUL"
        return f"must be 1 to {self.longest} characters, not blank and without NUL"

    def read(self, values: Mapping[str, str]) -> str | None:
        """Return the text, or None if the parameter was not sent."""
        text = self.present(values)
        if text is None:
            return None
        is_mismatch = self.pattern and not re.fullmatch(self.pattern, text, re.ASCII)
        is_blank = not (text.strip() or self.may_be_blank)
        if is_mismatch or is_blank or len(text) > self.longest or "\0" in text:
            raise InputError(self.name, self.accepts, text[:60])
        return text


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    """A parameter that accepts a fixed set of values."""

    values: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        return {"type": "string", "enum": list(self.values)}

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        return f"must be one of: {', '.join(self.values)}"

    def read(self, values: Mapping[str, str]) -> str | None:
        """Return the value, or None if the parameter was not sent."""
        text = self.present(values)
        if text is not None and text not in self.values:
            raise InputError(self.name, "must be one of", text[:60], allowed=self.values)
        return text


@dataclass(frozen=True, kw_only=True)
class Choices(Parameter):
    """A parameter that accepts one or more of a fixed set of values, separated by commas."""

    values: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        name = f"({'|'.join(map(re.escape, self.values))})"
        return {"type": "string", "pattern": f"^{name}(,{name})*$"}

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        return (
            f"must be one or more of the following, separated by commas: {', '.join(self.values)}"
        )

    def read(self, values: Mapping[str, str]) -> frozenset[str]:
        """Return the values; an empty set if the parameter was not sent."""
        text = self.present(values)
        if text is None:
            return frozenset()
        names = text.split(",")
        for name in names:
            if name not in self.values:
                problem = "must be one or more of the following, separated by commas"
                raise InputError(self.name, problem, name[:60], allowed=self.values)
        return frozenset(names)


@dataclass(frozen=True, kw_only=True)
class OptionalInteger(Parameter):
    """A parameter that accepts a whole number from `least` to `most`.

    If `clamped` is true, larger numbers are accepted and reduced to `most`.
    """

    least: int
    most: int = _HUGE
    clamped: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        schema = {"type": "integer", "minimum": self.least}
        if self.most < _HUGE and not self.clamped:
            schema["maximum"] = self.most
        return schema

    @property
    def accepts(self) -> str:
        """The part of an error message that follows the name, such as ``must be a date``."""
        if self.clamped:
            note = f"; values above {self.most} are treated as {self.most}"
            return f"must be a whole number of at least {self.least}{note}"
        if self.most < _HUGE:
            return f"must be a whole number from {self.least} to {self.most}"
        return f"must be a whole number of at least {self.least}"

    def number(self, values: Mapping[str, str]) -> int | None:
        """Return the number, or None if the parameter was not sent."""
        text = self.present(values)
        if text is None:
            return None
        if not _INTEGER.fullmatch(text):
            raise InputError(self.name, self.accepts, text[:60])
        digits = text.lstrip("-").lstrip("0") or "0"
        size = int(digits) if len(digits) < 16 else _HUGE  # Do not parse thousands of digits.
        number = -size if text[0] == "-" else size
        if number < self.least or (number > self.most and not self.clamped):
            raise InputError(self.name, self.accepts, text[:60])
        return min(number, self.most)


@dataclass(frozen=True, kw_only=True)
class Integer(OptionalInteger):
    """A parameter that accepts a whole number and has a default."""

    default: int

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the parameter's values."""
        return {**super().schema, "default": self.default}

    def read(self, values: Mapping[str, str]) -> int:
        """Return the number, or the default if the parameter was not sent."""
        number = self.number(values)
        return self.default if number is None else number


def query_values(query_string: bytes, known: Iterable[Parameter]) -> dict[str, str]:
    """Parse the declared parameters in a query string, and ignore all others."""
    if not query_string:
        return {}
    names = {parameter.name for parameter in known if parameter.place == "query"}
    try:
        text = query_string.decode("ascii")
    except UnicodeDecodeError:
        raise InputError("query string", "must be percent-encoded UTF-8 text") from None
    pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
    values: dict[str, str] = {}
    for name, value in pairs:
        if name not in names:
            continue
        if name in values:
            raise InputError(name, "must be sent only once")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(name, "must be percent-encoded UTF-8 text") from None
        values[name] = value
    return values


def query_names(query_string: bytes) -> dict[str, None]:
    """Return all parameter names in a query string as keys, including names that are not declared.

    The query string must have been accepted by `query_values`.
    """
    text = query_string.decode("ascii")
    pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
    return dict.fromkeys(name for name, _ in pairs)


def query_shape(known: Iterable[Parameter]) -> Shape:
    """Return the names of the declared query parameters as a `Shape`, to find near misses."""
    query = [parameter for parameter in known if parameter.place == "query"]
    other_names = {
        parameter.other_name: parameter.name for parameter in query if parameter.other_name
    }
    return Shape({parameter.name: parameter.name for parameter in query}, other_names)
