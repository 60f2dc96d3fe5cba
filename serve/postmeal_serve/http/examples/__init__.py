"""Recorded requests and responses of every operation, shown in the OpenAPI documents.

Each JSON file contains responses of the service with the shipped foods and model. Run ``python
tests/support/record_examples.py`` to record them again; do not edit them by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from postmeal_serve.wire.upload_limits import LARGEST_BODY

__all__ = ["FOLDER", "LARGEST_BODY_NAME", "Example", "error_examples", "example_of"]

FOLDER = Path(__file__).parent
"""Folder with the recorded JSON files."""

LARGEST_BODY_NAME = "{LARGEST_BODY}"
"""Text that stands for the value of `LARGEST_BODY` in the recorded JSON files."""


@dataclass(frozen=True)
class Example:
    """A recorded request of one operation, its response, and responses to invalid requests."""

    parameters: Mapping[str, str | int] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    errors: Mapping[str, Any] = field(default_factory=dict)


@cache
def example_of(operation_id: str) -> Example:
    """Return the recorded example of an operation, or an empty example if there is none."""
    file = FOLDER / f"{operation_id}.json"
    return Example(**_content(file)) if file.is_file() else Example()


@cache
def error_examples(version: str) -> Mapping[str, Any]:
    """Return examples of errors that any operation of a version may return, by status."""
    file = FOLDER / f"{version.replace('.', '_')}_errors.json"
    return _content(file)


def _content(file: Path) -> dict[str, Any]:
    text = file.read_text(encoding="utf-8").replace(LARGEST_BODY_NAME, str(LARGEST_BODY))
    content: dict[str, Any] = json.loads(text)
    return content
