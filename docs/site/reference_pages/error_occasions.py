"""When each error code occurs."""

from __future__ import annotations

__all__ = ["NOT_IN_V1_1", "OCCASIONS"]

OCCASIONS: dict[str, str] = {
    "invalid_request": (
        "A parameter, header, field or value is missing, misspelled or out of range, the body"
        " is not valid JSON, or the history has too few complete days."
    ),
    "end_user_id_required": (
        "A request with an API key to an endpoint of one user does not have `Service-End-User-ID`."
    ),
    "unauthorized": (
        "`Authorization` is missing or malformed, or the API key is unknown or disabled."
    ),
    "token_expired": "The client token is past its lifetime.",
    "token_invalid": (
        "The client token was never issued, expired long ago, or belongs to an erased user."
    ),
    "token_revoked": "The client token was revoked.",
    "forbidden": (
        "The key is for the other API version, client tokens are switched off for the"
        " account, or the request came over plain HTTP where HTTPS is required."
    ),
    "client_token_not_allowed": (
        "A client token was used on an endpoint that accepts only API keys."
    ),
    "scope_insufficient": "The client token does not have the scope of the endpoint.",
    "not_found": "There is no such path, food, barcode, food log or user.",
    "method_not_allowed": "The path exists, but not with this method.",
    "not_acceptable": "`Accept` excludes `application/json` (version 1.1 only).",
    "idempotency_key_in_flight": (
        "A request with this `Idempotency-Key` is still being processed."
    ),
    "payload_too_large": "The body is larger than 5 MiB.",
    "unsupported_media_type": "`Content-Type` is not JSON.",
    "idempotency_key_reused": ("This `Idempotency-Key` was used for a request with another body."),
    "history_unusable": (
        "The CGM history is complete but cannot be modeled, for example because the glucose"
        " never changes."
    ),
    "rate_limited": (
        "Too many calls per minute, in 24 hours, in flight, or failed authentications of one"
        " address."
    ),
    "request_limit_exceeded": "The requests of the month are used up.",
    "credit_limit_exceeded": "The credits of the month are used up.",
    "internal_error": "An unexpected error occurred in the service.",
    "upstream_error": (
        "A service that this one depends on cannot be reached or gave an unusable response."
    ),
    "service_unavailable": "A part of the service is not configured, not ready, or overloaded.",
    "client_token_revocation_incomplete": "Some tokens of the user could not be revoked.",
    "upstream_timeout": (
        "A service that this one depends on, or the computation itself, took too long."
    ),
}
"""When each code occurs."""

NOT_IN_V1_1 = frozenset(
    {
        "end_user_id_required",
        "token_expired",
        "token_invalid",
        "token_revoked",
        "client_token_not_allowed",
        "scope_insufficient",
        "idempotency_key_in_flight",
        "unsupported_media_type",
        "idempotency_key_reused",
        "request_limit_exceeded",
        "credit_limit_exceeded",
        "client_token_revocation_incomplete",
    }
)
"""Codes that no operation of version 1.1 returns."""
