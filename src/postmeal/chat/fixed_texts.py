"""The fixed texts of the chat, which are read from ``fixed_texts.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from postmeal.chat.lists_in_text import list_of
from postmeal.foods.diets.rules import RESTRICTIONS

_NAMES = {"dairy": "milk", "msg": "MSG", "fodmaps": "FODMAPs"}


@dataclass(frozen=True, slots=True)
class FixedText:
    """A fixed text of the chat."""

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
    """Return the sentences of a fixed text."""
    return tuple(
        sentence.replace("{reading}", reading)
        for sentence in fixed_texts()[name].sentences
        if reading or "{reading}" not in sentence
    )


def _restrictions() -> str:
    """Return the foods that the diet rules can exclude, as a list in a sentence."""
    names = (_NAMES.get(each, each.replace("_", " ")) for each in RESTRICTIONS)
    return list_of(sorted(names, key=str.lower))
