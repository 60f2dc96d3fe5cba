"""Convert a record of MEDLINE/PubMed XML to an article, or find the reason for omitting it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from xml.etree.ElementTree import Element

from postmeal.literature.article import Article, ArticleType, Citation, Section
from postmeal.literature.sources.plain_text import complete_date, plain_text

OMITTED_TYPES = {
    "Retracted Publication": "retracted",
    "Retraction of Publication": "retraction notice",
    "Published Erratum": "erratum",
    "Letter": "letter",
    "Comment": "comment",
    "Editorial": "editorial",
    "News": "news",
    "Newspaper Article": "news",
    "Video-Audio Media": "video",
    "Preprint": "preprint",
}
"""Publication types that are not imported, with the reason. The first match is reported."""

_GUIDELINES = {"guideline", "practice guideline", "consensus development conference"}
_ARTICLES = re.compile(
    r"(?:journal|research) article|review|trial|meta analysis|study|case reports?|guideline"
    r"|consensus development conference$"
)
_OTHER = "other type"
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")


def omission(record: Element) -> str | None:
    """Return the reason for omitting a ``PubmedArticle``, or None if it should be stored."""
    types = {plain_text(each) for each in record.iter("PublicationType")}
    reason = omitted_type(types)
    if reason is not None and reason != _OTHER:
        return reason
    if is_retracted(record):
        return "retracted"
    if "eng" not in {plain_text(each) for each in record.iter("Language")}:
        return "not in English"
    if reason is not None:
        return reason
    if not plain_text(record.find("MedlineCitation/Article/ArticleTitle")):
        return "without a title"
    return None


def omitted_type(types: Iterable[str]) -> str | None:
    """Return the reason for omitting an article of the given types, or None if it is stored."""
    given = {each.casefold().replace("-", " ") for each in types}
    for name, reason in OMITTED_TYPES.items():
        if name.casefold().replace("-", " ") in given:
            return reason
    return None if any(map(_ARTICLES.search, given)) else _OTHER


def type_of(types: Iterable[str]) -> ArticleType:
    """Return the article type for the given publication types."""
    is_guideline = any(each.casefold().replace("-", " ") in _GUIDELINES for each in types)
    return "guideline" if is_guideline else "journal_article"


def is_retracted(record: Element) -> bool:
    """Return whether a ``PubmedArticle`` is marked as retracted."""
    types = {plain_text(each) for each in record.iter("PublicationType")}
    corrections = record.iter("CommentsCorrections")
    return "Retracted Publication" in types or any(
        each.get("RefType") == "RetractionIn" for each in corrections
    )


def retracted_pmids(record: Element) -> list[str]:
    """Return the PMIDs of the articles that a retraction notice retracts."""
    return [
        pmid
        for each in record.iter("CommentsCorrections")
        if each.get("RefType") == "RetractionOf" and (pmid := plain_text(each.find("PMID")))
    ]


def read_article(record: Element, pmid: str) -> Article:
    """Return the article in a ``PubmedArticle`` element for which `omission` returned None."""
    article = record.find("MedlineCitation/Article")
    assert article is not None  # only articles with a title are read
    published = next(filter(None, map(_day, article.findall("ArticleDate"))), None)
    issue = article.find("Journal/JournalIssue/PubDate")
    published = published or (_day(issue) if issue is not None else None)
    identifiers = {
        each.get("IdType"): plain_text(each)
        for each in record.findall("PubmedData/ArticleIdList/ArticleId")
    }
    citation = Citation(
        title=plain_text(article.find("ArticleTitle")),
        authors=tuple(_authors(article.findall("AuthorList/Author"))),
        journal=plain_text(article.find("Journal/Title")) or None,
        year=_year(issue) or (published.year if published else None),
        published_date=published,
        doi=_doi(article) or identifiers.get("doi") or None,
        pmid=pmid,
        pmcid=identifiers.get("pmc") or None,
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        type=type_of(plain_text(each) for each in article.iter("PublicationType")),
    )
    sections = (
        Section(each.get("Label") or None, text)
        for each in article.findall("Abstract/AbstractText")
        if (text := plain_text(each))
    )
    return Article(f"pmid:{pmid}", citation, tuple(sections))


def _authors(elements: Iterable[Element]) -> Iterable[str]:
    for author in elements:
        if author.get("ValidYN") == "N":
            continue
        surname, initials = plain_text(author.find("LastName")), plain_text(author.find("Initials"))
        name = f"{surname} {initials}".strip() or plain_text(author.find("CollectiveName"))
        if name:
            yield name


def _doi(article: Element) -> str | None:
    for each in article.findall("ELocationID"):
        if each.get("EIdType") == "doi" and each.get("ValidYN") != "N":
            return plain_text(each) or None
    return None


def _day(element: Element) -> date | None:
    """Return a date if the element states the year, month and day; None otherwise."""
    year, month, day = (plain_text(element.find(name)) for name in ("Year", "Month", "Day"))
    if month[:3].lower() in _MONTHS:
        month = str(_MONTHS.index(month[:3].lower()) + 1)
    return complete_date(year, month, day)


def _year(issue: Element | None) -> int | None:
    if issue is None:
        return None
    stated = plain_text(issue.find("Year")) or plain_text(issue.find("MedlineDate"))
    found = _YEAR.search(stated)
    return int(found.group()) if found else None
