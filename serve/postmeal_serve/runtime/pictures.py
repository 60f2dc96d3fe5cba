"""Recognition of barcodes and dishes in untrusted pictures, which a separate process decodes."""

from __future__ import annotations

import asyncio
import json
import struct
from collections import Counter
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from postmeal.errors import PictureError
from postmeal.scans.recognizer import Candidate
from postmeal_serve.runtime.picture_process import PictureProcess
from postmeal_serve.wire.errors import Refusal

__all__ = ["PictureEvidence", "Pictures"]

_WITHIN_S = 15.0
_ATTEMPTS = 5
_RETRY_AFTER_S = 5
_MOST_REPLIED = 4 * 1024 * 1024
_BUSY = "too many pictures are waiting; try again later"


class PictureEvidence(NamedTuple):
    """Barcodes and dishes that were recognized in a picture."""

    barcodes: tuple[str, ...]
    candidates: tuple[Candidate, ...] | None
    jpeg: bytes


class _Reply(BaseModel):
    """Reply of the decoder, which is validated because the decoder handles hostile bytes."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    barcodes: list[Annotated[str, Field(pattern=r"^[0-9]{1,14}$")]] = []
    candidates: list[tuple[str, Annotated[float, Field(ge=0, le=1)]]] | None = None
    failure: Literal["busy", "ended", "not installed"] | None = None
    reason: Literal["format unsupported", "corrupt", "too large"] | None = None
    problem: Annotated[str, Field(max_length=500)] = ""


class Pictures:
    """A queue for pictures, and the process that decodes them.

    The credentials take turns, so slow pictures of one credential hardly delay other credentials.
    """

    def __init__(self, address: str | None = None, line: int = 16, share: int = 8) -> None:
        self._address = address
        self._line = line
        self._share = share
        self._waiting: Counter[str] = Counter()
        self._turns: dict[str, asyncio.Lock] = {}
        self._turn = asyncio.Lock()
        self.process: PictureProcess | None = None

    async def read(
        self,
        credential: str,
        data: bytes,
        media_type: str | None = None,
        *,
        field: str = "image",
        dishes: bool = True,
        jpeg: bool = False,
    ) -> PictureEvidence:
        """Recognize the barcodes and the dishes in a picture."""
        if self._waiting.total() >= self._line or self._waiting[credential] >= self._share:
            raise _unavailable(_BUSY)
        asked = {"media_type": media_type, "field": field, "dishes": dishes, "jpeg": jpeg}
        self._waiting[credential] += 1
        turn = self._turns.setdefault(credential, asyncio.Lock())
        try:
            async with asyncio.timeout(_WITHIN_S), turn, self._turn:
                content = await self._exchange(_framed(json.dumps(asked).encode()) + _framed(data))
        except TimeoutError:
            raise _unavailable(_BUSY) from None
        finally:
            self._waiting[credential] -= 1
            if not self._waiting[credential]:
                del self._waiting[credential], self._turns[credential]
        return _evidence(content, field)

    def close(self) -> None:
        """Stop the process, unless other workers use it."""
        if self.process is not None:
            self.process.close()

    async def _exchange(self, request: bytes) -> bytes:
        """Return the reply to a request; send the request again if the process has died."""
        for _ in range(_ATTEMPTS):
            try:
                reader, writer = await asyncio.open_unix_connection(self._running())
                try:
                    writer.write(request)
                    await writer.drain()
                    if content := await _received(reader):
                        return content
                finally:
                    writer.close()
            except OSError:
                continue
        raise _unavailable("pictures cannot be decoded at the moment; try again later")

    def _running(self) -> str:
        if self._address is None:
            self.process = PictureProcess()
            self._address = self.process.address
        return self._address


async def _received(reader: asyncio.StreamReader) -> bytes:
    content = bytearray()
    while len(content) <= _MOST_REPLIED and (part := await reader.read(1 << 16)):
        content += part
    return bytes(content)


def _evidence(content: bytes, field: str) -> PictureEvidence:
    """Return the evidence in a reply of the decoder, or raise the error that the reply contains."""
    end = 4 + struct.unpack(">I", content[:4].rjust(4, b"\0"))[0]
    try:
        if end > len(content):
            raise ValueError("the reply of the picture decoder is truncated")
        reply = _Reply.model_validate_json(content[4:end])
    except ValueError:  # also a validation error
        reply = _Reply(failure="ended")
    if reply.reason is not None:
        raise PictureError(reply.reason, field, reply.problem)
    if reply.failure == "busy":
        raise _unavailable(_BUSY)
    if reply.failure == "not installed":
        message = (
            "photos cannot be scanned on this server, because postmeal[photos] is not installed"
        )
        raise Refusal("service_unavailable", message)
    if reply.failure == "ended":
        problem = "takes too much time or memory to decode; send a smaller JPEG or PNG file"
        raise PictureError("corrupt", field, problem)
    candidates = reply.candidates
    return PictureEvidence(
        tuple(reply.barcodes),
        None if candidates is None else tuple(Candidate(*each) for each in candidates),
        content[end:],
    )


def _framed(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _unavailable(message: str) -> Refusal:
    return Refusal("service_unavailable", message, headers={"Retry-After": str(_RETRY_AFTER_S)})
