"""Terms that an article must contain to answer a question.

An article need not contain all words of a question. However, it must contain certain terms, such
as the type of diabetes, the medicine, and what is done with the medicine. For example, an article
about type 2 diabetes does not answer a question about type 1. Articles about the outcome in the
question are preferred.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class RequiredTerms:
    """Terms that an article must contain, in the groups of ``required_terms.toml``."""

    def __init__(self, question: str, *, any_kind: bool = False) -> None:
        named = {
            name: [term.in_article for term in terms if term.in_question.search(question.lower())]
            for name, terms in _groups().items()
        }
        self._groups = {
            name: terms
            for name, terms in named.items()
            if terms and not (any_kind and name == "kind_of_diabetes")
        }

    def are_in(self, text: str) -> bool:
        """Return whether a text has a term of each group in the question; outcomes are optional."""
        return all(_is_in(self._groups[name], text) for name in self._groups if name != "outcome")

    def outcome_is_in(self, text: str) -> bool:
        """Return whether a text names an outcome in the question, or the question names none."""
        return "outcome" not in self._groups or _is_in(self._groups["outcome"], text)


def _is_in(terms: Sequence[re.Pattern[str]], text: str) -> bool:
    return any(term.search(text.lower()) for term in terms)


def names_kind(text: str) -> bool:
    """Return whether a plain text names a type of diabetes."""
    return any(term.in_question.search(text) for term in _groups()["kind_of_diabetes"])


class _Term(NamedTuple):
    in_question: re.Pattern[str]
    in_article: re.Pattern[str]


@cache
def _groups() -> dict[str, tuple[_Term, ...]]:
    content = files("postmeal.chat").joinpath("required_terms.toml").read_text(encoding="utf-8")
    tables: dict[str, dict[str, str]] = tomllib.loads(content)
    return {
        name: tuple(
            _Term(re.compile(rf"\b(?:{said})"), re.compile(rf"\b(?:{written})", re.DOTALL))
            for said, written in table.items()
        )
        for name, table in tables.items()
    }
