"""Live literature: articles that external sources find for a question."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple, Protocol

from postmeal.literature.article import Article
from postmeal.literature.search import is_identifier
from postmeal_serve.resources.kept_articles import KeptArticles
from postmeal_serve.resources.literature_query import LiteratureQuery
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.wire.errors import Refusal

__all__ = ["ArticleSearch", "LiveLiterature"]

_DEPTH = 50  # number of stored articles in the ranking
_FAILURES = (sqlite3.Error, OSError)

_log = logging.getLogger(__name__)


class Found(Protocol):
    """The result of one source for a question."""

    @property
    def articles(self) -> list[Article]:
        """Articles that the source found, best first."""

    @property
    def omitted(self) -> list[str]:
        """IDs of articles that must not be used, such as retracted ones."""


class ArticleSearch(Protocol):
    """Client of external sources, such as `postmeal_serve.upstreams.articles.Articles`."""

    async def find(self, query: LiteratureQuery) -> Sequence[Found]:
        """Return the result of each source that responded."""


class LiveRankings(NamedTuple):
    """Rankings of articles that are not in the index."""

    rankings: list[list[Article]]
    failure: Refusal | None


class LiveLiterature:
    """Articles from external sources, found for the current or earlier questions."""

    def __init__(
        self, source: ArticleSearch, kept: KeptArticles, clock: Clock, max_age: timedelta
    ) -> None:
        self._source = source
        self._kept = kept
        self._clock = clock
        self._max_age = max_age

    async def rankings(self, query: LiteratureQuery) -> LiveRankings:
        """Return the articles that each source finds, and stored articles that match a question.

        If the question is only a PMID or a DOI, the sources are not queried.
        """
        if is_identifier(query.query):
            return LiveRankings([], None)
        found: Sequence[Found] = ()
        failure = None
        try:
            found = await self._source.find(query)
        except Refusal as refusal:
            failure = refusal.with_traceback(None)
        try:
            kept = await asyncio.to_thread(self._update, query, found)
        except _FAILURES as error:
            _log.warning(
                "the file of fetched articles cannot be used; searching without it: %s",
                type(error).__name__,
            )
            kept = []
        omitted = {article_id for each in found for article_id in each.omitted}
        rankings = [[each for each in one.articles if each.id not in omitted] for one in found]
        return LiveRankings([*rankings, kept], failure)

    async def delete_expired(self) -> None:
        """Delete the articles that are older than the maximum age."""
        try:
            latest = self._clock.steady() - self._max_age
            await asyncio.to_thread(self._kept.delete_until, latest)
        except _FAILURES as error:
            _log.warning(
                "expired articles could not be deleted; trying again later: %s",
                type(error).__name__,
            )

    def _update(self, query: LiteratureQuery, found: Sequence[Found]) -> list[Article]:
        """Store the found articles, and return the stored articles that match a question."""
        now = self._clock.steady()
        articles = [article for each in found for article in each.articles]
        omitted = [article_id for each in found for article_id in each.omitted]
        if articles or omitted:
            self._kept.put(articles, omitted, now)
        return self._kept.search(query.query, _DEPTH, now - self._max_age)
