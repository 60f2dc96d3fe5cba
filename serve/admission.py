"""Admission: the one place for the order in which a request is checked.

1. route and method: 404, 405 (the router's work, before this module is reached)
2. who calls: 401
3. may they: 403 for the key's version, the kind of credential, the scope; then 503 for what is not
   configured and 403 for what is switched off
4. what they send: the answer's type 406, the body's size 413, its type 415
5. how much is left: 429; from here on the request counts
6. what it says: 400, then what it names: 404 (the handler's work, after this module)

A caller without a key learns nothing but that, and no body is parsed for one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from serve.accounting.meter import Charge
from serve.answers import error_response
from serve.bodies import LARGEST_BODY, BodyTooLarge, read_body
from serve.errors import Refusal
from serve.parameters import Parameter, query_values
from serve.partners.credentials import Caller
from serve.service import Service
from serve.version import Version

__all__ = ["Call", "Operation"]


_log = logging.getLogger(__name__)


class Call(Request):
    """A request that has been admitted."""

    caller: Caller
    service: Service
    content: bytes
    given: Mapping[str, str]
    limits: Mapping[str, str] = {}


Handler = Callable[[Call], Awaitable[Response]]
Gate = Callable[[Call], None]


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
    answer : type of BaseModel or None
        Model of the body of a success, for the documentation; None for a success without one.
    scope : str, optional
        The scope that a client token needs; without it, no client token is admitted.
    status : int, default=200
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
    """

    def __init__(
        self,
        method: str,
        path: str,
        handler: Handler,
        *,
        version: Version,
        answer: type[BaseModel] | None,
        scope: str | None = None,
        status: int = 200,
        body: type[BaseModel] | None = None,
        example: Mapping[str, Any] | None = None,
        parameters: tuple[Parameter, ...] = (),
        refusals: tuple[int, ...] = (),
        others: Mapping[int, str] | None = None,
        counted: bool = True,
        links: Mapping[str, Mapping[str, str]] | None = None,
        headers: Mapping[str, str] | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.version = version
        self.scope = scope
        self.handler = handler
        self.endpoint_name = getattr(handler, "__name__", "")
        self.counted = counted
        self.links = links or {}
        self.gate = gate
        self.body_model = body
        self.example = example
        self.parameters = parameters
        errors = sorted({400, 401, 403, 429, 500, 503, *refusals})
        success: dict[str, Any] = {"model": answer} if answer else {}
        if headers:
            text = {"type": "string"}
            success["headers"] = {
                name: {"description": about, "schema": text} for name, about in headers.items()
            }
        responses: dict[int | str, dict[str, Any]] = {status: success}
        responses |= {status: {"description": text} for status, text in (others or {}).items()}
        responses |= {status: {"model": version.error_model} for status in errors}
        summary, _, about = (handler.__doc__ or "").partition("\n")
        super().__init__(
            f"/{version.name}{path}",
            handler,
            methods=[method],
            status_code=status,
            response_model=None,
            operation_id=f"{version.name.replace('.', '_')}_{self.endpoint_name}",
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
        response.raw_headers += [(n.encode(), v.encode()) for n, v in call.limits.items()]
        await response(scope, receive, send)

    async def _admit(self, call: Call) -> Response:
        service = call.service = call.scope["state"]["service"]
        call.caller = caller = await self._caller(call)
        call.scope["postmeal.partner"] = (caller.organization.id, caller.key_id)
        if self.gate is not None:
            self.gate(call)
        await self._read(call)
        charge = Charge(self.endpoint_name, self.counted, service.credit_cost(self.endpoint_name))
        address = call.client.host if call.client else ""
        ticket = await service.meter.admit(caller, charge, address)
        succeeded = False
        call.limits = ticket.headers
        try:
            call.given = query_values(call.scope["query_string"], self.parameters)
            response = await self.handler(call)
            succeeded = response.status_code < 400
        finally:
            if ticket.reservation is not None:  # also when the call is broken off
                await asyncio.shield(service.meter.settle(ticket, succeeded=succeeded))
        return response

    async def _caller(self, call: Call) -> Caller:
        """Answer who calls, if they may call this operation."""
        version = self.version
        secret = version.credential(call.headers.getlist("authorization"))
        call.service.check_database()
        caller = await call.service.credentials.find(secret)
        if isinstance(caller, str):
            raise version.not_admitted(secret, caller)
        if caller.version != version.name:
            raise Refusal("forbidden", f"this key is for API version {caller.version}")
        if caller.scopes is not None:
            if self.scope is None:
                message = "this endpoint wants an API key: a client token is not allowed"
                raise Refusal("client_token_not_allowed", message)
            if self.scope not in caller.scopes:
                challenge = f'Bearer error="insufficient_scope", scope="{self.scope}"'
                headers = {"WWW-Authenticate": challenge}
                message = f"this client token lacks the scope {self.scope}"
                raise Refusal("scope_insufficient", message, headers=headers)
        return caller

    async def _read(self, call: Call) -> None:
        """Read the body, if it and what the caller accepts are of the right kind."""
        self.version.check_accept(call.headers)
        if self.body_model is None:
            return
        try:
            call.content = await read_body(call)
        except BodyTooLarge:
            message = f"the body must not be larger than {LARGEST_BODY} bytes"
            headers = {"Connection": "close"}
            raise Refusal("payload_too_large", message, headers=headers) from None
        self.version.check_media_type(call.headers)
