"""Articles with their citations, and the passages that a search returns."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import MAXYEAR, date
from typing import Literal

__all__ = [
    "SUMMARY_MARK",
    "TYPES",
    "Article",
    "ArticleType",
    "Citation",
    "Passage",
    "Section",
    "pmid_order",
]

ArticleType = Literal["journal_article", "guideline"]
TYPES: tuple[ArticleType, ...] = ("journal_article", "guideline")
"""Types of articles, in the order of their codes in an index."""

SUMMARY_MARK = "Summary of "
"""Beginning of passages that summarize an article in our own words."""

_NO_PMID = 2**62
_COMPRESSION = 6


@dataclass(frozen=True, slots=True)
class Citation:
    """The bibliographic data of an article.

    Values that the source does not state are None.

    Attributes
    ----------
    title : str
        Title, in brackets if it is a translation.
    authors : tuple of str
        Surname and initials of each author, or the name of a group.
    journal, publisher : str or None
        Names as the source states them. MEDLINE does not state publishers.
    year : int or None
        Year of the issue of the journal.
    published_date : datetime.date or None
        Date of first publication; None unless the source states the year, month and day.
    doi, pmid, pmcid : str or None
        Identifiers, without a prefix such as ``"doi:"``.
    url : str or None
        Page of the article.
    type : {"journal_article", "guideline"}
        Kind of article.
    language : str
        Always ``"en"``.
    """

    title: str
    authors: tuple[str, ...] = ()
    journal: str | None = None
    publisher: str | None = None
    year: int | None = None
    published_date: date | None = None
    doi: str | None = None
    pmid: str | None = None
    pmcid: str | None = None
    url: str | None = None
    type: ArticleType = "journal_article"
    language: str = "en"

    @property
    def days(self) -> tuple[date, date] | None:
        """The first and last day on which the article may have been published; None if unknown.

        Examples
        --------
        >>> [day.isoformat() for day in Citation("Oats", year=2020).days]
        ['2020-01-01', '2020-12-31']
        """
        if self.published_date is not None:
            return self.published_date, self.published_date
        if self.year is not None and 0 < self.year <= MAXYEAR:
            return date(self.year, 1, 1), date(self.year, 12, 31)
        return None

    def passes(
        self, after: date | None, before: date | None, types: Sequence[ArticleType] | None
    ) -> bool:
        """Return whether the article passes the filters of a search.

        If only the year is known, the article passes if any day of that year does. If the year is
        unknown, the article never passes a date filter.
        """
        first, last = self.days or (date.max, date.min)
        is_in_time = (after is None or last >= after) and (before is None or first <= before)
        return is_in_time and (types is None or self.type in types)

    @property
    def first_author(self) -> str | None:
        """The first author, followed by "et al." if there are more; None without authors."""
        if not self.authors:
            return None
        return self.authors[0] + (" et al." if len(self.authors) > 1 else "")


@dataclass(frozen=True, slots=True)
class Section:
    """A paragraph of an article.

    Attributes
    ----------
    label : str or None
        Heading in a structured abstract, such as ``"RESULTS"``.
    text : str
        Text on one line.
    """

    label: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """An article with its citation and text.

    Attributes
    ----------
    id : str
        Unique identifier in an index, such as ``"pmid:17933577"``.
    citation : Citation
        Bibliographic data.
    sections : tuple of Section
        Paragraphs of the abstract or of the whole article; may be empty.
    is_summary : bool
        Whether the text is a summary in our own words instead of the authors' text.
    license : str or None
        License of the text, if the source states it.
    """

    id: str
    citation: Citation
    sections: tuple[Section, ...] = ()
    is_summary: bool = False
    license: str | None = None

    @property
    def text(self) -> str:
        """Text of all sections, separated by spaces."""
        return " ".join(section.text for section in self.sections)

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The article's ID, and its PMID, PMCID and DOI with prefixes such as ``"doi:"``.

        Examples
        --------
        >>> Article("pmid:9", Citation("Oats", pmid="9", doi="10.1000/A")).identifiers
        ('pmid:9', 'doi:10.1000/a')
        """
        known = {"pmid": self.citation.pmid, "pmc": self.citation.pmcid, "doi": self.citation.doi}
        found = (f"{kind}:{value}" for kind, value in known.items() if value)
        return tuple(dict.fromkeys([self.id, *map(_with_doi_in_lower_case, found)]))

    @property
    def summary_mark(self) -> str:
        """The beginning of each passage if the text is a summary; otherwise an empty string.

        Examples
        --------
        >>> citation = Citation("Food order", ("Shukla AP", "Iliescu RG"), year=2015)
        >>> Article("a", citation, is_summary=True).summary_mark
        'Summary of Shukla AP et al. (2015): '
        """
        if not self.is_summary:
            return ""
        name = self.citation.first_author or f"“{self.citation.title.rstrip('.')}”"
        year = f" ({self.citation.year})" if self.citation.year else ""
        return f"{SUMMARY_MARK}{name}{year}: "

    def pack(self) -> bytes:
        """Return the article as compressed JSON; equal articles always yield the same bytes."""
        values = asdict(self)
        published = self.citation.published_date
        values["citation"]["published_date"] = published and published.isoformat()
        values["sections"] = [[section.label, section.text] for section in self.sections]
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        return zlib.compress(text.encode("utf-8", errors="replace"), _COMPRESSION)

    @classmethod
    def unpack(cls, packed: bytes) -> Article:
        """Restore an article from the bytes that `pack` returned.

        Examples
        --------
        >>> article = Article("a", Citation("Oats", ("Doe J",)), (Section(None, "Oats."),))
        >>> Article.unpack(article.pack()) == article
        True
        """
        values = json.loads(zlib.decompress(packed))
        citation = values.pop("citation")
        citation["authors"] = tuple(citation["authors"])
        if day := citation["published_date"]:
            citation["published_date"] = date.fromisoformat(day)
        sections = tuple(Section(label, text) for label, text in values.pop("sections"))
        return cls(**values, citation=Citation(**citation), sections=sections)


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences of an article that a search returns.

    Attributes
    ----------
    rank : int
        Position in the result, from 1.
    id : str
        Identifier of the article.
    text : str
        One to three consecutive sentences of the article, or its title if it has no text. A
        passage that starts with "Summary of" is in our own words and is not a quotation.
    score : float
        Score of the article, without a unit. It never exceeds the score of the previous passage.
        Scores of different searches cannot be compared.
    citation : Citation
        Bibliographic data of the article.
    """

    rank: int
    id: str
    text: str
    score: float
    citation: Citation


def _with_doi_in_lower_case(identifier: str) -> str:
    return identifier.lower() if identifier.startswith("doi:") else identifier


def pmid_order(article_id: str) -> tuple[int, str]:
    """Return a sort key that orders article IDs by PMID and puts IDs without a PMID last.

    Examples
    --------
    >>> sorted(["pmid:100", "doi:10.1/a", "pmid:9"], key=pmid_order)
    ['pmid:9', 'pmid:100', 'doi:10.1/a']
    """
    kind, _, number = article_id.partition(":")
    is_number = kind == "pmid" and number.isascii() and number.isdigit() and len(number) < 18
    return (int(number) if is_number else _NO_PMID, article_id)
