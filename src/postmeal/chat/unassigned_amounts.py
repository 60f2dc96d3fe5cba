"""Amounts in a message that belong to no food of its meal.

The chat computes an answer only if every number in the message belongs to a food of the meal or to
something else that is known, such as an age or a time. If the meal parser does not understand a
share, a sum, a range or a negation, the chat asks the user about it.
"""

from __future__ import annotations

import re

from postmeal.chat.amounts import AMOUNT, MULTIPLE, NUMBER, SHARE, WEIGHT, WEIGHT_UNIT
from postmeal.chat.food_names import core_words
from postmeal.chat.meal_question import MealQuestion
from postmeal.chat.named_meals import EACH, NamedMeal, with_products
from postmeal.chat.patterns import pattern
from postmeal.chat.subjects import RELATIVES
from postmeal.foods.language import Detection
from postmeal.foods.words import words
from postmeal.words.plain import amount_text

__all__ = ["not_understood"]

_EXPLAINED = re.compile(
    r"\b(?:in|within|over|at|after|for|than|every|next|last|by|past|until)? ?(?:about |around )?"
    r"(?:\d+|two|three|four|one|a|half an|an)(?: ?(?:-|to|and|,) ?\d+){0,40}[- ]?(?:h|hr|hrs|hours?"
    r"|min|mins|minutes?|days?|weeks?|months?|years?|yrs?)\b(?: ?-?old| pregnant| later| ago)?"
    r"|\b\d{1,2}[:.]\d\d ?(?:am|pm)?\b|\b\d{1,2} ?(?:am|pm)\b|\b\d{1,2} o'?clock\b"
    r"|\b(?:at|around) \d{1,2}(?=[ ,.?!]*$)|\bat (?:\d+,? ?)+(?:and \d+)? ?min\w*"
    r"|\b(?:type|t|omega|b|vitamin [a-z]) ?-?(?:[12]|12|3|one|two)d?m?\b"
    r"|\b(?:i'm|i am|im|he's|she's|she is|he is|aged?|age:|is|am|woman|man|female"
    rf"|male|boy|girl|{RELATIVES})"
    r"[, (]+\d{1,3}(?=[ ,.;)]|$)(?! ?(?:g|ml|oz|cups?)\b)|\b\d{1,3} ?/?-?(?:f|m|yo|y/o|y)\b"
    r"|\b(?:height|weigh\w*) (?:is |of )?\d{2,3}\b(?! ?(?:g|ml)\b)"
    r"|\b\d ?'(?: ?\d{1,2}\b\"?)?|\b\d+ ?k\b"
    r"|(?<![/.])\b\d+(?:[.,]\d+)? ?(?:mmol\S*|mg ?/ ?dl|mgdl|mg per dl|cm|kgs?|kilos?|kilograms?"
    r"|lbs?|pounds|feet|ft|%|percent"
    r"|miles?|km|steps|bpm)(?:\b|(?<=%)| |$)"
    r"|\b(?:hb)?a1c\b[^.?!\d]{0,20}\d+(?:[.,]\d+)?|\b(?:in )?(?:19|20)\d\d\b(?! ?(?:g|ml)\b)"
    r"|\b(?:sugars?|glucose|bg|reading|sensor|cgm|meter|(?:i'm|am|was|is|now|it's) at|from|to) "
    r"(?:is |was |at |of |now |says |reads |currently )*\d{2,3}(?:\.\d)?\b(?! ?(?:g"
    r"|ml|gm|grams?)\b)"
    r"|\b(?:lunch|breakfast|dinner|meal|option|number|day|case|q) ?\d\b|\b(?:a|b)1c?\b"
    r"|\b(?:options?|choices?|meals?|foods?|questions?|ideas?|of these|of them)\b \d\b"
    r"|\b(?:give|name|tell|list|suggest|show) (?:me )?(?:\d|two|three|four|five)\b"
    r"|\b(?:these|those|the|which|other|all|my|of the) (?:two|three|2|3)\b|\b\d ?(?:options?|ideas?"
    r"|alternatives?|things|times a day|meals)\b|\b(?:first|second|third)\b|\b24/7\b"
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\d])")
_RANGE = re.compile(rf"\b\d+(?:\.\d+)? ?(?:-|–|to|or) ?\d+(?:\.\d+)? ?{WEIGHT_UNIT}\b")
_OPERATOR = re.compile(rf"(?<![\w.])(?:{SHARE}|{MULTIPLE}|quarters?|minus|times as)(?!\w)")
_NET = re.compile(r"\bnet carb\w*")
_STATE = re.compile(r"\b(?:uncooked|raw|dry|unprepared|before cooking|dry weight)\b")
_NEGATED = re.compile(
    r"\b(?:not|no|without|minus|except|zero|sans|hold the)"
    r"(?: the| any| added| my)* (?P<what>\d+(?:\.\d+)?(?: ?(?:g|ml))?|sugars?|carbs?|buns?|bread"
    r"|rice|crusts?"
    r"|tortillas?|fries|chips|pasta|noodles|breading|batter|potato\w*|syrup|honey|sweetener)\b"
)
_PRONOUN = re.compile(r"(?<![\d.])(?:1|one)(?![\d.])")
_BEFORE_FOOD = re.compile(rf"\b{NUMBER}(?:[^\w.?!]+\w+){{0,2}}[^\w.?!]*$")
_UNREAD_UNIT = re.compile(
    rf"\b(?:{NUMBER}|an?|half an?) ?(?:{WEIGHT_UNIT}|cm|inch(?:es)?) (?:of )?$"
)
_EATEN_COUNT = re.compile(
    rf"\b(?:ate|eat|eaten|had|have|having) (?:only |just |about )?{NUMBER}"
    r"(?= of (?:it|them|those)\b|[ ,.?!;]*$|[,.?!;] )"
)
_BEHIND_FOOD = re.compile(rf"^[^\w.?!]*(?:\w+[^\w.?!]+)?{NUMBER}\b")
_TO_SHARE = re.compile(
    r"\b(?:shared?|split) (?:it |that )?(?:with|between|by)\b|\b(?:ate|eat|eaten"
    rf"|had|left|gave(?: away)?) (?:only |just |about )?(?:{SHARE}|most|some"
    r"|\d+ ?(?:%|percent))(?!\w)|\b\d+ ?(?:%|percent) of\b|\bmakes (?:about )?\d+\b"
    r"|\bof us (?:split|share)"
    r"|\b(?:split|shar)\w*\b[^.!?]*\bevenly\b|\bin equal parts\b|\beverything but\b"
    r"|\bper (?:muffin|piece|slice|cookie|person|portion|head)\b|\b[1-9]\.\d00 ?(?:g|ml)\b"
)
_TOLERANCE = 1e-3
_DENSITY = 0.1  # maximum difference between the densities of a drink and of water, in kg/l
_GRAMS = {"g": 1.0, "k": 1000.0, "l": 1000.0, "m": 1.0}
_WRITTEN = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>g|kg|kilo|ml|l)(?:m|rams?|s|it\w+)?\b")
_LIQUID = re.compile(r"\d ?(?:ml|l)(?:s|it\w+)?\b")
_EACH = re.compile(r"\b(?:each|apiece)\b")
_SUGAR_G = 1.0


def not_understood(question: MealQuestion) -> str:
    """Return the first words of a question about an amount that the chat does not understand.

    If the question compares meals, the words of an option that names no known food are also
    returned. If there are no such words, return an empty string.
    """
    missing = [said for option in question.options for said in option.missing]
    if match := _RANGE.search(question.food_text):
        return match.group()
    if missing and question.asked in ("compare_meals", "predict_meal", "meal_nutrients"):
        return missing[0]
    if said := _unread_amount(question):
        return said
    if question.is_change:
        return ""
    text = with_products(question.text)
    detections = [one for option in question.options for one in option.detections]
    for option in question.options:
        for one in option.detections:
            if said := _unclear(one, has_unread=bool(option.unread)):
                return said
    for meal in question.options:
        if said := _negated(text, meal):
            return said
    said = _operator(question.food_text, text, detections) or _state(question)
    said = said or _unused_number(question, detections) or _outside(question)
    return said or _moved(with_products(question.food_text), detections)


def _unread_amount(question: MealQuestion) -> str:
    """Return words that state only an amount, or whose weight is greater than that of the foods.

    If there are no such words, return an empty string.
    """
    for option in question.options:
        read_g = sum(one.selection.weight_g or 0.0 for one in option.detections)
        for said in option.unread:
            if not WEIGHT.search(said):
                continue
            is_most = _written_g(said) > read_g
            if is_most or not core_words(_NUMBER.sub(" ", _EACH.sub(" ", said))):
                return said
    return ""


def _unclear(one: Detection, *, has_unread: bool) -> str:
    """Return words for a food whose amount is unclear or implausible, or words that do not fit it.

    An example of the latter is "no bun", if the food that was found has a bun. If there are no such
    words, return an empty string.
    """
    if one.implausible and not _is_kept(one) and _NUMBER.search(one.said):
        return one.said
    if one.lacking:
        return one.lacking[0]
    numbers = _NUMBER.findall(one.said)
    # Without parentheses, the weight may belong to a food that was not understood.
    is_kept = _is_kept(one) and ("(" in one.said or not has_unread)
    is_unclear = len(numbers) > 1 and not _is_in_name(numbers, one) and not is_kept
    return one.said if is_unclear else ""


def _is_kept(one: Detection) -> bool:
    """Return whether the weight of a food equals the amount in the user's words for it."""
    grams = _written_g(one.said)
    if not grams:
        return False
    is_liquid = bool(_LIQUID.search(one.said))
    tolerance = grams * _DENSITY if is_liquid else _TOLERANCE
    return abs(grams - (one.selection.weight_g or 0.0)) <= tolerance


def _written_g(said: str) -> float:
    """Return the first weight in words for a food, in grams; 0 if there is none.

    A milliliter counts as a gram. A weight of each piece is multiplied by the number of pieces.
    """
    written = _WRITTEN.search(said)
    if written is None:
        return 0.0
    grams = float(written.group("number")) * _GRAMS[written.group("unit")[0]]
    if _EACH.search(said) and (count := _NUMBER.match(said)):  # "2 rolls, 60 g each"
        grams *= float(count.group())
    return grams


def _is_in_name(numbers: list[str], one: Detection) -> bool:
    name = set(words(one.selection.food.name))
    return sum(number not in name for number in numbers) <= 1


def _negated(text: str, meal: NamedMeal) -> str:
    """Return a negation of something that the meal still contains, or an empty string."""
    match = _NEGATED.search(text)
    if match is None:
        return ""
    what = match.group("what")
    if what[0].isdigit():
        return match.group()
    names = " ".join(one.selection.food.name for one in meal.detections)
    if what.startswith("sugar"):
        grams = sum(
            each.nutrients["sugars_g"] for each in meal.selections if "sugars_g" in each.nutrients
        )
        return match.group() if grams > _SUGAR_G else ""
    is_left = set(words(what)) & set(words(names))
    is_part = what.startswith(("carb", "bun", "crust", "tortilla", "bread", "batter"))
    return match.group() if is_left or is_part else ""


def _operator(food_text: str, text: str, detections: list[Detection]) -> str:
    """Return a share, a multiple or "net carbs" that applies to no food, or an empty string."""
    if match := _TO_SHARE.search(text):
        return match.group()
    named = {word for one in detections for word in words(one.selection.food.name)}
    if match := _NET.search(text):
        return match.group()
    for match in _OPERATOR.finditer(amount_text(with_products(food_text))):
        if not set(words(match.group())) & named or not words(match.group()):
            return match.group().strip()
    return ""


def _state(question: MealQuestion) -> str:
    """Return a word of the question such as "uncooked" if the food that was found is cooked.

    If there is no such word, return an empty string.
    """
    for option in question.options:
        is_cooked = any(_is_cooked(one) for one in option.detections)
        other = question.food_text
        for one in option.detections:
            if (match := _STATE.search(one.said)) and _is_cooked(one):
                return match.group()
            other = other.replace(match.group(), "", 1) if match else other
        if is_cooked and (match := _STATE.search(other)):
            return match.group()
    return ""


def _is_cooked(one: Detection) -> bool:
    name = one.selection.food.name.lower()
    return "cooked" in name.replace("uncooked", "") or "prepared" in name


def _outside(question: MealQuestion) -> str:
    """Return an amount in the words outside of the foods, or an empty string."""
    last = len(question.other_texts) - 1
    for part in question.other_texts[:-1]:
        if match := _UNREAD_UNIT.search(part):
            return match.group().strip()
    for place, part in enumerate(question.other_texts):
        explained = _EXPLAINED.sub(" ", EACH.sub(" ", part))
        rest = _PRONOUN.sub(" ", pattern("medicine_statement").sub(" ", explained))
        match = AMOUNT.search(rest) or _EATEN_COUNT.search(rest)
        match = match or (_BEFORE_FOOD.search(rest) if place < last else None)
        match = match or (_BEHIND_FOOD.search(rest) if place else None)
        if match:
            return match.group().strip(" ,")
    return ""


def _unused_number(question: MealQuestion, detections: list[Detection]) -> str:
    """Return a number in the words about food that belongs to no food, or an empty string."""
    text = with_products(question.food_text)
    unread = [said for option in question.options for said in option.unread]
    left = [
        float(number)
        for said in (*(one.said for one in detections), *unread)
        for number in _NUMBER.findall(amount_text(said))
    ]
    left += [
        round(one.selection.weight_g or 0.0) for one in detections if not _NUMBER.search(one.said)
    ]
    left += [
        float(word)
        for one in detections
        for word in words(one.selection.food.name)
        if word.isdigit()
    ]
    rest = pattern("medicine_statement").sub(" ", _EXPLAINED.sub(" ", text))
    for match in _NUMBER.finditer(amount_text(rest)):
        value = float(match.group())
        same = next((each for each in left if abs(each - value) < _TOLERANCE), None)
        if same is None:
            if match.group() == "1" and "1" not in rest:  # "one" as a pronoun
                continue
            if not re.search(rf"(?<![\d.]){re.escape(match.group())}", rest):
                written = _NUMBER.search(rest)  # a range, or a number in words
                return written.group() if written else _around(amount_text(rest), match)
            return _around(amount_text(rest), match)
    return ""


def _moved(text: str, detections: list[Detection]) -> str:
    """Return the words for a food whose amount is not near its name, or an empty string."""
    written = amount_text(text)
    for one in detections:
        numbers = _NUMBER.findall(one.said)
        said = re.findall(r"[^\W\d_]+", one.said)
        core = [re.escape(word[:4]) for word in said if core_words(word)]
        if len(numbers) > 1 or not core or not one.amount_said:
            continue
        if not numbers and not _NUMBER.search(written):
            continue
        number = re.escape(numbers[0]) if numbers else r"(?:\d+(?:\.\d+)?|\ban?\b|\bsome\b)"
        name = f"(?:{'|'.join(core)})"
        gap = r"(?:[^\w.?!]+(?!(?:by|raise|to|from|is|am|glucose)\b)[\w'/-]+){0,7}?[^\w.?!]+"
        beside = rf"(?<![\d.]){number}[a-z]*{gap}{name}|{name}[\w'-]*(?:{gap}|[^\w.?!]+){number}"
        if not re.search(beside, written):
            return one.said
    return ""


def _around(text: str, match: re.Match[str]) -> str:
    """Return a number with the word after it."""
    behind = re.match(r" ?[a-z%]+", text[match.end() :])
    return match.group() + (behind.group() if behind else "")
