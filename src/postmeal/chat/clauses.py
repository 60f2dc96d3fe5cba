"""Sentences and clauses of a text, and checks of whether they state facts about the present."""

from __future__ import annotations

import re

from postmeal.chat.patterns import has

_SENTENCE = re.compile(r"(?:[^.!?;\n]|\.(?=\d))+[.!?;\n]*")
_CLAUSE = re.compile(r"(?:,(?!\d)|:(?!\d)|\b(?:and|but|so|because|although|though)\b)")
_PRESENT_VERB = re.compile(
    r"\b(?:is|am|are|has|have|can't|cannot|won't|don't|doesn't|isn't|aren't|feels?|hurts?|seems?|looks?"
    r"|says?|keeps?|\w+ing)\b|'(?:s|m|re|ve)\b"
)
_ASKS = re.compile(
    r"^\W*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|how|when|what|why"
    r"|who|where|which)\b"
)
_NOT_SO = re.compile(
    r"\b(?:not|no|never|nobody|none|hardly|barely|unless|if|until|til\w?|when|whether|once|after|hop\w+"
    r"|wish\w*|maybe|perhaps|will|would|should|could|might|may|soon|want\w*|pretend\w*|almost"
    r"|nearly|before)\b|n't\b"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a plain text, with their punctuation marks."""
    return [found.strip() for found in _SENTENCE.findall(text) if found.strip()]


def clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence between commas and conjunctions."""
    return [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]


def without_past(text: str) -> str:
    """Remove statements about the past from a plain text.

    A sentence about the past is removed, except for its clauses in the present tense.
    """
    kept = []
    for sentence in sentences(text):
        if not has("past", sentence) or has("present", sentence):
            kept.append(sentence)
        else:
            kept += [
                clause
                for clause in clauses(sentence)
                if not has("past", clause) and _PRESENT_VERB.search(clause)
            ]
    return " ".join(kept)


def without_past_readings(text: str) -> str:
    """Remove clauses about the past or another day from a plain text, with their readings."""
    kept = []
    for sentence in sentences(text):
        is_old = has("past", sentence) or has("another_day", sentence)
        if not is_old:
            kept.append(sentence)
            continue
        parts = clauses(sentence)
        old = [
            (has("past", part) or has("another_day", part)) and not has("present", part)
            for part in parts
        ]
        kept.append(
            ", ".join(part for part, is_past in zip(parts, old, strict=True) if not is_past)
        )
    return " ".join(each for each in kept if each)


def asserted(name: str, text: str) -> bool:
    """Return whether a clause of a plain text asserts what a pattern describes.

    Questions, negations, wishes and conditions are not assertions.
    """
    return any(
        has(name, clause) and not _ASKS.search(clause) and not _NOT_SO.search(clause)
        for sentence in sentences(text)
        if "?" not in sentence
        for clause in clauses(sentence)
    )
