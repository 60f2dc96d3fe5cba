"""Operation: what one endpoint of one API version declares."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response
from starlette.routing import compile_path

from serve.http.call import Call
from serve.wire.api_version import Version
from serve.wire.field_names import Shape
from serve.wire.parameters import Parameter, query_shape

__all__ = ["Operation"]

Handler = Callable[[Call], Awaitable[Response]]
Gate = Callable[[Call], None]


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation of one API version: what it declares is documented and enforced.

    The handler gets the admitted `Call` and parses body and parameters itself.

    Parameters
    ----------
    method : str
        The HTTP method.
    place : str
        Path below that of the version, such as ``/foods/{food_id}``.
    handler : callable
        Answers an admitted call; its docstring is the description.
    version : Version
        The API version it belongs to.
    answer : type of BaseModel or None
        Model of the body of a success, for the documentation; None for a success without one.
    scope : str, optional
        The scope that a client token needs; without it, no client token is admitted.
    status_code : int, default=200
        The status of a success.
    body : type of BaseModel, optional
        Model of the request's body, for the documentation; without it, none is read.
    example : mapping, optional
        A body that is accepted.
    parameters : tuple of Parameter
        Query, path and header parameters.
    refusals : tuple of int
        The statuses of errors beside 400, 401, 403, 429, 500 and 503.
    others : mapping of int to str
        Descriptions of further answers without a body.
    counted : bool, default=True
        Whether it counts in the monthly requests of version 1.2.
    links : mapping of str to mapping, optional
        Operations that a success leads to, by their ids, with the parameters to call them with.
    headers : mapping of str to str, optional
        Descriptions of headers that a success carries.
    gate : callable, optional
        Refuses an admitted call where the operation is not configured or switched off.
    checks_names : bool, default=True
        Whether near misses of its fields and parameters are noticed. Not where another API defines
        what clients send.
    """

    method: str
    place: str
    handler: Handler
    _: KW_ONLY
    version: Version
    answer: type[BaseModel] | None
    scope: str | None = None
    status_code: int = 200
    body: type[BaseModel] | None = None
    example: Mapping[str, Any] | None = None
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[int, ...] = ()
    others: Mapping[int, str] = field(default_factory=dict)
    counted: bool = True
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    gate: Gate | None = None
    checks_names: bool = True

    @property
    def path(self) -> str:
        """The whole path."""
        return f"/{self.version.name}{self.place}"

    @property
    def endpoint_name(self) -> str:
        """The name of the endpoint in plans and prices."""
        return self.handler.__name__

    @property
    def operation_id(self) -> str:
        """The id in the OpenAPI documents."""
        return f"{self.version.name.replace('.', '_')}_{self.endpoint_name}"

    @property
    def summary(self) -> str:
        """The first line of the handler's docstring."""
        return self._text.partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        """The rest of the docstring."""
        return self._text.partition("\n")[2].strip()

    @property
    def _text(self) -> str:
        return inspect.getdoc(self.handler) or ""

    @property
    def error_statuses(self) -> tuple[int, ...]:
        """The statuses of errors, ascending."""
        return tuple(sorted({400, 401, 403, 429, 500, 503, *self.refusals}))

    @property
    def statuses(self) -> tuple[int, ...]:
        """The statuses of all answers."""
        return (self.status_code, *self.others, *self.error_statuses)

    @property
    def lists_ignored_names(self) -> bool:
        """Whether near misses of names are listed in a header instead of refused."""
        if not self.checks_names or self.version.strict_names:
            return False
        return self.body is not None or bool(self.query_shape.fields)

    @cached_property
    def query_shape(self) -> Shape:
        """The names of the query parameters."""
        return query_shape(self.parameters)

    def matches(self, path: str) -> bool:
        """Return whether a path of a request is that of this operation."""
        return compile_path(self.path)[0].match(path) is not None
