"""Make short, natural names of foods from the publishers' descriptions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from postmeal.foods.words import words
from tools.food_table.description_parts import Part, split_description
from tools.food_table.named_ingredients import with_hidden_ingredients

__all__ = ["NO_NOUNS", "ShortName", "capitalized", "in_case", "proper_nouns", "short_name"]

NO_NOUNS: Mapping[str, str] = {}
_LONGEST = 42  # maximum number of letters; names that must be distinguished may be longer
_MOST_WORDS = 4  # maximum number of words in a qualifier that precedes the food

_SHELF = re.compile(
    # Classes of foods, which precede the name of the food.
    r"^(restaurant, (?:chinese|italian|latino|mexican|family style)|fast foods?, pizza chain|"
    r"beverages|cereals ready-to-eat|cereals|snacks|candies|fast foods?|restaurant|spices|fish|"
    r"nuts|crustaceans|mollusks|alcoholic beverages?|desserts|game meat|"
    r"leavening agents|sweeteners|school lunch|formulated bar), "
    r"(?!nfs\b|ns as to\b|cooked\b|for\b)|^usda commodity,? ",
    re.IGNORECASE,
)
_TOPPING = re.compile(r"^toppings, ([^,]+)", re.IGNORECASE)
_KINDS = (
    (_TOPPING, r"\1 topping"),
    (re.compile(r"^Rice, wild\b"), "Wild rice"),
    (re.compile(r"^Beverages, carbonated, low calorie\b"), "Diet soft drink"),
)
"""Beginnings of descriptions that name a different kind of food in everyday English."""
_INFANT = re.compile(
    r"^(?:baby ?food, (?:(?:fruit|dinner|meat|vegetables?|dessert|snack), )?|"
    r"baby toddler (?!food))",
    re.IGNORECASE,
)
_MEAT = re.compile(
    r"^(beef|pork|lamb|veal|chicken|turkey|duck|goose|goat|bison|deer|elk|emu|ostrich|caribou|"
    r"moose|pheasant|quail|rabbit)$",
    re.IGNORECASE,
)
"""Animals, which precede the cut in a name: "beef brisket", but "ground beef"."""
_BEFORE_MEAT = re.compile(r"^(ground|minced|corned|wagyu)\b", re.IGNORECASE)
_NOT_A_CUT = re.compile(r"^(and|for|from|in|no|of|or|with|without)\b|\bwith\b|eaten|\d|,|:")
_CURED = re.compile(r"\b(ham|bacon|sausage)s?$", re.IGNORECASE)  # "Pork, ham" is ham
_PRODUCT = re.compile(
    r"^(peel|leaves|greens|hearts?|roots?|sprouts|bran|germ|pods?|tops|shoots|paste|puree|sauce|"
    r"juice|nectar|chips|tots|crumbs|crust|skins?|wedges|pancakes|leafy tips|liver|roe|eyes)$"
)
"""Parts and products of a plant or fish, which follow its name: "wheat germ"."""
_OF_EGG = re.compile(r"^(white|yolk)$")
_NOT_BEFORE = re.compile(
    r"^(and|as|contains|for|from|in|made|no|not|of|on|or|type|with|without|style|stage|includes?|all|any)\b|"
    r"\b(with|style|type|only|eaten|or)\b|\d|:|^(slices?|pieces?|patty|dinner|links?|chunky|liquid|"
    r"sticks?|cubes?|crumbles|tub|strained|junior|toddler|meatless)$",
    re.IGNORECASE,
)
"""Qualifiers that follow the food: "bread with raisins", not "with raisins bread"."""
_MASS = re.compile(
    r"^(.*(?:syrup|pudding|gelatin dessert|ice cream|sauce|frosting|soup|dressing|jam))s$",
    re.IGNORECASE,
)
"""Plurals that become singular after a qualifier: "maple syrup", not "maple syrups"."""
_CARBONATED = re.compile("^carbonated$", re.IGNORECASE)
_PLURAL = re.compile(r"(?<!s)(?<!u)(?<!asse)s$")


@dataclass(slots=True)
class ShortName:
    """A name that is being built: the food, its qualifiers, and which of them are shown."""

    food: str
    parts: list[Part] = field(default_factory=list)
    shown: list[bool] = field(default_factory=list)
    description: str = ""
    category: str = ""

    @property
    def text(self) -> str:
        """The name, including the ingredients that it must not hide."""
        return capitalized(with_hidden_ingredients(self.phrase, self.description, self.category))

    @property
    def phrase(self) -> str:
        """The food and its qualifiers."""
        parts = zip(self.parts, self.shown, strict=True)
        return capitalized(", ".join((self.food, *(part.text for part, shown in parts if shown))))

    @property
    def hidden(self) -> list[int]:
        """Indices of the qualifiers that are not shown, with details last."""
        at = (n for n, is_shown in enumerate(self.shown) if not is_shown)
        return sorted(at, key=lambda n: self.parts[n].sort == "detail")


def short_name(description: str, nouns: Mapping[str, str] = NO_NOUNS) -> ShortName:
    """Convert a publisher's description to a natural phrase.

    The first qualifier that names a kind precedes the food. Details, and classes of foods such as
    "Snacks", are hidden. States such as "raw", "cooked", "dry", "sweetened" and "fat free" are
    always shown.
    """
    for pattern, kind in _KINDS:
        description = pattern.sub(kind, description)
    if infant := _INFANT.match(description):
        name = short_name(description[infant.end() :], nouns)
        name.food = f"baby food, {name.food}"
        name.description = description
        return name
    shelf = _SHELF.match(description)
    head, parts = split_description(description[shelf.end() :] if shelf else description)
    food, used = _noun_phrase(head, parts, nouns)
    behind = [Part(in_case(part.text, nouns), part.sort) for part in parts if part is not used]
    if shelf:
        behind.append(Part(shelf[0].partition(",")[0].strip().lower(), "detail"))
    name = ShortName(food, behind, [part.sort != "detail" for part in behind], description)
    kinds = [at for at, part in enumerate(behind) if part.sort == "kind"]
    for at in kinds if used else kinds[1:]:
        name.shown[at] = len(name.phrase) <= _LONGEST
    return name


def proper_nouns(descriptions: Iterable[str]) -> dict[str, str]:
    """Return the words that descriptions usually capitalize even if they are not the first word."""
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


def in_case(text: str, nouns: Mapping[str, str]) -> str:
    """Return a text in lower case, except for its proper nouns and abbreviations."""

    def cased(match: re.Match[str]) -> str:
        word = match[0]
        is_plain = word.islower() or word[1:].islower()
        return nouns.get(word.lower(), word.lower()) if is_plain else word

    return re.sub(r"[^\W\d_]+", cased, text)


def capitalized(text: str) -> str:
    """Return a text with its first letter capitalized."""
    return text[:1].upper() + text[1:]


def _noun_phrase(head: str, parts: list[Part], nouns: Mapping[str, str]) -> tuple[str, Part | None]:
    """Return the noun phrase of a food, and the qualifier in it; None if it has no qualifier."""
    first = next((part for part in parts if part.sort == "kind"), None)
    mass = _MASS.match(head)
    noun = in_case(mass[1] if mass else _CARBONATED.sub(r"\g<0> drink", head), nouns)
    if first is None or len(first.text.split()) > _MOST_WORDS:
        return noun, None
    kind = in_case(first.text, nouns)
    if "".join(words(kind)).endswith(words(noun)[-1]):
        return kind, first  # "Seeds, sesame seeds", "Cake, fruitcake"
    if _MEAT.match(head) and not _NOT_A_CUT.search(kind):
        if _BEFORE_MEAT.match(kind):
            return f"{kind} {noun}", first
        return (kind if _CURED.search(kind) else f"{noun} {kind}"), first
    if _PRODUCT.match(kind) or (head == "Egg" and _OF_EGG.match(kind)):
        return f"{_singular(noun.removesuffix(' products'))} {kind}", first
    if _NOT_BEFORE.search(kind):
        return noun, None
    if (_PLURAL.search(noun) or noun == "potato") and _PLURAL.search(kind):
        return (noun, None) if " " in noun else (kind, first)  # "Cookies, gingersnaps"
    return f"{kind} {noun}", first


def _singular(text: str) -> str:
    return re.sub(r"(?<=[^s])s$", "", re.sub(r"(?<=o)es$", "", text))
