"""Ranges of food IDs, by the source of the food."""

from __future__ import annotations

FIRST_IMPORTED_ID = 100_000_000
"""Lowest ID of an imported food. Foods of the shipped table have lower IDs."""

LAST_IMPORTED_ID = 7_999_999_999
"""Highest ID of an imported food."""

FIRST_MENU_ID = 8_000_000_000
"""Lowest ID of an imported menu item."""

LAST_MENU_ID = 8_999_999_999
"""Highest ID of an imported menu item."""

FIRST_LIVE_ID = 9_000_000_001
"""Lowest ID of a food that the service looked up in an external source."""

LAST_LIVE_ID = 9_999_999_999
"""Highest ID of a food that the service looked up in an external source."""
