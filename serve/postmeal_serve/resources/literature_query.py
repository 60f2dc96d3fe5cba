"""A question for the literature search, with its options."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from postmeal.literature.article import ArticleType

__all__ = ["LiteratureQuery"]


class LiteratureQuery(NamedTuple):
    """A question with its options, as in `Literature.search`."""

    query: str
    limit: int = 10
    published_after: date | None = None
    published_before: date | None = None
    types: Sequence[ArticleType] | None = None
    include_summary: bool = True
