"""Benchmark of literature search, compared with a SQLite full-text index in the same run.

``python -m benchmarks.literature FILE`` imports a file of PubMed records, recombines their
sentences into ``--articles`` articles, and times searches with article titles as questions. The
vectors of these articles are random mixtures of the vectors of real articles, because computing
vectors takes hours. The time to compute the vector of a question is included. The exit status is 0
if every aim is reached, otherwise 1.
"""

from __future__ import annotations

import argparse
import random
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import numpy.typing as npt

from postmeal.literature.article import Article, Citation, Section
from postmeal.literature.build import import_files
from postmeal.literature.embedding.encoder import Encoder
from postmeal.literature.index import build_index, current_index, put_into_use
from postmeal.literature.search import Literature
from postmeal.literature.sentences import sentences
from postmeal.literature.sources.collection import Collection
from postmeal.literature.tokens import STOP_WORDS

AIMS_MS = {100_000: ((10, 30), (25, 60)), 1_000_000: ((150, 400), (150, 400))}
_IMPORT_RECORDS_S = 1_200
_MEMORY_MIB = 250
_MIXED = 600  # number of real articles whose vectors are mixed


def add_options(parser: argparse.ArgumentParser, folder: Path) -> None:
    """Add the options for an index of recombined articles, with a default folder for it."""
    parser.add_argument(
        "--articles",
        type=int,
        default=100_000,
        help="number of recombined articles to search (default: %(default)s)",
    )
    parser.add_argument(
        "--questions",
        type=int,
        default=300,
        help="approximate number of timed questions (default: %(default)s)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=folder,
        help="folder for the articles and the indexes (default: %(default)s)",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="MEDLINE XML file with at least 2,000 records")
    add_options(parser, Path("var/benchmark-literature"))
    options = parser.parse_args()
    aims: list[tuple[str, bool]] = []
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "articles.db").unlink(missing_ok=True)
    start = process_time()
    (report,) = import_files([options.file], folder)
    speed = (report.stored + report.omitted.total()) / (process_time() - start)
    print(f"import: {speed:,.0f} records per second of CPU time (aim {_IMPORT_RECORDS_S:,})")
    aims.append(("import", speed >= _IMPORT_RECORDS_S))
    with Collection(folder / "articles.db") as collection:
        real = list(collection.articles())
    encoder = Encoder.find()
    index_folder = folder / f"index-of-{options.articles}"
    build(real, options.articles, index_folder, encoder)
    questions = [each.citation.title for each in real[:: max(1, len(real) // options.questions)]]
    by_words, fused = AIMS_MS.get(options.articles, AIMS_MS[100_000])
    before = anonymous_mib()
    words = Literature(current_index(index_folder))
    aims.append(("words", show("words, feedback", words.search, questions, by_words)))
    if encoder is not None:
        both = Literature(current_index(index_folder), encoder)
        aims.append(("vectors", show("fused, feedback", both.search, questions, fused)))
    memory = anonymous_mib() - before
    print(f"memory beyond the files: {memory:.0f} MiB (aim {_MEMORY_MIB})")
    aims.append(("memory", memory <= _MEMORY_MIB))
    peer = full_text(folder / f"peer-{options.articles}.sqlite", real, options.articles)
    show("SQLite FTS5 OR, words alone", peer, questions[:60], None)
    for name, reached in aims:
        print(f"{name}: {'reached' if reached else 'MISSED'}")
    sys.exit(not all(reached for _, reached in aims))


def recombined(real: Sequence[Article], count: int) -> Iterator[Article]:
    """Yield articles that consist of random sentences from real articles."""
    draw = random.Random(20261123)
    parts = [sentence for article in real for sentence in sentences(article.text)]
    titles = [article.citation.title for article in real]
    for number in range(1, count + 1):
        text = " ".join(draw.choices(parts, k=draw.randint(5, 11)))
        citation = Citation(draw.choice(titles), year=2020, pmid=str(number))
        yield Article(f"pmid:{number}", citation, (Section(None, text),))


def build(real: Sequence[Article], count: int, folder: Path, encoder: Encoder | None) -> None:
    if (folder / "current").is_file():
        return
    generator = np.random.default_rng(1)
    encode = None
    if encoder is not None:
        known = encoder.encode_articles(real[:_MIXED])

        def encode(articles: list[Article]) -> npt.NDArray[np.float32]:
            pairs = generator.integers(0, len(known), (2, len(articles)))
            mixed = known[pairs[0]] + known[pairs[1]]
            mixed += generator.normal(scale=0.02, size=mixed.shape)
            return (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)

    start = perf_counter()
    model = encoder.model if encoder else None
    put_into_use(build_index(recombined(real, count), count, folder, encode=encode, model=model))
    print(f"build: {count / (perf_counter() - start):,.0f} articles/s, vectors not included")


def full_text(path: Path, real: Sequence[Article], count: int) -> Callable[[str], object]:
    """Return a function that searches the same articles in a SQLite full-text index."""
    is_new = not path.is_file()
    database = sqlite3.connect(path)
    if is_new:
        database.execute(
            "CREATE VIRTUAL TABLE article USING fts5"
            "(title, text, tokenize='porter unicode61', content='')"
        )
        database.executemany(
            "INSERT INTO article(rowid, title, text) VALUES (?, ?, ?)",
            ((n, each.citation.title, each.text) for n, each in enumerate(recombined(real, count))),
        )
        database.commit()

    def search(question: str) -> object:
        words = [word for word in re.findall(r"\w+", question) if word.lower() not in STOP_WORDS]
        matching = " OR ".join(f'"{word}"' for word in words)
        query = (
            "SELECT rowid FROM article WHERE article MATCH ? ORDER BY bm25(article, 2, 1) LIMIT 10"
        )
        return database.execute(query, (matching,)).fetchall()

    return search


def show(
    name: str,
    search: Callable[[str], object],
    questions: Sequence[str],
    aim_ms: tuple[float, float] | None,
) -> bool:
    """Time searches for questions, print p50 and p99, and return whether both reach the aims."""
    for question in questions[:20]:
        search(question)
    times = []
    for question in questions:
        start = perf_counter()
        search(question)
        times.append((perf_counter() - start) * 1e3)
    p50, p99 = np.quantile(times, [0.5, 0.99])
    aim = f" (aim {aim_ms[0]} / {aim_ms[1]})" if aim_ms else ""
    print(f"{name}: p50 {p50:.1f} ms, p99 {p99:.1f} ms{aim}")
    return aim_ms is None or bool(p50 <= aim_ms[0] and p99 <= aim_ms[1])


def anonymous_mib() -> float:
    """Return the memory of this process in MiB, without cached files."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1024


if __name__ == "__main__":
    main()
