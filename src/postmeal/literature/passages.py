"""Which sentences of an article answer a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from postmeal.literature.article import Article, Section
from postmeal.literature.sentences import sentences
from postmeal.literature.tokens import stems

__all__ = ["passage_text"]

_MOST_SENTENCES = 3
_MAX_LETTERS = 900
_CONCLUSION = ("CONCLU", "INTERPRETATION", "IMPLICATION", "SIGNIFICANCE", "DISCUSSION")
_RESULTS = ("RESULT", "FINDING", "OUTCOME")
_METHODS = ("METHOD", "DESIGN", "SETTING", "PATIENTS", "PARTICIPANTS", "MEASURE", "MATERIAL")
_LABEL_WEIGHT = 0.5
_POSITION_WEIGHT = 0.5


def passage_text(question: Iterable[str], article: Article, rarity: Callable[[str], float]) -> str:
    """Return the one to three consecutive sentences that answer a question best.

    A run of sentences is rated by the share of the words of the question that it contains, each
    weighted by its rarity. Sentences at the end of a text, and those that the authors have labeled
    as conclusions or results, are preferred: this is where abstracts state their answers.

    Parameters
    ----------
    question : iterable of str
        Stems of the question.
    article : Article
        Article to quote.
    rarity : callable
        Returns the inverse document frequency of a stem.

    Returns
    -------
    str
        Sentences of one section, verbatim; the title if the article has no text. Texts that are
        summaries in our own words are returned whole, after "Summary of" and the source.
    """
    if article.is_summary:
        return article.summary_mark + article.text
    weights = {stem: rarity(stem) for stem in question}
    total = sum(weights.values()) or 1.0
    n_letters = sum(len(section.text) for section in article.sections)
    best_text, best_rating = article.citation.title, -1.0
    start = 0  # letters before the section
    for section in article.sections:
        parts = sentences(section.text)
        found = [set(stems(sentence)) & weights.keys() for sentence in parts]
        for first in range(len(parts)):
            for last in range(first, min(first + _MOST_SENTENCES, len(parts))):
                text = _run(section.text, parts, first, last)
                if last > first and len(text) > _MAX_LETTERS:
                    break
                words = set[str]().union(*found[first : last + 1])
                share = sum(weights[stem] for stem in words) / total
                end = start + section.text.index(text) + len(text)
                place = _POSITION_WEIGHT * end / max(n_letters, 1) + _label(section)
                rating = share + place - 0.02 * (last - first)
                if rating > best_rating:
                    best_text, best_rating = text, rating
        start += len(section.text)
    return best_text


def _run(text: str, parts: list[str], first: int, last: int) -> str:
    """Return consecutive sentences with the white space between them."""
    begin = text.index(parts[first])
    end = begin
    for part in parts[first : last + 1]:
        end = text.index(part, end) + len(part)
    return text[begin:end]


def _label(section: Section) -> float:
    label = (section.label or "").upper()
    if any(word in label for word in _CONCLUSION):
        return _LABEL_WEIGHT
    if any(word in label for word in _RESULTS):
        return _LABEL_WEIGHT / 2
    return -_LABEL_WEIGHT / 2 if any(word in label for word in _METHODS) else 0.0
