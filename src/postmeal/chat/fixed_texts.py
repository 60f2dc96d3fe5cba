"""The fixed texts of the chat, which are read from ``fixed_texts.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from postmeal.chat.lists_in_text import list_of
from postmeal.foods.diets.rules import RESTRICTIONS

__all__ = ["FixedText", "fixed_text", "fixed_texts"]


_NAMES = {"dairy": "milk", "msg": "MSG", "fodmaps": "FODMAPs"}


@dataclass(frozen=True, slots=True)
class FixedText:
    """A fixed text of the chat.

    Attributes
    ----------
    name : str
        Name of the text in ``fixed_texts.toml``.
    sentences : tuple of str
        The sentences of the text.
    sources : tuple of str
        Publications on which the text is based.
    """

    name: str
    sentences: tuple[str, ...]
    sources: tuple[str, ...]


@cache
def fixed_texts() -> dict[str, FixedText]:
    """Return all fixed texts by name."""
    content = files("postmeal.chat").joinpath("fixed_texts.toml").read_text(encoding="utf-8")
    content = content.replace("{restrictions}", _restrictions())
    return {
        name: FixedText(name, tuple(text["sentences"]), tuple(text["sources"]))
        for name, text in tomllib.loads(content).items()
    }


def fixed_text(name: str, reading: str = "") -> tuple[str, ...]:
    """Return the sentences of a fixed text.

    Parameters
    ----------
    name : str
        Name of the text.
    reading : str, optional
        Glucose reading with its units, or words of the user. It replaces ``{reading}``.

    Examples
    --------
    >>> fixed_text("thanks")[0]
    'You are welcome.'
    """
    return tuple(each.replace("{reading}", reading) for each in fixed_texts()[name].sentences)


def _restrictions() -> str:
    """Return the foods that the diet rules can exclude, as a list in a sentence."""
    names = (_NAMES.get(each, each.replace("_", " ")) for each in RESTRICTIONS)
    return list_of(sorted(names, key=str.lower))
