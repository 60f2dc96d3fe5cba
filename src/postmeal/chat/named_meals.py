"""The meals that a message names: their foods with amounts, and words that name no known food."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from postmeal.chat.amounts import GRAMS, NUMBER, PORTION, WEIGHT, WEIGHT_UNIT, with_shares
from postmeal.chat.avoided_foods import avoided_places
from postmeal.chat.food_names import FoodNames, core_words
from postmeal.chat.food_spans import FoodSpan
from postmeal.chat.lists_in_text import list_of
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Selection
from postmeal.foods.language import Detection, read_meal
from postmeal.foods.language.matching import Matcher
from postmeal.foods.words import words
from postmeal.words.plain import with_decimals

_SUGAR = re.compile(
    r"\b(?:blood[- ]sugars?|(?:my|the|his|her|on|for) sugars?|sugars? (?:rise|level|levels"
    r"|spike|do|go|curve|peak)|glucose(?: rise| level| levels)?)\b"
)
_AMOUNT_BEHIND = re.compile(
    rf"\b(?:a|an|one) (?:\w+ )?(?:{PORTION}|plate|bar) of ([\w ]{{1,100}}?),?"
    rf" (?:maybe|about|around|roughly|say|approx\w*) (\d+) ?({GRAMS}|ml)\b(?: cooked)?"
)
EACH = re.compile(
    rf",?\s*(?:about )?((?:{NUMBER}|half a|a) ?(?:{WEIGHT_UNIT}|{PORTION})"
    r"(?: \w+)?) each\b\??"
)
"""Regular expression for an amount of each of several foods, such as "50 g each"."""
_EACH_OF = re.compile(
    rf"(?P<amount>(?:{NUMBER}|an?|half an?) ?[a-z]+)"
    r" (?:each(?: of)?|of each(?: of)?|of both)(?!,? (?:and|plus|with)\b)[,:]? (?P<items>[\w ,]+)"
)
_AMOUNT = re.compile(rf"\d|\b(?:{NUMBER}|an?|half|some)\b")
_WITH = re.compile(r" (?:with|to) ")
_LIST_OF_FOODS = re.compile(r",? and |, ")
_SEPARATORS = re.compile(
    r"\s+(?:vs\.?|versus|or|than|compared (?:to|with)|against|rather than)\s+|;"
)
_SAME = re.compile(r"\bthe same (\w+)\b")
_LISTED = re.compile(rf",\s*(?=(?:\d|(?:{NUMBER}|an?|half) )[\w ]*(?<! each)(?:,|$))")
_AND_OR_WITH = re.compile(r"\s+(?:and|with|to)\s+")
_JOINED = re.compile(
    r"\s+(?:and|with|plus)\s+"
    rf"|,(?! ?(?:about |at |each )?\d+(?:\.\d+)? ?{WEIGHT_UNIT}(?: each| apiece)?\)?"
    r"(?:$|,| and | with ))"
)
"""Words and commas between foods, except a comma before an amount: "steak, 200 g, and rice"."""
_APPOSED = re.compile(rf"[,:(] ?(\d+(?:\.\d+)?) ?{GRAMS}\b")
_STYLE = re.compile(r"\b([a-z]+(?: [a-z]+)?)[ -]style [a-z]+\b")
_PLAIN_WORDS = frozenset(
    words("a an of g gm grams ml cup cups glass slice slices piece pieces with the some tbsp")
)
_OF_AMOUNT = re.compile(
    rf"\b(?:an?|one|1) ((?!(?:{PORTION}|plate|bag|can|bottle)\b)[a-z]+(?: [a-z]+)?)"
    rf" of (\d+(?:\.\d+)? ?{WEIGHT_UNIT}\b)(?! of)"
)
_WHOLE_G, _LEAST_G = 10.0, 0.1
_MOST_OPTIONS = 12
# Minimum confidence of a food if the user's words name it, and if they do not clearly name it.
_SURE, _VERY_SURE = 0.3, 0.9
_NO_MEAL = frozenset(("nutritional supplement for people with diabetes", "glucose powder"))


@dataclass(frozen=True, slots=True)
class NamedMeal:
    """A meal that a text names."""

    detections: tuple[Detection, ...]
    unread: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The foods with their amounts."""
        return tuple(detection.selection for detection in self.detections)

    @property
    def assumes_amounts(self) -> bool:
        """Whether a typical serving is assumed for at least one food."""
        return not all(detection.amount_said for detection in self.detections)

    @property
    def text(self) -> str:
        """The foods with their weights in grams, in words."""
        return list_of(_detection_text(detection) for detection in self.detections)


def named_options(
    text: str, spans: Sequence[FoodSpan], catalog: Catalog, *, are_compared: bool = False
) -> tuple[NamedMeal, ...]:
    """Return the meals that the given parts of a plain text name: one, or several to compare."""
    avoided = avoided_places(text)
    eaten = [
        span
        for span in spans
        if span.is_eaten
        and not any(start <= span.start and span.end <= end for start, end in avoided)
    ]
    parts: list[str] = []
    for place, span in enumerate(eaten):
        said = _with_each_amount(with_products(span.text(text)))
        between = text[eaten[place - 1].end : span.start] if place else ""
        first, *others = _SEPARATORS.split(said)
        if place and not are_compared and not _SEPARATORS.search(f" {between} "):
            parts[-1] += f", {first}"
        else:
            parts.append(first)
        parts += others
    if len(parts) > 1 and not _AND_OR_WITH.search(text):
        parts = [each for part in parts for each in _LISTED.split(part)]
    if are_compared and len(parts) == 1:
        parts = _compared(parts[0])
    del parts[_MOST_OPTIONS:]
    shared = EACH.search(text)
    parts = [_meant(part, catalog).strip() for part in parts]
    if shared:
        parts = _with_shared_amount(parts, shared.group(1))
    found = [_meal(part, catalog) for part in parts]
    if len(parts) > 1 and any(found) and not all(found):
        named = [one.said for meal in found if meal for one in meal.detections]
        found = [
            meal or _meal(_in_full(part, named), catalog)
            for meal, part in zip(found, parts, strict=True)
        ]
    options = [meal for meal in found if meal is not None]
    missing = tuple(
        part
        for meal, part in zip(found, parts, strict=True)
        if meal is None and core_words(part) and len(parts) > 1
    )
    if options and missing:
        options[0] = replace(options[0], missing=missing)
    return tuple(options)


def _in_full(part: str, named: Sequence[str]) -> str:
    """Complete the food names in a part of a comparison with words from the other parts.

    In "a cup of basmati rice or two cups of basmati", the second food is also basmati rice.
    """
    if (same := _SAME.search(part)) and (
        meant := next((said for said in named if same.group(1) in said.split()), "")
    ):
        part = part[: same.start()] + meant + part[same.end() :]
    for said in named:
        core = core_words(said)
        if len(core) > 1 and not set(core) <= set(words(part)):
            for word in core:
                part = re.sub(rf"\b(?:same )?{re.escape(word)}s?\b", " ".join(core), part, count=1)
                if set(core) <= set(words(part)):
                    break
            else:  # "basmati or parboiled rice"
                if len(core_words(part)) == 1:
                    part = f"{part} {core[-1]}"
    return part


def _meal(part: str, catalog: Catalog) -> NamedMeal | None:
    said = _AMOUNT_BEHIND.sub(r"\2 \3 \1", part)
    detections, unread = _detections(said, catalog)
    if len(detections) == 1:
        detections = (_weighed(detections[0], part),)
    return NamedMeal(detections, unread) if detections else None


def _weighed(detection: Detection, text: str) -> Detection:
    """Apply the only weight in a text to its only food, as in "a doughnut, 60 g"."""
    weights = _APPOSED.findall(text)
    grams = detection.selection.weight_g or 0.0
    if len(weights) != 1 or grams <= 0 or any(x.isdigit() for x in detection.said):
        return detection
    selection = detection.selection
    weighed = replace(selection, quantity=selection.quantity * float(weights[0]) / grams)
    said = f"{weights[0]} g {detection.said}"
    return replace(detection, said=said, selection=weighed, amount_said=True)


def with_products(text: str) -> str:
    """Return a plain text with decimal points and with amounts in a uniform format.

    "Half of 200 g" becomes 100 g, and "one juice of 200 ml" becomes 200 ml juice.
    """
    return _OF_AMOUNT.sub(r"\2 \1", with_shares(with_decimals(text)))


def _with_each_amount(text: str) -> str:
    """Write "50 g each of rice and beans" as "50 g rice, 50 g beans" in a plain text."""

    def in_full(match: re.Match[str]) -> str:
        return _each_with(match["amount"], match["items"])

    return _EACH_OF.sub(in_full, text)


def _with_shared_amount(parts: list[str], amount: str) -> list[str]:
    """Apply an amount such as "60 g each" to the foods in all parts.

    A weight is appended to each part, because the meal parser applies "60 g each" only to foods in
    the same text.
    """
    if not WEIGHT.search(amount):
        return [_each_with(amount, EACH.sub(" ", part).strip()) for part in parts]
    return [part if _AMOUNT.search(part) else f"{part}, {amount} each" for part in parts]


def _compared(text: str) -> list[str]:
    """Split a list such as "rice and bread" or "rice with bread" into the foods to compare."""
    for separator in (_LIST_OF_FOODS, _WITH):
        parts = [part for part in separator.split(text) if part.strip()]
        if len(parts) > 1:
            return parts
    return [text]


def _each_with(amount: str, foods: str) -> str:
    """Return a list of foods in which each food without an amount gets the given amount."""
    items = _LIST_OF_FOODS.split(foods)
    return ", ".join(item if _AMOUNT.search(item) else f"{amount} {item}" for item in items)


def _meant(text: str, catalog: Catalog) -> str:
    """Write "a big mac style burger" as "a big mac" if the catalog contains this food."""
    matcher = Matcher.of(catalog)

    def name(match: re.Match[str]) -> str:
        return match.group(1) if matcher.names(match.group(1)) else match.group()

    return _STYLE.sub(name, text)


def _detections(text: str, catalog: Catalog) -> tuple[tuple[Detection, ...], tuple[str, ...]]:
    """Return the foods that a text names, and the words that name no known food."""
    found, unsure, unread = _named(text, catalog)
    if unsure and len(parts := _JOINED.split(text)) > 1:  # "pancakes with maple syrup"
        by_part = [_named(part, catalog) for part in parts]
        if not any(each[1] for each in by_part):
            found = [one for each in by_part for one in each[0]]
            unsure, unread = [], tuple(said for each in by_part for said in each[2])
    if len(found) > 2 and not found[0].amount_said and all(one.amount_said for one in found[1:]):
        first = set(words(found[0].said))
        # The first food is a dish, and the others are its parts.
        if any(first & set(words(one.said)) for one in found[1:]):
            found = found[1:]
    return tuple(found), (*(one.said for one in unsure), *unread)


def _named(text: str, catalog: Catalog) -> tuple[list[Detection], list[Detection], tuple[str, ...]]:
    """Return the foods that a text names, the foods that were only guessed, and unread words."""
    reading = read_meal(text, catalog)
    names = FoodNames.of(catalog)
    found: list[Detection] = []
    unsure: list[Detection] = []
    for one in reading.detections:
        food = one.selection.food
        is_sure = one.confidence >= _VERY_SURE and not names.is_unknown(one.said, food)
        is_named = is_sure or names.agree(one.said, food)
        (found if is_named and _is_sure(one) else unsure).append(one)
    return found, unsure, reading.unread


def _is_sure(detection: Detection) -> bool:
    food = detection.selection.food
    has_weight = bool(detection.selection.weight_g)
    return detection.confidence >= _SURE and has_weight and food.name.lower() not in _NO_MEAL


def without_glucose(text: str) -> str:
    """Remove words such as "my sugar", which mean glucose and not a nutrient, from a text."""
    return _SUGAR.sub(" , ", text)


def changed(meal: NamedMeal, detections: Iterable[Detection]) -> NamedMeal:
    """Return a copy of a meal with different foods."""
    return replace(meal, detections=tuple(detections))


def _amount_text(selection: Selection) -> str:
    grams = selection.weight_g or 0.0
    if 0 < grams < _LEAST_G:
        return f"{grams:.1g} g of {selection.food.name}"
    decimals = 0 if grams >= _WHOLE_G else 1
    return f"{round(grams, decimals):g} g of {selection.food.name}"


def _detection_text(detection: Detection) -> str:
    """Return a food with its weight in grams, and with the user's words if they say more."""
    text = _amount_text(detection.selection)
    said = {*words(" ".join(word for word in detection.said.split() if word.isalpha()))}
    is_said = said <= {*words(detection.selection.food.name), *_PLAIN_WORDS}
    return text if is_said else f"{text} (for “{detection.said}”)"
