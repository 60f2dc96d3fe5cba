"""Barcode lookups in several external sources, which are queried one after another."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from postmeal.foods.table import TableFood
from serve.upstreams.http_client import UpstreamError

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
    """Client that looks up products in all enabled sources.

    Parameters
    ----------
    sources : sequence of Source
        The sources, in the order in which they are tried.
    timeout_s : float
        Timeout of a lookup in seconds, for all sources combined.
    """

    def __init__(self, sources: Sequence[Source], timeout_s: float) -> None:
        self._sources = sources
        self._timeout_s = timeout_s

    async def find(self, gtin: str) -> TableFood | None:
        """Query the sources in order until a source has the product.

        If a source fails, the next one is queried. The remaining time is divided equally between
        the remaining sources.

        Parameters
        ----------
        gtin : str
            The 14-digit GTIN of the product.

        Returns
        -------
        TableFood or None
            The product, or None if no source has it.

        Raises
        ------
        Refusal
            The product was not found, and at least one source could not be checked. The status is
            504 if the first of these sources timed out, 503 if its rate limit was reached, and 502
            otherwise.
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
