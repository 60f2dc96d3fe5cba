"""Find retracted articles and retraction notices in JATS XML.

The values of ``related-article-type`` are from the JATS Tag Library 1.3 and from PubMed Central's
tagging guidelines for retractions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from postmeal.literature.sources.plain_text import plain_text

__all__ = ["identifiers_of", "is_retracted", "retracted_ids"]

_DOI_ADDRESS = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)", re.IGNORECASE)
_LINK = "{http://www.w3.org/1999/xlink}href"
_LINK_TYPES = {"pubmed": "pmid", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "doi": "doi"}


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
