"""Explanations of when each error code occurs."""

from __future__ import annotations

from postmeal_serve.wire.upload_limits import LARGEST_BODY

__all__ = ["NOT_IN_V1_1", "OCCASIONS"]

OCCASIONS: dict[str, str] = {
    "invalid_request": (
        "A parameter, header, field or value is missing, misspelled or out of range; the body"
        " is not valid JSON; or the history has too few complete days."
    ),
    "end_user_id_required": (
        "A request with an API key to an endpoint for a single user has no `Service-End-User-ID`"
        " header."
    ),
    "image_corrupt": "A photo is damaged, or decoding it takes too much time or memory.",
    "image_format_unsupported": "A photo is not a JPEG, PNG, WEBP or GIF file, is animated, or does"
    " not have the declared format.",
    "image_invalid_base64": "The base64 encoding of a photo is invalid.",
    "image_unreachable": "A photo could not be fetched from its address, or the address is not"
    " public.",
    "unauthorized": (
        "The `Authorization` header is missing or malformed, or the API key is unknown or disabled."
    ),
    "token_expired": "The client token has expired.",
    "token_invalid": (
        "The client token was never issued, expired long ago, or belongs to an erased user."
    ),
    "token_revoked": "The client token was revoked.",
    "forbidden": (
        "The key belongs to the other API version, client tokens are disabled for the"
        " account, or the request was sent over plain HTTP although HTTPS is required."
    ),
    "client_token_not_allowed": (
        "A client token was used on an endpoint that accepts only API keys."
    ),
    "scope_insufficient": "The client token does not have the scope that the endpoint requires.",
    "not_found": "The path, food, barcode, food log or user does not exist.",
    "method_not_allowed": "The path exists, but does not support this method.",
    "not_acceptable": "The `Accept` header excludes `application/json` (version 1.1 only).",
    "idempotency_key_in_flight": (
        "A request with this `Idempotency-Key` is still being processed."
    ),
    "payload_too_large": f"The body is larger than {LARGEST_BODY // 2**20} MiB.",
    "unsupported_media_type": "The `Content-Type` is not JSON.",
    "idempotency_key_reused": (
        "This `Idempotency-Key` was already used for a request with a different body."
    ),
    "history_unusable": (
        "The CGM history is complete but cannot be modeled, for example because the glucose"
        " never changes."
    ),
    "rate_limited": (
        "There were too many requests in a minute, within 24 hours or at the same time, or too many"
        " failed authentications from one address."
    ),
    "request_limit_exceeded": "The monthly request limit has been reached.",
    "credit_limit_exceeded": "The monthly credits are used up.",
    "internal_error": "An unexpected error occurred in the service.",
    "upstream_error": ("An external service cannot be reached or returned an unusable response."),
    "service_unavailable": "Part of the service is not configured, not ready, or overloaded.",
    "client_token_revocation_incomplete": "Some tokens of the user could not be revoked.",
    "upstream_timeout": ("An external service or the computation itself took too long."),
}
"""Explanation of when each code occurs."""

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
"""Codes that are never returned by version 1.1."""
