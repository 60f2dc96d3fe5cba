"""When a failed request is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from postmeal_client.errors import (
    ApiError,
    ClientError,
    Conflict,
    ConnectionLost,
    RateLimited,
    ServiceFailed,
)

__all__ = ["Attempts", "Retries"]

_FIRST_WAIT_S = 0.5
_LONGEST_BACKOFF_S = 8.0


@dataclass(frozen=True)
class Retries:
    """Limits of retries.

    Parameters
    ----------
    attempts : int, default=5
        Maximum number of attempts, including the first; 1 switches retries off.
    longest_wait_s : float, default=60
        If the service asks to wait longer than this, the error is raised at once.
    """

    attempts: int = 5
    longest_wait_s: float = 60.0


class Attempts:
    """The attempts of one request, which is `repeatable` if a second run does no harm."""

    def __init__(self, retries: Retries, repeatable: bool) -> None:
        self._retries = retries
        self._repeatable = repeatable
        self._failures = 0
        self._renewed = False

    def renews(self, error: ClientError) -> bool:
        """Return whether the client token has expired, and was not renewed for this attempt."""
        expired = isinstance(error, ApiError) and error.code == "token_expired"
        first, self._renewed = expired and not self._renewed, self._renewed or expired
        return first

    def wait_s(self, error: ClientError) -> float:
        """Return the seconds until the next attempt; raise the error if there is to be none."""
        self._failures += 1
        self._renewed = False  # The new token can expire during the wait.
        wait_s = self._backoff_s()
        if isinstance(error, ApiError) and error.retry_after_s is not None:
            wait_s = float(error.retry_after_s)
        if (
            not self._may_repeat(error)
            or self._failures >= self._retries.attempts
            or wait_s > self._retries.longest_wait_s
        ):
            raise error
        return wait_s

    def _may_repeat(self, error: ClientError) -> bool:
        match error:
            case RateLimited():  # The service refuses such a request before it runs.
                return error.code == "rate_limited" or error.retry_after_s is not None
            case Conflict():
                return error.code == "idempotency_key_in_flight"
            case ConnectionLost():
                return self._repeatable or not error.sent
            case ServiceFailed():
                return self._repeatable
        return False

    def _backoff_s(self) -> float:
        """Return a wait that doubles with each failure, at random so that clients do not align."""
        longest_s = min(_FIRST_WAIT_S * 2 ** (self._failures - 1), _LONGEST_BACKOFF_S)
        return random.uniform(longest_s / 2, longest_s)
