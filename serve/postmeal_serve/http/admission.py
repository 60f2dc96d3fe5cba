"""Admission, which checks every request in a fixed order.

1. Route and method: the router returns 404 or 405 before this module runs. While the service is
   overloaded, a share of all requests gets 503.
2. Authentication: 401 for missing or invalid credentials. After too many failures from one address,
   its credentials are looked up in batches, and most unknown ones get 429. The requests of a
   partner that keeps the service busy then wait for their turn.
3. Authorization: 403 for the wrong API version, kind of credential or scope. Then 503 for an
   operation that is not configured, and 403 for a disabled operation.
4. Headers: 406 for an unsupported ``Accept`` header, 413 if the declared size of the body is too
   large, and 415 for an unsupported media type.
5. Limits: 429 with the longest wait of all exceeded limits. Otherwise, the request is counted.
6. Receiving the body: 413 if it is too large, 429 or 503 if `postmeal_serve.wire.upload_limits`
   refuses it. If the body does not arrive completely, the count is undone.
7. Content: the handler, which runs after this module, returns 400 for invalid content, then 404 for
   unknown resources.

A request without valid credentials gets no error of a later step, and its body is not parsed.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from postmeal_serve.accounting.ip_limits import network_of
from postmeal_serve.accounting.meter import Charge, Ticket
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.partners.credentials import Caller, State
from postmeal_serve.resources.tombstones import Erased
from postmeal_serve.runtime.refusal_pace import UPLOAD
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.near_misses import ignored_fields, near_misses
from postmeal_serve.wire.parameters import query_names, query_values
from postmeal_serve.wire.request_body import WHOLE, BodyTooLarge, declares_more, read_body
from postmeal_serve.wire.responses import error_response
from postmeal_serve.wire.upload_limits import LARGEST_BODY, SMALL_BODY, Upload

__all__ = ["Admission"]


_PACED = (401, 403, 429)
_log = logging.getLogger(__name__)


class Admission:
    """ASGI application that admits and handles the requests to one operation."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.path = operation.path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Admit a request, run the handler and send the response."""
        call = Call(scope, receive, send)
        call.operation = self.operation
        try:
            response = await self._admit(call)
        except ClientDisconnect:
            return
        except Exception as error:
            refusal = Refusal.of(error)
            if refusal is None:
                raise
            if refusal is not error and refusal.status >= 500:
                _log.error("request to %s failed: %s", self.path, type(error).__name__)
            has_unread_body = self._has_unread_body(call)
            if refusal.status in _PACED:
                caller = call.caller.credential if hasattr(call, "caller") else call.network
                count = UPLOAD if has_unread_body else 1
                await asyncio.sleep(call.service.refusal_pace.wait_s(caller, count))
            response = error_response(self.operation.version, refusal)
            if has_unread_body and "connection" not in response.headers:
                response.headers["connection"] = "close"
            del refusal  # Its traceback is part of a reference cycle that holds the body.
        response.raw_headers += [(n.encode(), v.encode()) for n, v in call.limits.items()]
        if call.ignored:
            ignored = ignored_fields(call.ignored)
            response.raw_headers.append((b"x-ignored-fields", ignored.encode()))
        await response(scope, receive, send)

    def _has_unread_body(self, call: Call) -> bool:
        """Return whether the body may be large and has not been received completely."""
        if self.operation.body is None or hasattr(call, "content") or WHOLE in call.scope["state"]:
            return False
        return declares_more(call.headers, SMALL_BODY) or "transfer-encoding" in call.headers

    async def _admit(self, call: Call) -> Response:
        service = call.service = call.scope["state"]["service"]
        service.overload.check()
        client = call.scope.get("client")
        call.network = network = network_of(client[0]) if client else ""
        call.caller = caller = await self._authenticate(call, network)
        call.scope["postmeal.partner"] = (caller.organization.id, caller.key_id)
        if wait_s := service.fair_share.wait_s(caller.organization.id):
            await asyncio.sleep(wait_s)
        if self.operation.gate is not None:
            self.operation.gate(call)
        self._check_headers(call.headers)
        charge = Charge(
            self.operation.endpoint_name,
            self.operation.counted,
            service.credit_cost(self.operation.endpoint_name),
        )
        with service.uploads.of(caller.credential) as upload:
            read = partial(self._read, call, upload)
            ticket = await service.meter.admit(caller, charge, network, read)
            return await self._handle_and_charge(call, ticket)

    async def _handle_and_charge(self, call: Call, ticket: Ticket) -> Response:
        """Handle an admitted request, and charge its credits if it succeeds."""
        succeeded = False
        call.limits = ticket.headers
        try:
            self._read_query(call)
            response = await self._handle(call)
            succeeded = response.status_code < 400
        finally:
            if ticket.reservation is not None:  # Also settle canceled requests.
                await asyncio.shield(call.service.meter.settle(ticket, succeeded=succeeded))
        return response

    async def _handle(self, call: Call) -> Response:
        """Run the handler; raise `Refusal` (401) if the token's user has been erased since."""
        try:
            return await self.operation.handler(call)
        except Erased:
            caller = call.caller
            call.service.credentials.evict(caller.organization.id, caller.end_user_id)
            secret = self.operation.version.credential(call.headers.getlist("authorization"))
            raise self.operation.version.credential_error(secret, "unknown") from None

    def _read_query(self, call: Call) -> None:
        """Parse the query string, and check unknown parameters for misspellings."""
        text = call.scope["query_string"]
        call.given = query_values(text, self.operation.parameters)
        if text and self.operation.checks_names and text.count(b"&") + 1 > len(call.given):
            call.notice(near_misses(self.operation.query_shape, query_names(text)))

    async def _authenticate(self, call: Call, network: str) -> Caller:
        """Return the caller, or raise `Refusal` if it may not use this operation."""
        version, service = self.operation.version, call.service
        secret = version.credential(call.headers.getlist("authorization"))
        service.check_database()
        caller: Caller | State | None = service.credentials.cached(secret)
        if caller is None:
            batched = service.failures.are_many(network)
            caller = await service.credentials.look_up(secret, batched=batched)
        if isinstance(caller, str):
            await service.failures.count(network, caller)
            raise version.credential_error(secret, caller)
        if caller.version != version.name:
            message = f"this key is valid only for {caller.version}; use a {version.name} key"
            raise Refusal("forbidden", message)
        if caller.scopes is not None:
            if self.operation.scope is None:
                message = "this endpoint does not accept client tokens; call it with an API key"
                raise Refusal("client_token_not_allowed", message)
            if self.operation.scope not in caller.scopes:
                challenge = f'Bearer error="insufficient_scope", scope="{self.operation.scope}"'
                headers = {"WWW-Authenticate": challenge}
                lacking = f"this client token lacks the scope {self.operation.scope}"
                message = f"{lacking}; mint a token that has it"
                raise Refusal("scope_insufficient", message, headers=headers)
        return caller

    def _check_headers(self, headers: Headers) -> None:
        """Check the ``Accept``, ``Content-Length`` and ``Content-Type`` headers."""
        self.operation.version.check_accept(headers)
        if self.operation.body is not None:
            if declares_more(headers, LARGEST_BODY):
                raise _too_large()
            self.operation.version.check_media_type(headers)

    async def _read(self, call: Call, upload: Upload) -> None:
        """Receive the body if the operation has one."""
        if self.operation.body is not None:
            try:
                call.content = await read_body(call, upload)
            except BodyTooLarge:
                raise _too_large() from None
            except Refusal as error:
                refusal = error.with_traceback(None)  # The traceback holds the received bytes.
            else:
                return
            upload.release()
            raise refusal


def _too_large() -> Refusal:
    message = f"the request body must be at most {LARGEST_BODY} bytes"
    return Refusal("payload_too_large", message, headers={"Connection": "close"})
