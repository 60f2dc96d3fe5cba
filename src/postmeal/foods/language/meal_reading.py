"""Parse a meal text into foods and amounts, skipping what is not understood.

The text passes through these stages, each of which works on the output of the previous one:

1. Split the text into tokens and translate foreign words (`postmeal.foods.language.translation`).
2. Split it into segments (`postmeal.foods.language.segments`).
3. Split the segments into phrases with amounts (`postmeal.foods.language.phrases`).
4. Choose the food of each phrase (`postmeal.foods.language.candidates`).
5. Apply corrections and shares in other segments
   (`postmeal.foods.language.corrections_and_shares`).
6. Convert the amounts to grams (`postmeal.foods.language.measure_weights`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Selection
from postmeal.foods.language.candidates import first_match, food_of, prepared, share_held
from postmeal.foods.language.carb_qualifiers import base_left_out
from postmeal.foods.language.converted_measures import meant
from postmeal.foods.language.corrections_and_shares import Item, linked, without_repeats
from postmeal.foods.language.countries import (
    NO_COUNTRY,
    LocalFood,
    local_foods,
    local_serving_g,
    meant_here,
)
from postmeal.foods.language.emoji import emoji_as_words
from postmeal.foods.language.forms import formed_match
from postmeal.foods.language.matching import Match, Matcher
from postmeal.foods.language.measure_weights import is_powder, selection_of, weight_of
from postmeal.foods.language.phrases.foods_on_bases import with_bases
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.phrases.phrase_joining import joined, without_reasons
from postmeal.foods.language.phrases.phrase_splitting import MAX_LETTERS, MAX_PHRASES, phrases
from postmeal.foods.language.phrases.run_ons import with_commas
from postmeal.foods.language.phrases.uncertain_phrases import certain_part
from postmeal.foods.language.segments import segments_of
from postmeal.foods.language.spelling import measures_respelled, respelled
from postmeal.foods.language.thresholds import DEFAULT_TUNING, Tuning
from postmeal.foods.language.translation import translations
from postmeal.foods.nutrients import Nutrients
from postmeal.foods.portions import most_plausible_grams
from postmeal.foods.words import words
from postmeal.words.plain import amount_text
from postmeal.words.spans import edited
from postmeal.words.tokens import tokens_of

__all__ = [
    "Detection",
    "MealReading",
    "items_of",
    "phrases_of",
    "plain_text",
    "read_meal",
    "read_phrases",
]


_NOT_ADDED = re.compile(r"\s(?:without|with no|no) (?:any |added )?(?:sugar|milk|cream|salt)\b.*$")
"""Additions that were omitted; the kind of food stays the same: "tea without sugar" is tea."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A food that was found in a meal text.

    Attributes
    ----------
    said : str
        The words of the text that name the food and its amount.
    selection : Selection
        The food and its amount.
    amount_said : bool
        Whether the text states the amount; if not, the amount is a typical serving.
    confidence : float
        Confidence that the words refer to this food, above 0 and at most 1.
    lacking : tuple of str
        Words of the text that the food does not reflect, such as ``low carb``, ``no bun`` and ``or
        pasta``. They are also in `MealReading.unread`.
    implausible : bool
        Whether the text states more of the food than people eat at a meal. Amounts in grams, ounces
        and milliliters are used as stated. Other amounts are replaced with a typical serving, and
        `said` is added to `MealReading.unread`. The confidence is lower in both cases.
    """

    said: str
    selection: Selection
    amount_said: bool
    confidence: float
    lacking: tuple[str, ...] = ()
    implausible: bool = False


@dataclass(frozen=True, slots=True)
class MealReading:
    """The foods that were found in a meal text, and the phrases that were not understood.

    Attributes
    ----------
    detections : tuple of Detection
        The foods that were found, in the order of the text.
    unread : tuple of str
        Phrases that do not name a known food, or name a food that is not in `detections`; words in
        `Detection.lacking`; phrases whose amounts are implausible and were replaced; and phrases
        whose amount is zero.
    """

    detections: tuple[Detection, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def nutrients(self) -> Nutrients:
        """Sum of the nutrients of all detected foods."""
        return Nutrients.sum(detection.selection.nutrients for detection in self.detections)


def read_meal(text: str, catalog: Catalog, *, country: str | None = None) -> MealReading:
    """Read the foods and amounts of a meal text, as far as they can be understood.

    Parameters
    ----------
    text : str
        Any text.
    catalog : Catalog
        The foods that the text may name.
    country : str, optional
        Country where the meal was eaten, as an ISO 3166-1 alpha-2 code such as ``"LA"``. In some
        countries, common words refer to different foods.

    Returns
    -------
    MealReading
        The foods that were found, and the phrases that were not understood. No text raises an
        error.

    Raises
    ------
    InputError
        The text is not a str, or the country is not an ISO 3166-1 alpha-2 code.

    Examples
    --------
    >>> reading = read_meal("I'm having 2 slices of toast with some jam", Catalog.open())
    >>> [(one.selection.food.name, one.amount_said) for one in reading.detections]
    [('Toast', True), ('Jams and preserves', False)]
    >>> read_meal("2 eggs and rice", Catalog.open(), country="LA").detections[1].selection.food.name
    'Sticky rice'
    """
    if not isinstance(text, str):
        raise InputError("text", "must be a str", text)
    check_type("catalog", catalog, Catalog, "must be a Catalog, such as Catalog.open()")
    return read_phrases([text], catalog, country=country)


def read_phrases(
    texts: Iterable[str], catalog: Catalog, *, country: str | None = None, whole: str = ""
) -> MealReading:
    """Read a meal text that has been split into phrases."""
    matcher = Matcher.of(catalog)
    plain = [plain_text(text[:MAX_LETTERS], matcher) for text in texts]
    around = plain_text(whole[:MAX_LETTERS], matcher) if country and whole else ""
    local = local_foods(country, " ".join([*plain, around]))
    readings = [_read(one, matcher, catalog, local) for one in plain]
    return MealReading(
        tuple(detection for reading in readings for detection in reading.detections),
        tuple(phrase for reading in readings for phrase in reading.unread),
    )


def _read(
    plain: str, matcher: Matcher, catalog: Catalog, local: Mapping[str, LocalFood]
) -> MealReading:
    items, unread = linked(
        segments_of(plain), lambda part: items_of(part, matcher, catalog, local=local)
    )
    missed = [item.phrase.said for item in items if item.food is None]
    missed += [word for item in items for word in item.lacking]
    missed += [item.phrase.said for item in items if item.food and _is_zero(item.phrase)]
    each = (detection_of(item, matcher, catalog) for item in items[:MAX_PHRASES])
    detections = tuple(filter(None, each))
    missed += [one.said for one in detections if one.implausible and not one.amount_said]
    return MealReading(detections, (*missed, *unread))


def plain_text(text: str, matcher: Matcher, tuning: Tuning = DEFAULT_TUNING) -> str:
    """Convert a text to plain English: translate foreign words, and convert emoji and numbers."""
    text = emoji_as_words(text)
    edits = translations(tokens_of(text), matcher.knows, matcher.names, tuning)
    return amount_text(edited(text, edits))


def phrases_of(text: str, matcher: Matcher, tuning: Tuning = DEFAULT_TUNING) -> list[Phrase]:
    """Read the names and amounts of a segment."""
    text = with_commas(
        measures_respelled(text, matcher), matcher.names, lambda name: share_held(name, matcher)
    )
    found = [meant(respelled(phrase, matcher, tuning)) for phrase in phrases(text)]
    return with_bases(found, matcher, tuning)


def items_of(
    text: str,
    matcher: Matcher,
    catalog: Catalog,
    tuning: Tuning = DEFAULT_TUNING,
    *,
    local: Mapping[str, LocalFood] = NO_COUNTRY,
) -> list[Item]:
    """Read the foods of a segment."""
    lost: list[str] = []
    eaten, unread = without_reasons(phrases_of(text, matcher, tuning), matcher, tuning)
    parts = [certain_part(phrase, matcher) for phrase in eaten]
    eaten = [phrase for phrase, _ in parts]
    unsure = {phrase.said: left_out for phrase, left_out in parts if left_out}
    items = []
    for phrase, match in joined(eaten, matcher, lost, tuning):
        here, match, serving_g = _localized(phrase, match, matcher, local)
        here, match, lacking, formed_g = formed_match(here, match, matcher, catalog)
        food, confidence, lost_words = food_of(here.name, match, matcher, catalog, tuning)
        lacking = (*lacking, *unsure.get(phrase.said, ()))
        if lacking:
            confidence = round(confidence * tuning.dropped_qualifier, 3)
        items.append(
            Item(here, food, confidence, (*lost_words, *lacking), serving_g=serving_g or formed_g)
        )
    items = [_without_base(item, _exclusion(item, eaten), tuning) for item in items]
    items = without_repeats(items)
    return items + [Item(Phrase(said, said), None, 0.0) for said in (*unread, *lost)]


def _localized(
    phrase: Phrase, match: Match | None, matcher: Matcher, local: Mapping[str, LocalFood]
) -> tuple[Phrase, Match | None, float | None]:
    """Return a phrase with the local meaning of its words, and its match and serving weight."""
    food = meant_here(phrase.name, local)
    if food is None:
        return phrase, match, None
    here = replace(phrase, name=food.means)
    return here, first_match(matcher, food.means), local_serving_g(phrase, food)


def _exclusion(item: Item, phrases: list[Phrase]) -> str:
    """Return the phrase after an item that was not eaten, such as "no bun", or an empty string.

    Parts of the item may stand between them, as in "a burger with cheese, no bun".
    """
    name = ""
    for phrase in phrases:
        if phrase.is_excluded and name:
            return phrase.name
        is_part = name and phrase.name in item.phrase.name
        name = phrase.name if item.phrase.name.startswith(phrase.name) or is_part else ""
    return ""


def _without_base(item: Item, after: str, tuning: Tuning) -> Item:
    """Report "no bun" in "a burger, no bun" as unread if the food that was found has a bun."""
    if item.food is None or not (base := base_left_out(f"{item.phrase.name} {after}", item.food)):
        return item
    confidence = round(item.confidence * tuning.dropped_qualifier, 3)
    return replace(item, confidence=confidence, lacking=(*item.lacking, base))


def _is_zero(phrase: Phrase) -> bool:
    return 0 in (phrase.count, phrase.mass_g, phrase.volume_ml)


def _is_part_of_several(phrase: Phrase) -> bool:
    bare = not phrase.unit and phrase.mass_g is None and phrase.volume_ml is None
    part = phrase.count is not None and 0 < phrase.count < 1
    return bare and part and phrase.name.endswith("s") and not phrase.name.endswith("ss")


def detection_of(
    item: Item, matcher: Matcher, catalog: Catalog, tuning: Tuning = DEFAULT_TUNING
) -> Detection | None:
    """Return the food of an item with its amount in grams, or None if nothing was eaten."""
    phrase, food = item.phrase, item.food
    if food is None:
        return None
    eaten = replace(phrase, name=_NOT_ADDED.sub("", phrase.name) or phrase.name)
    share = item.share
    if _is_part_of_several(eaten):  # "half the fries" are half a serving, not half a fry
        share *= eaten.count or 1.0
        eaten = replace(eaten, count=None)
    weight_g, implausible, is_replaced = weight_of(eaten, food, share)
    if item.serving_g is not None:
        weight_g = item.serving_g * (eaten.count or 1.0)
    weighed_dry = phrase.mass_g is not None and "powder" in words(phrase.name)
    if not weighed_dry and is_powder(phrase.name, food, weight_g):
        food = prepared(phrase.name, food, weight_g, matcher, catalog)
        if phrase.mass_g is None and is_powder(phrase.name, food, weight_g):
            weight_g = food.default_serving.weight_g or weight_g
        implausible = share * weight_g > most_plausible_grams(food)
    if share != 1.0:
        phrase = replace(phrase, count=(eaten.count or 1.0) * share)
        weight_g *= share
    selection = selection_of(phrase, food, weight_g)
    if selection is None:  # nothing was eaten, as in "0 g of salt"
        return None
    read = Detection(item.phrase.said, selection, phrase.amount_said, item.confidence, item.lacking)
    if not implausible:
        return read
    confidence = round(item.confidence * tuning.implausible_amount, 3)
    is_said = phrase.amount_said and not is_replaced
    return replace(read, implausible=True, confidence=confidence, amount_said=is_said)
