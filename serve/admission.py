"""Admission: the one place for the order in which a request is checked.

1. route and method: 404, 405 (the router's work, before this module is reached)
2. who calls: 401
3. may they: 403
4. what they send: the answer's type 406, the body's size 413, its type 415
5. what it says: 400, then what it names: 404 (the handler's work, after this module)

A caller without a key learns nothing but that, and no body is parsed for one.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from serve.answers import error_response
from serve.bodies import LARGEST_BODY, BodyTooLarge, read_body
from serve.errors import Refusal
from serve.parameters import Parameter, query_values
from serve.partners.keys import Key
from serve.service import Service
from serve.version import Version

__all__ = ["Call", "Operation"]


_log = logging.getLogger(__name__)


class Call(Request):
    """A request that has been admitted."""

    key: Key
    service: Service
    content: bytes
    given: Mapping[str, str]


Handler = Callable[[Call], Awaitable[Response]]


class Operation(APIRoute):
    """One operation of one API version: what it declares is documented and enforced.

    The handler gets the admitted `Call` and parses body and parameters itself; FastAPI's own
    parsing would cost more than a prediction does.

    Parameters
    ----------
    method, path : str
        Where it is.
    handler : callable
        Answers an admitted call; its docstring is the description.
    version : Version
        The API version it belongs to.
    scope : str
        The scope that a client token would need.
    answer : type of BaseModel
        Model of the body of a success, for the documentation.
    body : type of BaseModel, optional
        Model of the request's body, for the documentation; without it, none is read.
    example : mapping, optional
        A body that is accepted.
    parameters : tuple of Parameter
        Query, path and header parameters.
    refusals : tuple of int
        The statuses of errors beside 400, 401, 403, 500 and 503.
    others : mapping of int to str
        Descriptions of further answers without a body.
    """

    def __init__(
        self,
        method: str,
        path: str,
        handler: Handler,
        *,
        version: Version,
        scope: str,
        answer: type[BaseModel],
        body: type[BaseModel] | None = None,
        example: Mapping[str, Any] | None = None,
        parameters: tuple[Parameter, ...] = (),
        refusals: tuple[int, ...] = (),
        others: Mapping[int, str] | None = None,
    ) -> None:
        self.version = version
        self.scope = scope
        self.handler = handler
        self.body_model = body
        self.example = example
        self.parameters = parameters
        errors = sorted({400, 401, 403, 500, 503, *refusals})
        responses: dict[int | str, dict[str, Any]] = {200: {"model": answer}}
        responses |= {status: {"description": text} for status, text in (others or {}).items()}
        responses |= {status: {"model": version.error_model} for status in errors}
        summary, _, about = (handler.__doc__ or "").partition("\n")
        super().__init__(
            f"/{version.name}{path}",
            handler,
            methods=[method],
            response_model=None,
            operation_id=f"{version.name.replace('.', '_')}_{getattr(handler, '__name__', '')}",
            summary=summary.rstrip("."),
            description=about.strip(),
            responses=responses,
        )
        self.app = self.answer

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a request, hand it to the handler and send what comes back."""
        call = Call(scope, receive, send)
        try:
            response = await self._admit(call)
        except ClientDisconnect:
            return
        except Exception as error:
            refusal = Refusal.of(error)
            if refusal is None:
                raise
            if refusal is not error and refusal.status >= 500:
                _log.error("%s cannot be answered: %s", self.path, type(error).__name__)
            response = error_response(self.version, refusal)
        await response(scope, receive, send)

    async def _admit(self, call: Call) -> Response:
        version = self.version
        headers = call.headers
        call.service = call.scope["state"]["service"]
        secret = version.credential(headers.getlist("authorization"))
        key = call.service.keys.find(secret)
        if key is None:
            raise version.unknown_key()
        if key.version != version.name:
            raise Refusal("forbidden", f"this key is for API version {key.version}")
        call.key = key
        version.check_accept(headers)
        if self.body_model is not None:
            try:
                call.content = await read_body(call)
            except BodyTooLarge:
                message = f"the body must not be larger than {LARGEST_BODY} bytes"
                raise Refusal(
                    "payload_too_large", message, headers={"Connection": "close"}
                ) from None
            version.check_media_type(headers)
        call.given = query_values(call.scope["query_string"], self.parameters)
        return await self.handler(call)
