"""Terms that an article must contain to answer a question.

Half of the words of a question may be missing in an article, but not the kind of diabetes, the
medicine, what is done with it, or the outcome: an article about type 2 does not answer a question
about type 1.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["RequiredTerms"]


class RequiredTerms:
    """Terms that an article must contain, by the groups of ``required_terms.toml``.

    Parameters
    ----------
    question : str
        Plain text of a question.
    any_kind : bool, default False
        Whether the kind of diabetes does not matter.

    Examples
    --------
    >>> required = RequiredTerms("is keto safe in type 1?")
    >>> required.are_in("Type 1 diabetes and the risk of diets low in carbohydrate")
    True
    >>> required.are_in("Type 2 diabetes and the risk of diets low in carbohydrate")
    False
    """

    def __init__(self, question: str, *, any_kind: bool = False) -> None:
        self._groups = [
            [term.in_article for term in terms if term.in_question.search(question.lower())]
            for name, terms in _groups().items()
            if not (any_kind and name == "kind_of_diabetes")
        ]

    def are_in(self, text: str) -> bool:
        """Return whether a text has a term of each group that the question names."""
        text = text.lower()
        return all(any(each.search(text) for each in group) for group in self._groups if group)


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
