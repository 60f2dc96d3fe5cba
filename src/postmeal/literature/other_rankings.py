"""Fuse the ranking of an index with rankings from other sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from postmeal.literature.article import Article
from postmeal.literature.article_table import ArticleTable
from postmeal.literature.fusion import fuse

__all__ = ["fused_with"]


def fused_with(
    own: Sequence[int],
    others: Sequence[Sequence[Article]],
    table: ArticleTable,
    limit: int,
    allowed: npt.NDArray[np.bool_] | None = None,
) -> list[tuple[Article, float]]:
    """Return the best articles of several rankings with their fused scores, best first.

    Articles with the same PMID or DOI are merged. If one of them is in the index, the text from the
    index is used.
    """
    known: dict[str, int] = {}
    new: dict[int, Article] = {}
    rankings: list[Sequence[int]] = [own]
    for ranking in others:
        numbers = []
        for article in ranking:
            number = known.get(article.id)
            if number is None:
                number = _number_in(table, article, own)
            if number is None:
                number = table.n_articles + len(new)
                new[number] = article
            known[article.id] = number
            if number in new or allowed is None or allowed[number]:
                numbers.append(number)
        rankings.append(list(dict.fromkeys(numbers)))
    fused = fuse(rankings, limit)
    stored = [number for number, _ in fused if number not in new]
    articles = new | dict(zip(stored, table.articles(stored), strict=True))
    return [(articles[number], score) for number, score in fused]


def _number_in(table: ArticleTable, article: Article, own: Sequence[int]) -> int | None:
    """Return the number of an article in the index, or None if the index does not contain it.

    Among several numbers, those in the ranking `own` are preferred.
    """
    citation = article.citation
    numbers = table.numbers_of_pmid(citation.pmid) if citation.pmid else []
    if not numbers and citation.doi:
        numbers = table.numbers_of_doi(citation.doi)
    ranked = [number for number in own if number in numbers]
    return next(iter(ranked or numbers), None)
