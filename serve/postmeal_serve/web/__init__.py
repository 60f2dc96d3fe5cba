"""Web pages with an interactive glucose curve and the API documentation, which work offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from postmeal.people import ACTIVITY_LEVELS, CONDITION_LABELS

__all__ = ["PAGES"]

_FOLDER = Path(__file__).parent
_HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}
_MEDIA_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


def _options(labels: Mapping[str, str]) -> bytes:
    """Return HTML options for a mapping of names to labels."""
    options = (f'<option value="{name}">{label}</option>' for name, label in labels.items())
    return "".join(options).encode()


_LISTS = {
    b"<!-- activity levels -->": _options(
        {name: name.replace("_", " ") for name in ACTIVITY_LEVELS}
    ),
    b"<!-- health conditions -->": _options(CONDITION_LABELS),
}


def _page(path: str, file: str) -> Route:
    content = (_FOLDER / file).read_bytes()
    for place, options in _LISTS.items():
        content = content.replace(place, options)
    media_type = _MEDIA_TYPES[Path(file).suffix]

    async def page(request: Request) -> Response:
        return Response(content, headers=_HEADERS, media_type=media_type)

    return Route(path, page, methods=["GET"])


PAGES = (
    _page("/", "curve.html"),
    _page("/docs", "docs.html"),
    _page("/web/style.css", "style.css"),
    _page("/web/curve.js", "curve.js"),
    _page("/web/docs.css", "docs.css"),
    _page("/web/docs.js", "docs.js"),
)
