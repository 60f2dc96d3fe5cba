"""Errors of calls to the API."""

from __future__ import annotations

import json
from typing import Any

import httpx2

__all__ = [
    "ApiError",
    "AuthenticationFailed",
    "ClientError",
    "Conflict",
    "ConnectionLost",
    "InvalidRequest",
    "MonthlyLimitReached",
    "NotFound",
    "NotPermitted",
    "RateLimited",
    "ServiceFailed",
    "UnexpectedResponse",
    "error_of",
]

_MONTHLY = {"request_limit_exceeded", "credit_limit_exceeded"}


class ClientError(Exception):
    """A call that failed."""


class ConnectionLost(ClientError):
    """The connection failed or timed out before the response was complete.

    Attributes
    ----------
    sent : bool
        Whether the service may have received the request. If so, it may have processed it.
    """

    def __init__(self, error: httpx2.TransportError) -> None:
        super().__init__(f"no response from the service: {str(error) or type(error).__name__}")
        self.sent = not isinstance(
            error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout
        )


class UnexpectedResponse(ClientError):
    """A response that the API does not define, for example from a proxy.

    Attributes
    ----------
    status : int
        HTTP status.
    request_id : str or None
        ID of the request, for questions to the operator of the service.
    """

    def __init__(self, response: httpx2.Response, problem: str) -> None:
        self.status = response.status_code
        self.request_id: str | None = response.headers.get("x-request-id")
        super().__init__(f"unexpected response {self.status}: {problem}")


class ApiError(ClientError):
    """An error response of the API.

    Attributes
    ----------
    status : int
        HTTP status.
    code : str or None
        Error code, such as ``rate_limited``; None in version 1.1, which has only the status.
    message : str
        What is wrong, and what is accepted.
    field : str or None
        Path of the invalid field, if the response has it apart from the message: in the chat, and
        in version 1.1.
    request_id : str or None
        ID of the request, for questions to the operator of the service.
    retry_after_s : int or None
        Seconds to wait before the next attempt, if the service states them.
    """

    def __init__(self, response: httpx2.Response) -> None:
        error = _error_object(response)
        details = error.get("details")
        field = details.get("field") if isinstance(details, dict) else error.get("param")
        code, message = error.get("code"), error.get("message")
        self.status = response.status_code
        self.code = code if isinstance(code, str) else None
        self.message = message if isinstance(message, str) else response.reason_phrase
        self.field = field if isinstance(field, str) else None
        self.request_id: str | None = response.headers.get("x-request-id")
        stated = response.headers.get("retry-after", "")
        self.retry_after_s = int(stated) if stated.isascii() and stated.isdecimal() else None
        super().__init__(
            f"{self.status} {self.code or ''}: {self.message} (request {self.request_id})"
        )


class InvalidRequest(ApiError):
    """The request is invalid; the message names the field or parameter."""


class AuthenticationFailed(ApiError):
    """The API key or client token is not accepted (401)."""


class NotPermitted(ApiError):
    """The API key or client token does not permit this call (403)."""


class NotFound(ApiError):
    """The food, food log or user does not exist (404)."""


class Conflict(ApiError):
    """A request with the same idempotency key is still in progress (409)."""


class RateLimited(ApiError):
    """Too many requests at present (429)."""


class MonthlyLimitReached(ApiError):
    """The requests or credits of the month are spent (429); the message says until when."""


class ServiceFailed(ApiError):
    """The service, or a service that it depends on, failed (5xx)."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: AuthenticationFailed,
    403: NotPermitted,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
}


def error_of(response: httpx2.Response) -> ApiError | UnexpectedResponse:
    """Return the error for a response that is not a success."""
    status = response.status_code
    if status < 400:
        return UnexpectedResponse(response, "the API does not redirect; check the base URL")
    if _error_object(response).get("code") in _MONTHLY:
        return MonthlyLimitReached(response)
    if status >= 500:
        return ServiceFailed(response)
    return _BY_STATUS.get(status, InvalidRequest)(response)


def _error_object(response: httpx2.Response) -> dict[str, Any]:
    """Return the error of a body in any of the three formats; empty if the body has none."""
    try:
        body = json.loads(response.content)
    except ValueError:  # from a proxy
        return {}
    if not isinstance(body, dict):
        return {}
    error = body.get("error", body)
    return error if isinstance(error, dict) else {}
