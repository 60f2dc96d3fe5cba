"""The application: both API versions, their documents, the pages and the health checks."""

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
from serve import v1_1, v1_2
from serve.accounting.minutes import Minutes
from serve.http.admission import Admission
from serve.http.health import HEALTH_ROUTES
from serve.http.middleware import FAULT, Transport, version_of
from serve.http.openapi import openapi_document
from serve.runtime.clock import Clock
from serve.runtime.garbage_collection import freeze_loaded
from serve.runtime.logs import Log
from serve.service import Service
from serve.settings import Settings
from serve.web import PAGES
from serve.wire.errors import STATUS, Refusal
from serve.wire.field_names import names_within
from serve.wire.responses import JsonResponse, error_response, json_bytes

__all__ = ["OPERATIONS", "VERSIONS", "check_endpoints", "create_app"]

VERSIONS = (v1_1.V1_1, v1_2.V1_2)
"""The API versions, the current one last."""

OPERATIONS = (*v1_1.OPERATIONS, *v1_2.OPERATIONS)
"""Every operation of the service."""

_ANSWERED = names_within(each.answer for each in v1_2.OPERATIONS if each.answer)
"""The names in the answers of version 1.2, which are accepted when they are sent back."""


def create_app(
    settings: Settings | None = None, clock: Clock | None = None, minutes: Minutes | None = None
) -> Transport:
    """Make the application.

    Parameters
    ----------
    settings : Settings, optional
        How it runs; read from the environment when omitted.
    clock : Clock, optional
        The time.
    minutes : Minutes, optional
        Counts that it shares with other processes; of this one alone when omitted.

    Returns
    -------
    Transport
        An ASGI application with Starlette inside. Its parts are loaded when it starts; one that
        cannot be loaded is named by ``/readyz``, and what needs it answers 503.
    """
    chosen = settings or Settings()
    check_endpoints(chosen)

    @asynccontextmanager
    async def parts(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        service = Service(chosen, clock, minutes)
        freeze_loaded()
        async with service.running():
            yield {"service": service, "answered": _ANSWERED}

    routes: list[Route] = [
        *HEALTH_ROUTES,
        *PAGES,
        _document("/openapi.json", ""),
        *(_document(f"/{version.name}/openapi.json", version.name) for version in VERSIONS),
        *(Route(each.path, Admission(each), methods=[each.method]) for each in OPERATIONS),
    ]
    app = Starlette(
        routes=routes,
        lifespan=parts,
        exception_handlers={HTTPException: _answer_routing_error, Exception: _answer_fault},
    )
    app.router.redirect_slashes = False
    shortcuts = {
        (method, each.path): each.app
        for each in routes
        for method in each.methods or ()
        if "{" not in each.path
    }
    log = Log(chosen.log_level)
    return Transport(app, VERSIONS, shortcuts, chosen.require_https, log)


def check_endpoints(settings: Settings) -> None:
    """Refuse settings that name an endpoint which is none: they would do nothing.

    Raises
    ------
    InputError
        A cost, a rate or a number of calls in flight is of no endpoint.
    """
    endpoints = [each.endpoint_name for each in OPERATIONS if not each.version.deprecated]
    named: dict[str, Iterable[str]] = {"credit_costs": settings.credit_costs}
    for name, plan in settings.plans.items():
        named |= {f"plans.{name}.rates": plan.rates, f"plans.{name}.in_flight": plan.in_flight}
    for field, names in named.items():
        for name in names:
            if name not in endpoints:
                raise InputError(field, "must name endpoints", name, allowed=endpoints)


def _document(path: str, name: str) -> Route:
    async def document(request: Request) -> Response:
        return JsonResponse(await asyncio.to_thread(_document_content, name))

    return Route(path, document, methods=["GET"])


@cache
def _document_content(name: str) -> bytes:
    """Build the document of a version on its first request; it takes half a second."""
    operations = [each for each in OPERATIONS if name in ("", each.version.name)]
    return json_bytes(openapi_document(name, operations))


async def _answer_routing_error(request: Request, error: Exception) -> Response:
    """Answer 404 and 405 in the shape of the version whose path was asked for."""
    assert isinstance(error, HTTPException)
    code = next(code for code, status in STATUS.items() if status == error.status_code)
    path, headers = request.url.path, dict(error.headers or {})
    message = "there is nothing at this path"
    if "Allow" in headers:
        headers["Allow"] = _methods(path) or headers["Allow"]
        message = f"this path knows {headers['Allow']} alone"
    version = version_of(path, VERSIONS, VERSIONS[-1])
    return error_response(version, Refusal(code, message, headers=headers))


async def _answer_fault(request: Request, error: Exception) -> Response:
    """Answer 500; the framework hands the error itself on, to be logged."""
    return error_response(version_of(request.url.path, VERSIONS, VERSIONS[-1]), FAULT)


def _methods(path: str) -> str:
    """Name the methods of all operations at a path: the router names those of the first alone."""
    return ", ".join(sorted({each.method for each in OPERATIONS if each.matches(path)}))
