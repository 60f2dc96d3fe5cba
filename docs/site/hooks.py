"""MkDocs hooks that add generated pages and files from outside ``docs`` to the site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

SITE = Path(__file__).resolve().parent
ROOT = SITE.parents[1]
for folder in (ROOT, SITE):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from reference_pages import generated_pages  # noqa: E402
from reference_pages.repository_links import linked_files, with_site_links  # noqa: E402


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add generated pages and linked files, and list the folders in the navigation."""
    written = sorted(file.src_uri for file in files.documentation_pages())
    generated = generated_pages()
    for uri, text in generated.items():
        files.append(File.generated(config, uri, content=text))
    assets = {f"assets/site/{name}": SITE / name for name in ("iframe-worker.js", "site.css")}
    for uri, source in {**linked_files(ROOT), **assets}.items():
        files.append(File.generated(config, uri, abs_src_path=str(source)))
    config.nav = _with_folders(config.nav, [*generated, *written])
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite links to files outside ``docs``, so that they point to the copies on the site."""
    return with_site_links(markdown, page.file.src_uri, ROOT)


def _with_folders(entry: Any, uris: list[str]) -> Any:
    """Return the navigation with each folder name replaced by the folder's pages, index first."""
    if isinstance(entry, list):
        return [_with_folders(each, uris) for each in entry]
    if isinstance(entry, dict):
        return {title: _with_folders(each, uris) for title, each in entry.items()}
    if isinstance(entry, str) and entry.endswith("/"):
        pages = [uri for uri in uris if uri.rpartition("/")[0] == entry.rstrip("/")]
        return sorted(pages, key=lambda uri: not uri.endswith("/index.md"))
    return entry
