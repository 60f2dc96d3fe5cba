"""Evaluate the literature search on questions with judged documents.

The documents, questions and judgments are in three files in the format of NFCorpus: V. Boteva et
al., "A full-text learning to rank dataset for medical information retrieval" (2016),
doi:10.1007/978-3-319-30671-1_58.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from postmeal.errors import DataSetError
from postmeal.literature.article import Article, Citation, Section, pmid_order
from postmeal.literature.embedding.encoder import Encoder
from postmeal.literature.index import build_index, current_index, put_into_use
from postmeal.literature.ranking import METHODS, Method, Ranker

__all__ = [
    "LiteratureQuestions",
    "MethodFinding",
    "evaluate_methods",
    "methods_report",
    "ndcg",
    "read_literature_questions",
    "write_rankings",
]

_DEPTH = 10
_RESAMPLES = 2000
_SEED = 20261123
_BASE: Method = "fused"
_ABSTRACT = " abstract "
_ADDED_TO_TITLES = " pubmed ncbi"


class LiteratureQuestions(NamedTuple):
    """Questions with judged documents."""

    articles: tuple[Article, ...]
    questions: dict[str, str]
    judgments: dict[str, dict[str, int]]


class MethodFinding(NamedTuple):
    """Result of evaluating one ranking method."""

    method: str
    ndcg: float
    low: float
    high: float
    rankings: dict[str, list[str]]


def read_literature_questions(folder: Path) -> LiteratureQuestions:
    """Read the documents, questions and judgments in a folder."""
    articles = [_article(name, text) for name, text in _rows(_file(folder, "*.docs"))]
    judgments: dict[str, dict[str, int]] = {}
    path = _file(folder, "*.qrel")
    for number, line in enumerate(_lines(path), start=1):
        columns = line.split()
        if len(columns) != 4 or not columns[3].isdigit():
            raise DataSetError(
                f"{path}, line {number} must contain the ID of a question, the number 0, the ID"
                f" of a document and a grade; got {line!r}"
            )
        judgments.setdefault(columns[0], {})[columns[2]] = int(columns[3])
    texts = dict(_rows(_file(folder, "*.titles.queries")))
    questions = {
        name: text for name, text in texts.items() if any(judgments.get(name, {}).values())
    }
    if not questions or not articles:
        raise DataSetError(f"{folder} must contain a question with a relevant document, got none")
    articles.sort(key=lambda article: pmid_order(article.id))
    return LiteratureQuestions(tuple(articles), questions, judgments)


def evaluate_methods(
    data: LiteratureQuestions, encoder: Encoder | None = None
) -> list[MethodFinding]:
    """Rank the documents for each question with each method, and score the rankings."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = encoder.model if encoder else None
        encode = encoder.encode_articles if encoder else None
        put_into_use(
            build_index(data.articles, len(data.articles), folder, encode=encode, model=model)
        )
        ranker = Ranker(current_index(folder), encoder)
        methods = [each for each in METHODS if encoder or each.startswith("words")]
        rankings = {method: _rankings(data, ranker, method) for method in methods}
    gains = {
        method: np.array([ndcg(found[name], data.judgments[name]) for name in data.questions])
        for method, found in rankings.items()
    }
    base = gains[_BASE if encoder else "words"]
    findings = []
    for method in methods:
        low, high = _interval(gains[method] - base)
        findings.append(
            MethodFinding(method, float(gains[method].mean()), low, high, rankings[method])
        )
    return findings


def methods_report(data: LiteratureQuestions, findings: Sequence[MethodFinding]) -> str:
    """Format the nDCG@10 of each method, and the 95% interval of its difference from the base."""
    width = max(len(finding.method) for finding in findings)
    base = "plain fusion" if any(finding.method == _BASE for finding in findings) else "words alone"
    lines = [
        f"{len(data.questions):,} questions, {len(data.articles):,} documents",
        "",
        f"{' ' * width} nDCG@10  95% interval of the difference from {base}",
    ]
    for finding in findings:
        interval = f"{finding.low:+.3f} … {finding.high:+.3f}"
        lines.append(f"{finding.method:<{width}} {finding.ndcg:7.4f}  {interval}")
    return "\n".join(lines)


def ndcg(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """Compute the normalized discounted cumulative gain of the first ten documents.

    The gain of a document is its grade. Reference: K. Järvelin and J. Kekäläinen, "Cumulated
    gain-based evaluation of IR techniques" (2002), doi:10.1145/582415.582418.
    """
    gains = [grades.get(document, 0) for document in ranking[:_DEPTH]]
    best = sorted(grades.values(), reverse=True)[:_DEPTH]
    return _discounted(gains) / _discounted(best)


def write_rankings(findings: Sequence[MethodFinding], path: Path) -> None:
    """Write a CSV file with each method's first ten documents."""
    rows = [
        (finding.method, question, rank, document)
        for finding in findings
        for question, documents in finding.rankings.items()
        for rank, document in enumerate(documents, start=1)
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("method", "question", "rank", "document"))
        writer.writerows(rows)


def _rankings(data: LiteratureQuestions, ranker: Ranker, method: Method) -> dict[str, list[str]]:
    return {
        name: [data.articles[number].id for number, _ in ranker.rank(text, _DEPTH, None, method)]
        for name, text in data.questions.items()
    }


def _discounted(gains: Sequence[int]) -> float:
    return float(sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, start=1)))


def _interval(differences: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Compute the 95% interval of a mean difference with a paired bootstrap over the questions."""
    generator = np.random.default_rng(_SEED)
    drawn = generator.integers(0, len(differences), (_RESAMPLES, len(differences)))
    low, high = np.quantile(differences[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _article(name: str, text: str) -> Article:
    title, _, abstract = text.partition(_ABSTRACT)
    sections = (Section(None, abstract),) if abstract else ()
    return Article(name, Citation(title.removesuffix(_ADDED_TO_TITLES)), sections)


def _file(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise DataSetError(
            f"{folder} must be a folder that contains exactly one {pattern} file, got {len(found)}"
        )
    return found[0]


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from (line.rstrip("\n") for line in file)
    except (OSError, UnicodeDecodeError) as error:
        raise DataSetError(f"{path} cannot be read: {error}") from error


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_lines(path), start=1):
        name, tab, text = line.partition("\t")
        if not tab or not name:
            raise DataSetError(f"{path}, line {number} must contain an ID, a tab and a text")
        yield name, text
