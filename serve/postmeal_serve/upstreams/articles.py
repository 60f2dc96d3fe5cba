"""Search for articles in external sources."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from postmeal.literature.article import Article, Section
from postmeal_serve.resources.literature_query import LiteratureQuery
from postmeal_serve.runtime.clock import Clock
from postmeal_serve.upstreams.http_client import UpstreamError
from postmeal_serve.upstreams.sanitize import visible_text

__all__ = ["MAX_BYTES", "PAGE_SIZE", "ArticleSource", "Articles", "FoundArticles", "sanitized"]

MAX_BYTES = 4 << 20
"""Maximum size of a response in bytes. A response with 25 records has about 500,000 bytes."""

PAGE_SIZE = 25
"""Number of articles to request from each source."""

_RETRY_S = 5.0  # pause after a failure
_MAX_TITLE = 1_000
_MAX_AUTHORS = 3_000
_MAX_TEXT = 50_000
_DOI = re.compile(r"10\.\d{4,9}/[^\s<>]{1,200}")
_PMCID = re.compile(r"PMC\d{1,9}")


class FoundArticles(NamedTuple):
    """The result of one source for a question."""

    articles: list[Article]
    omitted: list[str]


class ArticleSource(Protocol):
    """An external source of articles."""

    async def find(self, query: LiteratureQuery, timeout_s: float) -> FoundArticles:
        """Return the articles for a question."""


class Articles:
    """Client that queries all enabled sources at the same time.

    After a failure, a source is not queried for five seconds.
    """

    def __init__(self, sources: Sequence[ArticleSource], clock: Clock, timeout_s: float) -> None:
        self._sources = sources
        self._clock = clock
        self._timeout_s = timeout_s
        self._failures: dict[ArticleSource, tuple[float, UpstreamError]] = {}

    async def find(self, query: LiteratureQuery) -> list[FoundArticles]:
        """Return the result of each source; sources that fail are left out."""
        found = await asyncio.gather(*(self._ask(source, query) for source in self._sources))
        usable = [each for each in found if not isinstance(each, UpstreamError)]
        if not usable and isinstance(found[0], UpstreamError):
            refusal = found[0].refusal("literature search", "literature source")
            raise refusal
        return usable

    async def _ask(
        self, source: ArticleSource, query: LiteratureQuery
    ) -> FoundArticles | UpstreamError:
        until_s, failure = self._failures.get(source, (0.0, None))
        if failure is not None and self._clock.monotonic_s() < until_s:
            return failure
        try:
            found = await source.find(query, self._timeout_s)
        except UpstreamError as error:
            failure = UpstreamError(error.reason, error.retry_after_s)  # without the traceback
            if error.reason != "busy":
                self._failures[source] = (self._clock.monotonic_s() + _RETRY_S, failure)
            return failure
        self._failures.pop(source, None)
        return found


def sanitized(article: Article) -> Article:
    """Return an article without markup, invisible characters, overlong texts and invalid IDs."""
    citation = article.citation
    sections, left = [], _MAX_TEXT
    for section in article.sections:
        if text := visible_text(section.text)[:left]:
            label = visible_text(section.label or "")[:_MAX_TITLE] or None
            sections.append(Section(label, text))
            left -= len(text)
    doi, pmcid = citation.doi or "", citation.pmcid or ""
    names = (visible_text(name)[:_MAX_TITLE] for name in citation.authors[:_MAX_AUTHORS])
    return replace(
        article,
        sections=tuple(sections),
        citation=replace(
            citation,
            title=visible_text(citation.title)[:_MAX_TITLE],
            authors=tuple(name for name in names if name),
            journal=visible_text(citation.journal or "")[:_MAX_TITLE] or None,
            doi=doi if _DOI.fullmatch(doi) else None,
            pmcid=pmcid if _PMCID.fullmatch(pmcid) else None,
        ),
    )
