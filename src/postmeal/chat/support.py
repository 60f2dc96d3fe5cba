"""Checks of sentences that a language model wrote against the sources that they cite.

Measures of similarity do not distinguish "raises" from "lowers", so sentences are compared word by
word. A sentence is supported if its source contains a sentence with the same words in the same
order. Only the differences listed in `postmeal.chat.comparable_words` are allowed: articles, forms
of a word, words for the same direction, units of glucose, and introductions such as "a study found
that". Questions are never supported and never support a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from postmeal.chat.answer import ChatAnswer, Sentence
from postmeal.chat.comparable_words import comparable_words, is_about_glucose_only
from postmeal.literature.sentences import sentences

_MOST_SENTENCES = 4


def reworded(answer: ChatAnswer, proposed: Sequence[Sentence]) -> ChatAnswer:
    """Return an answer with the supported sentences of a language model.

    If fewer than half of the proposed sentences are supported, the answer is returned unchanged.
    """
    kept = [sentence for sentence in proposed if _has_support(sentence, answer)]
    if not kept or 2 * len(kept) < len(proposed):
        return answer
    kept = list(dict.fromkeys(kept))[:_MOST_SENTENCES]
    used = dict.fromkeys(each.source for each in kept if each.kind == "quoted")
    numbers = {rank: number for number, rank in enumerate(used, 1)}
    sources = {passage.rank: passage for passage in answer.passages}
    passages = tuple(replace(sources[rank], rank=numbers[rank]) for rank in used if rank)
    renumbered = (
        replace(each, source=numbers[each.source]) if each.kind == "quoted" else each
        for each in kept
    )
    fixed = (each for each in answer.sentences if each.kind == "fixed")
    return replace(answer, passages=passages).with_sentences((*renumbered, *fixed))


def _has_support(sentence: Sentence, answer: ChatAnswer) -> bool:
    """Return whether the source that a sentence cites exists and supports the sentence."""
    if sentence.kind == "computed":
        facts = (" ".join(each.facts) for each in answer.computed if each.number == sentence.source)
        return is_supported(sentence.text, next(facts, ""))
    texts = (each.text for each in answer.passages if each.rank == sentence.source)
    return is_supported(sentence.text, next(texts, ""))


def is_supported(claim: str, source: str) -> bool:
    """Return whether each sentence of a claim is supported by a sentence of a source."""
    said = sentences(claim)
    if len(said) > 1:
        return all(is_supported(each, source) for each in said)
    words = comparable_words(claim)
    if not words or _asks(claim):
        return False
    converts = is_about_glucose_only(source)
    stated = (each for each in sentences(source) if not _asks(each))
    return any(_says(comparable_words(each, converts_glucose=converts), words) for each in stated)


def _asks(sentence: str) -> bool:
    return "?" in sentence or "？" in sentence


def _says(source: Sequence[frozenset[str]], claim: Sequence[frozenset[str]]) -> bool:
    """Return whether two sentences have the same words in the same order."""
    return len(source) == len(claim) and all(
        one & other for one, other in zip(source, claim, strict=True)
    )
