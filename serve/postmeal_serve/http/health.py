"""Health checks, which report whether the process is alive and which parts of it are ready."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from postmeal_serve.service import PARTS
from postmeal_serve.wire.responses import json_response

__all__ = ["HEALTH_ROUTES"]


async def _handle_liveness(request: Request) -> Response:
    body: dict[str, Any] = {"status": "ok"}
    heartbeats = request.state.service.shared.heartbeats
    if heartbeats is not None:
        responding = max(1, heartbeats.responding)  # This worker does, even if its beat is due.
        if responding < heartbeats.workers:
            body["workers"] = {"configured": heartbeats.workers, "responding": responding}
    return json_response(body)


async def _handle_readiness(request: Request) -> Response:
    service = request.state.service
    failing = service.failing()
    parts = {part: "failing" if part in failing else "ok" for part in PARTS}
    if parts["catalogue"] == "ok" and service.is_warming:
        parts["catalogue"] = "warming"  # Ready, but the first requests may be slow.
    if parts["model"] == "ok" and service.models.is_stale:
        parts["model"] = "stale"  # The promoted model is unusable, so the previous model is used.
    if parts["catalogue"] != "failing" and service.catalogs.is_stale:
        parts["catalogue"] = "stale"
    tokens = "on" if service.settings.client_tokens else "off"
    status = "unavailable" if failing else "ok"
    body = {"status": status, "parts": parts | {"client_tokens": tokens}}
    return json_response(body, 503 if failing else 200)


HEALTH_ROUTES = (
    Route("/healthz", _handle_liveness, methods=["GET"]),
    Route("/readyz", _handle_readiness, methods=["GET"]),
)
