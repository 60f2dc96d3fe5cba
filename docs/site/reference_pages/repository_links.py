"""Links from pages to repository files outside ``docs``, which are copied to the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

__all__ = ["linked_files", "with_site_links"]

_COPIES = "repository"
"""Folder of the copies on the site."""

_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)(?=[)#\s])")
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def linked_files(root: Path) -> dict[str, Path]:
    """Return the files outside ``docs`` that pages link to.

    Files linked from copied pages are included.

    Parameters
    ----------
    root : Path
        Root of the checkout.

    Returns
    -------
    dict of str to Path
        Files to copy, keyed by their paths on the site.
    """
    docs = root / "docs"
    pages = [page for page in docs.rglob("*.md") if docs / "site" not in page.parents]
    found: dict[str, Path] = {}
    while pages:
        page = pages.pop()
        for target in _targets(page.read_text(encoding="utf-8"), page.relative_to(root).as_posix()):
            file = root / target
            uri = f"{_COPIES}/{target}"
            if target.startswith(("docs/", "../")) or uri in found or not file.is_file():
                continue
            found[uri] = file
            if file.suffix == ".md":
                pages.append(file)
    return found


def with_site_links(markdown: str, uri: str, root: Path) -> str:
    """Return a page whose links to files outside ``docs`` point to their copies.

    Parameters
    ----------
    markdown : str
        Text of the page.
    uri : str
        Path of the page on the site, before conversion to HTML.
    root : Path
        Root of the checkout.
    """
    is_copy = uri.startswith(f"{_COPIES}/")
    source = uri.removeprefix(f"{_COPIES}/") if is_copy else f"docs/{uri}"

    def on_the_site(match: re.Match[str]) -> str:
        target = normpath(join(dirname(source), match[1]))
        if target.startswith("docs/"):
            place = target.removeprefix("docs/")
        elif (root / target).is_file() and not target.startswith("../"):
            place = f"{_COPIES}/{target}"
        else:
            return match[1]
        return relpath(place, dirname(uri) or ".")

    pieces = _FENCED.split(markdown)
    return "".join(
        piece if piece.startswith("```") else _LINK.sub(on_the_site, piece) for piece in pieces
    )


def _targets(markdown: str, source: str) -> Iterator[str]:
    """Yield the link targets of a page, relative to the root of the checkout."""
    for match in _LINK.finditer(_FENCED.sub("", markdown)):
        yield normpath(join(dirname(source), match[1]))
