"""Import JATS XML, the format of the open-access articles in PubMed Central."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from xml.etree.ElementTree import Element

from postmeal.errors import DataSetError
from postmeal.literature.article import Article, ArticleType, Citation, Section
from postmeal.literature.sources.collection import Collection
from postmeal.literature.sources.plain_text import complete_date, plain_text, stated_year
from postmeal.literature.sources.report import ImportReport
from postmeal.literature.sources.xml_records import Progress, import_records

_BATCH = 200
_KEPT_TYPES = {
    "brief-report",
    "case-report",
    "clinical-trial",
    "guideline",
    "meta-analysis",
    "rapid-communication",
    "research-article",
    "review-article",
    "systematic-review",
}
_LICENSE = re.compile(
    r"creativecommons\.org/(?:licenses/(by(?:-nc)?(?:-sa|-nd)?)/|publicdomain/(zero)/)"
)
_WHOLE_TEXT = {"CC0", "CC BY", "CC BY-SA"}
_GUIDELINE = re.compile(r"guideline|consensus (?:report|statement|conference)", re.IGNORECASE)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_LINK = "{http://www.w3.org/1999/xlink}href"
_DATES = ("epub", "ppub", "pub", "collection")
_DOI_ADDRESS = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)", re.IGNORECASE)
_LINK_TYPES = {"pubmed": "pmid", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "doi": "doi"}


def import_jats(
    path: Path,
    collection: Collection,
    progress: Progress = lambda path, read, size: None,
) -> ImportReport:
    """Import or resume a JATS file, or a ``.tar`` or ``.tar.gz`` archive of them."""
    state = collection.resume(path)
    report = state.report
    if state.is_complete:
        return report
    if not import_records(path, collection, state, ("article",), _store, _BATCH, progress):
        raise DataSetError(f"{path} must contain articles in JATS XML, got none")
    return report


def _store(element: Element, collection: Collection, report: ImportReport) -> None:
    for retracted in retracted_ids(element):
        report.deleted += collection.retract(retracted)
    article = read_jats(element)
    if isinstance(article, str):
        report.omitted[article] += 1
    elif collection.is_retracted(article):
        report.omitted["retracted"] += 1
    elif collection.put(article):
        report.stored += 1


def read_jats(element: Element) -> Article | str:
    """Return the article in an ``article`` element, or the reason for omitting it.

    The full text is included only if its license is CC0, CC BY or CC BY-SA. Otherwise only the
    title and the abstract are included.
    """
    kind = element.get("article-type", "research-article")
    if kind == "retraction":
        return "retraction notice"
    if is_retracted(element):
        return "retracted"
    if kind not in _KEPT_TYPES:
        return kind.replace("-", " ")
    if not element.get(_LANGUAGE, "en").lower().startswith("en"):
        return "not in English"
    meta = element.find("front/article-meta")
    title = plain_text(meta.find("title-group/article-title")) if meta is not None else ""
    if meta is None or not title:
        return "without a title"
    identifiers = identifiers_of(meta)
    pmid, pmcid = identifiers.get("pmid"), identifiers.get("pmcid")
    if not pmid and not pmcid:
        return "without a PMID"
    published, year = _published(meta)
    license_name = _license(meta)
    sections = [*_sections(meta.find("abstract"))]
    if license_name in _WHOLE_TEXT:
        sections += _sections(element.find("body"))
    url = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/" if pmcid else None
    citation = Citation(
        title=title,
        authors=tuple(_authors(meta)),
        journal=plain_text(element.find("front/journal-meta//journal-title")) or None,
        publisher=plain_text(element.find("front/journal-meta/publisher/publisher-name")) or None,
        year=year,
        published_date=published,
        doi=identifiers.get("doi") or None,
        pmid=pmid or None,
        pmcid=pmcid,
        url=url or f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        type=_type(kind, meta),
    )
    article_id = f"pmid:{pmid}" if pmid else f"pmc:{pmcid}"
    return Article(article_id, citation, tuple(sections), license=license_name)


def _type(kind: str, meta: Element) -> ArticleType:
    subjects = (plain_text(each) for each in meta.iter("subject"))
    is_guideline = kind == "guideline" or any(map(_GUIDELINE.search, subjects))
    return "guideline" if is_guideline else "journal_article"


def _license(meta: Element) -> str | None:
    """Return the short name of a Creative Commons license, such as "CC BY-NC"; otherwise None."""
    for each in meta.findall("permissions//*"):
        for text in (each.get(_LINK, ""), each.text or ""):
            if found := _LICENSE.search(text):
                return "CC0" if found.group(2) else f"CC {found.group(1).upper()}"
    return None


def _authors(meta: Element) -> Iterator[str]:
    for author in meta.findall("contrib-group/contrib[@contrib-type='author']"):
        surname = plain_text(author.find("name/surname"))
        names = plain_text(author.find("name/given-names"))
        initials = "".join(part[0] for part in re.split(r"[\s.-]+", names) if part)
        if name := f"{surname} {initials}".strip() or plain_text(author.find("collab")):
            yield name


def _published(meta: Element) -> tuple[date | None, int | None]:
    """Return the first complete publication date and the first year, in the order of `_DATES`."""
    dates = {
        each.get("pub-type") or each.get("date-type"): (
            plain_text(each.find("year")),
            plain_text(each.find("month")),
            plain_text(each.find("day")),
        )
        for each in meta.findall("pub-date")
    }
    found = [dates[kind] for kind in _DATES if kind in dates]
    year = next(filter(None, (stated_year(year) for year, _, _ in found)), None)
    return next(filter(None, (complete_date(*parts) for parts in found)), None), year


def _sections(element: Element | None) -> Iterator[Section]:
    """Yield the paragraphs in an abstract or body, each with the title of its section."""
    if element is None:
        return
    waiting = [(element, child) for child in reversed(element)]  # sections may be nested deeply
    while waiting:
        section, child = waiting.pop()
        if child.tag == "p" and (text := plain_text(child)):
            title = plain_text(section.find("title"))
            yield Section(title.rstrip(":").upper() or None, text)
        elif child.tag == "sec":
            waiting += [(child, each) for each in reversed(child)]


def identifiers_of(meta: Element) -> dict[str, str]:
    """Return the identifiers in an ``article-meta`` element, such as ``pmid`` and ``doi``."""
    found = {}
    for each in meta.findall("article-id"):
        kind, value = each.get("pub-id-type", ""), plain_text(each)
        if kind in ("pmc", "pmcid") and value:
            kind, value = "pmcid", f"PMC{value.removeprefix('PMC')}"
        if value:
            found[kind] = value
    return found


def is_retracted(element: Element) -> bool:
    """Return whether an ``article`` element is marked as a retracted article."""
    return element.get("article-type") == "retracted-article" or any(
        each.get("related-article-type") == "retraction-forward"
        for each in element.iter("related-article")
    )


def retracted_ids(element: Element) -> Iterator[str]:
    """Yield the IDs of the articles that an ``article`` element marks as retracted.

    For a retracted article, these are its own IDs. For a retraction notice, these are the PMIDs,
    PMCIDs or DOIs of the articles that it retracts.
    """
    meta = element.find("front/article-meta")
    if is_retracted(element) and meta is not None:
        own = identifiers_of(meta)
        yield from (_id(kind, own[kind]) for kind in ("pmid", "pmcid", "doi") if kind in own)
    if element.get("article-type") != "retraction":
        return
    for each in element.iter("related-article"):
        kind = _LINK_TYPES.get(each.get("ext-link-type", "").lower())
        value = each.get(_LINK, "").strip()
        if each.get("related-article-type") == "retracted-article" and kind and value:
            yield _id(kind, value)


def _id(kind: str, value: str) -> str:
    if kind == "doi":
        return f"doi:{_DOI_ADDRESS.sub('', value).lower()}"
    return f"pmid:{value}" if kind == "pmid" else f"pmc:PMC{value.removeprefix('PMC')}"
