"""Admission: the one place for the order in which a request is checked.

1. route and method: 404, 405 (the router's work, before this module is reached)
   and while the service is overloaded, 503 for a share of all requests
2. who calls: 401; 429 for a credential that is not in memory, from an address that failed to
   authenticate too often: it is not looked up
3. may they: 403 for the key's version, the kind of credential, the scope; then 503 for what is not
   configured and 403 for what is switched off
4. what they announce: the answer's type 406, the body's size 413, its type 415
5. how much is left: 429, of all limits the longest wait is named; from here on the request counts
6. the body as it arrives: 413 without an announced size, 429 and 503 of
   `serve.wire.upload_limits`; a call whose body does not arrive is not counted
7. what it says: 400, then what it names: 404 (the handler's work, after this module)

A caller without a key learns nothing but that, and no body is parsed for one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from serve.accounting.ip_limits import network_of
from serve.accounting.meter import Charge, Ticket
from serve.partners.credentials import Caller, State
from serve.resources.tombstones import Erased
from serve.runtime.offload import LARGEST_ON_LOOP, offload
from serve.service import Service
from serve.wire.api_version import Version
from serve.wire.errors import Refusal
from serve.wire.near_misses import MOST_IGNORED, NearMiss, ignored_fields, near_misses, noticed
from serve.wire.parameters import Parameter, query_names, query_shape, query_values
from serve.wire.request_body import (
    LARGEST_BODY,
    WHOLE,
    Accepts,
    BodyTooLarge,
    announces_more,
    read_body,
)
from serve.wire.responses import error_response
from serve.wire.unparsed_body import RequestBody
from serve.wire.upload_limits import SMALL_BODY, Upload

__all__ = ["Call", "Operation"]


_log = logging.getLogger(__name__)
_IGNORED = {
    "X-Ignored-Fields": "Paths of fields and parameters that were ignored although each is nearly"
    f" the name of one that is missing: comma-separated, at most {MOST_IGNORED} of each. Only where"
    " there are any."
}

Arguments = ParamSpec("Arguments")
Body = TypeVar("Body", bound=BaseModel)
Result = TypeVar("Result")


class _IndexedHeaders(Headers):
    """Headers by name: those of starlette are searched one by one, seven times a call."""

    def __init__(self, raw: list[tuple[bytes, bytes]]) -> None:
        super().__init__(raw=raw)
        self._values: dict[str, list[str]] = {}
        for name, value in raw:
            self._values.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))

    def getlist(self, key: str) -> list[str]:
        return self._values.get(key.lower(), [])

    def get(self, key: str, default: Any = None) -> Any:
        values = self._values.get(key.lower())
        return values[0] if values else default

    def __getitem__(self, key: str) -> str:
        return self._values[key.lower()][0]


class Call(Request):
    """A request that has been admitted."""

    operation: Operation
    caller: Caller
    service: Service
    content: bytes
    given: Mapping[str, str]
    limits: Mapping[str, str] = {}
    ignored: tuple[str, ...] = ()

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(scope, receive, send)
        self._indexed = _IndexedHeaders(scope["headers"])

    @property
    def headers(self) -> Headers:
        """The headers."""
        return self._indexed

    @property
    def is_large(self) -> bool:
        """Whether work on the body belongs on a thread; see `serve.runtime.offload.offload`."""
        return len(self.content) > LARGEST_ON_LOOP

    async def parse(self, model: type[Body], accepts: Accepts) -> Body:
        """Parse the body; see `serve.wire.unparsed_body.RequestBody.parse`."""
        return await self.read(RequestBody.parse, model, accepts)

    async def read(
        self,
        work: Callable[Concatenate[RequestBody, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Read the body with a function; a large one is read in another process.

        Parameters
        ----------
        work : callable
            A function of a module that needs nothing but the body and the arguments.
        *args, **options
            The arguments.

        Raises
        ------
        InputError
            See `serve.wire.request_body.parse_body`.
        Refusal
            A field is a near miss, or see `serve.runtime.parsing_processes.Parsing.run`.
        """
        strict, checks = self.operation.version.strict_names, self.operation.checks_names
        answered = self.scope["state"].get("answered", frozenset())
        body = RequestBody(self.content, strict, checks, answered)
        try:
            if len(self.content) <= SMALL_BODY:
                if self.is_large:
                    return await offload(work, body, *args, **options)
                return work(body, *args, **options)
            parsing, credential = self.service.parsing, self.caller.credential
            return await parsing.run(credential, work, body, *args, **options)
        finally:
            self.ignored += body.ignored

    def notice(self, misses: Iterator[NearMiss]) -> None:
        """Refuse a near miss of a parameter, or keep its path for the header that lists them."""
        strict = self.operation.version.strict_names
        answered = self.scope["state"].get("answered", ())
        self.ignored += noticed(misses, "parameter", strict=strict, answered=answered)


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
    checks_names : bool, default=True
        Whether near misses of its fields and parameters are noticed. Not where another API defines
        what clients send.
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
        checks_names: bool = True,
    ) -> None:
        self.version = version
        self.scope = scope
        self.handler = handler
        self.endpoint_name = handler.__name__
        self.counted = counted
        self.links = links or {}
        self.gate = gate
        self.body_model = body
        self.answer_model = answer
        self.checks_names = checks_names
        self.query_shape = query_shape(parameters)
        self.example = example
        self.parameters = parameters
        errors = sorted({400, 401, 403, 429, 500, 503, *refusals})
        success: dict[str, Any] = {"model": answer} if answer else {}
        if checks_names and not version.strict_names and (body or self.query_shape.fields):
            headers = {**(headers or {}), **_IGNORED}
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
        call.operation = self
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
            if self._leaves_much(call) and "connection" not in response.headers:
                response.headers["connection"] = "close"
            del refusal  # its traceback refers to this frame: the body would wait for the collector
        response.raw_headers += [(n.encode(), v.encode()) for n, v in call.limits.items()]
        if call.ignored:
            ignored = ignored_fields(call.ignored)
            response.raw_headers.append((b"x-ignored-fields", ignored.encode()))
        await response(scope, receive, send)

    def _leaves_much(self, call: Call) -> bool:
        """Return whether a large body has not been read, and is still arriving."""
        if self.body_model is None or hasattr(call, "content") or WHOLE in call.scope["state"]:
            return False
        return announces_more(call.headers, SMALL_BODY) or "transfer-encoding" in call.headers

    async def _admit(self, call: Call) -> Response:
        service = call.service = call.scope["state"]["service"]
        service.overload.check()
        client = call.scope.get("client")
        network = network_of(client[0]) if client else ""
        call.caller = caller = await self._caller(call, network)
        call.scope["postmeal.partner"] = (caller.organization.id, caller.key_id)
        if self.gate is not None:
            self.gate(call)
        self._check_headers(call.headers)
        charge = Charge(self.endpoint_name, self.counted, service.credit_cost(self.endpoint_name))
        with service.uploads.of(caller.credential) as upload:
            read = partial(self._read, call, upload)
            ticket = await service.meter.admit(caller, charge, network, read)
            return await self._charged(call, ticket)

    async def _charged(self, call: Call, ticket: Ticket) -> Response:
        """Handle an admitted call, and charge it if it succeeds."""
        succeeded = False
        call.limits = ticket.headers
        try:
            self._read_query(call)
            response = await self._handle(call)
            succeeded = response.status_code < 400
        finally:
            if ticket.reservation is not None:  # also when the call is broken off
                await asyncio.shield(call.service.meter.settle(ticket, succeeded=succeeded))
        return response

    async def _handle(self, call: Call) -> Response:
        """Let the handler answer, unless the caller's person was erased by another process."""
        try:
            return await self.handler(call)
        except Erased:
            caller = call.caller
            call.service.credentials.forget(caller.organization.id, caller.end_user_id)
            secret = self.version.credential(call.headers.getlist("authorization"))
            raise self.version.not_admitted(secret, "unknown") from None

    def _read_query(self, call: Call) -> None:
        """Read the query string; near misses are looked for where not all of it is known."""
        text = call.scope["query_string"]
        call.given = query_values(text, self.parameters)
        if text and self.checks_names and text.count(b"&") + 1 > len(call.given):
            call.notice(near_misses(self.query_shape, query_names(text)))

    async def _caller(self, call: Call, network: str) -> Caller:
        """Return who calls, if they may call this operation."""
        version, service = self.version, call.service
        secret = version.credential(call.headers.getlist("authorization"))
        service.check_database()
        caller: Caller | State | None = service.credentials.remembered(secret)
        if caller is None:
            if not service.credentials.was_found(secret):
                await service.failures.check(network)
            caller = await service.credentials.look_up(secret)
        if isinstance(caller, str):
            service.failures.count(network)
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

    def _check_headers(self, headers: Headers) -> None:
        """Refuse what the headers alone show to be wrong."""
        self.version.check_accept(headers)
        if self.body_model is not None:
            if announces_more(headers, LARGEST_BODY):
                raise _too_large()
            self.version.check_media_type(headers)

    async def _read(self, call: Call, upload: Upload) -> None:
        """Read the body, if the operation has one."""
        if self.body_model is not None:
            try:
                call.content = await read_body(call, upload)
            except BodyTooLarge:
                raise _too_large() from None


def _too_large() -> Refusal:
    message = f"the body must not be larger than {LARGEST_BODY} bytes"
    return Refusal("payload_too_large", message, headers={"Connection": "close"})
