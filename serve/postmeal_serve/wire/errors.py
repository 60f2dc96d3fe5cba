"""Errors of the API: their codes and HTTP statuses, and the codes for library exceptions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from postmeal.errors import (
    CatalogError,
    DataSetError,
    InputError,
    ModelError,
    PictureError,
    UnknownBarcode,
    UnknownFood,
    UnusableHistory,
)

__all__ = ["LIBRARY_ERRORS", "STATUS", "UNAVAILABLE", "Refusal", "without_secrets"]

STATUS: dict[str, int] = {
    "invalid_request": 400,
    "end_user_id_required": 400,
    "image_corrupt": 400,
    "image_format_unsupported": 400,
    "image_invalid_base64": 400,
    "image_unreachable": 400,
    "unauthorized": 401,
    "token_expired": 401,
    "token_invalid": 401,
    "token_revoked": 401,
    "forbidden": 403,
    "client_token_not_allowed": 403,
    "scope_insufficient": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "idempotency_key_in_flight": 409,
    "payload_too_large": 413,
    "unsupported_media_type": 415,
    "idempotency_key_reused": 422,
    "history_unusable": 422,
    "rate_limited": 429,
    "request_limit_exceeded": 429,
    "credit_limit_exceeded": 429,
    "internal_error": 500,
    "upstream_error": 502,
    "service_unavailable": 503,
    "client_token_revocation_incomplete": 503,
    "upstream_timeout": 504,
}
"""HTTP status of each error code."""

LIBRARY_ERRORS: tuple[tuple[type[Exception], str], ...] = (
    (UnknownFood, "not_found"),
    (UnknownBarcode, "not_found"),
    (UnusableHistory, "history_unusable"),
    (InputError, "invalid_request"),
    (ModelError, "service_unavailable"),
    (DataSetError, "service_unavailable"),
    (sqlite3.Error, "service_unavailable"),
    (SQLAlchemyError, "service_unavailable"),
)
"""Error codes for exceptions of the library and the database. A subclass precedes its base class.
Any other exception becomes an ``internal_error``."""

UNAVAILABLE = "this part of the service is temporarily unavailable; try again later"
"""Message if the database, the catalog or the model cannot be used."""

_CATALOG_CODES = {
    "damaged": "service_unavailable",
    "unreachable": "upstream_error",
    "too slow": "upstream_timeout",
}
_PICTURE_CODES = {
    "format unsupported": "image_format_unsupported",
    "corrupt": "image_corrupt",
    "base64 invalid": "image_invalid_base64",
}  # For a picture that is too large, the code is `invalid_request`.
_SECRET = re.compile(r"(?<![A-Za-z0-9])(sk|ct)-[\w.-]{16,}")


def without_secrets(message: str) -> str:
    """Shorten the API keys and client tokens in a message to ``sk-…`` and ``ct-…``."""
    return _SECRET.sub(r"\1-…", message)


class Refusal(Exception):
    """Exception that makes the service respond with an error."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        field: str | None = None,
        allowed: Iterable[str] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.code = code
        self.status = STATUS[code]
        self.message = without_secrets(message)
        self.field = field
        self.allowed = tuple(allowed)
        self.headers = dict(headers or {})
        super().__init__(self.message)

    def __reduce__(self) -> tuple[Any, ...]:
        restored = partial(Refusal, field=self.field, allowed=self.allowed, headers=self.headers)
        return restored, (self.code, self.message)

    @classmethod
    def of(cls, error: Exception) -> Refusal | None:
        """Convert an exception to a refusal; return None if the exception is unexpected."""
        if isinstance(error, Refusal):
            return error
        if isinstance(error, CatalogError):
            return cls(_CATALOG_CODES[error.reason], UNAVAILABLE)
        for kind, code in LIBRARY_ERRORS:
            if isinstance(error, kind):
                if STATUS[code] >= 500:
                    return cls(code, UNAVAILABLE)
                if isinstance(error, PictureError):
                    code = _PICTURE_CODES.get(error.reason, code)
                if isinstance(error, InputError):
                    return cls(code, str(error), field=error.field, allowed=error.allowed)
                return cls(code, str(error))
        return None
