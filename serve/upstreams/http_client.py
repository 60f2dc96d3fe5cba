"""Line: how a service outside is asked, within limits of time, size and number."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from serve.upstreams.token_bucket import Allowance

if TYPE_CHECKING:
    import httpx2

__all__ = ["LONGEST_ANSWER", "Answer", "Count", "Line", "UpstreamError", "new_client"]

LONGEST_ANSWER = 1 << 19
"""Bytes of the longest answer that is read; what would be longer is broken off."""

_WAIT_S = 60.0  # where a service says that it was asked too often: their limits are of minutes

Count = Callable[[str, str], None]
"""Counts one question: which service was asked, and how it went."""


class Answer(BaseModel):
    """The part of a service's JSON that is used: it must be of its types, the rest is dropped."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True)


Wanted = TypeVar("Wanted", bound=Answer)


class UpstreamError(Exception):
    """A service outside gave no answer that can be used.

    Attributes
    ----------
    reason : {"failed", "too slow", "busy"}
        Busy is also what may not be asked now, since it wants to be asked less often.
    retry_after_s : float
        Seconds after which it may be asked again.
    """

    def __init__(
        self, reason: Literal["failed", "too slow", "busy"], retry_after_s: float = 0.0
    ) -> None:
        self.reason = reason
        self.retry_after_s = retry_after_s
        super().__init__(reason)


def new_client(contact: str = "") -> httpx2.AsyncClient:
    """Make the HTTP client of a process; it is imported here alone, where something is asked.

    Proxies, certificates and passwords that the environment names are not looked at, and no
    redirect is followed.

    Parameters
    ----------
    contact : str, default=""
        Where to reach whoever runs this: the services want to be told.
    """
    import httpx2

    for name in ("httpx2", "httpcore2"):  # which tell every address, and with it the barcode
        logging.getLogger(name).setLevel(logging.WARNING)
    agent = f"postmeal/{version('postmeal')}" + (f" ({contact})" if contact else "")
    # Uncompressed: a few bytes that unpack to gigabytes are then no question.
    headers = {"User-Agent": agent, "Accept": "application/json", "Accept-Encoding": "identity"}
    limits = httpx2.Limits(max_connections=None)  # each line has its own
    return httpx2.AsyncClient(headers=headers, limits=limits, timeout=None, trust_env=False)


class Line:
    """The line to one service.

    Parameters
    ----------
    client : httpx2.AsyncClient
        What speaks HTTP.
    count : callable
        Counts what was asked.
    name : str
        The service, as the metrics call it.
    address : str
        What every path is added to.
    in_flight : int
        How many questions are under way at most; more wait.
    headers : mapping of str to str, optional
        Sent with every question.
    allowance : Allowance, optional
        How often it may be asked.
    """

    def __init__(
        self,
        client: httpx2.AsyncClient,
        count: Count,
        name: str,
        address: str,
        *,
        in_flight: int,
        headers: Mapping[str, str] | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self.name = name
        self._client = client
        self._address = address
        self._count = count
        self._turn = asyncio.Semaphore(in_flight)
        self._headers = dict(headers or {})
        self._allowance = allowance

    def count(self, outcome: str) -> None:
        """Count a question, or an answer of the right form that turned out to be of no use."""
        self._count(self.name, outcome)

    async def ask(
        self,
        path: str,
        wanted: type[Wanted],
        within_s: float,
        *,
        query: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Wanted:
        """Ask a question.

        Parameters
        ----------
        path : str
            Where, after the address.
        wanted : type of Answer
            What the answer must be.
        within_s : float
            Seconds until the whole answer must be there; waiting for a turn is part of them.
        query : mapping of str to str, optional
            The query string.
        body : object, optional
            Sent as JSON, by POST.

        Returns
        -------
        Answer
            What was wanted; with status 404 too, for some say so that there is nothing.

        Raises
        ------
        UpstreamError
            There is no answer, none in time, or one that is not as it must be.
        """
        outcome = "failed"  # when it is broken off, too
        try:
            async with asyncio.timeout(within_s):
                content = await self._content(path, query, body)
            answer = _validated(wanted, content)
            del content
            if answer is None:
                raise UpstreamError("failed")
            outcome = "answered"
            return answer
        except TimeoutError:
            outcome = "too slow"
            raise UpstreamError("too slow") from None
        except UpstreamError as error:
            outcome = error.reason
            raise
        finally:
            self.count(outcome)

    async def _content(self, path: str, query: Mapping[str, str] | None, body: object) -> bytes:
        import httpx2

        options: dict[str, Any] = {"headers": self._headers, "params": query}
        if body is not None:
            options["json"] = body
        method = "GET" if body is None else "POST"
        async with self._turn:
            if self._allowance and (wait_s := self._allowance.take()):
                raise UpstreamError("busy", wait_s)
            try:
                async with self._client.stream(method, self._address + path, **options) as answer:
                    if answer.status_code == 429:
                        raise UpstreamError("busy", _WAIT_S)
                    packed = answer.headers.get("content-encoding", "identity") != "identity"
                    if packed or answer.status_code not in (200, 404):
                        raise UpstreamError("failed")
                    content = bytearray()
                    async for part in answer.aiter_raw():
                        content += part
                        if len(content) > LONGEST_ANSWER:
                            content.clear()  # which the error's trace would hold on to
                            raise UpstreamError("failed")
                    return bytes(content)
            except (httpx2.HTTPError, httpx2.StreamError, OSError, ValueError):
                raise UpstreamError("failed") from None


def _validated(wanted: type[Wanted], content: bytes) -> Wanted | None:
    try:
        return wanted.model_validate_json(content)
    except ValidationError:  # which quotes the answer
        return None
