"""Advice for API clients on how to react to each error code, for the documentation."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ERROR_HELP"]

ERROR_HELP: Mapping[str, str] = {
    "invalid_request": "Correct the field or parameter that the message names. Do not send the"
    " same request again.",
    "end_user_id_required": "Send the header `Service-End-User-ID`. It is required with an API"
    " key; a client token already identifies its end user.",
    "image_corrupt": "Send another photo. The file is damaged, or decoding it takes too much time"
    " or memory.",
    "image_format_unsupported": "Convert the photo to JPEG, PNG, WEBP or a GIF that is not"
    " animated, and declare this media type.",
    "image_invalid_base64": "Encode the bytes of the photo in base64 without line breaks.",
    "image_unreachable": "Send the photo as a data URI, or an address that anyone on the Internet"
    " can fetch.",
    "unauthorized": "Check the API key and send it as `Authorization: Bearer sk-…`.",
    "token_expired": "Mint a new client token in your backend and retry once.",
    "token_invalid": "Check how the token is stored and sent. It was never issued, or it was"
    " deleted some time after it expired. Do not mint a new one automatically.",
    "token_revoked": "Have the end user sign in again; your backend decides whether to mint a new"
    " token.",
    "forbidden": "Use a key of this API version. If client tokens are disabled for your"
    " account, contact the operator.",
    "client_token_not_allowed": "Call this operation from your backend with an API key.",
    "scope_insufficient": "Mint a client token with the scope that the message names.",
    "not_found": "Check the path and the ID. If a food no longer exists, search again.",
    "method_not_allowed": "Use one of the methods in the `Allow` header.",
    "not_acceptable": "Include `application/json` in the `Accept` header.",
    "idempotency_key_in_flight": "Wait a moment and send the same request again.",
    "payload_too_large": "Send a smaller body: fewer readings, foods or days.",
    "unsupported_media_type": "Send JSON with `Content-Type: application/json`.",
    "idempotency_key_reused": "Use a new `Idempotency-Key` for a new request.",
    "history_unusable": "Check the CGM readings: the message explains why no model can be fitted to"
    " them.",
    "rate_limited": "Wait for the number of seconds in `Retry-After`, then retry.",
    "request_limit_exceeded": "Wait until the month ends, or change the plan. `GET /v1.2/credits`"
    " shows when the allowance resets.",
    "credit_limit_exceeded": "Wait until the month ends, or change the plan. `GET /v1.2/credits`"
    " shows the balance.",
    "internal_error": "Retry later with increasing delays. If the error persists, report the"
    " `X-Request-ID` to the operator.",
    "upstream_error": "An external service could not be reached or sent an unusable response. Retry"
    " later with increasing delays.",
    "service_unavailable": "Wait for the number of seconds in `Retry-After`, then retry. If the"
    " header is missing, retry with increasing delays. If a feature is not configured, the message"
    " says so.",
    "client_token_revocation_incomplete": "Repeat the request to revoke the remaining tokens.",
    "upstream_timeout": "Processing the request took too long, or an external service did not"
    " respond in time. Retry later with increasing delays.",
}
"""Advice for each code of `postmeal_serve.wire.errors.STATUS`."""
