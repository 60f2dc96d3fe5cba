"""Search of clinical literature, which runs off the event loop."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.literature import Article, Literature, SearchResult
from postmeal_serve.loaded.literature import ServedLiterature
from postmeal_serve.resources.literature_query import LiteratureQuery
from postmeal_serve.resources.live_literature import LiveLiterature
from postmeal_serve.runtime.offload import offload
from postmeal_serve.wire.errors import UNAVAILABLE, Refusal

__all__ = ["LiteratureSearch"]


class LiteratureSearch(NamedTuple):
    """The literature search of a process."""

    served: ServedLiterature
    live: LiveLiterature | None = None

    async def search(self, query: LiteratureQuery) -> SearchResult:
        """Search the literature in a thread, including the articles from external sources."""
        if self.live is None:
            return await offload(self._search, query, ())
        rankings, failure = await self.live.rankings(query)
        result = await offload(self._search, query, rankings)
        if failure is not None and not result.passages:
            raise failure
        return result

    def _search(
        self, query: LiteratureQuery, rankings: Sequence[Sequence[Article]]
    ) -> SearchResult:
        try:
            return self._active().search(*query, other_rankings=rankings)
        except sqlite3.Error:  # A new build may just have deleted the files of this index.
            self.served.follow()
            return self._active().search(*query, other_rankings=rankings)

    def _active(self) -> Literature:
        literature = self.served.active
        if literature is None:
            raise Refusal("service_unavailable", UNAVAILABLE)
        return literature
