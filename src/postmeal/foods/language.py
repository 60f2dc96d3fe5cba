"""Simple phrases about a meal: "1 cup oatmeal, 1 banana" -> selections.

Foods are parted by commas, line breaks, ``+``, "and", "with" and "plus". Of each the amount comes
first or last ("150 g rice", "rice 150 g"), the rest names the food: an everyday name such as
"fried egg" if it is one, else the best match of the catalogue. A describing word that no food has
is passed over: "braised radish" is radish; another food is not: "avocado toast" is refused rather
than read as toast.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food, Selection
from postmeal.foods.measures import SIZES, UNITS, select
from postmeal.foods.ranking import name_words, words

__all__ = ["parse_meal"]

_NUMBERS = {
    "a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0,
    "six": 6.0, "seven": 7.0, "eight": 8.0, "nine": 9.0, "ten": 10.0, "eleven": 11.0,
    "twelve": 12.0, "half": 0.5, "quarter": 0.25, "dozen": 12.0, "couple": 2.0, "few": 3.0,
}  # fmt: skip
_FRACTIONS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}
_NUMBER = r"(?:\d+\s+\d+\s*/\s*\d+|\d+\s*/\s*\d+|\d+(?:\.\d+)?|\.\d+)"
_WORDS = "|".join(_NUMBERS)
_WORD = rf"(?!half-and-half|quarter-pounder)(?:{_WORDS})\b"
_QUANTITY = re.compile(
    rf"(?!{_NUMBER}\s*%)(?P<number>{_NUMBER})(?:\s*x\b)?(?:\s+(?P<of>dozen))?|"
    rf"(?P<words>(?:{_WORD})(?:\s+(?:and\s+)?(?:{_WORD}))*)",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(rf"({_NUMBER})\s+and\s+(?:a|one)\s+(half|quarter)\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))")
_UNIT = re.compile(
    r"(fl\.?\s*oz|fluid\s+ounces?|" + "|".join(sorted(UNITS, key=len, reverse=True)) + r")"
    r"(?:e?s)?\b\.?",
    re.IGNORECASE,
)
_IRREGULAR = re.compile(r"\b(loaves|halves|leaves|patties|tbs|tbl|tsps|c)\b(?!\w)", re.IGNORECASE)
_REGULAR = {"loaves": "loaf", "halves": "half", "leaves": "leaf", "patties": "patty",
            "tbs": "tbsp", "tbl": "tbsp", "tsps": "tsp", "c": "cup"}  # fmt: skip
_SIZE = re.compile(rf"({'|'.join(SIZES)})(?:-sized|-size)?\b", re.IGNORECASE)
_LAST = re.compile(
    rf"^(?P<food>.*\S)\s+(?:x\s*)?(?P<amount>(?:{_NUMBER})\s*[a-z. ]*)$", re.IGNORECASE
)
_FILLER = re.compile(
    r"^(?:i\s+(?:had|ate|drank)|for\s+\w+|then|also|some|about|around|approximately|my|the|of)\b\s*",
    re.IGNORECASE,
)
_UNTOLD = re.compile(
    r"\b(fresh|freshly|homemade|home-made|organic|hot|cold|warm|cooked|plain|ripe|whole|sliced|"
    r"chopped|diced|steamed|stir-fried|boiled|grilled|roasted|baked|leftover|nice|good|raw)\b",
    re.IGNORECASE,
)
_PREPARED = re.compile(rf"(?:{_UNTOLD.pattern}|fried|scrambled|poached|toasted)", re.IGNORECASE)
_HARD_BREAK = re.compile(r"\s*[,;\n+、，；]\s*")
_SAID_AS = {
    "half and half": "half-and-half",
    "quarter pounder": "quarter-pounder",
    "fish and chips": "fried fish and french fries",
    "7 ?up": "lemon-lime soda",
}
"""Names that hold a number or a connector, or mean another food than their words."""
_NEGATIVE = re.compile(r"\s*[-−]\s?\.?\d")
_SOFT_BREAK = re.compile(r"\s+(and|with|plus|&|on|topped\s+with)\s+", re.IGNORECASE)
_LONGEST_EVERYDAY_NAME = 6  # words; it bounds the work on a phrase of thousands
_HOT_DRINK = re.compile(r"\b(coffee|tea|espresso)\b", re.IGNORECASE)
_POURED = re.compile(r"\b(milk|cream)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Amount:
    quantity: float | None = None
    unit: str | None = None
    size: str | None = None

    def __bool__(self) -> bool:
        return self != _Amount()


def parse_meal(text: str, catalog: Catalog) -> list[Selection]:
    """Read what was eaten from simple phrases.

    Where no amount is said, one default serving is meant.

    Parameters
    ----------
    text : str
        Foods with their amounts: ``"2 eggs, 1 slice toast and a glass of milk"``.
    catalog : Catalog
        The foods that may be named.

    Returns
    -------
    list of Selection
        One for each food, in order.

    Raises
    ------
    InputError
        A phrase names no food of the catalogue, or a measure the food does not have, or no food
        is named at all.

    Examples
    --------
    >>> for selection in parse_meal("1 cup oatmeal, 1 banana", Catalog.open()):
    ...     print(f"{selection.weight_g:.0f} g", selection.nutrients["carbs_g"].__round__())
    234 g 28
    118 g 27
    """
    plain = _DECIMAL_COMMA.sub(".", _THOUSANDS.sub("", text.strip()))
    for said, meant in _SAID_AS.items():
        plain = re.sub(rf"\b{said}\b", meant, plain, flags=re.IGNORECASE)
    phrases: list[str] = []
    for phrase in _HARD_BREAK.split(plain):
        if phrases and _PREPARED.fullmatch(phrase.strip()):
            phrases[-1] += f" {phrase}"  # "1 large egg, fried"
        elif phrase.strip(" .()"):
            phrases.append(phrase)
    if not phrases:
        raise InputError("meal", "must name at least one food", text)
    return [selection for phrase in phrases for selection in _phrase(phrase, catalog)]


def _phrase(phrase: str, catalog: Catalog) -> list[Selection]:
    if _NEGATIVE.match(phrase):
        raise InputError("quantity", "must be above 0", phrase.strip())
    amount, name = _amount_and_name(phrase)
    if food := _everyday(name, catalog):
        return [_selection(food, amount, name)]
    if not any(character.isalpha() for character in name):
        raise InputError("meal", "names no food of the catalogue", phrase.strip())
    parts = _SOFT_BREAK.split(phrase)
    if len(parts) > 1:
        return _joined(parts, catalog)
    food = _best(name, catalog)
    if food is None:
        raise InputError("meal", "names no food of the catalogue", phrase.strip())
    return [_selection(food, amount, name)]


def _best(name: str, catalog: Catalog) -> Food | None:
    """Find the food that is called nothing but this, else the everyday food the name ends in.

    "Braised radish" ends in radish; of "fried vegetable" the best match of the catalogue, French
    fried potatoes, is called by words that were not said. What is passed over must not be a food
    itself: no half of "avocado toast" is the whole.
    """
    found = catalog.search(name, limit=1) or catalog.search(_bare(name), limit=1)
    said = words(name)
    if found:
        called, head = name_words(found[0].name)
        if set(called[:head]) <= set(said):
            return found[0]
    for start in range(max(1, len(said) - _LONGEST_EVERYDAY_NAME), len(said)):
        if food := catalog.everyday(" ".join(said[start:])):
            if all(word.isalpha() and not catalog.everyday(word) for word in said[:start]):
                return food
            break
    return found[0] if found else None


def _joined(parts: list[str], catalog: Catalog) -> list[Selection]:
    """Read ``[phrase, connector, phrase, ...]``."""
    selections = _phrase(parts[0], catalog)
    for connector, phrase in zip(parts[1::2], parts[2::2], strict=True):
        amount, name = _amount_and_name(phrase)
        food = _everyday(name, catalog)
        if connector.lower() == "with" and food and not amount and _POURED.search(name):
            poured = _Amount(2, "tbsp") if _HOT_DRINK.search(parts[0]) else _Amount(0.5, "cup")
            selections.append(_selection(food, poured, name))
        else:
            selections += _phrase(phrase, catalog)
    return selections


def _selection(food: Food, amount: _Amount, name: str) -> Selection:
    return select(food, amount.quantity, amount.unit, amount.size, name)


def _everyday(name: str, catalog: Catalog) -> Food | None:
    return catalog.everyday(name) or catalog.everyday(_bare(name))


def _bare(name: str) -> str:
    return " ".join(_UNTOLD.sub(" ", name).split())


def _amount_and_name(phrase: str) -> tuple[_Amount, str]:
    text = re.sub(r"[()]", " ", phrase)
    for sign, fraction in _FRACTIONS.items():
        text = text.replace(sign, f" {fraction} ")
    text = " ".join(text.split()).strip(" .")
    text = _AND_A_HALF.sub(lambda m: f"{float(m[1]) + _NUMBERS[m[2].lower()]:g}", text)
    while match := _FILLER.match(text):
        text = text[match.end() :]
    amount, name = _leading_amount(text)
    if last := _LAST.match(name):
        trailing, rest = _leading_amount(last["amount"])
        if trailing and not rest and (not amount or trailing.unit):
            return trailing, last["food"]
    return amount, name


def _leading_amount(text: str) -> tuple[_Amount, str]:
    quantity: float | None = None
    unit = size = None
    if match := _QUANTITY.match(text):
        quantity = _number(match)
        text = text[match.end() :].lstrip(" -")
    text = _IRREGULAR.sub(lambda m: _REGULAR[m[0].lower()], text, count=1) if quantity else text
    if match := _SIZE.match(text):
        size = match[1].lower()
        text = text[match.end() :].lstrip()
    if (match := _UNIT.match(text)) and (quantity or text[match.end() :].startswith(" of ")):
        rest = text[match.end() :].lstrip()
        if rest or quantity:
            unit = re.sub(r"fl\.?\s*oz", "fl oz", match[1].lower())
            unit = re.sub(r"fluid\s+ounces?", "fluid ounce", unit)
            text = rest
    return _Amount(quantity, unit, size), _FILLER.sub("", text)


def _number(match: re.Match[str]) -> float:
    if match["number"] is None:
        sums = re.split(r"\band\b", match["words"].lower())
        return sum(prod(_NUMBERS[word] for word in part.split()) for part in sums)
    *whole, last = match["number"].replace(" /", "/").replace("/ ", "/").split()
    above, _, below = last.partition("/")
    if below and float(below) == 0:
        raise InputError("quantity", "must be a number", match["number"])
    number = float(whole[0] if whole else 0) + float(above) / float(below or 1)
    return number * (_NUMBERS["dozen"] if match["of"] else 1.0)
