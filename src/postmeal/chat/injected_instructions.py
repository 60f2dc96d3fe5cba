"""Removal of the parts of a text that pretend to be instructions from the operator."""

from __future__ import annotations

import re

from postmeal.chat.patterns import has, pattern

_SPACES = re.compile(r"\s+")
_OPENED = re.compile(r"(?=(\[\[|<<|\[/?(?:inst|system)\b))", re.IGNORECASE)
_CLOSED = {"[[": "]]", "<<": ">>"}
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]?")


def without_instructions(text: str) -> str:
    """Remove the parts of a plain text that pretend to be instructions from the operator."""
    text = pattern("pretended_message").sub(" ", _without_brackets(text))
    kept = (" " if has("instruction", each) else each for each in _SENTENCE.findall(text))
    return _SPACES.sub(" ", "".join(kept)).strip()


def _without_brackets(text: str) -> str:
    """Remove the parts of a text that are enclosed in brackets, in linear time."""
    kept, place, unclosed = [], 0, set()
    for bracket in _OPENED.finditer(text):
        closing = _CLOSED.get(bracket[1], "]")
        if bracket.start() < place or closing in unclosed:
            continue
        end = text.find(closing, bracket.end(1))
        if end < 0:
            unclosed.add(closing)
            continue
        kept.append(text[place : bracket.start()])
        place = end + len(closing)
    return " ".join([*kept, text[place:]])
