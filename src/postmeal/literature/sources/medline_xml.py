"""Import MEDLINE/PubMed XML: the yearly baseline files and the daily update files."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from postmeal.errors import DataSetError
from postmeal.literature.article import Article
from postmeal.literature.sources.collection import Collection
from postmeal.literature.sources.medline_record import (
    is_retracted,
    omission,
    read_article,
    retracted_pmids,
)
from postmeal.literature.sources.plain_text import plain_text
from postmeal.literature.sources.report import ImportReport
from postmeal.literature.sources.xml_records import Progress, XmlRecords, import_records

_BATCH = 1000


def import_medline(
    path: Path,
    collection: Collection,
    progress: Progress = lambda path, read, size: None,
) -> ImportReport:
    """Import a MEDLINE file into a collection, or resume an interrupted import.

    A record replaces the stored version of the same article, unless the stored version is newer.
    An article is removed if ``DeleteCitation`` lists it, or if its new record is of a kind that is
    not imported. Articles that are marked as retracted or listed in a retraction notice are never
    stored again.
    """
    state = collection.resume(path)
    report = state.report
    if state.is_complete:
        return report
    names = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation")
    n_faults = report.n_faults
    if not import_records(path, collection, state, names, _store, _BATCH, progress):
        found = f"; {report.faults[n_faults]}" if report.n_faults > n_faults else ""
        raise DataSetError(f"{path} must contain PubMed records, got none{found}")
    return report


def read_medline(content: bytes) -> dict[str, Article | None]:
    """Return the readable articles in MEDLINE XML by PMID, with None for omitted articles."""
    found: dict[str, Article | None] = {}
    retracted: list[str] = []
    report = ImportReport("")
    with XmlRecords(content, ("PubmedArticle",), report) as records:
        for record in records:
            if record.element is not None:
                with report.guard(record.byte):
                    element = record.element
                    pmid = plain_text(element.find("MedlineCitation/PMID"))
                    found[pmid] = None if omission(element) else read_article(element, pmid)
                    retracted += retracted_pmids(element)
    return found | dict.fromkeys(retracted)


def _store(element: Element, collection: Collection, report: ImportReport) -> None:
    if element.tag == "DeleteCitation":
        for each in element.findall("PMID"):
            report.deleted += collection.delete(f"pmid:{plain_text(each)}")
        return
    if element.tag == "PubmedBookArticle":
        report.omitted["book"] += 1
        return
    identifier = element.find("MedlineCitation/PMID")
    pmid = plain_text(identifier)
    if identifier is None or not (pmid.isascii() and pmid.isdigit()):
        report.omitted["without a PMID"] += 1
        return
    for retracted in retracted_pmids(element):
        report.deleted += collection.retract(f"pmid:{retracted}")
    if is_retracted(element):
        for each in element.findall("PubmedData/ArticleIdList/ArticleId"):
            if (kind := each.get("IdType")) in ("pmc", "doi") and (value := plain_text(each)):
                retracted = f"pmc:{value}" if kind == "pmc" else f"doi:{value.lower()}"
                report.deleted += collection.retract(retracted)
        report.deleted += collection.retract(f"pmid:{pmid}")
    reason = omission(element)
    article = read_article(element, pmid) if reason is None else None
    if article is not None and collection.is_retracted(article):
        article, reason = None, "retracted"
    if article is None:
        report.omitted[str(reason)] += 1
        report.deleted += collection.delete(f"pmid:{pmid}")
        return
    version = identifier.get("Version", "1")
    number = int(version) if version.isascii() and version.isdigit() and len(version) <= 9 else 1
    if collection.put(article, number):
        report.stored += 1
    else:
        report.omitted["older version"] += 1
