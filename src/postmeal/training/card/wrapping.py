"""Wrap the lines of the generated pages at 100 characters."""

from __future__ import annotations

from textwrap import fill

_WIDTH = 100
_UNCHANGED = ("|", "#", "!", " ")


def wrapped(markdown: str) -> str:
    """Rewrap paragraphs and lists, leaving tables, headings and images unchanged."""
    return "\n\n".join(_block(block) for block in markdown.split("\n\n"))


def _block(block: str) -> str:
    if block.startswith(_UNCHANGED):
        return block
    if block.startswith("- "):
        items = block.removeprefix("- ").split("\n- ")
        return "\n".join(_filled(item, first="- ", later="  ") for item in items)
    return _filled(block)


def _filled(text: str, first: str = "", later: str = "") -> str:
    return fill(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
