"""Citations in responses: bibliographic data of an article."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from postmeal.literature import Citation
from postmeal.literature.article import ArticleType

__all__ = ["CitationResponse", "citation_content"]


class CitationResponse(BaseModel):
    """Bibliographic data of an article; a value that the source does not state is null."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(description="Title, in brackets if it is a translation.")
    authors: list[str] = Field(description="Surname and initials of each author, or a group.")
    journal: str | None
    publisher: str | None
    year: int | None
    published_date: str | None = Field(
        description="First day of publication; null unless year, month and day are known.",
        json_schema_extra={"format": "date"},
    )
    doi: str | None
    pmid: str | None
    pmcid: str | None
    url: str | None
    type: ArticleType
    language: Literal["en"]


def citation_content(citation: Citation) -> dict[str, Any]:
    """Return the content of a `CitationResponse`."""
    return {
        "title": citation.title,
        "authors": citation.authors,
        "journal": citation.journal,
        "publisher": citation.publisher,
        "year": citation.year,
        "published_date": citation.published_date,
        "doi": citation.doi,
        "pmid": citation.pmid,
        "pmcid": citation.pmcid,
        "url": citation.url,
        "type": citation.type,
        "language": citation.language,
    }
