"""The active places, reloaded at runtime when their file is replaced."""

from __future__ import annotations

from pathlib import Path

from postmeal.restaurants.places import Places
from postmeal_serve.loaded.followed_file import FollowedFile

__all__ = ["ServedPlaces"]


class ServedPlaces(FollowedFile[Places]):
    """The places of a process, which are reloaded when their file is replaced."""

    def __init__(self, file: Path | None = None) -> None:
        super().__init__(file, Places.open, Places.open, "places file (POSTMEAL_PLACES)")
