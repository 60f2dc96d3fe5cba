"""Uploads: how many bodies may be arriving at a time, and how many bytes of them are kept."""

from __future__ import annotations

from collections import Counter
from types import TracebackType

from serve.wire.errors import Refusal

__all__ = ["MOST_BYTES", "MOST_UNFINISHED", "SMALL_BODY", "Upload", "Uploads"]

MOST_BYTES = 256 * 1024 * 1024
"""Bytes of bodies that a process keeps at most, from their arrival to the end of their calls."""

MOST_UNFINISHED = 50
"""Bodies of one credential that may be arriving at a time in a process."""

SMALL_BODY = 64 * 1024
"""Bytes up to which a body does not count: each connection buffers as much anyway, and callers with
small bodies are served while large ones fill the memory that is set aside for them."""

_RETRY_AFTER_S = 5


class Uploads:
    """The bodies of a process that are arriving or in use.

    A credential may have a quarter of the bytes, so that it cannot keep others from uploading.

    Parameters
    ----------
    most_bytes : int, default=MOST_BYTES
        Bytes of all bodies.
    most_unfinished : int, default=MOST_UNFINISHED
        Unfinished bodies of one credential.

    Examples
    --------
    >>> uploads = Uploads(most_unfinished=1)
    >>> with uploads.of("key 1") as upload:
    ...     upload.begin()
    ...     upload.keep(100_000)
    ...     uploads.kept_bytes
    100000
    >>> uploads.kept_bytes
    0
    """

    def __init__(
        self, most_bytes: int = MOST_BYTES, most_unfinished: int = MOST_UNFINISHED
    ) -> None:
        self.most_bytes = most_bytes
        self.most_unfinished = most_unfinished
        self.kept_bytes = 0
        self._kept_of: Counter[str] = Counter()
        self._unfinished_of: Counter[str] = Counter()

    def of(self, credential: str) -> Upload:
        """Return an upload of a credential, which has not begun."""
        return Upload(self, credential)

    def _begin(self, credential: str) -> None:
        if self._unfinished_of[credential] >= self.most_unfinished:
            message = f"{self.most_unfinished} bodies of this credential are still arriving"
            raise _refusal("rate_limited", f"{message}; wait until one has arrived")
        self._unfinished_of[credential] += 1

    def _finish(self, credential: str) -> None:
        _lower(self._unfinished_of, credential, 1)

    def _keep(self, credential: str, size: int) -> None:
        if self._kept_of[credential] + size > self.most_bytes // 4:
            message = "the large bodies of this credential that are in use take too much memory"
            raise _refusal("rate_limited", f"{message}; wait until one is answered")
        if self.kept_bytes + size > self.most_bytes:
            headers = {"Retry-After": str(_RETRY_AFTER_S)}
            message = "too many large bodies are in use; try again later"
            raise _refusal("service_unavailable", message, **headers)
        self.kept_bytes += size
        self._kept_of[credential] += size

    def _release(self, credential: str, size: int) -> None:
        self.kept_bytes -= size
        _lower(self._kept_of, credential, size)


class Upload:
    """The body of one call; what it holds is released when the call ends."""

    __slots__ = ("_arriving", "_credential", "_kept", "_uploads")

    def __init__(self, uploads: Uploads, credential: str) -> None:
        self._uploads = uploads
        self._credential = credential
        self._arriving = False
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
        """Count the body as unfinished.

        Raises
        ------
        Refusal
            ``rate_limited``: too many bodies of the credential are.
        """
        self._uploads._begin(self._credential)
        self._arriving = True

    def keep(self, size: int) -> None:
        """Count the bytes that have arrived so far.

        Raises
        ------
        Refusal
            The credential (``rate_limited``) or the process (``service_unavailable``) keeps too
            many; bodies up to `SMALL_BODY` are never refused.
        """
        if size > SMALL_BODY:
            self._uploads._keep(self._credential, size - self._kept)
            self._kept = size

    def release(self) -> None:
        """Count the body as finished, and its bytes as free."""
        self.finish()
        if self._kept:
            self._uploads._release(self._credential, self._kept)
            self._kept = 0

    def finish(self) -> None:
        """Count the body as finished."""
        if self._arriving:
            self._uploads._finish(self._credential)
            self._arriving = False


def _lower(counter: Counter[str], credential: str, by: int) -> None:
    counter[credential] -= by
    if not counter[credential]:
        del counter[credential]


def _refusal(code: str, message: str, **headers: str) -> Refusal:
    """Return a refusal after which the rest of the body is not read."""
    return Refusal(code, message, headers={"Connection": "close", **headers})
