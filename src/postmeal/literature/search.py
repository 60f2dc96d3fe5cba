"""Search clinical literature for passages with citations, and summarize them."""

from __future__ import annotations

import hashlib
import logging
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Literal

from postmeal.arguments import check_type, path_of
from postmeal.assets import asset, cache_folders
from postmeal.errors import DataSetError, InputError
from postmeal.literature.article import TYPES, Article, ArticleType, Passage
from postmeal.literature.embedding.encoder import Encoder
from postmeal.literature.index import (
    SCHEMA_VERSION,
    Index,
    build_index,
    current_index,
    put_into_use,
)
from postmeal.literature.passages import passage_text, whole_text
from postmeal.literature.ranking import Ranker, fused_with
from postmeal.literature.sources.starter_set import read_starter_set
from postmeal.literature.summary import summarize
from postmeal.literature.tokens import stems

__all__ = [
    "MAX_LIMIT",
    "MAX_QUERY_LETTERS",
    "Literature",
    "SearchResult",
    "SummaryStatus",
    "is_identifier",
]

MAX_QUERY_LETTERS = 1024
MAX_LIMIT = 50
_SUMMARY_LIMIT_S = 2.0
_FUSED_DEPTH = 100  # number of articles from the index that are fused with other rankings

SummaryStatus = Literal["completed", "no_passages", "not_requested", "failed"]

_PMID = re.compile(r"(?:pmid\s*:?\s*)?(\d{1,9})", re.IGNORECASE)
_DOI = re.compile(
    r"(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi\s*:?\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    Attributes
    ----------
    query : str
        The question.
    passages : tuple of Passage
        Passages, best first, with at most one per article. Empty if no article matches.
    summary : str or None
        Sentences quoted verbatim from the passages, each followed by the rank of its passage, such
        as ``" [2]"``. None if there is no summary.
    summary_status : {"completed", "no_passages", "not_requested", "failed"}
        Whether there is a summary and, if not, the reason.
    """

    query: str
    passages: tuple[Passage, ...]
    summary: str | None
    summary_status: SummaryStatus


class Literature:
    """Search the articles in an index.

    Several threads can use the same object at the same time.

    Parameters
    ----------
    index : Index
        The index.
    encoder : Encoder, optional
        Model that computed the vectors in the index. When omitted, only words are compared.
    summary_limit_s : float, default=2.0
        Time limit of a summary in seconds.

    Examples
    --------
    >>> literature = Literature.open()
    >>> result = literature.search("does eating vegetables first lower glucose?", limit=3)
    >>> result.passages[0].text
    'Summary of ...
    """

    def __init__(
        self,
        index: Index,
        encoder: Encoder | None = None,
        *,
        summary_limit_s: float = _SUMMARY_LIMIT_S,
    ) -> None:
        self._index = index
        self._ranker = Ranker(index, encoder)
        self._summary_limit_s = summary_limit_s

    @classmethod
    def open(
        cls, path: Path | str | None = None, *, summary_limit_s: float = _SUMMARY_LIMIT_S
    ) -> Literature:
        """Open a library folder, or the starter set.

        Parameters
        ----------
        path : path-like, optional
            Folder that ``postmeal literature build`` wrote. Defaults to the starter set, which
            contains statements about meals and glucose in our own words, each with its source. The
            starter set is indexed when it is first opened.
        summary_limit_s : float, default=2.0
            Time limit of a summary in seconds.

        Raises
        ------
        DataSetError
            The folder has no index, or the index is damaged or has a different format version.
        """
        index = _starter_index() if path is None else current_index(path_of("path", path))
        encoder = Encoder.find() if index.model else None
        return cls(index, encoder, summary_limit_s=summary_limit_s)

    @property
    def n_articles(self) -> int:
        """Number of articles in the index."""
        return self._index.n_articles

    @property
    def has_vectors(self) -> bool:
        """Whether the search also compares vectors."""
        return self._ranker.has_vectors

    def rarity(self, stem: str) -> float:
        """Return the inverse document frequency of a stem, which is high for unknown stems."""
        return self._index.postings.rarity(stem)

    def known_spelling(self, word: str) -> str:
        """Return a word, or the most similar indexed stem if no article contains the word.

        Only words of at least five letters are corrected. The stem has the same first letter and at
        most one letter more or less.
        """
        stem = " ".join(stems(word))
        if " " in stem or self._index.postings.contains(stem):
            return word
        return self._index.postings.similar(stem) or word

    def passages(self, ids: Iterable[str]) -> list[Passage]:
        """Return the whole texts of articles, in the given order and ranked from 1.

        Parameters
        ----------
        ids : iterable of str
            IDs of articles. Those that the index does not contain are skipped.
        """
        table = self._index.articles
        articles = table.articles(table.numbers_of_ids(ids))
        return [
            Passage(rank, each.id, whole_text(each), 1.0, each.citation)
            for rank, each in enumerate(articles, 1)
        ]

    def search(
        self,
        query: str,
        limit: int = 10,
        published_after: date | None = None,
        published_before: date | None = None,
        types: Iterable[ArticleType] | None = None,
        include_summary: bool = True,
        *,
        other_rankings: Sequence[Sequence[Article]] = (),
        whole_texts: bool = False,
    ) -> SearchResult:
        """Return the passages that answer a question, best first.

        If the query is only a PMID or a DOI, the result contains the article with this identifier,
        or nothing if the index does not contain it.

        Parameters
        ----------
        query : str
            Question or keywords in English, 1 to 1,024 characters.
        limit : int, default=10
            Maximum number of passages, 1 to 50.
        published_after, published_before : datetime.date, optional
            First and last day of publication. If only the year of an article is known, the article
            is included if any day of that year is in the range.
        types : iterable of {"journal_article", "guideline"}, optional
            Types of articles. Defaults to all types.
        include_summary : bool, default=True
            Whether to summarize the passages.
        other_rankings : sequence of sequence of Article, optional
            One ranking of articles for each other source, best first. The articles are filtered and
            fused with those of the index by reciprocal rank.
        whole_texts : bool, default=False
            Whether the passages are the whole texts of the articles, with a line for each section.

        Returns
        -------
        SearchResult
            Passages and summary.

        Raises
        ------
        InputError
            An argument has the wrong type or is out of range.
        """
        chosen = _checked(query, limit, published_after, published_before, types)
        accepted = "must be a list of rankings, which are lists of Article"
        check_type("other_rankings", other_rankings, Iterable, accepted)
        table = self._index.articles
        filters = published_after, published_before, chosen
        allowed = table.allowed(*filters)
        others = [
            [article for article in ranking if article.citation.passes(*filters)]
            for ranking in other_rankings
        ]
        found: list[tuple[Article, float]]
        if (numbers := self._numbers_in(query)) is not None:
            numbers = [number for number in numbers if allowed is None or allowed[number]]
            found = [(article, 1.0) for article in table.articles(numbers[:limit])]
        elif any(others):
            own = [number for number, _ in self._ranker.rank(query, _FUSED_DEPTH, allowed)]
            found = fused_with(own, others, table, limit, allowed)
        else:
            ranked = self._ranker.rank(query, limit, allowed)
            articles = table.articles(number for number, _ in ranked)
            found = [(article, score) for article, (_, score) in zip(articles, ranked, strict=True)]
        asked = stems(query)
        rarity = self._index.postings.rarity
        passages = tuple(
            Passage(
                rank,
                article.id,
                whole_text(article) if whole_texts else passage_text(asked, article, rarity),
                score,
                article.citation,
            )
            for rank, (article, score) in enumerate(found, 1)
        )
        summary, status = self._summary(asked, passages, include_summary)
        return SearchResult(query, passages, summary, status)

    def _numbers_in(self, query: str) -> list[int] | None:
        """Return the numbers of the articles with a PMID or DOI; None if the query is neither."""
        text = query.strip()
        stripped = text.rstrip(".,;) ")
        if pmid := _PMID.fullmatch(stripped):
            return self._index.articles.numbers_of_pmid(str(int(pmid.group(1))))
        for each in (text, stripped):  # a DOI may end with a bracket
            doi = _DOI.fullmatch(each)
            if doi and (found := self._index.articles.numbers_of_doi(doi.group(1))):
                return found
        return [] if _DOI.fullmatch(stripped) else None

    def _summary(
        self, asked: Sequence[str], passages: Sequence[Passage], is_requested: bool
    ) -> tuple[str | None, SummaryStatus]:
        if not is_requested:
            return None, "not_requested"
        try:
            rarity = self._index.postings.rarity
            summary = summarize(asked, passages, rarity, self._summary_limit_s)
        except Exception as error:  # the passages are returned even if the summary fails
            _log.warning(
                "summary failed; returning the passages without a summary: %s", type(error).__name__
            )
            return None, "failed"
        return summary, "completed" if summary else "no_passages"


def is_identifier(query: str) -> bool:
    """Return whether a query is only a PMID or a DOI.

    Examples
    --------
    >>> is_identifier("PMID: 26106234"), is_identifier("26 patients")
    (True, False)
    """
    text = query.strip().rstrip(".,;) ")
    return bool(_PMID.fullmatch(text) or _DOI.fullmatch(text))


def _checked(
    query: str,
    limit: int,
    after: date | None,
    before: date | None,
    types: Iterable[ArticleType] | None,
) -> tuple[ArticleType, ...] | None:
    """Check all arguments of a search, and return the types as a tuple."""
    if not isinstance(query, str) or not query.strip() or len(query) > MAX_QUERY_LETTERS:
        raise InputError("query", f"must be a str of 1 to {MAX_QUERY_LETTERS} characters", query)
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT:
        raise InputError("limit", f"must be an integer from 1 to {MAX_LIMIT}", limit)
    for field, day in (("published_after", after), ("published_before", before)):
        if day is not None and (not isinstance(day, date) or isinstance(day, datetime)):
            raise InputError(field, "must be a datetime.date or None", day)
    if after is not None and before is not None and after > before:
        problem = f"must not be before published_after ({after.isoformat()})"
        raise InputError("published_before", problem, before.isoformat())
    if types is None:
        return None
    if not isinstance(types, Iterable):
        raise InputError("types", "must be a list of one or more of", types, allowed=TYPES)
    chosen = (types,) if isinstance(types, str) else tuple(types)
    unknown = [each for each in chosen if each not in TYPES]
    if unknown or not chosen:
        got = unknown[0] if unknown else []
        raise InputError("types", "must be a list of one or more of", got, allowed=TYPES)
    return tuple(each for each in TYPES if each in chosen)


def _starter_index() -> Index:
    """Return the index of the starter set, building it if no cache folder contains it."""
    source = asset("data/literature.csv")
    try:
        content = source.read_bytes()
    except OSError as error:
        raise DataSetError(f"{source} cannot be read: {error.strerror}; check the path") from error
    encoder = Encoder.find()
    key = f"{SCHEMA_VERSION} {encoder.model if encoder else ''} ".encode() + content
    name = f"literature-starter-{hashlib.sha256(key).hexdigest()[:12]}"
    for cache in cache_folders():
        folder = cache / name
        if (folder / "current").is_file():
            try:
                return current_index(folder)
            except DataSetError as error:
                _log.warning(
                    "index of the starter set cannot be used; building it again: %s", error
                )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        articles = sorted(read_starter_set(source), key=lambda article: article.id)
        encode = encoder.encode_articles if encoder else None
        model = encoder.model if encoder else None
        put_into_use(build_index(articles, len(articles), folder, encode=encode, model=model))
        return current_index(folder)
    folders = ", ".join(map(str, cache_folders()))
    raise DataSetError(
        f"the starter set cannot be indexed; make one of these folders writable: {folders}"
    )
