"""ASGI application: both API versions, OpenAPI documents, pages and health checks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from postmeal.errors import InputError
from postmeal_serve import v1_1, v1_2
from postmeal_serve.http.admission import Admission
from postmeal_serve.http.health import HEALTH_ROUTES
from postmeal_serve.http.middleware import FAULT, Transport, version_of
from postmeal_serve.http.openapi import openapi_document
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.runtime.garbage_collection import freeze_loaded
from postmeal_serve.runtime.logs import Log
from postmeal_serve.service import Service
from postmeal_serve.settings import Settings
from postmeal_serve.shared_parts import SharedParts
from postmeal_serve.web import PAGES
from postmeal_serve.wire.errors import STATUS, Refusal
from postmeal_serve.wire.field_names import names_within
from postmeal_serve.wire.responses import JsonResponse, error_response, json_bytes

__all__ = ["OPERATIONS", "VERSIONS", "check_endpoints", "create_app"]

VERSIONS = (v1_1.V1_1, v1_2.V1_2)
"""API versions, oldest first."""

OPERATIONS = (*v1_1.OPERATIONS, *v1_2.OPERATIONS)
"""All operations of both versions."""

_RESPONSE_NAMES = names_within(
    operation.response_model for operation in v1_2.OPERATIONS if operation.response_model
)
"""Field names in v1.2 responses. Requests may contain them, because clients send responses back."""


def create_app(
    settings: Settings | None = None,
    clock: Clock | None = None,
    shared: SharedParts | None = None,
) -> Transport:
    """Create the ASGI application."""
    settings = settings or Settings()
    check_endpoints(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        service = Service(settings, clock, shared)
        freeze_loaded()
        async with service.running():
            yield {"service": service, "answered": _RESPONSE_NAMES}

    routes: list[Route] = [
        *HEALTH_ROUTES,
        *PAGES,
        _document("/openapi.json", ""),
        *(_document(f"/{version.name}/openapi.json", version.name) for version in VERSIONS),
        *(
            Route(operation.path, Admission(operation), methods=[operation.method])
            for operation in OPERATIONS
        ),
    ]
    app = Starlette(
        routes=routes,
        lifespan=lifespan,
        exception_handlers={HTTPException: _handle_routing_error, Exception: _handle_fault},
    )
    app.router.redirect_slashes = False
    shortcuts = {
        (method, route.path): route.app
        for route in routes
        for method in route.methods or ()
        if "{" not in route.path
    }
    log = Log(settings.log_level)
    return Transport(app, VERSIONS, shortcuts, settings.require_https, log)


def check_endpoints(settings: Settings) -> None:
    """Check that the endpoint names in the settings exist."""
    endpoints = [
        operation.endpoint_name for operation in OPERATIONS if not operation.version.deprecated
    ]
    named: dict[str, Iterable[str]] = {"POSTMEAL_CREDIT_COSTS": settings.credit_costs}
    for name, plan in settings.plans.items():
        place = f"POSTMEAL_PLANS.{name}"
        named |= {f"{place}.rates": plan.rates, f"{place}.in_flight": plan.in_flight}
    for field, names in named.items():
        for name in names:
            if name not in endpoints:
                problem = "must contain only endpoint names"
                raise InputError(field, problem, name, allowed=endpoints)


def _document(path: str, name: str) -> Route:
    async def document(request: Request) -> Response:
        return JsonResponse(await asyncio.to_thread(_document_content, name))

    return Route(path, document, methods=["GET"])


@cache
def _document_content(name: str) -> bytes:
    """Return the OpenAPI document of a version, or of all versions if `name` is empty.

    The result is cached, because building it takes half a second.
    """
    operations = [operation for operation in OPERATIONS if name in ("", operation.version.name)]
    return json_bytes(openapi_document(name, operations))


async def _handle_routing_error(request: Request, error: Exception) -> Response:
    """Return a 404 or 405 response in the error format of the requested API version."""
    assert isinstance(error, HTTPException)
    code = next(code for code, status in STATUS.items() if status == error.status_code)
    path, headers = request.url.path, dict(error.headers or {})
    message = "no endpoint has this path; GET /openapi.json lists the supported paths"
    if "Allow" in headers:
        headers["Allow"] = _methods(path) or headers["Allow"]
        message = f"method not allowed; this path supports {headers['Allow']}"
    version = version_of(path, VERSIONS, VERSIONS[-1])
    return error_response(version, Refusal(code, message, headers=headers))


async def _handle_fault(request: Request, error: Exception) -> Response:
    """Return a 500 response. Starlette then re-raises the error, and `Transport` logs it."""
    return error_response(version_of(request.url.path, VERSIONS, VERSIONS[-1]), FAULT)


def _methods(path: str) -> str:
    """Return all methods that a path supports; the router reports only those of one operation."""
    return ", ".join(
        sorted({operation.method for operation in OPERATIONS if operation.matches(path)})
    )
