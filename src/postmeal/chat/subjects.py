"""The person whom each clause of a conversation is about: the user, or someone else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_USER = "user"
_FEMALE = (
    "daughter",
    "wife",
    "mother",
    "mum",
    "mom",
    "sister",
    "girlfriend",
    "aunt",
    "grandmother",
    "grandma",
    "granny",
    "gran",
    "niece",
)
_MALE = (
    "son",
    "husband",
    "father",
    "dad",
    "brother",
    "boyfriend",
    "uncle",
    "grandfather",
    "grandpa",
    "nephew",
)
_OTHERS = ("child", "kid", "baby", "toddler", "partner", "friend", "patient")
RELATIVES = "|".join((*_FEMALE, *_MALE, *_OTHERS))
"""Words for people on whose behalf a user may ask, as the alternatives of a regular expression."""
_NAMED = re.compile(rf"\b(?:my|our|the) (?:\w+ )?({RELATIVES})s?\b")
_FIRST = re.compile(
    r"\b(?:i|i'm|im|i've|me|myself|we|my (?:own )?(?:blood )?(?:sugars?|glucose"
    r"|lunch|dinner|breakfast|meal|curve))\b"
)
_SHE, _HE = re.compile(r"\b(?:she|she's|her|hers)\b"), re.compile(r"\b(?:he|he's|him|his)\b")
_CLAUSE = re.compile(
    r"[.!?;\n]+(?=\s|$)|,(?= (?:my|i|i'm|she|he|and|but)\b)| (?:and|but)(?= (?:my|i|i'm) )"
)
_TO = re.compile(
    r"\b(?:to|for) (?:me|myself)\b|\bdo i\b|\b(?:will|would|should|can) i\b"
    r"|\bmy (?:blood )?(?:sugars?|glucose)\b"
)
_EATS = re.compile(r"\b(?:eats?|ate|eating|has|have|had|having|will|drinks?|wants?|do to)\b")


def about_the_eater(texts: Sequence[str]) -> list[str]:
    """Return the clauses of plain texts that are about the person who eats the last meal."""
    clauses = _resolved(each for text in texts for each in _subjects(text))
    subjects = {subject for subject, _ in clauses if subject}
    if len(subjects) < 2:
        return list(texts)
    last = clauses[len(clauses) - len(list(_subjects(texts[-1]))) :]
    eater = next((_USER for _, clause in reversed(last) if _TO.search(clause)), None)
    if eater is None:
        eating = [subject for subject, clause in last if subject and _EATS.search(clause)]
        named = [subject for subject, _ in last if subject]
        eater = (eating or named or [subject for subject, _ in clauses if subject])[-1]
    return [clause for subject, clause in clauses if subject in (eater, None)]


def _resolved(clauses: Iterable[tuple[str | None, str]]) -> list[tuple[str | None, str]]:
    """Replace the subjects "she" and "he" by the people whom they refer to."""
    meant: dict[str, str] = {}
    found: list[tuple[str | None, str]] = []
    for subject, clause in clauses:
        if subject in _FEMALE or subject in _MALE:
            meant["she" if subject in _FEMALE else "he"] = subject
        elif subject in _OTHERS:
            meant.update(she=subject, he=subject)
        found.append((meant.get(subject or "", subject), clause))
    return found


def _subjects(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the clauses of a text, each with the person whom it is about, or None."""
    subject: str | None = None
    for clause in _CLAUSE.split(text):
        named = _NAMED.search(clause)
        first = _FIRST.search(clause)
        if named and not (first and first.start() < named.start()):
            subject = named.group(1)
        elif first:
            subject = _USER
        elif subject == _USER or subject is None:
            subject = _by_pronoun(clause) or subject
        if clause.strip():
            yield subject, clause


def _by_pronoun(clause: str) -> str | None:
    if _SHE.search(clause):
        return "she"
    return "he" if _HE.search(clause) else None
