"""Import of MEDLINE/PubMed XML: the files of the yearly baseline and the daily update files."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from postmeal.errors import DataSetError
from postmeal.literature.sources.collection import Collection
from postmeal.literature.sources.medline_record import (
    is_retracted,
    omission,
    read_article,
    retracted_pmids,
)
from postmeal.literature.sources.plain_text import plain_text
from postmeal.literature.sources.record_import import Progress, import_records
from postmeal.literature.sources.report import ImportReport

__all__ = ["import_medline"]

_BATCH = 1000


def import_medline(
    path: Path,
    collection: Collection,
    progress: Progress = lambda path, read, size: None,
) -> ImportReport:
    """Import a file into a collection, or resume an import that was interrupted.

    A record replaces the stored version of the same article unless that one has a higher version.
    ``DeleteCitation`` removes articles, and so does a record that is omitted, such as an article
    that has been retracted. Articles that are marked as retracted, or that a
    retraction notice names, are never stored again.

    Parameters
    ----------
    path : Path
        File in the NLM DTD, plain or compressed with gzip.
    collection : Collection
        Collection to import into.
    progress : callable, optional
        Called after each batch with the number of bytes read.

    Returns
    -------
    ImportReport
        Counts and unreadable parts, including those of interrupted runs.

    Raises
    ------
    DataSetError
        The file cannot be opened, or does not contain any record.
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
        for each in element.findall("PubmedData/ArticleIdList/ArticleId[@IdType='pmc']"):
            report.deleted += collection.retract(f"pmc:{plain_text(each)}")
        report.deleted += collection.retract(f"pmid:{pmid}")
    reason = omission(element)
    if reason is None and collection.is_retracted(f"pmid:{pmid}"):
        reason = "retracted"
    if reason is not None:
        report.omitted[reason] += 1
        report.deleted += collection.delete(f"pmid:{pmid}")
        return
    version = identifier.get("Version", "1")
    number = int(version) if version.isascii() and version.isdigit() and len(version) <= 9 else 1
    if collection.put(read_article(element, pmid), number):
        report.stored += 1
    else:
        report.omitted["older version"] += 1
