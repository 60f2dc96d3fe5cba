"""What words in the names of foods are worth, and what they mean, when names are matched.

The words are in ``name_words.toml``.
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

from postmeal.foods.words import words

__all__ = [
    "COOKED",
    "EATEN_COOKED",
    "FILLERS",
    "HOLDERS",
    "PARTS",
    "SHARP",
    "SIDES",
    "VAGUE",
    "after_the_head",
    "alike",
    "all_alike",
    "head_of",
]

_TABLE: dict[str, Any] = tomllib.loads(
    files("postmeal.foods.language").joinpath("name_words.toml").read_text(encoding="utf-8")
)

FILLERS = frozenset(words(_TABLE["fillers"]))
"""Words that say little about what is in a food: cheap to leave unsaid, cheap to say in vain."""

VAGUE = frozenset(words(_TABLE["vague"]))
"""Words that say less than others as rare."""

SHARP = frozenset(words(_TABLE["sharp"]))
"""Words that make another food of what they are said of."""

COOKED = frozenset(words(_TABLE["cooked"]))
"""Said or not, food is cooked that is eaten cooked."""

EATEN_COOKED = frozenset(words(_TABLE["eaten_cooked"]))
"""Foods of which the raw one is meant only when "raw", "dry" or "flour" is said."""

HOLDERS = frozenset(words(_TABLE["holders"]))
"""Foods that are made of others: what they are eaten with is in them."""

PARTS = frozenset(words(_TABLE["parts"]))
"""What is never eaten alone but on or in another food."""

SIDES = frozenset(words(_TABLE["sides"]))
"""Foods that are eaten beside others and not in them."""

_PREPARED = COOKED.union(words(_TABLE["prepared"]))
_AFTER_THE_HEAD = frozenset(words(_TABLE["after_the_head"]))
_MEANT = {
    " ".join(words(said)): meant
    for meant, others in _TABLE["alike"].items()
    for said in others.split(";")
}
_SAID = re.compile(
    r"(?<!\S)(?:" + "|".join(map(re.escape, sorted(_MEANT, key=len, reverse=True))) + r")(?!\S)"
)
_NOT = re.compile(
    r"(?<!\S)(?:no|not|without|free of) "
    r"(?!added|add|salt|eaten|of|further|ns|a |as )(\S+)"
)

_PLAIN_WATER = re.compile(r"\bunsweetened (.*\bwater)\b|(\bwater\b.*?) unsweetened\b")
_ON_A_BUN = re.compile(r"\bsandwich\b(.*?) on (?:an? )?(biscuit|croissant|bagel|english muffin)\b")


def alike(name: str) -> list[str]:
    """Write words that mean the same in one way.

    Parameters
    ----------
    name : str
        Words as `postmeal.foods.words.words` gives them, joined by spaces.

    Returns
    -------
    list of str
        The words, in order; what is denied is one word.

    Examples
    --------
    >>> alike("fat free yogurt"), alike("frankfurter"), alike("pizza no cheese")
    (['nonfat', 'yogurt'], ['hotdog'], ['pizza', 'nocheese'])
    """
    return _one_way(name).split()


def all_alike(names: list[str]) -> list[list[str]]:
    """Write the words of many names as `alike` does those of one; the names hold no line breaks."""
    return [line.split() for line in _one_way("\n".join(names)).split("\n")] if names else []


def _one_way(text: str) -> str:
    said = _SAID.sub(lambda match: _MEANT[match[0]], text)
    said = _PLAIN_WATER.sub(r"\1\2", said)
    said = _ON_A_BUN.sub(r"\1 \2", said)
    return _NOT.sub(r"no\1", said)


def head_of(name: list[str]) -> str:
    """Answer the word that says what a food is: of "chicken soup with rice", soup.

    Examples
    --------
    >>> head_of(["chicken", "soup", "with", "rice"])
    'soup'
    """
    name = name[: after_the_head(name)]
    return name[-1] if name else ""


def after_the_head(name: list[str]) -> int:
    """Answer where a name no more says what the food is but what is in it, on it or around it.

    Examples
    --------
    >>> after_the_head(["chicken", "soup", "with", "rice"])
    2
    >>> after_the_head(["meat", "cooked", "in", "butter"])
    1
    """
    end = next(
        (place for place, word in enumerate(name) if word in _AFTER_THE_HEAD and place), len(name)
    )
    while end < len(name) and end > 1 and name[end - 1] in _PREPARED:
        end -= 1
    return end
