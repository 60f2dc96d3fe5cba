"""Clients of the postmeal API, blocking and asynchronous.

`Client` and `AsyncClient` call version 1.2. The clients of version 1.1 are in
`postmeal_client.v1_1`. The models of requests and responses are in `postmeal_client.v1_2.models`
and `postmeal_client.v1_1.models`.
"""

from postmeal_client.errors import (
    ApiError,
    AuthenticationFailed,
    ClientError,
    Conflict,
    ConnectionLost,
    InvalidRequest,
    MonthlyLimitReached,
    NotFound,
    NotPermitted,
    RateLimited,
    ServiceFailed,
    UnexpectedResponse,
)
from postmeal_client.retries import Retries
from postmeal_client.v1_2 import AsyncClient, Client

__all__ = [
    "ApiError",
    "AsyncClient",
    "AuthenticationFailed",
    "Client",
    "ClientError",
    "Conflict",
    "ConnectionLost",
    "InvalidRequest",
    "MonthlyLimitReached",
    "NotFound",
    "NotPermitted",
    "RateLimited",
    "Retries",
    "ServiceFailed",
    "UnexpectedResponse",
]
