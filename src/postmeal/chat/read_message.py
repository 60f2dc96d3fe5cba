"""Messages of the user, with the foods that they name and what they ask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

from postmeal.chat.body_size import body_mass_index, without_size
from postmeal.chat.food_spans import FoodSpan, food_spans
from postmeal.chat.intents import Intent, intent_likelihoods
from postmeal.chat.stated_facts import without_facts
from postmeal.foods.catalog import Catalog
from postmeal.foods.words import words
from postmeal.words.plain import with_decimals

MEAL_INTENTS: tuple[Intent, ...] = ("effect", "nutrients", "compare", "swap", "why")
"""Intents of questions about a meal, which the library answers."""

_SHORT = 9  # words


class ReadMessage:
    """A message of the user, whose foods and intent are determined when they are first needed."""

    def __init__(self, text: str, catalog: Catalog, earlier: ReadMessage | None = None) -> None:
        self.text = text
        self._catalog = catalog
        self._earlier = earlier

    @cached_property
    def spans(self) -> tuple[FoodSpan, ...]:
        """The parts of the message that name foods."""
        return food_spans(self.text, self._catalog)

    @cached_property
    def likelihoods(self) -> dict[Intent, float]:
        """Probability of each intent."""
        before = self._earlier
        earlier = (before.text, before.spans) if before else ("", ())
        is_sized = not math.isnan(body_mass_index(self.text))
        text = without_size(self.text) if is_sized else self.text
        return intent_likelihoods(without_facts(text), self.spans, *earlier)

    @property
    def intent(self) -> Intent:
        """The most likely intent."""
        return max(self.likelihoods, key=self.likelihoods.__getitem__)

    @property
    def meal_intent(self) -> Intent:
        """The most likely intent in `MEAL_INTENTS`."""
        return max(MEAL_INTENTS, key=self.likelihoods.__getitem__)

    @property
    def is_short(self) -> bool:
        """Whether the message is short enough to be a follow-up that changes a meal."""
        return len(words(self.text)) <= _SHORT

    @property
    def food_text(self) -> str:
        """The names of the foods that are eaten, separated by commas."""
        return ", ".join(span.text(self.text) for span in self.spans if span.is_eaten)

    @property
    def other_texts(self) -> tuple[str, ...]:
        """The texts before, between and after the names of foods."""
        text = without_facts(self.text)
        found, place = [], 0
        for span in self.spans:
            found.append(text[place : span.start])
            place = span.end
        return (*found, text[place:])


def read_messages(texts: Sequence[str], catalog: Catalog) -> list[ReadMessage]:
    """Return the user's plain texts as messages, each linked to the previous message."""
    found: list[ReadMessage] = []
    for text in texts:
        found.append(ReadMessage(with_decimals(text), catalog, found[-1] if found else None))
    return found
