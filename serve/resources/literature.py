"""Search of clinical literature, off the event loop."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from postmeal.literature import Literature, SearchResult
from postmeal.literature.article import ArticleType
from serve.loaded.literature import ServedLiterature
from serve.runtime.offload import offload
from serve.wire.errors import UNAVAILABLE, Refusal

__all__ = ["LiteratureQuery", "LiteratureSearch"]


class LiteratureQuery(NamedTuple):
    """A question with its options, as in `Literature.search`."""

    query: str
    limit: int = 10
    published_after: date | None = None
    published_before: date | None = None
    types: Sequence[ArticleType] | None = None
    include_summary: bool = True


class LiteratureSearch(NamedTuple):
    """The literature that a process serves.

    Attributes
    ----------
    served : ServedLiterature
        The literature.
    """

    served: ServedLiterature

    async def search(self, query: LiteratureQuery) -> SearchResult:
        """Call `Literature.search` in a thread.

        Raises
        ------
        Refusal
            No literature could be opened, or its files have disappeared (503).
        InputError
            An option is not valid.
        """
        return await offload(self._search, query)

    def _search(self, query: LiteratureQuery) -> SearchResult:
        try:
            return self._active().search(*query)
        except sqlite3.Error:  # A build deletes the previous index, which may still be active.
            self.served.follow()
            return self._active().search(*query)

    def _active(self) -> Literature:
        literature = self.served.active
        if literature is None:
            raise Refusal("service_unavailable", UNAVAILABLE)
        return literature
