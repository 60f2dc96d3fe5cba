"""Limits on the size of request bodies, on the memory they use and on concurrent uploads."""

from __future__ import annotations

from collections import Counter
from types import TracebackType

from postmeal_serve.wire.errors import Refusal

__all__ = ["LARGEST_BODY", "MOST_BYTES", "MOST_UNFINISHED", "SMALL_BODY", "Upload", "Uploads"]

LARGEST_BODY = 5 * 1024 * 1024
"""Maximum size of a request body in bytes."""

MOST_BYTES = 256 * 1024 * 1024
"""Maximum total size in bytes of the request bodies that a process holds in memory."""

MOST_UNFINISHED = 50
"""Maximum number of bodies that a process receives from one credential at the same time."""

SMALL_BODY = 64 * 1024
"""Maximum size in bytes of a body that does not count toward the limits. Every connection buffers
this much anyway, and small requests must succeed even if large bodies have reached a limit."""

_RETRY_AFTER_S = 5


class Uploads:
    """The request bodies that a process is receiving or using.

    One credential can use at most a quarter of the bytes, so that it cannot block other
    credentials.
    """

    def __init__(
        self, most_bytes: int = MOST_BYTES, most_unfinished: int = MOST_UNFINISHED
    ) -> None:
        self.most_bytes = most_bytes
        self.most_unfinished = most_unfinished
        self.held_bytes = 0
        self._bytes_of: Counter[str] = Counter()
        self._unfinished_of: Counter[str] = Counter()

    def of(self, credential: str) -> Upload:
        """Return an upload for a request with the given credential (see `Caller.credential`)."""
        return Upload(self, credential)

    def _begin(self, credential: str) -> None:
        if self._unfinished_of[credential] >= self.most_unfinished:
            raise _refusal(
                "rate_limited",
                f"{self.most_unfinished} uploads with this credential are already in progress;"
                " wait until one has finished",
            )
        self._unfinished_of[credential] += 1

    def _finish(self, credential: str) -> None:
        _decrease(self._unfinished_of, credential, 1)

    def _keep(self, credential: str, size: int) -> None:
        if self._bytes_of[credential] + size > self.most_bytes // 4:
            raise _refusal(
                "rate_limited",
                "too many large requests with this credential are in progress; wait until one has"
                " finished",
            )
        if self.held_bytes + size > self.most_bytes:
            headers = {"Retry-After": str(_RETRY_AFTER_S)}
            message = "too many large requests are in progress; try again later"
            raise _refusal("service_unavailable", message, **headers)
        self.held_bytes += size
        self._bytes_of[credential] += size

    def _release(self, credential: str, size: int) -> None:
        self.held_bytes -= size
        _decrease(self._bytes_of, credential, size)


class Upload:
    """The body of one request, which counts toward the limits until its ``with`` block ends."""

    __slots__ = ("_credential", "_is_unfinished", "_kept", "_uploads")

    def __init__(self, uploads: Uploads, credential: str) -> None:
        self._uploads = uploads
        self._credential = credential
        self._is_unfinished = False
        self._kept = 0

    def __enter__(self) -> Upload:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def begin(self) -> None:
        """Count the body as unfinished (not received completely)."""
        self._uploads._begin(self._credential)
        self._is_unfinished = True

    def keep(self, size: int) -> None:
        """Update the number of received bytes.

        Bodies of at most `SMALL_BODY` bytes are not counted.
        """
        if size > SMALL_BODY:
            self._uploads._keep(self._credential, size - self._kept)
            self._kept = size

    def release(self) -> None:
        """Mark the body as finished, and stop counting its bytes."""
        self.finish()
        if self._kept:
            self._uploads._release(self._credential, self._kept)
            self._kept = 0

    def finish(self) -> None:
        """Mark the body as finished (received completely, or no longer needed)."""
        if self._is_unfinished:
            self._uploads._finish(self._credential)
            self._is_unfinished = False


def _decrease(counter: Counter[str], credential: str, by: int) -> None:
    counter[credential] -= by
    if not counter[credential]:
        del counter[credential]


def _refusal(code: str, message: str, **headers: str) -> Refusal:
    """Return a refusal that closes the connection instead of reading the rest of the body."""
    return Refusal(code, message, headers={"Connection": "close", **headers})
