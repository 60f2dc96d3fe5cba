"""A client that calls test operations over ASGI, without a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from partner_records import fresh_name, minted
from pydantic import BaseModel
from sqlalchemy import func, select
from starlette.responses import Response

from postmeal_serve.accounting.month import Month
from postmeal_serve.accounting.reservations import credits_used
from postmeal_serve.http.admission import Admission
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.partners import keys, organizations
from postmeal_serve.partners.plans import PLANS
from postmeal_serve.service import Service
from postmeal_serve.storage.tables import reservation, usage
from postmeal_serve.v1_2.version import V1_2
from postmeal_serve.wire.request_body import WHOLE
from postmeal_serve.wire.responses import json_response

Handler = Callable[[Call], Awaitable[Response]]


class Thing(BaseModel):
    """Something."""

    size: int


async def work(call: Call) -> Response:
    """Do the work.

    It takes a while.
    """
    return json_response(
        {"given": dict(call.given), "body": getattr(call, "content", b"").decode()}
    )


@dataclass
class Answer:
    """A response; the status is None if nothing was sent to the caller."""

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    scope: dict[str, Any] = field(default_factory=dict)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class AsgiClient:
    """A partner with API keys and a client token that calls operations of a service."""

    def __init__(self, service: Service, **agreed: Any) -> None:
        self.service = service
        with service.database.writing() as connection:
            agreement = organizations.parse_agreement(agreed)
            now = service.clock.now()
            self.partner = organizations.create(
                connection, now, fresh_name(), "unlimited", agreement, PLANS
            )
            made = {
                version: keys.create(connection, now, self.partner.id, version, "k")
                for version in ("v1.1", "v1.2")
            }
            self.token = minted(connection, self.partner.id, scopes=("foods:read",)).secret
        self.keys = {version: secret for version, (secret, _) in made.items()}
        self.key_ids = {version: key.id for version, (_, key) in made.items()}

    def scope(self, secret: str | None, query: str, address: str | None, **headers: str) -> Any:
        sent = [
            (name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()
        ]
        if secret is not None:
            sent.append((b"authorization", f"Bearer {secret}".encode()))
        return {
            "type": "http", "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": "/", "root_path": "", "query_string": query.encode(), "headers": sent,
            "client": address and (address, 1), "state": {"service": self.service},
        }  # fmt: skip

    async def ask(
        self,
        operation: Operation,
        secret: str | None = "",
        *,
        parts: tuple[bytes, ...] = (b"{}",),
        query: str = "",
        address: str | None = "192.0.2.1",
        sends: asyncio.Event | None = None,
        whole: bool = False,
        **headers: str,
    ) -> Answer:
        """Call an operation; the client disconnects after the last part of the body.

        If `sends` is given, the body arrives when this event is set. If `whole` is true, the body
        is complete from the start.
        """
        secret = self.keys[operation.version.name] if secret == "" else secret
        answer = Answer(scope=self.scope(secret, query, address, **headers))
        if whole:
            answer.scope["state"][WHOLE] = True
        left = list(parts)

        async def receive() -> dict[str, Any]:
            if sends is not None:
                await sends.wait()
            if not left:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {n.decode(): v.decode() for n, v in message["headers"]}
            answer.body += message.get("body", b"")

        await Admission(operation)(answer.scope, receive, send)
        return answer

    def call(self, operation: Operation, secret: str | None = "", **options: Any) -> Answer:
        return asyncio.run(self.ask(operation, secret, **options))

    def counted(self) -> tuple[int, int, int]:
        """Return the requests and credits of the month, and the number of open reservations."""
        asyncio.run(self.service.meter.close())
        mine = self.partner.id
        with self.service.database.reading() as connection:
            requests = select(func.sum(usage.c.requests)).where(usage.c.organization_id == mine)
            held = select(func.count()).where(reservation.c.organization_id == mine)
            return (
                connection.execute(requests).scalar() or 0,
                credits_used(connection, mine, Month.of(self.service.clock.now())),
                connection.execute(held).scalar_one(),
            )


def make_operation(handler: Handler = work, version: Any = V1_2, **options: Any) -> Operation:
    return Operation("POST", "/things", handler, version=version, response_model=Thing, **options)
