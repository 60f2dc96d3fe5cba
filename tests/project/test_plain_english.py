"""A few phrases that have a plainer form stay out of texts. The style page has the rules."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("README.md", ".github", "src", "serve", "docs", "notebooks", "benchmarks", "tools")
TEXTS = (".py", ".md", ".js", ".html", ".toml", ".yml", ".ipynb")
NOT_YET = (
    "src/postmeal/foods/alternatives",
    "src/postmeal/foods/language",
    "src/postmeal/training/cohorts",
    "src/postmeal/training/registry",
    "src/postmeal/training/synthetic",
)
"""Packages whose texts are rewritten with their code."""

SHOW_THEM = (
    "docs/contributing/style.md",
    "src/postmeal/chat/lay_terms.toml",
    "src/postmeal/chat/patterns.toml",
    "src/postmeal/chat/words.toml",
)
"""A page that shows such phrases beside their plain form, and tables of what users write."""

PHRASES = {
    r'"""Answers? ': "Return",
    r'"""Tells? ': "Return whether",
    r"\b(?:is|are|was|were) told\b": "reported, shown, stated",
    r"\bno longer told\b": "no longer returned",
    r"\b(?:knows|wants) (?:a|an|one|GET|POST) ": "supports, requires",
    r"\b(?:can|cannot|may) be had\b": "is available",
    r"\bleaves? out\b": "omit, skip",
    r"\bdishes of nothing\b": "empty dishes",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\bturn(?:s|ed|ing)? away\b": "reject",
    r"\bknocks?\b": "connect",
    r"\bdeaf\b": "ignores",
    r"\bat the door\b": "before the request is read",
    r"\bthe house\b": "the project",
    r"\bsomebody\b": "a user, a person",
    r"\ball the same\b": "anyway",
    r"\bgone on\b": "resumed",
    r"\bparted\b": "split, separated",
    r"\btill\b": "until",
    r"\bof one's own\b": "your own",
    r"\b(?i:fibre)\b": "fiber",
    r"\b(?i:colour|neighbour|behaviour)": "color, neighbor, behavior",
    r"\b(?i:grey)\b": "gray",
    r"\b(?i:(?:un|re)?modell(?:ed|ing))\b": "modeled, modeling",
}
"""Patterns, and what to write instead."""


def files() -> Iterator[Path]:
    for place in PLACES:
        path = ROOT / place
        yield from [path] if path.is_file() else path.rglob("*")


def texts() -> Iterator[tuple[str, str]]:
    for file in files():
        name = file.relative_to(ROOT).as_posix()
        if file.suffix not in TEXTS or name.startswith(NOT_YET) or name in SHOW_THEM:
            continue
        content = file.read_text(encoding="utf-8")
        if file.suffix == ".ipynb":
            cells = json.loads(content)["cells"]
            content = "\n".join("".join(cell["source"]) for cell in cells)
        yield name, content


@pytest.fixture(scope="module")
def lines() -> list[tuple[str, str]]:
    found = [
        (f"{name}:{number}", line)
        for name, content in texts()
        for number, line in enumerate(content.splitlines(), start=1)
    ]
    assert len(found) > 30_000
    return found


@pytest.mark.sampled
@pytest.mark.parametrize(("phrase", "instead"), PHRASES.items())
def test_a_phrase_is_written_plainly(
    phrase: str, instead: str, lines: list[tuple[str, str]]
) -> None:
    pattern = re.compile(phrase)
    found = [f"{place}: {line.strip()}" for place, line in lines if pattern.search(line)]
    assert found == [], f"write {instead!r} instead"
