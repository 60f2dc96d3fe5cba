"""Find the sentences of an article that answer a question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from postmeal.literature.article import Article, Section
from postmeal.literature.sentences import sentences
from postmeal.literature.tokens import stems

_MOST_SENTENCES = 3
_MAX_LETTERS = 900
_CONCLUSION = ("CONCLU", "INTERPRETATION", "IMPLICATION", "SIGNIFICANCE", "DISCUSSION")
_CONCLUSION_WEIGHT = 0.25
_LENGTH_PENALTY = 0.1


def passage_text(question: Iterable[str], article: Article, rarity: Callable[[str], float]) -> str:
    """Return the one to three consecutive sentences that best answer a question.

    Sentences are rated by the share of the question's words that they contain, weighted by rarity.
    A sentence is added to a passage only if it contains at least a tenth of the question's total
    weight. Sections that the authors labeled as conclusions are preferred.
    """
    if article.is_summary:
        return article.summary_mark + article.text
    weights = {stem: rarity(stem) for stem in question}
    total = sum(weights.values()) or 1.0
    best_text, best_rating = next(_cut(article.citation.title)), -1.0
    for section in article.sections:
        preference = _preference(section)
        parts = [part for sentence in sentences(section.text) for part in _cut(sentence)]
        found = [set(stems(sentence)) & weights.keys() for sentence in parts]
        for first, sentence in enumerate(parts):
            n_letters = len(sentence)
            for last in range(first, min(first + _MOST_SENTENCES, len(parts))):
                n_letters += len(parts[last]) if last > first else 0
                if last > first and n_letters > _MAX_LETTERS:
                    break
                words = set[str]().union(*found[first : last + 1])
                share = sum(weights[stem] for stem in words) / total
                rating = share + preference - _LENGTH_PENALTY * (last - first)
                if rating > best_rating:
                    best_rating = rating
                    best_text = " ".join(parts[first : last + 1])
    return best_text


def whole_text(article: Article) -> str:
    """Return the text of an article, with a line for each section, or its title."""
    if article.is_summary:
        return article.summary_mark + article.text
    return "\n".join(section.text for section in article.sections) or article.citation.title


def _cut(sentence: str) -> Iterator[str]:
    """Yield the parts of a sentence, each with at most 900 characters."""
    while len(sentence) > _MAX_LETTERS:
        end = sentence.rfind(" ", 1, _MAX_LETTERS + 1)
        end = end if end > 0 else _MAX_LETTERS
        yield sentence[:end]
        sentence = sentence[end:].lstrip()
    yield sentence


def _preference(section: Section) -> float:
    label = (section.label or "").upper()
    return _CONCLUSION_WEIGHT if any(word in label for word in _CONCLUSION) else 0.0
