"""Model that decides whether a food in a message is eaten.

A food that is left out, refused, replaced by another food or eaten by someone else is not eaten.
The model is linear. Its features are the words of the food and the words before and after it.
``tests/relevance/train_chat_models.py`` fits the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from postmeal.chat.hashed_model import HashedModel
from postmeal.chat.message_features import feature_value, hashed
from postmeal.chat.word_tagger import Span, message_tokens

ROLES = ("eaten", "not_eaten")
"""Roles of foods, in the order of the rows of the model's weights."""

_BESIDE, _NEAR = 4, 6  # words
_MAX_TOKENS = 400


def is_eaten(text: str, span: Span, n_before: int = 0, roles: HashedModel | None = None) -> bool:
    """Return whether a food in a plain text is eaten."""
    present = role_features(text, span, n_before)
    logits = (roles or _model()).logits(present, feature_value(len(present)))
    return bool(logits[0] >= logits[1])


def role_features(text: str, span: Span, n_before: int = 0) -> npt.NDArray[np.int64]:
    """Return the numbers of the features of a food in a plain text (see `is_eaten`)."""
    tokens = message_tokens(text)[:_MAX_TOKENS]
    before = [token.group() for token in tokens if token.end() <= span.start]
    behind = [token.group() for token in tokens if token.start() >= span.end]
    inside = [token.group() for token in message_tokens(span.text(text))]
    return hashed(_parts(before, inside, behind, min(n_before, 2)))


def _parts(
    before: Sequence[str], inside: Sequence[str], behind: Sequence[str], n_before: int
) -> Iterator[str]:
    left = ["<"] * _BESIDE + list(before)
    right = list(behind) + [">"] * _BESIDE
    for number in range(1, _BESIDE + 1):
        yield f"{number} before: {left[-number]}"
        yield f"{number} behind: {right[number - 1]}"
    for number in range(2, _BESIDE + 1):
        yield f"before: {' '.join(left[-number:])}"
        yield f"behind: {' '.join(right[:number])}"
    yield from (f"near before: {word}" for word in before[-_NEAR:])
    yield from (f"near behind: {word}" for word in behind[:_NEAR])
    yield from (f"food: {word}" for word in inside)
    yield f"first: {inside[0] if inside else ''}"
    yield f"around: {left[-1]} {right[0]}"
    yield f"food {n_before} before: {left[-2]} {left[-1]}"
    yield f"food {n_before} behind: {right[0]} {right[1]}"
    yield f"food {n_before}"
    yield from (f"anywhere: {word}" for word in {*before, *inside, *behind})
    if not before:
        yield "at the beginning"
    yield f"words: {min(len(inside), _BESIDE)}"


@cache
def _model() -> HashedModel:
    return HashedModel.read("food_roles.npz", ROLES)
