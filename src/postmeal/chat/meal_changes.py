"""Changes to the meal of an earlier message: different amounts, omissions, swaps and additions.

The chat models find the foods in a message and determine which of them are not eaten. Each food is
compared with the foods of the meal. If the meal contains the food, its amount is changed or it is
left out. Otherwise, the food is added or replaces another food. Patterns are used only for other
words, such as "half" or "instead".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from postmeal.chat.amounts import GRAMS, MULTIPLE, PORTION, SHARE, TIMES, factor_of
from postmeal.chat.food_names import core_words
from postmeal.chat.named_meals import NamedMeal, changed
from postmeal.chat.patterns import has
from postmeal.chat.read_message import ReadMessage
from postmeal.foods.language import Detection
from postmeal.foods.words import words

_SHORT = 9  # words
_FEW = 3  # words
_SURE = 0.8
_LINKS = frozenset(("with", "without", "and", "or", "of", "in", "no", "cooked", "raw", "fresh"))
_LEAST_BARE_G = 19  # a number up to this one may be a count if it has no unit
_OTHER_INTENTS = frozenset(("compare", "why", "research"))
_LEAD = (
    r"^(?:(?:and|ok(?:ay)?|sorry|no|so|what|how|about|make|it|that|if|i|have|had|eat|ate|with|to"
    r"|actually|rather|instead|only|just|or|for|then|but|meant|mean|the|same)[ ,.]+)*"
)
_GRAMS = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?) ?{GRAMS}\b")
_ONLY_GRAMS = re.compile(
    rf"{_LEAD}{_GRAMS.pattern}(?: (?:of (?:it|that|this)|instead|then))*[?.! ]*$"
)
_NAME = r"(?: (?!(?:and|with|plus|is|in|on|then|now|for|today|please)\b)[a-z]+){0,3}"
_FACTOR = re.compile(
    rf"(?<![\w./])(?P<factor>{SHARE}|{MULTIPLE}|{TIMES})(?!\w)(?! (?:{PORTION}|one|egg)\b)"
    rf"(?: (?:of|the|that|it|this|as|much|amount|portion|size|my|all))*(?P<food>{_NAME})"
)
_ONLY_FACTOR = re.compile(rf"{_LEAD}{_FACTOR.pattern}[?.! ]*$")
_LESS = re.compile(
    r"\b(?:less|only|just|fewer|more|smaller|instead|make)\b[^.?!]{0,20}?(?P<food>[a-z]+),? (?:say"
    rf"|maybe|about|like|only)? ?(?P<grams>\d+) ?(?P<unit>{GRAMS})?\b"
)
_OMITTED = re.compile(
    r"\b(?:without|no|leav(?:e|ing) out|skip(?:ping)?|minus|drop|forget|remove|hold|ditch)"
    r" (?:the |any |my )?(?P<food>[a-z]+)"
)
_REPLACED = re.compile(
    r"\b(?:replac|swap|exchang|chang|substitut)\w* (?:the |my )?(?P<food>[a-z ]+?)"
    r" (?:with|by|for|to)\b"
)
_INSTEAD = re.compile(r"\b(?:instead of|in place of|rather than) (?:the |my )?(?P<food>[a-z]+)")
_SWAPPED = re.compile(
    r"\b(?:instead|in place of|rather than|replac\w+|swap\w*|exchang\w+|substitut\w+|meant?"
    r"|switch\w*)\b|\b(?:chang|mak)(?:e|ing) (?:the|my|it|them|that)\b"
    r"|^(?:and |ok |so |but |or |sorry |hm+ )*(?:what|how) about\b"
)
_ADDED = re.compile(
    r"^(?:(?:and|ok(?:ay)?|so|now|but|then|hm+|what|how|about|if|i|we|would)[ ,]+)*(?:with"
    r"|plus|add(?:ed|ing)?|also)\b|\badd\b|\bon top\b|\bas well\b|\b(?:with|in|on|to) (?:it|that)\b"
    r"|^and (?!what|how|if|instead)|, and\b"
)
_SAME_MEAL = re.compile(
    r"^(?:and|or|ok|so|what|how|about|now|but|if|it|is|was|i|eat|have| )*"
    r"(?:(?:for|in|as|with|at|on|i have|i had) )?(?:a |an |the |my |someone with |people with )?"
    r"(?:type ?[12]|t[12]d?|pre-?diabetes|gestational diabetes|\d{1,3}[- ]year[- ]old(?: \w+)?|man"
    r"|woman|dinner|breakfast|lunch|supper|noon|midnight|bedtime|night|(?:\d{1,2}(?::\d\d)?"
    r" ?(?:am|pm)))(?: diabetes| time)?[?.! ]*$"
)
_UNCLEAR = re.compile(
    r"^(?:and |so |the |is |in |what's |what is )*(?:total|sum|altogether|all|both)\b|\btotal of"
    r"|\bis (?:it|that) \d|\b(?:first|second|third) (?:one )?with\b|\bleft ?over\b"
    r"|\bone of (?:the|my|them|those)\b"
    r"|^(?:sorry|no|make it|i meant)\b.*\d"
)


def is_same_meal(text: str) -> bool:
    """Return whether a plain text asks about the same meal for another person or time."""
    return _SAME_MEAL.search(text) is not None


def is_unclear(text: str) -> bool:
    """Return whether a plain text refers to an earlier meal or amount in an unclear way."""
    return _UNCLEAR.search(text) is not None and _ONLY_GRAMS.search(text) is None


def states_change(text: str) -> bool:
    """Return whether the wording of a plain text shows that it changes an earlier meal."""
    if len(words(text)) > _SHORT or has("evidence", text) or has("studies", text):
        return False
    kinds = (_ONLY_GRAMS, _ONLY_FACTOR, _OMITTED, _SWAPPED, _ADDED, _SAME_MEAL, _UNCLEAR)
    return any(kind.search(text) for kind in kinds)


@dataclass(slots=True)
class _Changes:
    """Changes to a meal, whose foods are identified by their positions."""

    meal: NamedMeal
    foods: list[set[str]]
    kept: dict[int, Detection]
    named: set[int] = field(default_factory=set)
    added: list[Detection] = field(default_factory=list)

    @classmethod
    def of(cls, meal: NamedMeal) -> _Changes:
        foods = [
            ({*core_words(one.said), *words(one.selection.food.name)} - _LINKS)
            for one in meal.detections
        ]
        return cls(meal, foods, dict(enumerate(meal.detections)))

    def places(self, said: str) -> list[int]:
        """Return the positions of the foods that share the most words with a name."""
        named = set(core_words(said)) | set(words(said))
        shared = [len(food & named) for food in self.foods]
        most = max(shared, default=0)
        return [place for place, number in enumerate(shared) if most and number == most]

    @property
    def removed(self) -> list[int]:
        return [place for place in range(len(self.foods)) if place not in self.kept]

    @property
    def result(self) -> NamedMeal:
        return changed(self.meal, (*(self.kept[each] for each in sorted(self.kept)), *self.added))


def changed_meal(
    meal: NamedMeal, read: ReadMessage, options: Sequence[NamedMeal]
) -> NamedMeal | str | None:
    """Return an earlier meal with the changes that a message states."""
    text = read.text
    if len(options) > 1:
        return None
    if read.intent in _OTHER_INTENTS and len(words(text)) > _FEW:
        return None
    if is_unclear(text):
        return text
    changes = _Changes.of(meal)
    new = options[0].detections if options else ()
    scaled = _scale(changes, text, bool(new))
    is_swap = _SWAPPED.search(text) is not None and _ONLY_FACTOR.search(text) is None
    if scaled is None or (scaled and is_swap and _FACTOR.search(text)):
        return text
    _remove(changes, read)
    if read.likelihoods["swap"] > _SURE and not (changes.removed and new):
        return None
    for one in new:
        if scaled and _FACTOR.match(one.said):
            continue  # "half of it"
        if not _match(changes, one, text, scaled):
            return text
    if changes.added and not (scaled or _place_added(changes, text)):
        return None if not scaled and len(changes.kept) == len(meal.detections) else text
    result = changes.result
    if result.detections == meal.detections:
        return text if changes.named and read.is_short else None
    return result if result.detections else text


def _scale(changes: _Changes, text: str, names_foods: bool) -> list[int] | None:
    """Apply a share, a multiple or a weight to foods.

    Return the positions of these foods, or None if it is unclear which foods are meant.
    """
    everything = list(changes.kept)
    if match := _LESS.search(text):
        places = changes.places(match["food"]) or (everything if len(everything) == 1 else [])
        least = 0 if match["unit"] else _LEAST_BARE_G
        if len(places) == 1 and float(match["grams"]) > least:
            _weigh(changes, places[0], float(match["grams"]))
            return places
    if match := _FACTOR.search(text):
        named = changes.places(match["food"])
        if not named and match["food"].strip() and names_foods:
            return []  # The share belongs to another food.
        factor = factor_of(match["factor"])
        for place in named or everything:
            _multiply(changes, place, factor)
        return named or everything
    if match := _ONLY_GRAMS.search(text):
        if len(everything) != 1 or float(match[1]) <= 0:
            return None
        _weigh(changes, 0, float(match[1]))
        return everything
    return []


def _remove(changes: _Changes, read: ReadMessage) -> None:
    said = [span.text(read.text) for span in read.spans if not span.is_eaten]
    for expression in (_OMITTED, _REPLACED, _INSTEAD):
        said += [match["food"] for match in expression.finditer(read.text)]
    for each in said:
        for place in changes.places(each):
            changes.kept.pop(place, None)


def _match(changes: _Changes, one: Detection, text: str, scaled: Collection[int]) -> bool:
    """Change the amount or kind of a food of the meal to that of a named food, or add this food.

    Return whether it is clear which food of the meal is meant.
    """
    has_amount = any(letter.isdigit() for letter in one.said)
    meant = changes.places(one.said)
    places = [place for place in meant if place in changes.kept]
    if any(place in scaled for place in places) or (meant and not places and not has_amount):
        return True
    if not places:
        changes.added.append(one)
        return True
    if len(places) > 1:
        return False
    place = places[0]
    old = changes.kept[place]
    is_other = not set(core_words(one.said)) <= changes.foods[place]
    if is_other and not has_amount and one.selection.food != old.selection.food:
        changes.kept[place] = _of_weight(one, old.selection.weight_g or 0.0)
    elif is_other and _ADDED.search(text) and not _SWAPPED.search(text):
        changes.added.append(one)
    elif has_amount:
        changes.kept[place] = one
    else:
        changes.named.add(place)
    return True


def _place_added(changes: _Changes, text: str) -> bool:
    """Replace foods of the meal by the added foods, or keep both.

    Return whether it is clear which of these is meant.
    """
    removed = changes.removed
    is_swap = _SWAPPED.search(text) is not None
    if is_swap and len(removed) == 1:
        old = changes.meal.detections[removed[0]]
        first = changes.added.pop(0)
        if not first.amount_said:
            first = _of_weight(first, old.selection.weight_g or 0.0)
        changes.kept[removed[0]] = first
        return True
    if removed or _ADDED.search(text):
        return True
    if is_swap and len(changes.added) == 1 and not changes.named:
        changes.kept.clear()  # "what about pasta?" asks about a separate meal
        return True
    return False


def _weigh(changes: _Changes, place: int, grams: float) -> None:
    weight = changes.kept[place].selection.weight_g or grams
    _multiply(changes, place, grams / weight)
    changes.kept[place] = replace(changes.kept[place], amount_said=True)


def _multiply(changes: _Changes, place: int, factor: float) -> None:
    one = changes.kept[place]
    selection = replace(one.selection, quantity=one.selection.quantity * factor)
    changes.kept[place] = replace(one, selection=selection)


def _of_weight(one: Detection, grams: float) -> Detection:
    """Return a food with the weight, in grams, of the food that it replaces."""
    weight = one.selection.weight_g or 0.0
    if weight <= 0 or grams <= 0:
        return one
    factor = grams / weight
    selection = replace(one.selection, quantity=one.selection.quantity * factor)
    return replace(one, selection=selection)
