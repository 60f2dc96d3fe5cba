"""Explain how a meal text is read by showing the result of each stage."""

from __future__ import annotations

from dataclasses import dataclass

from postmeal.foods.catalog import Catalog
from postmeal.foods.language.corrections_and_shares import Item
from postmeal.foods.language.countries import local_foods
from postmeal.foods.language.matching import Matcher
from postmeal.foods.language.meal_reading import (
    MealReading,
    items_of,
    phrases_of,
    plain_text,
    read_meal,
)
from postmeal.foods.language.phrases.phrase_splitting import MAX_LETTERS
from postmeal.foods.language.segments import Segment, segments_of
from postmeal.words.tokens import Token, tokens_of

_READ = frozenset({"food", "correction", "amend"})


@dataclass(frozen=True)
class Explanation:
    """The result of each stage of reading a meal text.

    Attributes
    ----------
    tokens : tuple of Token
        Words, numbers and punctuation marks of the text.
    plain : str
        The text with foreign words translated and numbers as digits.
    segments : tuple of Segment
        Parts of the text that name foods or describe them.
    amounts : tuple of str
        Name and amount of each phrase.
    candidates : tuple of Item
        The food of each phrase, before links between segments are applied.
    reading : MealReading
        The foods with their weights, and the phrases that were not understood.
    """

    tokens: tuple[Token, ...]
    plain: str
    segments: tuple[Segment, ...]
    amounts: tuple[str, ...]
    candidates: tuple[Item, ...]
    reading: MealReading

    def __str__(self) -> str:
        lines = [f"tokens      {' '.join(token.word for token in self.tokens)}"]
        lines.append(f"plain       {self.plain}")
        lines += [
            f"segment     {segment.role}: {segment.text}"
            + (f" ({segment.value:.3g})" if segment.value is not None else "")
            for segment in self.segments
        ]
        lines += [f"amount      {amount}" for amount in self.amounts]
        lines += [
            f"candidate   {item.phrase.name}: {item.food.name if item.food else 'no food'}"
            f" ({item.confidence:.2f})"
            for item in self.candidates
        ]
        lines += [
            f"read        {one.selection.food.name}: {one.selection.weight_g or 0.0:.0f} g"
            f"{' (implausible)' if one.implausible else ''}"
            for one in self.reading.detections
        ]
        return "\n".join([*lines, *(f"unread      {said}" for said in self.reading.unread)])


def explain(
    text: str, catalog: Catalog | None = None, *, country: str | None = None
) -> Explanation:
    """Explain how a meal text is read by returning the result of each stage.

    Parameters
    ----------
    text : str
        Any text.
    catalog : Catalog, optional
        The foods that the text may name; the shipped catalog when omitted.
    country : str, optional
        Country where the meal was eaten, as in `read_meal`.

    Returns
    -------
    Explanation
        The result of each stage. `str` converts it to a table for a terminal.

    Raises
    ------
    InputError
        The country is not an ISO 3166-1 alpha-2 code.

    Examples
    --------
    >>> print(explain("2 eggs, sorry, 3"))
    tokens      2 eggs , sorry , 3
    plain       2 eggs, sorry, 3
    segment     food: 2 eggs
    segment     correction: 3
    amount      eggs: 2
    amount      : 3
    candidate   eggs: Egg (1.00)
    candidate   : no food (0.00)
    read        Egg: 150 g
    """
    foods = catalog or Catalog.open()
    matcher = Matcher.of(foods)
    plain = plain_text(text[:MAX_LETTERS], matcher)
    segments = segments_of(plain)
    texts = [segment.text for segment in segments if segment.role in _READ]
    amounts = [phrase.amount for each in texts for phrase in phrases_of(each, matcher)]
    local = local_foods(country, plain)
    candidates = [item for each in texts for item in items_of(each, matcher, foods, local=local)]
    return Explanation(
        tokens_of(text[:MAX_LETTERS]),
        plain,
        segments,
        tuple(amounts),
        tuple(candidates),
        read_meal(text, foods, country=country),
    )
