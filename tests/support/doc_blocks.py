"""The fenced blocks of the Markdown pages: README.md and all pages below ``docs``."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RUN = ("python", "pycon", "console", "output", "bash", "json")
"""Languages of blocks that are executed or compared; see `doc_runner`."""

FILES = ("csv", "tsv", "toml", "env", "py")
"""Languages of blocks that are written to the file in their title."""

SHOWN = ("text", "nginx", "caddy", "ini", "http", "promql", "diff", "yaml", "sql")
"""Languages of blocks that are shown only; some are checked for balance."""

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=fence) *$", re.M | re.S)
_MARKER = re.compile(r"<!-- not run: (?P<reason>[^>]+?) -->\s*\Z")
_OPERATION = re.compile(r"`(GET|POST|PUT|PATCH|DELETE) (/v1\.[12]/[^`\s]*)`")
_INDENTED = re.compile(r"^[ \t]+`{3}", re.M)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Attributes
    ----------
    language : str
        The first word after the fence.
    title : str
        The title after the language, such as ``meals.csv``.
    text : str
        Content of the block.
    line : int
        Line of the page on which the content begins, counted from 1.
    place : int
        Position of the block in the page, in characters.
    not_run : str
        Reason from a "not run" comment before the block; empty if there is no such comment.
    operation : tuple of (str, str) or None
        Method and path of the last HTTP operation named before the block.
    operation_place : int
        Position of this name in the page, in characters; -1 if no operation is named.
    """

    language: str
    title: str
    text: str
    line: int
    place: int
    not_run: str
    operation: tuple[str, str] | None
    operation_place: int


def pages() -> list[Path]:
    """Return the paths of README.md and of the hand-written pages of the site."""
    docs = ROOT / "docs"
    found = (page for page in docs.rglob("*.md") if docs / "site" not in page.parents)
    return [ROOT / "README.md", *sorted(found)]


def blocks_of(page: Path) -> list[Block]:
    """Parse the blocks of a page.

    Raises
    ------
    ValueError
        A block is indented, is not closed, or its language is missing or not supported.
    """
    markdown = page.read_text(encoding="utf-8")
    found = [_block(markdown, match) for match in _FENCE.finditer(markdown)]
    rest = _FENCE.sub("", markdown)
    if match := _INDENTED.search(rest) or re.search(r"^`{3}", rest, re.M):
        line = rest[match.start() :].partition("\n")[0]
        raise ValueError(f"{page.name}: a block is indented or not closed: {line!r}")
    for block in found:
        if block.language not in (*RUN, *FILES, *SHOWN):
            languages = ", ".join((*RUN, *FILES, *SHOWN))
            message = f"unknown language {block.language!r}; supported: {languages}"
            raise ValueError(f"{page.name}:{block.line}: {message}")
    return found


def blocks_not_run() -> Counter[tuple[str, str]]:
    """Count the blocks that do not run, by page and reason."""
    return Counter(
        (page.relative_to(ROOT).as_posix(), block.not_run)
        for page in pages()
        for block in blocks_of(page)
        if block.not_run
    )


def _block(markdown: str, match: re.Match[str]) -> Block:
    before = markdown[: match.start()]
    language, _, options = match["info"].strip().partition(" ")
    title = re.search(r'title="([^"]*)"', options)
    marker = _MARKER.search(before)
    operations = list(_OPERATION.finditer(before))
    last = operations[-1] if operations else None
    return Block(
        language=language,
        title=title[1] if title else "",
        text=match["text"],
        line=markdown.count("\n", 0, match.start("text")) + 1,
        place=match.start(),
        not_run=marker["reason"] if marker else "",
        operation=(last[1], last[2]) if last else None,
        operation_place=last.start() if last else -1,
    )
