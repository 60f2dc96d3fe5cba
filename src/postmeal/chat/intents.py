"""Model of the intent of a message, which is what the message asks.

The model is linear. Its features are words, sequences of up to three words, and parts of words.
Each food in the message is replaced by a mark. ``tests/relevance/train_chat_models.py`` fits the
model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from postmeal.chat.food_spans import FoodSpan
from postmeal.chat.hashed_model import HashedModel
from postmeal.chat.message_features import feature_value, hashed, word_parts
from postmeal.chat.word_tagger import message_tokens

Intent = Literal[
    "effect",
    "nutrients",
    "compare",
    "swap",
    "why",
    "research",
    "describe",
    "recall",
    "smalltalk",
    "scope",
]
"""Intent of a message. In this order: the effect of a meal on glucose, the nutrients of a meal, a
comparison of meals, an alternative with a lower rise, the reason for a rise, published research,
a meal that the user does not describe, stored data, small talk, or another topic."""

INTENTS: tuple[Intent, ...] = get_args(Intent)
"""Intents, in the order of the rows of the model's weights."""

_MAX_TOKENS = 400
_MAX_EARLIER_TOKENS = 60


def intent_likelihoods(
    text: str,
    spans: Sequence[FoodSpan],
    earlier: str = "",
    earlier_spans: Sequence[FoodSpan] = (),
) -> dict[Intent, float]:
    """Return the probability of each intent of a plain text; the probabilities add up to 1."""
    present = intent_features(text, spans, earlier, earlier_spans)
    values = _model().likelihoods(present, feature_value(len(present)))
    return {intent: float(value) for intent, value in zip(INTENTS, values, strict=True)}


def intent_features(
    text: str,
    spans: Sequence[FoodSpan],
    earlier: str = "",
    earlier_spans: Sequence[FoodSpan] = (),
) -> npt.NDArray[np.int64]:
    """Return the numbers of the features of a message (see `intent_likelihoods`)."""
    return hashed(_parts(text, spans, earlier, earlier_spans))


def _parts(
    text: str, spans: Sequence[FoodSpan], earlier: str, earlier_spans: Sequence[FoodSpan]
) -> Iterator[str]:
    masked = _masked(text, spans)[:_MAX_TOKENS]
    yield from masked
    for size in (2, 3):
        for start in range(len(masked) - size + 1):
            yield " ".join(masked[start : start + size])
    for token in dict.fromkeys(masked):
        if len(token) > 2 and token[0] not in "[{":
            yield from word_parts(token)
    for span in spans:
        said = [token.group() for token in message_tokens(span.text(text))]
        yield from (f"food:{word}" for word in said)
    eaten = sum(span.is_eaten for span in spans)
    yield f"eaten:{min(eaten, 3)}"
    yield f"tokens:{min(len(masked), 32).bit_length()}"
    yield f"tokens:{min(len(masked), 32).bit_length()} eaten:{min(eaten, 2)}"
    yield f"first:{masked[0] if masked else ''} last:{masked[-1] if masked else ''}"
    before = _masked(earlier, earlier_spans)[-_MAX_EARLIER_TOKENS:]
    yield from (f"before:{token}" for token in before)
    if before:
        yield f"follows tokens:{min(len(masked), 32).bit_length()}"
        yield f"follows eaten:{min(eaten, 2)} food before:{'[food]' in before}"
        yield from (f"follows {token}" for token in masked[:3])


def _masked(text: str, spans: Sequence[FoodSpan]) -> list[str]:
    """Return the tokens of a text, in which marks replace the foods and their amounts."""
    found: list[str] = []
    place = 0
    for span in spans:
        found += _tokens(text[place : span.start])
        has_number = any(token[0].isdigit() for token in _tokens(span.text(text)))
        found += ["[food]" if span.is_eaten else "{food}", *(["[amount]"] if has_number else [])]
        place = span.end
    return found + _tokens(text[place:])


def _tokens(text: str) -> list[str]:
    return ["0" if (said := token.group())[0].isdigit() else said for token in message_tokens(text)]


@cache
def _model() -> HashedModel:
    return HashedModel.read("intents.npz", INTENTS)
