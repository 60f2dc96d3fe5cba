"""Query, path and header parameters: each is declared once, read strictly and documented."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qsl

from starlette.datastructures import Headers

from postmeal.errors import InputError
from serve.wire.field_names import Shape

__all__ = [
    "Choice",
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
    """A parameter of text; the kinds below narrow what it may be.

    Attributes
    ----------
    name : str
        Its name on the wire.
    about : str
        What it does, for the documentation.
    place : {"query", "path", "header"}
        Where it stands.
    required : bool
        Whether a request without it is refused.
    other_name : str
        Its name in the other API version, where more than the spelling differs.
    """

    name: str
    about: str
    place: Literal["query", "path", "header"] = "query"
    required: bool = False
    other_name: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
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
        """What it may be, as the rest of a sentence that starts with its name."""
        return "must be text"

    def present(self, values: Mapping[str, str]) -> str | None:
        """Answer the text as it was sent, None when it was left out.

        Raises
        ------
        InputError
            It is required and missing, or a header that is sent twice.
        """
        text = values.get(self.name)
        if text is not None and isinstance(values, Headers) and len(values.getlist(self.name)) > 1:
            raise InputError(self.name, "must be sent once")
        if text is None and self.required:
            kind = "header" if self.place == "header" else "parameter"
            raise InputError(self.name, f"is a required {kind}: it {self.accepts}")
        return text


@dataclass(frozen=True, kw_only=True)
class Text(Parameter):
    """Text of 1 to `longest` characters, not blank unless it may be, or of one pattern."""

    longest: int = 256
    may_be_blank: bool = False
    pattern: str | None = None
    form: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        if self.pattern:
            return {"type": "string", "pattern": f"^{self.pattern}$"}
        if self.may_be_blank:
            return {"type": "string", "maxLength": self.longest, "pattern": r"^[^\u0000]*$"}
        # [^\0] beside \S: a blank text and one with a NUL are refused.
        pattern = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
        return {"type": "string", "minLength": 1, "maxLength": self.longest, "pattern": pattern}

    @property
    def accepts(self) -> str:
        """What it may be, as the rest of a sentence that starts with its name."""
        if self.form:
            return f"must be {self.form}"
        if self.may_be_blank:
            return f"must be at most {self.longest} characters, without NUL"
        return f"must be 1 to {self.longest} characters, not blank and without NUL"

    def read(self, values: Mapping[str, str]) -> str | None:
        """Answer the text, None when it was left out.

        Raises
        ------
        InputError
            It is missing and required, blank, too long or not of its pattern.
        """
        text = self.present(values)
        if text is None:
            return None
        is_other = self.pattern and not re.fullmatch(self.pattern, text, re.ASCII)
        is_blank = not (text.strip() or self.may_be_blank)
        if is_other or is_blank or len(text) > self.longest or "\0" in text:
            raise InputError(self.name, self.accepts, text[:60])
        return text


@dataclass(frozen=True, kw_only=True)
class Choice(Parameter):
    """One of a few words."""

    values: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        return {"type": "string", "enum": list(self.values)}

    @property
    def accepts(self) -> str:
        """What it may be, as the rest of a sentence that starts with its name."""
        return f"must be one of: {', '.join(self.values)}"

    def read(self, values: Mapping[str, str]) -> str | None:
        """Answer the word, None when it was left out.

        Raises
        ------
        InputError
            It is missing and required, or none of the words.
        """
        text = self.present(values)
        if text is not None and text not in self.values:
            raise InputError(self.name, "must be one of", text[:60], allowed=self.values)
        return text


@dataclass(frozen=True, kw_only=True)
class OptionalInteger(Parameter):
    """A whole number from `least` to `most`; one above it is refused, or `clamped` to it."""

    least: int
    most: int = _HUGE
    clamped: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        schema = {"type": "integer", "minimum": self.least}
        if self.most < _HUGE and not self.clamped:
            schema["maximum"] = self.most
        return schema

    @property
    def accepts(self) -> str:
        """What it may be, as the rest of a sentence that starts with its name."""
        if self.clamped:
            more = f"; above {self.most} it is taken as {self.most}"
            return f"must be a whole number of at least {self.least}{more}"
        if self.most < _HUGE:
            return f"must be a whole number from {self.least} to {self.most}"
        return f"must be a whole number of at least {self.least}"

    def number(self, values: Mapping[str, str]) -> int | None:
        """Return the number, None when it was left out.

        Raises
        ------
        InputError
            It is not a whole number, too small, or too large.
        """
        text = self.present(values)
        if text is None:
            return None
        if not _INTEGER.fullmatch(text):
            raise InputError(self.name, self.accepts, text[:60])
        digits = text.lstrip("-").lstrip("0") or "0"
        size = int(digits) if len(digits) < 16 else _HUGE  # of thousands of digits, none is read
        number = -size if text[0] == "-" else size
        if number < self.least or (number > self.most and not self.clamped):
            raise InputError(self.name, self.accepts, text[:60])
        return min(number, self.most)


@dataclass(frozen=True, kw_only=True)
class Integer(OptionalInteger):
    """A whole number that has a default."""

    default: int

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its values."""
        return {**super().schema, "default": self.default}

    def read(self, values: Mapping[str, str]) -> int:
        """Return the number, its default when it was left out.

        Raises
        ------
        InputError
            It is not a whole number, too small, or too large.
        """
        number = self.number(values)
        return self.default if number is None else number


def query_values(query_string: bytes, known: Iterable[Parameter]) -> dict[str, str]:
    """Read a query string; parameters that nobody declared are left out.

    Raises
    ------
    InputError
        A declared parameter is sent twice or is not UTF-8, or the whole is not percent-encoded.

    Examples
    --------
    >>> query_values(b"query=oat%20milk&x=1", [Text(name="query", about="Words.")])
    {'query': 'oat milk'}
    """
    if not query_string:
        return {}
    names = {parameter.name for parameter in known if parameter.place == "query"}
    try:
        text = query_string.decode("ascii")
    except UnicodeDecodeError:
        raise InputError("query string", "must be UTF-8 text, percent-encoded") from None
    pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
    values: dict[str, str] = {}
    for name, value in pairs:
        if name not in names:
            continue
        if name in values:
            raise InputError(name, "must be sent once")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise InputError(name, "must be UTF-8 text, percent-encoded") from None
        values[name] = value
    return values


def query_names(query_string: bytes) -> dict[str, None]:
    """Read the names in a query string that `query_values` accepts, declared or not."""
    text = query_string.decode("ascii")
    pairs = parse_qsl(text, keep_blank_values=True, errors="surrogateescape")
    return dict.fromkeys(name for name, _ in pairs)


def query_shape(known: Iterable[Parameter]) -> Shape:
    """Return the names of the declared query parameters."""
    query = [each for each in known if each.place == "query"]
    other_names = {each.other_name: each.name for each in query if each.other_name}
    return Shape({each.name: each.name for each in query}, other_names)
