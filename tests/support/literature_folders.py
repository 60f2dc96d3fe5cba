"""Library folders of literature, made for a test."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from postmeal.assets import asset
from postmeal.literature.article import Article, ArticleType, Citation, Section
from postmeal.literature.index import build_index, put_into_use
from postmeal.literature.sources.starter_set import read_starter_set


def library_of(articles: Iterable[Article], folder: Path) -> Path:
    """Put an index of articles into use; it has words alone, whatever model is installed."""
    ordered = sorted(articles, key=lambda article: article.id)
    put_into_use(build_index(ordered, len(ordered), folder))
    return folder


def starter_library(folder: Path) -> Path:
    """Put an index of the starter set into use."""
    return library_of(read_starter_set(asset("data/literature.csv")), folder)


def article(
    number: int,
    text: str,
    *,
    title: str = "Glucose after meals",
    year: int | None = None,
    day: date | None = None,
    kind: ArticleType = "journal_article",
) -> Article:
    """Return an article about which its source states only this."""
    citation = Citation(title, year=year, published_date=day, pmid=str(number), type=kind)
    return Article(f"pmid:{number}", citation, (Section(None, text),))
