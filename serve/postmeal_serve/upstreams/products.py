"""Barcode lookups in several external sources, which are queried one after another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from postmeal.foods.table import TableFood
from postmeal_serve.upstreams.http_client import UpstreamError

__all__ = ["Products", "Source"]


class Source(Protocol):
    """An external source of products."""

    async def product(self, gtin: str, timeout_s: float) -> TableFood | None:
        """Return the product with the given 14-digit GTIN, or None if the source does not have it.

        Raises
        ------
        UpstreamError
            The request failed or timed out, or the response cannot be used.
        """


class Products:
    """Client that looks up products in all enabled sources."""

    def __init__(self, sources: Sequence[Source], timeout_s: float) -> None:
        self._sources = sources
        self._timeout_s = timeout_s

    async def find(self, gtin: str) -> TableFood | None:
        """Query the sources in order until a source has the product.

        If a source fails, the next one is queried. The remaining time is divided equally between
        the remaining sources.
        """
        deadline_s = time.monotonic() + self._timeout_s
        failure: UpstreamError | None = None
        for number, source in enumerate(self._sources):
            share_s = (deadline_s - time.monotonic()) / (len(self._sources) - number)
            try:
                found = await source.product(gtin, share_s)
            except UpstreamError as error:
                failure = failure or error
                continue
            if found is not None:
                return found
        # The traceback of `failure` refers to this frame; clearing it avoids a reference cycle.
        refusal = failure and failure.refusal("product lookup", "product source")
        failure = None
        if refusal is not None:
            raise refusal
        return None
