"""Ids of foods: which range of numbers belongs to which kind of source."""

from __future__ import annotations

__all__ = ["FIRST_IMPORTED_ID", "FIRST_LIVE_ID", "LAST_IMPORTED_ID", "LAST_LIVE_ID"]

FIRST_IMPORTED_ID = 100_000_000
"""The least id of an imported food. Foods of the shipped table have lower ids."""

LAST_IMPORTED_ID = 8_999_999_999
"""The greatest id of an imported food."""

FIRST_LIVE_ID = 9_000_000_001
"""The least id of a food that was looked up in an external source while serving."""

LAST_LIVE_ID = 9_999_999_999
"""The greatest id of such a food."""
