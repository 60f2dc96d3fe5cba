"""Reference pages generated from code: settings, commands, HTTP, errors and Python."""

from __future__ import annotations

from reference_pages.command_line_page import command_line_page
from reference_pages.errors_page import errors_page
from reference_pages.http_page import http_page
from reference_pages.python_pages import python_pages
from reference_pages.settings_page import settings_page

__all__ = ["generated_pages"]


def generated_pages() -> dict[str, str]:
    """Return the Markdown of each generated page, keyed by its path below ``docs``."""
    return {
        "reference/command_line.md": command_line_page(),
        "reference/settings.md": settings_page(),
        "reference/http_v1_2.md": http_page("v1.2"),
        "reference/http_v1_1.md": http_page("v1.1"),
        "reference/errors.md": errors_page(),
        **python_pages(),
    }
