"""Files of PubMed records for tests."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = ["deletion", "made_up_records", "medline_record", "write_medline"]

HEADER = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN"
 "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">
<PubmedArticleSet>
"""
AUTHOR = "<Author><LastName>Doe</LastName><ForeName>Jane</ForeName><Initials>J</Initials></Author>"
WORDS = (
    "glucose insulin meal rice bread fiber protein walking sleep sensor diabetes breakfast lunch"
    " vegetables order response trial adults women men risk weight exercise index carbohydrate"
)


def medline_record(
    pmid: int,
    title: str = "Rice and glucose.",
    abstract: str = "Rice raised glucose.",
    *,
    types: Iterable[str] = ("Journal Article",),
    languages: Iterable[str] = ("eng",),
    version: int = 1,
    authors: str = AUTHOR,
    issue: str = "<Year>2021</Year>",
    published: str = "",
    sections: Iterable[tuple[str, str]] = (),
    corrections: str = "",
) -> str:
    """Return a ``PubmedArticle`` element; `title`, `authors` and dates are XML."""
    texts = f"<AbstractText>{escape(abstract)}</AbstractText>" if abstract else ""
    if sections:
        parts = (f'<AbstractText Label="{label}">{text}</AbstractText>' for label, text in sections)
        texts = "".join(parts)
    kinds = "".join(f"<PublicationType>{each}</PublicationType>" for each in types)
    spoken = "".join(f"<Language>{each}</Language>" for each in languages)
    return f"""<PubmedArticle><MedlineCitation><PMID Version="{version}">{pmid}</PMID>
<Article><Journal><JournalIssue><PubDate>{issue}</PubDate></JournalIssue><Title>Diet</Title></Journal>
<ArticleTitle>{title}</ArticleTitle>
<ELocationID EIdType="doi" ValidYN="Y">10.1000/{pmid}</ELocationID>
<Abstract>{texts}</Abstract><AuthorList>{authors}</AuthorList>{spoken}
<PublicationTypeList>{kinds}</PublicationTypeList>{published}</Article>
<CommentsCorrectionsList>{corrections}</CommentsCorrectionsList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId></ArticleIdList>
</PubmedData>
</PubmedArticle>
"""


def deletion(*pmids: int) -> str:
    """Return a ``DeleteCitation`` element."""
    each = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in pmids)
    return f"<DeleteCitation>{each}</DeleteCitation>\n"


def write_medline(path: Path, *records: str) -> Path:
    """Write a file of PubMed records, and return its path."""
    path.write_text(HEADER + "".join(records) + "</PubmedArticleSet>\n", encoding="utf-8")
    return path


def made_up_records(count: int, seed: int = 1) -> list[str]:
    """Return records with random words, the same ones for the same seed."""
    draw = random.Random(seed)
    words = WORDS.split() + [f"term{number}" for number in range(200)]

    def sentence() -> str:
        return " ".join(draw.choices(words, k=draw.randint(6, 14))).capitalize() + "."

    return [
        medline_record(
            1000 + number,
            sentence(),
            " ".join(sentence() for _ in range(draw.randint(1, 8))),
            issue=f"<Year>{draw.randint(1990, 2025)}</Year>",
            types=("Guideline",) if number % 10 == 0 else ("Journal Article",),
        )
        for number in range(count)
    ]
