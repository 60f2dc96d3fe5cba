"""Read as much as can be understood of what someone says about a meal.

The text is parted into phrases (`postmeal.foods.language.phrases`), each phrase's name is matched
with a food (`postmeal.foods.language.matching`), and its amount becomes grams
(`postmeal.foods.language.household`). What follows "with" or "and" without an amount of its own may
belong to the name before it, as in "a taco with meat", or be a food of its own, as in "a burger and
fries": the better match decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food, Selection
from postmeal.foods.language.household import is_powder, selection_of, weight_of
from postmeal.foods.language.matching import Match, Matcher
from postmeal.foods.language.name_words import (
    COOKED,
    HOLDERS,
    PARTS,
    SIDES,
    after_the_head,
    alike,
    head_of,
)
from postmeal.foods.language.phrase import Phrase, eaten_of
from postmeal.foods.language.phrases import phrases
from postmeal.foods.nutrients import Nutrients
from postmeal.foods.words import words

__all__ = ["Detection", "MealReading", "read_meal"]

_UNDERSTOOD = 0.2
_NO_FOOD = frozenset({"dish", "meal", "food", "item", "product", "mix", "plate", "type", "kind",
                      "flavor", "taste", "touch"})  # fmt: skip
_NOT_ALONE = _NO_FOOD | COOKED | {"drink"}
_DISHES = HOLDERS - {"meal", "dinner", "bowl"}
_NAMED_BRAND = 0.9
_WELL_HELD = 0.8
_SURELY = 0.9
_PERHAPS = 0.5
_NUTRIENTS = frozenset({"protein", "energy", "fiber", "fat", "carb", "carbohydrate", "calcium",
                        "vitamin", "iron", "potassium", "omega", "electrolyte"})  # fmt: skip
_JOINING = frozenset({"and", "with", "w", "n"})
_MOST_PARTS = 6
_LIKELIEST = 4
_OF_A_KIND = 12
_NEARLY_AS_LIKELY = 0.15
_ONE_FOOD = (0.4, 0.5, 0.35)
"""Score, and shares of the first and of each other part, from which phrases are one food."""
_ONE_DISH = (0.3, 0.3, 0.15)
"""The same for "a peanut butter and jelly sandwich on rye"."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A food that was found in a text.

    Attributes
    ----------
    said : str
        The words that were read.
    selection : Selection
        The food and how much of it.
    amount_said : bool
        Whether the text says how much; otherwise it is a typical serving.
    confidence : float
        How surely these words mean this food, above 0 and at most 1.
    """

    said: str
    selection: Selection
    amount_said: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class MealReading:
    """What was understood of a text about a meal, and what was not.

    Attributes
    ----------
    detections : tuple of Detection
        In the order of the text.
    unread : tuple of str
        Phrases that name no food that is known, or one that was not counted.
    """

    detections: tuple[Detection, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def nutrients(self) -> Nutrients:
        """Amounts of nutrients in all that was found."""
        return Nutrients.sum(detection.selection.nutrients for detection in self.detections)


def read_meal(text: str, catalog: Catalog) -> MealReading:
    """Read as much as can be understood of what someone says about a meal.

    Parameters
    ----------
    text : str
        Any text.
    catalog : Catalog
        The foods that may be named.

    Returns
    -------
    MealReading
        The foods that were found, and the phrases in which none was. It never raises on text.

    Examples
    --------
    >>> reading = read_meal("I'm having 2 slices of toast with some jam", Catalog.open())
    >>> [(one.selection.food.name, one.amount_said) for one in reading.detections]
    [('Bread, white, commercially prepared, toasted', True), ('Jams and preserves', False)]
    """
    matcher = Matcher.of(catalog)
    detections: list[Detection] = []
    told, unread = _without_asides(phrases(text), matcher)
    for phrase, match in _joined(told, matcher, unread):
        food, confidence = _food_of(phrase.name, match, matcher, catalog)
        if food is None:
            unread.append(phrase.said)
            continue
        weight_g = weight_of(phrase, food)
        weighed_dry = phrase.mass_g is not None and "powder" in words(phrase.name)
        if not weighed_dry and is_powder(phrase.name, food, weight_g):
            food = _prepared(phrase.name, food, weight_g, matcher, catalog)
            if phrase.mass_g is None and is_powder(phrase.name, food, weight_g):
                weight_g = food.default_serving.weight_g or weight_g
        selection = selection_of(phrase, food, weight_g)
        if selection is not None:  # else none of it is eaten: "0 g of salt"
            detections.append(Detection(phrase.said, selection, phrase.amount_said, confidence))
    return MealReading(tuple(detections), tuple(unread))


def _joined(
    found: list[Phrase], matcher: Matcher, unread: list[str]
) -> list[tuple[Phrase, Match | None]]:
    """Match each phrase, and those of one food together.

    Where foods are weighed, one that is not weighed is none: "150 g banana and pear" leaves the
    pear unread.
    """
    weighed = any(phrase.mass_g is not None for phrase in found)
    read: list[tuple[Phrase, Match | None]] = []
    place = 0
    while place < len(found):
        if found[place].lacks:
            place += 1
            continue
        end = place + 1
        while end < len(found) and end - place < _MOST_PARTS and _adds(found[end - 1], found[end]):
            end += 1
        while end > place + 1 and (whole := _whole(found[place:end], matcher)) is None:
            end -= 1
        if end > place + 1 and whole is not None:
            read.append(whole)
        else:
            read.append((found[place], _first(matcher, found[place].name)))
        filled = any(part.joined_by == "with" for part in found[place + 1 : end])
        inside = weighed or read[-1][0].takes or (filled and _holds_others(read[-1][0].name))
        place = end
        while place < len(found) and _adds(found[place - 1], found[place]):
            last, addition = read[-1][0], found[place]
            in_it = inside or "topped" in addition.joined_by
            if addition.joined_by == "with" and _holds_others(last.name):
                in_it = in_it or not _is_side(addition.name)
            if not (in_it or addition.refers or _is_part(addition.name)):
                break
            inside = in_it
            if addition.mass_g is not None and last.mass_g is not None:
                break
            if addition.mass_g is not None:
                read[-1] = (replace(last, mass_g=addition.mass_g), read[-1][1])
            elif _is_lost(addition, read[-1], matcher):
                unread.append(addition.said)
            place += 1
    return read


def _is_lost(addition: Phrase, read: tuple[Phrase, Match | None], matcher: Matcher) -> bool:
    """Whether what is taken for a part of a food surely names another: "and a pear"."""
    whole, held = read
    if whole.takes or addition.lacks or "with" in addition.joined_by or _holds_others(whole.name):
        return False
    match = _first(matcher, addition.name)
    known = {*_words_of(whole.name), *(held.held if held else ())}
    return match is not None and match.score >= _SURELY and known.isdisjoint(match.held)


def _without_asides(found: list[Phrase], matcher: Matcher) -> tuple[list[Phrase], list[str]]:
    """Leave out why something is eaten; what may be a food in that is one or told as unread."""
    told: list[Phrase] = []
    unread: list[str] = []
    named = {word for one in found if not one.aside for word in _words_of(one.name)}
    for one in found:
        match = _first(matcher, one.name) if one.aside else None
        if not one.aside:
            told.append(one)
        elif match is None or match.score < _PERHAPS or not _NUTRIENTS.isdisjoint(match.held):
            continue  # "for extra flavor", "for some protein"
        elif match.score >= _SURELY and not one.refers:
            told.append(replace(one, aside=False))
        elif not named.issuperset(_words_of(one.name)):  # else "to go with the rice" told before
            unread.append(one.said)
    return told, unread


def _holds_others(name: str) -> bool:
    """Whether what is said "with" a food of this name is in it: a sandwich, a salad."""
    said = _words_of(name)
    return head_of(said) in HOLDERS or said[-1:] == ["submarine"]


def _words_of(name: str) -> list[str]:
    return alike(" ".join(words(name)))


def _is_part(name: str) -> bool:
    """Whether it is never eaten alone: icing, filling, skin."""
    return head_of(_words_of(name)) in PARTS


def _is_side(name: str) -> bool:
    """Whether a food is eaten beside others and never in them: fries, a drink."""
    return head_of(_words_of(name)) in SIDES


def _adds(before: Phrase, phrase: Phrase) -> bool:
    """Whether a phrase may belong to the food before it."""
    if phrase.refers and phrase.mass_g is None:
        return True
    if phrase.joined_by == ".":
        return False
    if phrase.joined_by == "with" and phrase.mass_g is None and _is_part(phrase.name):
        return True
    return not phrase.begins or (before.takes and before.mass_g is None)


def _whole(parts: list[Phrase], matcher: Matcher) -> tuple[Phrase, Match] | None:
    """Join phrases into one, when one food holds the words of all."""
    masses = [part.mass_g for part in parts if part.mass_g is not None]
    volumes = [part.volume_ml for part in parts if part.volume_ml is not None]
    counted = (parts[0].count or 1) > 1 and not parts[0].unit and parts[0].name.endswith("s")
    if len(masses) > 1 or (counted and "with" not in parts[1].joined_by):
        return None  # of "2 eggs and toast", toast is another food
    name = parts[0].name
    for part in parts[1:]:
        name += f" {'with' if part.lacks else _link(part.joined_by)} {part.name}"
    match = _holding_all(parts, name, matcher)
    if match is None:
        return None
    said = " ".join(part.said for part in parts)
    counted_at = parts[0]
    if not parts[0].amount_said and not parts[-1].begins:  # "cheese, cheddar, 2 slices"
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
        takes=any(part.takes for part in parts),
    )
    return whole, match


def _holding_all(parts: list[Phrase], name: str, matcher: Matcher) -> Match | None:
    """Find the best of the likeliest foods that hold the words of every part."""
    one_dish = "with" not in parts[1].joined_by and _holds_others(parts[-1].name)
    enough, first, more = _ONE_DISH if one_dish else _ONE_FOOD
    found = matcher.match(name, _LIKELIEST)
    said = _words_of(name)
    eaten = [one for one in parts if not one.lacks]
    foods = [one for one in eaten if any(m.score >= 1 for m in matcher.match(one.name))]
    known = all(one.describes or one in foods for one in eaten)
    known = known and all(one.mass_g is None for one in parts)
    joined = {part.joined_by for part in parts[1:]}
    of_salad = head_of(_words_of(parts[0].name)) == "salad"
    for match in found:
        if match.score < max(enough, found[0].score - _NEARLY_AS_LIKELY):
            return None
        if known and match.head not in said:
            continue  # cereal with milk is no bar of them
        if of_salad and match.head != "salad":
            continue  # a salad with olive oil is no olive oil
        exact = match.score >= 1 and ("," in joined or not _JOINING.isdisjoint(match.held))
        if known and len(foods) > 1 and joined <= {"and", ","} and not (one_dish or exact):
            continue  # eggs and toast are no egg toast, bread and butter no pickles
        if all(
            part.describes
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


def _food_of(
    name: str, match: Match | None, matcher: Matcher, catalog: Catalog
) -> tuple[Food | None, float]:
    """Answer the food that is meant, and how surely: a product when its brand is named."""
    if len(catalog) > len(matcher) and (match is None or matcher.share(name, match) < _WELL_HELD):
        said = set(words(name))
        for product in catalog.search(name, kind="branded", limit=1, every_word=True):
            if not said.isdisjoint(words(product.brand_name or "")):
                return product, _NAMED_BRAND
    if match is None or match.score < _UNDERSTOOD or name in _NO_FOOD or _by_number(name, match):
        return None, 0.0
    return catalog.food(match.food_id), round(match.score, 3)


def _by_number(name: str, match: Match) -> bool:
    """Whether a match holds nothing of a name but numbers."""
    return all(word.isdigit() for word in _words_of(name) if word in match.held)


def _prepared(name: str, food: Food, weight_g: float, matcher: Matcher, catalog: Catalog) -> Food:
    """Of "a cup of instant coffee" the drink, not the powder."""
    for match in matcher.match(name, _OF_A_KIND):
        other = catalog.food(match.food_id)
        if not is_powder(name, other, weight_g):
            return other
    return food


def _first(matcher: Matcher, name: str) -> Match | None:
    """Match a name: its head where the best holds none of it, a dish with a dish of that kind.

    Of "burger without cheese" it is a burger, where no food lacks just that.
    """
    found = matcher.match(name) if name else []
    said = _words_of(name)
    what = said[: after_the_head(said)]
    if found and what != said and set(what).isdisjoint(_NOT_ALONE.union(found[0].held)):
        found = matcher.match(" ".join(what)) or found  # of "meat cooked in butter" the meat
    head = head_of(what)
    if found and head in _DISHES and head not in found[0].held:
        of_it = (match for match in matcher.match(name, _OF_A_KIND) if head in match.held)
        found = [next(of_it, found[0])]  # a meatless burrito is no meatless chicken
    if found and (eaten := eaten_of(name)) != name and matcher.share(name, found[0]) < _WELL_HELD:
        found = matcher.match(eaten)
    return found[0] if found else None
