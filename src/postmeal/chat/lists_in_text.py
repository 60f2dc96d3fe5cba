"""Formatting of lists for sentences, such as "rice, lentils and butter"."""

from __future__ import annotations

from collections.abc import Iterable


def list_of(items: Iterable[str]) -> str:
    """Join items with commas and "and"."""
    texts = list(items)
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)
