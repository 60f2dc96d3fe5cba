"""Search of PubMed with the E-utilities of NCBI.

The API (https://www.ncbi.nlm.nih.gov/books/NBK25499/) asks for the name of the program and an email
address, and allows 3 requests per second, or 10 with a key.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import MAXYEAR, date
from functools import partial
from typing import Annotated

from pydantic import Field

from postmeal.literature.sources.medline_xml import read_medline
from postmeal.literature.tokens import content_words
from postmeal_serve.resources.literature_query import LiteratureQuery
from postmeal_serve.upstreams.articles import PAGE_SIZE, FoundArticles, sanitized
from postmeal_serve.upstreams.http_client import (
    TOO_SLOW,
    ResponseModel,
    ServiceClient,
    UpstreamError,
)

__all__ = ["EUtilities"]

Pmid = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")]


class _Ids(ResponseModel):
    idlist: list[Pmid] = Field(max_length=PAGE_SIZE)


class _Search(ResponseModel):
    esearchresult: _Ids


class EUtilities:
    """Client of the E-utilities."""

    def __init__(self, client: ServiceClient, identity: Mapping[str, str]) -> None:
        self._client = client
        self._identity = dict(identity)

    async def find(self, query: LiteratureQuery, timeout_s: float) -> FoundArticles:
        """Return the articles that PubMed ranks best for the words of a question."""
        words = content_words(query.query)
        if not words:
            return FoundArticles([], [])
        end_s = time.monotonic() + timeout_s
        search = self._identity | {
            "db": "pubmed",
            "term": f"({' '.join(words)}) AND english[la] AND hasabstract",
            "retmode": "json",
            "retmax": str(PAGE_SIZE),
            "sort": "relevance",
        }
        if query.published_after or query.published_before:
            first = query.published_after or date(1, 1, 1)
            last = query.published_before or date(MAXYEAR, 12, 31)
            search |= {"datetype": "pdat", "mindate": _day(first), "maxdate": _day(last)}
        found = await self._client.request("/esearch.fcgi", _Search, timeout_s, query=search)
        ids = found.esearchresult.idlist
        if not ids:
            return FoundArticles([], [])
        if (left_s := end_s - time.monotonic()) <= 0:
            raise UpstreamError(TOO_SLOW)
        records = self._identity | {"db": "pubmed", "id": ",".join(ids), "retmode": "xml"}
        parse = partial(_found, ids)
        return await self._client.fetch("/efetch.fcgi", parse, left_s, query=records)


def _day(day: date) -> str:
    return f"{day.year:04}/{day.month:02}/{day.day:02}"


def _found(ids: Sequence[str], content: bytes) -> FoundArticles | None:
    """Return the records in the order of the given IDs; None if none of them is found."""
    records = read_medline(content)
    known = {pmid: records[pmid] for pmid in ids if pmid in records}
    if not known:
        return None
    articles = [sanitized(article) for article in known.values() if article is not None]
    omitted = [f"pmid:{pmid}" for pmid, article in known.items() if article is None]
    return FoundArticles(articles, omitted)
