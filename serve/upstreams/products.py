"""Products: sources outside are asked, one after the other, for the product of a barcode."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Protocol

from postmeal.foods.table import TableFood
from serve.upstreams.http_client import UpstreamError
from serve.wire.errors import Refusal

__all__ = ["Products", "Source"]


class Source(Protocol):
    """A collection of products that answers over the network."""

    async def product(self, gtin: str, within_s: float) -> TableFood | None:
        """Answer the product with a GTIN of 14 digits, None if it has none.

        Raises
        ------
        UpstreamError
            It gave no answer, none in time, or one that cannot be used.
        """


class Products:
    """Every source that is asked, in order.

    Parameters
    ----------
    sources : sequence of Source
        The sources.
    within_s : float
        Seconds in which they have to answer, all together.
    """

    def __init__(self, sources: Sequence[Source], within_s: float) -> None:
        self._sources = sources
        self._within_s = within_s

    async def find(self, gtin: str) -> TableFood | None:
        """Ask until one has the product.

        A source that fails does not keep the next from being asked, and one that is slow leaves it
        its share of the time.

        Returns
        -------
        TableFood or None
            None when every source says that it has none.

        Raises
        ------
        Refusal
            No source has it, and one of them did not say so: it may be there. 502 where it failed,
            504 where it was too slow, 503 where it may not be asked at the moment.
        """
        until_s = time.monotonic() + self._within_s
        failure: UpstreamError | None = None
        for place, source in enumerate(self._sources):
            share_s = (until_s - time.monotonic()) / (len(self._sources) - place)
            try:
                found = await source.product(gtin, share_s)
            except UpstreamError as error:
                failure = failure or error
                continue
            if found is not None:
                return found
        refusal, failure = failure and _refusal(failure), None  # whose trace leads back to here
        if refusal is not None:
            raise refusal
        return None


def _refusal(failure: UpstreamError) -> Refusal:
    if failure.reason == "busy":
        message = "the sources of products may not be asked so often: try again later"
        headers = {"Retry-After": str(max(1, math.ceil(failure.retry_after_s)))}
        return Refusal("service_unavailable", message, headers=headers)
    if failure.reason == "too slow":
        return Refusal("upstream_timeout", "the sources of products did not answer in time")
    message = "a source of products could not be reached, or its answer cannot be used"
    return Refusal("upstream_error", message)
