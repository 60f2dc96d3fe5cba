"""Readiness: whether the database can be written, proven every few seconds in the background."""

from __future__ import annotations

import logging

from sqlalchemy.exc import SQLAlchemyError

from serve.runtime.clock import Clock
from serve.storage.database import Database
from serve.storage.write_probe import probe

__all__ = ["PROVEN_EVERY_S", "Readiness"]

PROVEN_EVERY_S = 3.0
"""Seconds from one proof to the next, at most."""

_HOLDS_S = 15.0  # a proof; five that are missing in a row are no coincidence

_log = logging.getLogger(__name__)


class Readiness:
    """The latest proof that the database can be written.

    Parameters
    ----------
    database : Database
        The database, with its tables.
    clock : Clock
        The time.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._proven_s: float | None = None
        self._failing = ""

    @property
    def is_proven(self) -> bool:
        """Whether the latest proof succeeded and is recent."""
        if self._failing or self._proven_s is None:
            return False
        return self._clock.monotonic_s() - self._proven_s < _HOLDS_S

    async def prove(self) -> None:
        """Write and commit a row; what has changed since the last time is logged."""
        begun_s = self._clock.monotonic_s()
        failing = ""
        try:
            await self._database.prove(probe, self._clock.now())
        except SQLAlchemyError as error:
            failing = type(error).__name__
        else:
            self._proven_s = begun_s
        if failing and failing != self._failing:
            _log.error("the database cannot be written: %s", failing)
        elif self._failing and not failing:
            _log.warning("the database can be written again")
        self._failing = failing
