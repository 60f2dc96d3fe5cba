"""Search of Europe PMC, whose responses contain the abstracts.

The API (https://europepmc.org/RestfulWebService) does not need a key.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import MAXYEAR, date
from typing import Annotated

from pydantic import Field, ValidationError

from postmeal.literature.article import Article, ArticleType, Citation, Section
from postmeal.literature.sources.medline_record import omitted_type, type_of
from postmeal.literature.sources.plain_text import complete_date, stated_year
from postmeal.literature.tokens import content_words
from postmeal_serve.resources.literature_query import LiteratureQuery
from postmeal_serve.upstreams.articles import PAGE_SIZE, FoundArticles, sanitized
from postmeal_serve.upstreams.http_client import ResponseModel, ServiceClient

__all__ = ["EuropePmc"]

_HEADING = re.compile(r"<h4>([^<>]*)</h4>", re.IGNORECASE)

Text = Annotated[str, Field(max_length=200_000)]
Number = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")]


class _Author(ResponseModel):
    fullName: Text = ""
    collectiveName: Text = ""


class _Authors(ResponseModel):
    author: tuple[_Author, ...] = ()


class _Journal(ResponseModel):
    title: Text = ""


class _Issue(ResponseModel):
    journal: _Journal = _Journal()
    yearOfPublication: int | None = None


class _Types(ResponseModel):
    pubType: tuple[Text, ...] = ()


class _Correction(ResponseModel):
    type: Text = ""


class _Corrections(ResponseModel):
    commentCorrection: tuple[_Correction, ...] = ()


class _Record(ResponseModel):
    pmid: Number
    pmcid: Text | None = None
    doi: Text | None = None
    title: Text
    language: Text
    authorList: _Authors = _Authors()
    journalInfo: _Issue = _Issue()
    abstractText: Text = ""
    pubTypeList: _Types = _Types()
    firstPublicationDate: Text = ""
    commentCorrectionList: _Corrections = _Corrections()


class _Results(ResponseModel):
    result: list[object] = Field(max_length=PAGE_SIZE)


class _Search(ResponseModel):
    resultList: _Results


class EuropePmc:
    """Client of Europe PMC."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def find(self, query: LiteratureQuery, timeout_s: float) -> FoundArticles:
        """Return the articles that Europe PMC ranks best for the words of a question.

        Records without a PMID and invalid records are skipped.
        """
        words = content_words(query.query)
        if not words:
            return FoundArticles([], [])
        terms = [f"({' '.join(words)})", "SRC:MED", "LANG:eng", "HAS_ABSTRACT:y"]
        if query.published_after or query.published_before:
            first = query.published_after or date(1, 1, 1)
            last = query.published_before or date(MAXYEAR, 12, 31)
            terms.append(f"FIRST_PDATE:[{first.isoformat()} TO {last.isoformat()}]")
        search = {
            "query": " AND ".join(terms),
            "format": "json",
            "resultType": "core",
            "pageSize": str(PAGE_SIZE),
        }
        return await self._client.fetch("/search", _found, timeout_s, query=search)


def _found(content: bytes) -> FoundArticles | None:
    try:
        results = _Search.model_validate_json(content).resultList.result
    except ValidationError:
        return None
    articles: dict[str, Article] = {}
    omitted = []
    for result in results:
        try:
            record = _Record.model_validate(result)
        except ValidationError:
            continue
        if _is_omitted(record):
            omitted.append(f"pmid:{record.pmid}")
        else:
            article = sanitized(_article(record))
            articles.setdefault(article.id, article)
    return FoundArticles(list(articles.values()), omitted)


def _is_omitted(record: _Record) -> bool:
    corrections = record.commentCorrectionList.commentCorrection
    is_retracted = any(each.type.casefold() == "retraction in" for each in corrections)
    is_english = record.language == "eng"
    return is_retracted or not is_english or omitted_type(record.pubTypeList.pubType) is not None


def _article(record: _Record) -> Article:
    stated_year_text, _, month_and_day = record.firstPublicationDate.partition("-")
    month, _, day_text = month_and_day.partition("-")
    day = complete_date(stated_year_text, month, day_text)
    year = record.journalInfo.yearOfPublication
    names = (each.fullName or each.collectiveName for each in record.authorList.author)
    kind: ArticleType = type_of(record.pubTypeList.pubType)
    citation = Citation(
        title=html.unescape(record.title),
        authors=tuple(filter(None, names)),
        journal=record.journalInfo.journal.title or None,
        year=stated_year(str(year)) if year else day.year if day else None,
        published_date=day,
        doi=record.doi,
        pmid=record.pmid,
        pmcid=record.pmcid,
        url=f"https://pubmed.ncbi.nlm.nih.gov/{record.pmid}/",
        type=kind,
    )
    return Article(f"pmid:{record.pmid}", citation, tuple(_sections(record.abstractText)))


def _sections(abstract: str) -> Iterator[Section]:
    """Yield the parts of an abstract with their headings, which are ``<h4>`` elements."""
    first, *parts = _HEADING.split(abstract)
    for label, text in (("", first), *zip(parts[::2], parts[1::2], strict=True)):
        if text.strip():
            yield Section(label.strip().rstrip(":").upper() or None, html.unescape(text))
