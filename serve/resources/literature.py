"""Search of clinical literature, which runs off the event loop."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from postmeal.literature import Article, Literature, SearchResult
from serve.loaded.literature import ServedLiterature
from serve.resources.literature_query import LiteratureQuery
from serve.resources.live_literature import LiveLiterature
from serve.runtime.offload import offload
from serve.wire.errors import UNAVAILABLE, Refusal

__all__ = ["LiteratureSearch"]


class LiteratureSearch(NamedTuple):
    """The literature search of a process.

    Attributes
    ----------
    served : ServedLiterature
        The literature index in use.
    live : LiveLiterature or None
        Articles from external sources.
    """

    served: ServedLiterature
    live: LiveLiterature | None = None

    async def search(self, query: LiteratureQuery) -> SearchResult:
        """Search the literature in a thread, including the articles from external sources.

        Raises
        ------
        Refusal
            No literature index could be opened, or its files have disappeared (503); or the index
            has no results, and no external source responded (502, 503 or 504).
        InputError
            An option is not valid.
        """
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
