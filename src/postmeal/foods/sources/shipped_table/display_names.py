"""Short names of foods, as people say them, made from the publishers' descriptions."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from postmeal.foods.catalog.ranking import LINKING
from postmeal.foods.sources.shipped_table.description_parts import Part, split_description
from postmeal.foods.table import TableFood
from postmeal.foods.words import words

__all__ = ["display_names", "everyday_name", "proper_nouns", "short_name"]

_NO_NOUNS: Mapping[str, str] = {}
_OWN_NAMES = Path(__file__).with_name("own_names.csv")
_LONGEST = 42  # letters of a name; more only to tell it from the name of another food
_PLAIN_G = 10.0  # carbohydrate in 100 g above which an everyday name states raw, cooked or dry

_CLASS = re.compile(
    # Shelves of a shop and chapters of a table; the food comes after them.
    r"^(restaurant, (?:chinese|italian|latino|mexican|family style)|fast foods?, pizza chain|"
    r"beverages|cereals ready-to-eat|cereals|snacks|candies|fast foods?|restaurant|spices|fish|"
    r"nuts|crustaceans|mollusks|alcoholic beverages?|frozen novelties|desserts|game meat|"
    r"leavening agents|sweeteners|toppings|usda commodity|school lunch|formulated bar), |^usda commodity ",
    re.IGNORECASE,
)
_INFANT = re.compile(r"^(?:baby ?food, (?:(?:fruit|juice|dinner|meat|vegetables?|dessert|cereal|"
                     r"cookies?|snack|crackers?), )?|baby toddler (?!food))", re.IGNORECASE)  # fmt: skip
_MEAT = re.compile(r"^(beef|pork|lamb|veal|chicken|turkey|duck|goose|goat|bison|deer|elk|emu|"
                   r"ostrich|caribou|moose|pheasant|quail|rabbit)$", re.IGNORECASE)
"""Animals, whose cuts are said after them: "beef brisket", but "ground beef"."""
_NOT_BEHIND = re.compile(r"^(and|for|from|in|no|of|or|with|without)\b|\bwith\b|eaten|\d|,|:")
_BEFORE_MEAT = re.compile(r"^(ground|minced|corned|wagyu)\b", re.IGNORECASE)
_WHOLE_MEAT = re.compile(r"\b(ham|bacon|sausage)s?$", re.IGNORECASE)  # a pork ham is a ham
_PART = re.compile(
    r"^(white|yolk)$|^(peel|leaves|greens|hearts?|roots?|sprouts|bran|germ|pods?|tops|shoots|"
    r"paste|puree|sauce|juice|nectar|chips|tots|crumbs|crust|skins?|wedges|pancakes)$"
)
"""Parts and products of a plant, and of an egg, which are said after its name: "wheat germ"."""
_NOT_BEFORE = re.compile(
    r"^(and|as|for|from|in|made|no|not|of|on|or|type|with|without|style|stage|includes?|all|any)\b|"
    r"\b(with|style|type|only|eaten|or)\b.*|\d|:|^(slices?|pieces?|patty|dinner|links?|"
    r"chunky|liquid|sticks?|cubes?|crumbles|tub|strained|junior|toddler|meatless)$",
    re.IGNORECASE,
)
"""Qualifiers that stay behind the food: "bread with raisins", not "with raisins bread"."""
_MASS = re.compile(r"^(.*(?:syrup|pudding|gelatin dessert|ice cream|sauce|frosting|soup|dressing|"
                   r"jam))s$", re.IGNORECASE)  # fmt: skip
"""Plurals that name a class of mass nouns: "maple syrup", not "maple syrups"."""
_ITSELF = re.compile(r"(?<!s)(?<!u)(?<!asse)s$")  # "Cookies, gingersnaps": the plural is the food


@dataclass(slots=True)
class _Name:
    """A name under construction: the food, its qualifiers, and which of them are shown."""

    core: str
    parts: list[Part]
    shown: list[bool] = field(default_factory=list)
    full: str = ""

    def text(self) -> str:
        behind = (part.text for part, is_shown in zip(self.parts, self.shown, strict=True) if is_shown)
        return ", ".join((self.core, *behind))

    def hidden(self) -> list[int]:
        at = [n for n, is_shown in enumerate(self.shown) if not is_shown]
        return sorted(at, key=lambda n: self.parts[n].sort == "detail")


def display_names(foods: Sequence[TableFood]) -> list[TableFood]:
    """Return the foods with their display names.

    Foods of brands and our own dishes keep their names, which are already those of a package, a
    menu or a kitchen. A food with an everyday name bears it. The others get a phrase made from the
    publisher's description. If several foods of a brand, or without a brand, would have the same
    name, the most popular one bears it; the others get the qualifiers back that it does not have.

    Parameters
    ----------
    foods : sequence of TableFood
        All foods of a table, most popular first.

    Returns
    -------
    list of TableFood
        The foods in the same order.
    """
    nouns = proper_nouns(food.name for food in foods if not food.brand_name)
    names = [_name_of(food, nouns) for food in foods]
    _tell_apart(foods, names)
    return [
        replace(food, display_name="" if (text := _capitalized(name.text())) == food.name else text)
        for food, name in zip(foods, names, strict=True)
    ]


def short_name(description: str, nouns: Mapping[str, str] = _NO_NOUNS) -> str:
    """Return the natural phrase for a publisher's description.

    Parameters
    ----------
    description : str
        The description.
    nouns : mapping of str to str
        Spelling of the words with capital letters, as returned by `proper_nouns`.

    Returns
    -------
    str
        The name. Raw, cooked, dry, sweetened, fat free and other states are kept.

    Examples
    --------
    >>> short_name("Rice, white, long-grain, regular, raw, enriched")
    'White rice, raw'
    >>> short_name("Snacks, banana chips")
    'Banana chips'
    >>> short_name("Yellow rice, cooked, NS as to fat")
    'Yellow rice, cooked'
    >>> short_name("Beef, round, eye of round, separable lean only, choice, cooked, roasted")
    'Beef round, eye of round, roasted'
    """
    return _capitalized(_phrase(description, nouns).text())


def everyday_name(food: TableFood, nouns: Mapping[str, str] = _NO_NOUNS) -> str:
    """Return the everyday name of a food, with the state that its description adds.

    The state is added to foods with at least 10 g of carbohydrate per 100 g, and sweetness and fat
    to all. Fruit is eaten raw, so "raw" is not added to it.

    Parameters
    ----------
    food : TableFood
        A food with everyday names.
    nouns : mapping of str to str
        Spelling of the words with capital letters, as returned by `proper_nouns`.

    Returns
    -------
    str
        The name.
    """
    first = food.also_called.split(";")[0]
    name = _own_names().get(first) or _in_case(first, nouns)
    known = set(words(name))
    behind: list[str] = []
    parts = split_description(food.name)[1]
    is_made = any(_MADE.match(part.text) for part in parts)
    for part in parts:
        stated = _stated(part, food, known, is_made)
        if stated and known.isdisjoint(words(stated)):
            behind.append(stated)
            known.update(words(stated))
    return _capitalized(", ".join((name, *behind)))


def proper_nouns(descriptions: Iterable[str]) -> dict[str, str]:
    """Return the words that descriptions write with a capital letter inside of a phrase.

    Parameters
    ----------
    descriptions : iterable of str
        Descriptions.

    Returns
    -------
    dict of str to str
        The spelling of each word by the word in lower case.

    Examples
    --------
    >>> proper_nouns(["Yogurt, Greek", "Sauce, BBQ", "Rice, white"])
    {'greek': 'Greek', 'bbq': 'BBQ'}
    """
    capital: dict[str, Counter[str]] = defaultdict(Counter)
    small: Counter[str] = Counter()
    for description in descriptions:
        for word in re.findall(r"[^\W\d_]{3,}", description)[1:]:
            if word[0].isupper():
                capital[word.lower()][word] += 1
            else:
                small[word] += 1
    return {
        word: forms.most_common(1)[0][0]
        for word, forms in capital.items()
        if forms.total() > small[word]
    }


_SWEET_OR_FAT = re.compile(
    r"(low |reduced |no |less )?(sugar|calorie)|(un)?sweetened|(non-?fat|low-?fat|(part[ -])?skim)\b|"
    r"fat[ -]free|(low|reduced)[ -]fat",
    re.IGNORECASE,
)
_WATER = re.compile(
    r"^(raw|uncooked|unprepared|cooked|boiled|baked|dry|dry mix|dried|dehydrated|powder|condensed|"
    r"frozen concentrate|mashed|steamed)\b",
    re.IGNORECASE,
)
_WAYS = frozenset(words(
    "raw uncooked cooked boiled baked roasted fried toasted toast steamed mashed dry dried powder "
    "instant mix grilled broiled bread cake cookie pie"
))  # fmt: skip
_LIGHT = frozenset({"diet", "light", "zero", "skim", "skinny", "free", "low", "fat"})
_MADE = re.compile(r"^(prepared|reconstituted|diluted)\b", re.IGNORECASE)
_FRUIT = re.compile(r"fruit|banana|apple|citrus|berr|grape|melon|peach", re.IGNORECASE)


def _stated(part: Part, food: TableFood, known: set[str], is_made: bool) -> str | None:
    if sweet := _SWEET_OR_FAT.match(part.text):
        is_known = not known.isdisjoint(_LIGHT) or any(word.isdigit() for word in known)
        return None if is_known else part.text if len(part.text) <= 20 else sweet[0]
    water = _WATER.match(part.text)
    if water is None or is_made or food.per_100_g.get("carbs_g", 0.0) < _PLAIN_G or not known.isdisjoint(_WAYS):
        return None
    if water[0].lower() == "raw" and _FRUIT.search(food.category):
        return None
    return part.text if len(part.text) <= 20 else water[0]


def _name_of(food: TableFood, nouns: Mapping[str, str]) -> _Name:
    if food.source == "postmeal" or food.brand_name:
        return _Name(food.name, [], [], food.name)
    if not food.also_called or not _denotes(food.also_called.split(";")[0], food.name):
        return _phrase(food.name, nouns)
    name = everyday_name(food, nouns)
    said = set(words(name))
    parts = [part for part in split_description(food.name)[1] if said.isdisjoint(words(part.text))]
    return _Name(name, parts, [False] * len(parts), food.name)


@cache
def _own_names() -> dict[str, str]:
    with _OWN_NAMES.open(newline="", encoding="utf-8") as file:
        return {line["name"].lower(): line["name"] for line in csv.DictReader(file)}


def _stem(word: str) -> str:
    return re.sub("ed$", "", re.sub("ied$", "y", word))


def _denotes(name: str, description: str) -> bool:
    """Return whether an everyday name stands for exactly this food.

    It does if the description has all of its words, or if it is listed in ``own_names.csv``.
    Otherwise, it may be the name of a similar food, such as "vegetable samosa" for "Samosa".
    """
    said, described = ({_stem(word) for word in words(text)} for text in (name, description))
    return said - LINKING <= described or name in _own_names()


def _phrase(description: str, nouns: Mapping[str, str]) -> _Name:
    if infant := _INFANT.match(description):
        name = _phrase(description[infant.end() :], nouns)
        name.core, name.full = f"Baby food, {name.core[:1].lower()}{name.core[1:]}", description
        return name
    shelf = _CLASS.match(description)
    head, parts = split_description(description[shelf.end() :] if shelf else description)
    core, used = _core(head, parts, nouns)
    rest = [part for part in parts if part is not used]
    if shelf:
        rest.append(Part(shelf[0].strip(" ,").lower(), "detail"))
    rest = [Part(_in_case(part.text, nouns), part.sort) for part in rest]
    name = _Name(core, rest, [part.sort != "detail" for part in rest], description)
    kinds = [at for at, part in enumerate(rest) if part.sort == "kind"]
    for at in kinds if used else kinds[1:]:
        name.shown[at] = len(name.text()) <= _LONGEST
    return name


def _core(head: str, parts: list[Part], nouns: Mapping[str, str]) -> tuple[str, Part | None]:
    """Return the noun phrase of a food, and the qualifier that is a part of it."""
    first = next((part for part in parts if part.sort == "kind"), None)
    mass = _MASS.match(head)
    noun = _in_case(mass[1] if mass else head, nouns)
    if first is None or len(first.text.split()) > 4:
        return noun, None
    kind = _in_case(first.text, nouns)
    last, own = words(noun)[-1:], words(kind)
    if own[-1:] == last:
        return kind, first  # "Seeds, sesame seeds"
    if _MEAT.match(head) and not _NOT_BEHIND.search(kind):
        if _BEFORE_MEAT.match(kind):
            return f"{kind} {noun}", first
        return (kind if _WHOLE_MEAT.search(kind) else f"{noun} {kind}"), first
    if _PART.match(kind) and (kind not in ("white", "yolk") or head == "Egg"):
        stem = re.sub(r" products$", "", noun)
        return f"{_singular(stem)} {kind}", first
    if _NOT_BEFORE.search(kind):
        return noun, None
    if (_ITSELF.search(noun) or noun.lower() == "potato") and _ITSELF.search(kind):
        return kind, first
    return f"{kind} {noun}", first


def _tell_apart(foods: Sequence[TableFood], names: list[_Name]) -> None:
    """Show more qualifiers of foods that would have the name of a more popular food."""
    changed = True
    while changed:
        groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for at, name in enumerate(names):
            groups[name.text().casefold(), foods[at].brand_name].append(at)
        changed = False
        for first, *others in groups.values():
            popular = names[first]
            more = [_show_more(names[other], popular) for other in others]
            changed = changed or any(more)
            if not all(more):  # nothing tells the others from the most popular food
                changed = _show_more(popular, names[others[more.index(False)]]) or changed


def _show_more(name: _Name, other: _Name) -> bool:
    """Show a qualifier that the other food does not have; return whether there is one."""
    taken = {part.text.casefold() for part in other.parts}
    for at in name.hidden():
        if name.parts[at].text.casefold() not in taken:
            name.shown[at] = True
            return True
    is_short = name.text() != name.full and set(words(name.full)) != set(words(other.full))
    if is_short and set(words(name.full)) != set(words(name.text())):
        name.core, name.parts, name.shown = name.full, [], []
        return True
    return False


def _in_case(text: str, nouns: Mapping[str, str]) -> str:
    """Return a text in lower case but for its proper nouns and abbreviations."""

    def cased(match: re.Match[str]) -> str:
        word = match[0]
        if word.islower() or word[1:].islower():
            return nouns.get(word.lower(), word.lower())
        return word

    return re.sub(r"[^\W\d_]+", cased, text)


def _singular(text: str) -> str:
    return re.sub(r"(?<=[^s])s$", "", re.sub(r"(?<=o)es$", "", text))


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
