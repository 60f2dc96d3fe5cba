"""Patterns for plain texts, in ``patterns.toml``, and word lists, in ``words.toml``."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files


def has(name: str, text: str) -> bool:
    """Return whether a plain text matches a pattern in ``patterns.toml``."""
    return pattern(name).search(text) is not None


@cache
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern in ``patterns.toml``, with each ``{name}`` replaced by the named list."""
    alternatives = "|".join(_filled(each) for each in _table()[name])
    return re.compile(f"(?:{alternatives})")


def _filled(alternative: str) -> str:
    return re.sub(
        r"\{([a-z_]+)\}", lambda match: f"(?:{'|'.join(_table()[match.group(1)])})", alternative
    )


@cache
def word_list(name: str) -> frozenset[str]:
    """Return a list of words from ``words.toml``."""
    lists: dict[str, str] = tomllib.loads(_content("words.toml"))
    return frozenset(lists[name].split())


@cache
def _table() -> dict[str, list[str]]:
    table: dict[str, list[str]] = tomllib.loads(_content("patterns.toml"))
    return table


def _content(name: str) -> str:
    return files("postmeal.chat").joinpath(name).read_text(encoding="utf-8")
