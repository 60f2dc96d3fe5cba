"""Separate questions, thanks and other remarks from a correction."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"[^.!?]*(?:\.(?=\d)[^.!?]*)*[.!?]*")
_REQUEST = re.compile(
    r"\b(?:can|could|would|will) (?:you|we)\b"
    r"(?! (?:\w+ )?(?:tell|explain|say|show|believe|guess|give me))|"
    r"\bplease\b|\bif you (?:can|could|would)\b|\bwould it be possible\b"
)
_QUESTION = re.compile(
    r"\W*(?:and |but |so |ok |okay |hi |hey |hello )*"
    r"(?:(?:how|what(?! you (?:call|see|saw|have|think|put|said)\b| look)|why|when|which|who|"
    r"where|whose|"
    r"tell me|explain|what if|i wonder|any idea)\b|(?:is|are|was|were|does|do|should|shall|did|am|"
    r"has|have|can|could|would|will) (?:it|this|that|these|they|i|you|we|there|the)\b)"
)
_DEGREE = (
    r"(?:(?:so|too|really|very|a bit|pretty|quite|already|just|feeling|super|now|still|not) )*"
)
_FEELING = re.compile(
    rf"\bi (?:am|was|feel|felt|got|became|am feeling|was feeling) {_DEGREE}"
    r"(?:full|hungry|stuffed|tired|happy|sad|sick|bloated|satisfied|confused|sorry|guilty|great|"
    r"good|bad|fine|starving|proud|busy|late|thirsty|lazy|nauseous|on a diet|vegan|vegetarian)"
    r"(?: (?:now|today|again|after that|already))?\b|"
    r"\b(?:i|we) (?:(?:really|just|only|absolutely|totally) )?"
    r"(?:love|loved|like|liked|enjoyed|hate|hated|enjoy)\b[^,.;!?]*|"
    r"\b(?:can you believe (?:it|that)|thanks|thank you|thx|ty|cheers|tysm)\b"
    r"(?: (?:so much|a lot|a million|very much|a bunch|again|for [^,.;!?]*))?|"
    r"\b(?:wow|yum|yummy|haha|lol|nice one|good job|great job|well done|ugh|yay)\b|"
    r"\bthat is (?:all|it)\b|"
    r"(?:\b(?:it|that|this|they|everything) (?:tasted|tastes|smelled|smells|looks|looked|was)|"
    r"(?:^|(?<=[,.;!] ))(?:tasted|tastes|smelled|smells|looks|looked)) "
    r"(?:(?:so|really|very|too|absolutely) )*(?:good|great|delicious|amazing|awful|bad|nice|tasty|"
    r"yummy|fantastic|salty|gross|lovely|perfect|incredible|wonderful|bland)\b"
)


def split_remarks(plain: str) -> tuple[str, str]:
    """Split a correction into its questions and the rest, and remove remarks such as "thanks"."""
    asked, said = [], []
    for sentence in _SENTENCE.findall(plain):
        text = sentence.strip()
        if not text:
            continue
        is_question = _QUESTION.match(text) and not _REQUEST.search(text)
        if text.endswith("?"):
            is_question = not _REQUEST.search(text)
        if is_question:
            asked.append(text)
        else:
            said.append(text)
    rest = " ".join(said)
    return " ".join(asked), _FEELING.sub(" ", rest).strip()


def is_remark(plain: str) -> bool:
    """Return whether the whole text is a remark, such as "thanks"."""
    asked, said = split_remarks(plain)
    return not asked and not re.search(r"\w", said)
