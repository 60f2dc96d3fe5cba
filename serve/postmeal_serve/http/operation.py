"""Declarations of the operations of both API versions."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response
from starlette.routing import compile_path

from postmeal_serve.http.call import Call
from postmeal_serve.wire.api_version import Version
from postmeal_serve.wire.field_names import Shape
from postmeal_serve.wire.parameters import Parameter, query_shape

__all__ = ["Operation"]

Handler = Callable[[Call], Awaitable[Response]]
Gate = Callable[[Call], None]


@dataclass(frozen=True, eq=False)
class Operation:
    """Declaration of an operation, which `Admission` enforces and the OpenAPI document describes.

    The handler receives the admitted `Call`, and parses the body and the parameters itself.

    Parameters
    ----------
    method : str
        HTTP method.
    place : str
        Path below the version prefix, such as ``/foods/{food_id}``.
    handler : callable
        Function that handles an admitted request; its docstring becomes the description.
    version : Version
        API version of the operation.
    response_model : type of BaseModel or None
        Model of the body of a successful response, for the documentation; None if there is no body.
    scope : str, optional
        Scope that a client token must have. By default, client tokens are refused.
    status_code : int, default=200
        Status of a successful response.
    body : type of BaseModel, optional
        Model of the request body, for the documentation. By default, no body is read.
    example : mapping, optional
        Example of a valid request body.
    parameters : tuple of Parameter
        Query, path and header parameters.
    refusals : tuple of int
        Possible error statuses in addition to 400, 401, 403, 429, 500 and 503.
    others : mapping of int to str
        Descriptions of other responses without a body, by status.
    counted : bool, default=True
        Whether requests count toward the monthly limit of v1.2.
    stores : bool, default=False
        Whether each request that succeeds stores something more, so that a client must not repeat a
        request whose outcome it does not know, except with an ``Idempotency-Key``.
    links : mapping of str to mapping, optional
        Follow-up operations by operation ID, with the parameters of their requests.
    headers : mapping of str to str, optional
        Descriptions of the headers of a successful response, by name.
    gate : callable, optional
        Function that raises `Refusal` if the operation is not configured or is disabled.
    checks_names : bool, default=True
        Whether to check field and parameter names for misspellings (see
        `postmeal_serve.wire.near_misses`); false if another API defines the format of the request.
    """

    method: str
    place: str
    handler: Handler
    _: KW_ONLY
    version: Version
    response_model: type[BaseModel] | None
    scope: str | None = None
    status_code: int = 200
    body: type[BaseModel] | None = None
    example: Mapping[str, Any] | None = None
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[int, ...] = ()
    others: Mapping[int, str] = field(default_factory=dict)
    counted: bool = True
    stores: bool = False
    links: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    gate: Gate | None = None
    checks_names: bool = True

    @property
    def path(self) -> str:
        """The path with its version prefix, such as ``/v1.2/foods/{food_id}``."""
        return f"/{self.version.name}{self.place}"

    @property
    def endpoint_name(self) -> str:
        """Name of the endpoint in plans and credit costs."""
        return self.handler.__name__

    @property
    def operation_id(self) -> str:
        """The operation ID in the OpenAPI documents, such as ``v1_2_search_foods``."""
        return f"{self.version.name.replace('.', '_')}_{self.endpoint_name}"

    @property
    def summary(self) -> str:
        """The first line of the handler's docstring."""
        return self._text.partition("\n")[0].rstrip(".")

    @property
    def description(self) -> str:
        """The handler's docstring without its first line; empty if there are no further lines."""
        return self._text.partition("\n")[2].strip()

    @property
    def _text(self) -> str:
        return inspect.getdoc(self.handler) or ""

    @property
    def error_statuses(self) -> tuple[int, ...]:
        """The error statuses in ascending order."""
        return tuple(sorted({400, 401, 403, 429, 500, 503, *self.refusals}))

    @property
    def statuses(self) -> tuple[int, ...]:
        """The statuses of all documented responses."""
        return (self.status_code, *self.others, *self.error_statuses)

    @property
    def lists_ignored_names(self) -> bool:
        """Whether misspelled names are listed in ``X-Ignored-Fields`` instead of refused."""
        if not self.checks_names or self.version.strict_names:
            return False
        return self.body is not None or bool(self.query_shape.fields)

    @cached_property
    def query_shape(self) -> Shape:
        """The names of the query parameters."""
        return query_shape(self.parameters)

    def matches(self, path: str) -> bool:
        """Return whether a request path matches this operation's path."""
        return compile_path(self.path)[0].match(path) is not None
