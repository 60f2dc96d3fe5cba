"""Benchmark of the literature answers of the chat.

``python -m benchmarks.chat SAMPLE PUBMEDQA`` first measures the accuracy of the answers. PUBMEDQA
is a JSON file with research questions, each with the abstract and the conclusion of one article.
The index contains these abstracts and the PubMed records of SAMPLE. The titles of the abstracts are
left out, because they are the questions. Then the program uses the titles of SAMPLE as questions,
and times the answers with an index of ``--articles`` recombined articles (see
`benchmarks.literature`). The exit status is 0 if every aim is reached, otherwise 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.literature import add_options, build
from postmeal.chat import Assistant, ChatAnswer, Message
from postmeal.foods.catalog import Catalog
from postmeal.glucose.predictor import Predictor
from postmeal.literature.article import Article, Citation, Section
from postmeal.literature.build import import_files
from postmeal.literature.index import build_index, current_index, put_into_use
from postmeal.literature.search import Literature
from postmeal.literature.sources.collection import Collection

CITED, ROUGE_1 = 0.95, 0.30
P50_MS, P99_MS = 80.0, 300.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sample", type=Path, help="MEDLINE XML file of PubMed records")
    parser.add_argument("pubmedqa", type=Path, help="JSON file with the questions of PubMedQA")
    add_options(parser, Path("var/benchmark-chat"))
    options = parser.parse_args()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "articles.db").unlink(missing_ok=True)
    import_files([options.sample], folder)
    with Collection(folder / "articles.db") as collection:
        real = list(collection.articles())
    cases = json.loads(options.pubmedqa.read_text(encoding="utf-8"))
    is_reached = [
        *accuracy(cases, real, folder / "pubmedqa"),
        *speed(real, options.articles, options.questions, folder / f"of-{options.articles}"),
    ]
    sys.exit(not all(is_reached))


def accuracy(cases: dict[str, Any], real: Sequence[Article], folder: Path) -> Iterator[bool]:
    """Measure how often the right article is cited first, and how close answers are to conclusions.

    Print both figures, and yield whether each of them reaches its aim.
    """
    articles = [*abstracts(cases), *real]
    put_into_use(build_index(iter(articles), len(articles), folder))
    assistant = assistant_with(folder)
    answered, first, overlaps = 0, 0, []
    routes: Counter[str] = Counter()
    for pmid, case in cases.items():
        answer = ask(assistant, case["QUESTION"])
        routes[answer.route] += 1
        if answer.route != "literature":
            continue
        answered += 1
        first += answer.passages[0].citation.pmid == pmid
        text = " ".join(each.text for each in answer.sentences if each.source is not None)
        overlaps.append(rouge_1(text, case["LONG_ANSWER"]))
    print(f"answered: {answered} of {len(cases)} questions; routes: {dict(routes)}")
    yield reached("own article cited first, of the answers", first / answered, CITED)
    print(f"  of all questions: {first / len(cases):.3f}")
    yield reached("ROUGE-1 against the conclusion", float(np.mean(overlaps)), ROUGE_1)


def speed(real: Sequence[Article], count: int, n_questions: int, folder: Path) -> Iterator[bool]:
    """Print how long answers take with many articles; yield whether the aims are reached."""
    build(real, count, folder, None)
    assistant = assistant_with(folder)
    titles = [each.citation.title for each in real[:: max(1, len(real) // n_questions)]]
    for title in titles[:20]:
        ask(assistant, title)
    times = []
    for title in titles:
        start = perf_counter()
        ask(assistant, title)
        times.append((perf_counter() - start) * 1e3)
    p50, p99 = np.quantile(times, [0.5, 0.99])
    print(f"answers with {count:,} articles: p50 {p50:.0f} ms, p99 {p99:.0f} ms")
    yield p50 <= P50_MS and p99 <= P99_MS
    print(f"  aims {P50_MS:.0f} and {P99_MS:.0f} ms: {word(p50 <= P50_MS and p99 <= P99_MS)}")


def abstracts(cases: dict[str, Any]) -> Iterator[Article]:
    """Yield the abstracts of PubMedQA without their titles and conclusions."""
    for pmid, case in cases.items():
        citation = Citation(f"{pmid}", year=2010, pmid=pmid)
        yield Article(f"pmid:{pmid}", citation, (Section(None, " ".join(case["CONTEXTS"])),))


def assistant_with(folder: Path) -> Assistant:
    literature = Literature(current_index(folder))
    return Assistant(Catalog.open(), Predictor.load(), literature)


def ask(assistant: Assistant, question: str) -> ChatAnswer:
    return assistant.answer([Message("user", question)])


def rouge_1(text: str, reference: str) -> float:
    """Return the ROUGE-1 F1 score of a text, based on shared words (C.-Y. Lin 2004)."""
    one, other = (Counter(re.findall(r"\w+", each.lower())) for each in (text, reference))
    shared = (one & other).total()
    return 2 * shared / max(one.total() + other.total(), 1)


def reached(name: str, value: float, aim: float) -> bool:
    print(f"{name}: {value:.3f} (aim {aim:.2f}, {word(value >= aim)})")
    return value >= aim


def word(is_reached: bool) -> str:
    return "reached" if is_reached else "MISSED"


if __name__ == "__main__":
    main()
