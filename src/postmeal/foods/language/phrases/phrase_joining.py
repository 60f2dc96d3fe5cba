"""Join phrases that name one food, as in "a taco with meat" but not in "a burger and fries".

A phrase without an amount after "with" or "and" may belong to the name before it, or it may name a
separate food. The interpretation that matches the catalog better is used.
"""

from __future__ import annotations

from dataclasses import replace

from postmeal.foods.language.candidates import first_match, words_of
from postmeal.foods.language.matching import Match, Matcher
from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.thresholds import DEFAULT_TUNING, Tuning
from postmeal.foods.language.words.name_words import (
    BREADS,
    HOLDERS,
    MADE_WITH_BREAD,
    PARTS,
    SIDES,
    head_of,
)

__all__ = ["joined", "without_reasons"]

_NUTRIENTS = frozenset({"protein", "energy", "fiber", "fat", "carb", "carbohydrate", "calcium",
                        "vitamin", "iron", "potassium", "omega", "electrolyte"})  # fmt: skip
_JOINING = frozenset({"and", "with", "w", "n"})
_ANOTHER_KIND = frozenset({"french", "diet", "imitation", "sweet", "cream", "candied"})
"""Words in food names, such as "French" in "French toast", that must also be in the text."""

_SEPARATING = frozenset({",", "and", "."})
_OF_LITTLE_MEANING = frozenset(
    {"pinch", "dash", "bowl", "plate", "dish", "meal", "serving", "splash", "drizzle", "side"}
)
"""Vague measures; a more precise weight may follow in the text."""

_HOT_DRINKS = frozenset({"coffee", "espresso", "tea"})
_STIRRED_IN = {"milk": "tablespoon", "cream": "tablespoon", "creamer": "tablespoon",
               "half": "tablespoon", "sugar": "teaspoon", "honey": "teaspoon"}  # fmt: skip
"""Additions to a hot drink, each with the measure that is assumed."""

_MOST_PARTS = 6
_LIKELIEST = 4


def joined(
    found: list[Phrase], matcher: Matcher, unread: list[str], tuning: Tuning = DEFAULT_TUNING
) -> list[tuple[Phrase, Match | None]]:
    """Match each phrase to a food, joining the phrases that name one food together.

    If the text states the weights of two or more foods and no counts, a phrase without a weight is
    not treated as a food. Additions that are not part of a food are appended to `unread`.
    """
    are_weighed = sum(phrase.mass_g is not None for phrase in found) > 1
    are_weighed = are_weighed and not any(_is_counted(phrase) for phrase in found)
    read: list[tuple[Phrase, Match | None]] = []
    place = 0
    while place < len(found):
        if found[place].is_excluded:
            place += 1
            continue
        if place and (measure := _stirred_in(found[place - 1], found[place])):
            found[place] = replace(found[place], unit=measure)
        end, whole = _longest_whole(found, place, matcher, tuning)
        read.append(whole or (found[place], first_match(matcher, found[place].name)))
        food, match = read[-1]
        is_filled = any(part.joined_by == "with" for part in found[place + 1 : end])
        is_inside = (
            are_weighed
            or (food.includes_next and _is_understood(match, tuning))
            or (is_filled and _takes_additions(food.name))
        )
        if end < len(found) and food.mass_g is not None:
            is_inside = is_inside or found[end].joined_by not in _SEPARATING
        place = end
        while place < len(found) and _may_belong(found[place - 1], found[place]):
            addition, food = found[place], read[-1][0]
            is_beside = _takes_additions(food.name) and _is_side(addition.name, of=food.name)
            if is_beside and not are_weighed:
                break  # "a burger with cheese and fries"
            is_inside = is_inside or _is_eaten_inside(addition, food)
            if not (is_inside or addition.refers_back or _is_part(addition.name)):
                break
            if _is_separate(addition, read[-1], matcher, tuning):
                break
            if addition.mass_g is not None:
                weighed = replace(food, mass_g=addition.mass_g, in_ounces=addition.in_ounces)
                read[-1] = (weighed, read[-1][1])
            elif _is_other_food(addition, read[-1], matcher, tuning):
                unread.append(addition.said)
            place += 1
    return read


def _longest_whole(
    found: list[Phrase], place: int, matcher: Matcher, tuning: Tuning
) -> tuple[int, tuple[Phrase, Match] | None]:
    """Join as many phrases as possible, starting at `place`, that together name one food.

    Return the position after them, and the joined phrase with its food. If no phrases can be
    joined, return ``place + 1`` and None.
    """
    end = place + 1
    while end < len(found) and end - place < _MOST_PARTS:
        before, phrase = found[end - 1], found[end]
        if not (_may_belong(before, phrase) or _named_together(before, phrase, matcher)):
            break
        end += 1
    for after in range(end, place + 1, -1):
        if whole := _whole(found[place:after], matcher, tuning):
            return after, whole
    return place + 1, None


def _is_eaten_inside(addition: Phrase, food: Phrase) -> bool:
    """Return whether an addition other than a side is part of a food, as in "toast with ham"."""
    if "topped" in addition.joined_by:
        return True
    return addition.joined_by == "with" and _takes_additions(food.name)


def _is_separate(
    addition: Phrase, read: tuple[Phrase, Match | None], matcher: Matcher, tuning: Tuning
) -> bool:
    """Return whether the amount of an addition shows that it is a separate food."""
    food = read[0]
    if addition.mass_g is not None and food.mass_g is not None:
        return True
    if food.mass_g is not None and not food.includes_next and _is_counted(addition):
        return True  # "300 g of rice with 4 tablespoons of raita"
    is_listed = addition.joined_by == "," and addition.mass_g is not None
    return is_listed and _is_other_food(addition, read, matcher, tuning)  # "som tam, rice 120 g"


def _is_understood(match: Match | None, tuning: Tuning) -> bool:
    """Return whether a phrase matches a food well enough, unlike "my husband cooked"."""
    return match is not None and match.score >= tuning.understood


def _is_counted(phrase: Phrase) -> bool:
    """Return whether a food is counted or measured, not weighed: "2 rolls", "a cup of rice"."""
    if not phrase.name or phrase.mass_g is not None or phrase.is_reason:
        return False
    if phrase.unit in _OF_LITTLE_MEANING:
        return False
    sized = bool(phrase.size) and phrase.count is not None
    return bool(phrase.unit or sized or phrase.volume_ml or (phrase.count or 1.0) != 1.0)


def _is_other_food(
    addition: Phrase, read: tuple[Phrase, Match | None], matcher: Matcher, tuning: Tuning
) -> bool:
    """Return whether an addition is clearly a separate food, as in "and a pear"."""
    whole, held = read
    if (
        whole.includes_next
        or addition.is_excluded
        or "with" in addition.joined_by
        or _takes_additions(whole.name)
    ):
        return False
    match = first_match(matcher, addition.name)
    known = {*words_of(whole.name), *(held.held if held else ())}
    return match is not None and match.score >= tuning.surely and known.isdisjoint(match.held)


def without_reasons(
    found: list[Phrase], matcher: Matcher, tuning: Tuning = DEFAULT_TUNING
) -> tuple[list[Phrase], list[str]]:
    """Remove clauses that state a reason for eating, and return the words that were not read.

    A food in such a clause is kept if it matches well; otherwise, it is reported as unread.
    """
    foods: list[Phrase] = []
    unread: list[str] = []
    named = {word for one in found if not one.is_reason for word in words_of(one.name)}
    for one in found:
        match = first_match(matcher, one.name) if one.is_reason else None
        if not one.is_reason:
            foods.append(one)
        elif match is None or match.score < tuning.perhaps or not _NUTRIENTS.isdisjoint(match.held):
            continue  # such as "for extra flavor" and "for some protein"
        elif match.score >= tuning.surely and not one.refers_back:
            foods.append(replace(one, is_reason=False))
        elif not named.issuperset(words_of(one.name)):  # unlike "to go with the rice"
            unread.append(one.said)
    return foods, unread


def _takes_additions(name: str) -> bool:
    """Return whether foods after "with" are part of this food, as in a sandwich or salad.

    A bread alone, such as a bagel, is not a sandwich: the foods on it are separate foods.
    """
    said = words_of(name)
    if len(said) == 1 and said[0] in BREADS:
        return False
    return head_of(said) in HOLDERS or said[-1:] == ["submarine"]


def _is_part(name: str) -> bool:
    """Return whether a food is never eaten alone, such as icing, filling or skin."""
    return head_of(words_of(name)) in PARTS


def _is_side(name: str, *, of: str) -> bool:
    """Return whether a food is eaten next to a dish and not in it.

    Fries are never part of a dish. Bread is part of a sandwich but not of a soup.
    """
    head, dish = head_of(words_of(name)), head_of(words_of(of))
    return head in SIDES or (head in BREADS and dish not in MADE_WITH_BREAD)


def _stirred_in(drink: Phrase, addition: Phrase) -> str | None:
    """Return the measure of a little milk or sugar in a hot drink, as in "coffee with milk"."""
    if addition.joined_by != "with" or addition.is_excluded or addition.amount_said:
        return None
    is_drink = drink.mass_g is None and not _HOT_DRINKS.isdisjoint(words_of(drink.name)[-1:])
    return (
        _STIRRED_IN.get(addition.name.rpartition(" ")[2].rpartition("-")[2]) if is_drink else None
    )


def _may_belong(before: Phrase, phrase: Phrase) -> bool:
    """Return whether a phrase may belong to the food before it."""
    if phrase.refers_back and phrase.mass_g is None:
        return True
    if phrase.joined_by == ".":
        return False
    if phrase.joined_by == "with" and phrase.mass_g is None and _is_part(phrase.name):
        return True
    if (
        before.unit
        and phrase.mass_g is not None
        and phrase.joined_by == ","
        and not phrase.is_excluded
    ):
        return phrase.is_description  # "natto 1 pack, rice 150 g"
    measured = phrase.amount_said and bool(phrase.unit) and phrase.joined_by != "with"
    if measured and before.amount_said and not before.includes_next:
        return False  # "pork chop 170 g, peas 0.5 cup"
    return not phrase.starts_food or (before.includes_next and before.mass_g is None)


def _named_together(before: Phrase, phrase: Phrase, matcher: Matcher) -> bool:
    """Return whether two phrases together name one food, as in "macaroni and cheese 2 cups"."""
    if phrase.joined_by not in ("and", "with") or before.amount_said:
        return False
    return matcher.names(f"{before.name} {phrase.joined_by} {phrase.name}")


def _whole(parts: list[Phrase], matcher: Matcher, tuning: Tuning) -> tuple[Phrase, Match] | None:
    """Join phrases into one if a single food has the words of all of them."""
    masses = [part.mass_g for part in parts if part.mass_g is not None]
    volumes = [part.volume_ml for part in parts if part.volume_ml is not None]
    counted = (parts[0].count or 1) > 1 and not parts[0].unit and parts[0].name.endswith("s")
    if _stirred_in(parts[0], parts[1]):
        return None
    if len(masses) > 1 or (counted and "with" not in parts[1].joined_by):
        return None  # in "2 eggs and toast", toast is a separate food
    name = parts[0].name
    for part in parts[1:]:
        name += f" {'with' if part.is_excluded else _link(part.joined_by)} {part.name}"
    match = _best_with_all_parts(parts, name, matcher, tuning)
    if match is None:
        return None
    if counted and any(match.head in words_of(part.name) for part in parts[1:]):
        return None  # in "2 eggs with toast", the number counts eggs, not slices of egg toast
    said = " ".join(part.said for part in parts)
    counted_at = parts[0]
    if not parts[0].amount_said and not parts[0].includes_next:  # "cheese, cheddar, 2 slices"
        counted_at = parts[-1]
    whole = replace(
        parts[0],
        count=counted_at.count,
        unit=counted_at.unit,
        size=counted_at.size or parts[0].size,
        name=name,
        said=said,
        mass_g=masses[0] if masses else None,
        volume_ml=volumes[0] if volumes else None,
        in_ounces=any(part.in_ounces for part in parts),
        includes_next=any(part.includes_next for part in parts),
    )
    return whole, match


def _best_with_all_parts(
    parts: list[Phrase], name: str, matcher: Matcher, tuning: Tuning
) -> Match | None:
    """Find the best of the most likely foods that have the words of every part."""
    one_dish = "with" not in parts[1].joined_by and _takes_additions(parts[-1].name)
    enough, first, more = tuning.dish_parts if one_dish else tuning.whole_parts
    found = matcher.match(name, _LIKELIEST)
    said = words_of(name)
    eaten = [one for one in parts if not one.is_excluded]
    foods = [one for one in eaten if any(m.score >= 1 for m in matcher.match(one.name))]
    known = all(one.is_description or one in foods for one in eaten)
    known = known and all(one.mass_g is None for one in parts)
    apart = known and not _takes_additions(parts[0].name)
    joined = {part.joined_by for part in parts[1:]}
    last = parts[-1]
    salad_beside = "with" in last.joined_by and head_of(words_of(last.name)) == "salad"
    of_salad = head_of(words_of(parts[0].name)) == "salad"
    for match in found:
        if match.score < max(enough, found[0].score - tuning.likelihood_margin):
            return None
        if known and match.head not in said:
            continue  # cereal with milk is not a cereal and milk bar
        if known and not one_dish and _ANOTHER_KIND.intersection(match.held).difference(said):
            continue  # toast with butter is not French toast
        if apart and sum(map(matcher.names, set(match.held).difference(said))) > 1:
            continue  # a bagel with cheese is not a bagel with bacon and egg
        if of_salad and match.head != "salad":
            continue  # a salad with olive oil is not olive oil
        exact = match.score >= 1 and ("," in joined or not _JOINING.isdisjoint(match.held))
        if salad_beside and matcher.share(name, match) < tuning.well_held:
            continue  # egg noodles with cucumber salad are not a noodle salad
        listed = exact and "," in joined and not _JOINING.isdisjoint(match.held)
        if listed and any(part.amount_said for part in foods[1:]):
            continue  # "white rice, black beans 2 spoons"
        if known and len(foods) > 1 and joined <= {"and", ","} and not (one_dish or exact):
            continue  # eggs and toast are not egg toast; bread and butter are not pickles
        if all(
            part.is_description
            or (
                place == 0
                and part.name in HOLDERS
                and "with" in parts[1].joined_by
                and not one_dish
            )
            or matcher.share(part.name, match) >= (more if place else first)
            for place, part in enumerate(parts)
        ):
            return match
    return None


def _link(joined_by: str) -> str:
    return joined_by if joined_by in ("with", "and") else "with" if "with" in joined_by else "and"
