"""Admitted requests, with their caller, body and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from postmeal_serve.partners.credentials import Caller
from postmeal_serve.runtime.offload import LARGEST_ON_LOOP, offload
from postmeal_serve.service import Service
from postmeal_serve.wire.near_misses import NearMiss, noticed
from postmeal_serve.wire.request_body import Accepts
from postmeal_serve.wire.unparsed_body import RequestBody
from postmeal_serve.wire.upload_limits import SMALL_BODY

if TYPE_CHECKING:
    from postmeal_serve.http.operation import Operation

__all__ = ["Call"]

Arguments = ParamSpec("Arguments")
Body = TypeVar("Body", bound=BaseModel)
Result = TypeVar("Result")


class _IndexedHeaders(Headers):
    """Request headers, indexed by name.

    Without the index, Starlette would search all headers about seven times per request.
    """

    def __init__(self, raw: list[tuple[bytes, bytes]]) -> None:
        super().__init__(raw=raw)
        self._values: dict[str, list[str]] = {}
        for name, value in raw:
            self._values.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))

    def getlist(self, key: str) -> list[str]:
        return self._values.get(key.lower(), [])

    def get(self, key: str, default: Any = None) -> Any:
        values = self._values.get(key.lower())
        return values[0] if values else default

    def __getitem__(self, key: str) -> str:
        return self._values[key.lower()][0]


class Call(Request):
    """A request to an operation; `Admission` sets the attributes."""

    operation: Operation
    caller: Caller
    network: str
    service: Service
    content: bytes
    given: Mapping[str, str]
    limits: Mapping[str, str] = {}
    ignored: tuple[str, ...] = ()

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        super().__init__(scope, receive, send)
        self._indexed = _IndexedHeaders(scope["headers"])

    @property
    def headers(self) -> Headers:
        """The request headers."""
        return self._indexed

    @property
    def is_large(self) -> bool:
        """Whether the body is too large to be processed on the event loop."""
        return len(self.content) > LARGEST_ON_LOOP

    async def parse(self, model: type[Body], accepts: Accepts) -> Body:
        """Parse the body with a model; see `wire.unparsed_body.RequestBody.parse`."""
        return await self.read(RequestBody.parse, model, accepts)

    async def read(
        self,
        work: Callable[Concatenate[RequestBody, Arguments], Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Apply a function to the body on the event loop, in a thread or in another process.

        To avoid delaying other requests, bodies above 8 KB are processed in a thread, and bodies
        above 64 KB in another process.
        """
        strict, checks = self.operation.version.strict_names, self.operation.checks_names
        answered = self.scope["state"].get("answered", frozenset())
        body = RequestBody(self.content, strict, checks, answered)
        try:
            if len(self.content) <= SMALL_BODY:
                if self.is_large:
                    return await offload(work, body, *args, **options)
                return work(body, *args, **options)
            parsing, credential = self.service.parsing, self.caller.credential
            return await parsing.run(credential, work, body, *args, **options)
        finally:
            self.ignored += body.ignored

    async def run_in_process(
        self,
        work: Callable[Arguments, Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Call a function in another process; see `Parsing.call`."""
        return await self.service.parsing.call(self.caller.credential, work, *args, **options)

    async def compute(
        self,
        food_ids: Iterable[int],
        work: Callable[Arguments, Result],
        *args: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Run a function on the parsed body, in a thread if it may take a long time."""
        if self.is_large or self.service.foods.needs_database(food_ids):
            return await offload(work, *args, **options)
        return work(*args, **options)

    def notice(self, misses: Iterator[NearMiss]) -> None:
        """Refuse misspelled parameter names, or record them for the ``X-Ignored-Fields`` header."""
        strict = self.operation.version.strict_names
        answered = self.scope["state"].get("answered", ())
        self.ignored += noticed(misses, "parameter", strict=strict, answered=answered)
