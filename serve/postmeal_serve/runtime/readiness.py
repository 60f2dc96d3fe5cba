"""Readiness of the database, checked by a background job that writes to it."""

from __future__ import annotations

import logging

from sqlalchemy.exc import SQLAlchemyError

from postmeal_serve.runtime.clock import Clock
from postmeal_serve.storage.database import Database
from postmeal_serve.storage.write_probe import probe

__all__ = ["PROBE_EVERY_S", "Readiness"]

PROBE_EVERY_S = 3.0
"""Maximum interval between probes in seconds."""

_VALID_S = 15.0  # Validity of a successful probe: five missed probes indicate a failure.

_log = logging.getLogger(__name__)


class Readiness:
    """Result of the latest write probe, a small write transaction that tests the database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._proven_s: float | None = None
        self._failing = ""

    @property
    def is_ready(self) -> bool:
        """Whether the latest probe succeeded and is recent."""
        if self._failing or self._proven_s is None:
            return False
        return self._clock.monotonic_s() - self._proven_s < _VALID_S

    async def prove(self) -> None:
        """Run the write probe; log the result if it differs from that of the previous probe."""
        started_s = self._clock.monotonic_s()
        failing = ""
        try:
            await self._database.prove(probe, self._clock.now())
        except SQLAlchemyError as error:
            failing = type(error).__name__
        else:
            self._proven_s = started_s
        if failing and failing != self._failing:
            _log.error("database is not writable: %s", failing)
        elif self._failing and not failing:
            _log.warning("database is writable again")
        self._failing = failing
