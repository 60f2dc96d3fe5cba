"""Reference page for error codes: their statuses, when they occur and what to do."""

from __future__ import annotations

from http import HTTPStatus

from postmeal_serve.v1_1 import V1_1
from postmeal_serve.v1_2 import V1_2
from postmeal_serve.wire.errors import STATUS, Refusal
from reference_pages.error_occasions import NOT_IN_V1_1, OCCASIONS
from reference_pages.http_page import document_of
from reference_pages.markdown import code, json_block, table

__all__ = ["errors_page"]

_INTRODUCTION = """\
# Errors

Every error has an HTTP status and a JSON body. In version 1.2, the body contains a machine-readable
`code`. In version 1.1, it repeats the status instead. The `message` states what is wrong, what is
accepted and what was given. It is intended for developers, and its wording may change. The response
header `X-Request-ID` identifies the request in the service's log.

## When to retry

- Retry 429 `rate_limited` and 503 after the number of seconds in `Retry-After`.
- Retry 500, 502 and 504 with increasing delays. Send an `Idempotency-Key` with a food log, so that
  a retry does not store it twice.
- Do not retry after other errors unless you change the request. After `request_limit_exceeded` or
  `credit_limit_exceeded`, wait until the start of the next calendar month (UTC), when these limits
  are reset.
"""


def errors_page() -> str:
    """Return the page as Markdown."""
    parts = [_INTRODUCTION.rstrip(), "## Version 1.2", "An error in version 1.2:"]
    parts.append(json_block(V1_2.error_body(_example()), "Response"))
    parts.append(
        table(
            ["Code", "When", "What to do"],
            [
                [f"[{code(name)}](#{name}){{ #{name} }}<br>{status}", OCCASIONS[name], _help(name)]
                for name, status in STATUS.items()
            ],
        )
    )
    parts += ["## Version 1.1", "The same error in version 1.1:"]
    parts.append(json_block(V1_1.error_body(_example()), "Response"))
    parts.append(
        "`details` contains the invalid field and its accepted values. It is `null` for errors that"
        " do not concern a field. Version 1.1 has no error codes in addition to the statuses:"
    )
    parts.append(table(["Status", "Meaning", "Codes in version 1.2"], _old_rows()))
    return "\n\n".join(parts) + "\n"


def _help(code: str) -> str:
    """Return the advice for clients on an error, from the OpenAPI document."""
    entries = document_of("v1.2").get("x-error-codes", ())
    return next((entry["help"] for entry in entries if entry["code"] == code), "")


def _example() -> Refusal:
    sexes = ["female", "male"]
    return Refusal(
        "invalid_request", "sex must be female or male, got 'x'", field="sex", allowed=sexes
    )


def _old_rows() -> list[list[str]]:
    codes: dict[int, list[str]] = {}
    for name in STATUS:
        if name not in NOT_IN_V1_1:
            codes.setdefault(V1_1.status(Refusal(name, "")), []).append(name)
    return [
        [
            f"[{status}](#v1_1_{status}){{ #v1_1_{status} }}",
            HTTPStatus(status).phrase,
            ", ".join(f"[{code(name)}](#{name})" for name in names),
        ]
        for status, names in sorted(codes.items())
    ]
