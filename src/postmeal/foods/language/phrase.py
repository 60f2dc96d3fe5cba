"""A food and its amount, as written in a meal text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from postmeal.foods.language.connectors import REFERS, TAKES, WEIGHING
from postmeal.foods.language.filler_words import CHATTER, CHATTER_AT_THE_END
from postmeal.foods.language.measure_words import measure_words
from postmeal.foods.language.measures import MASS_G, VOLUME_ML
from postmeal.foods.language.negations import LACKS
from postmeal.foods.language.numbers import number_of
from postmeal.foods.language.qualifier_words import DESCRIBES
from postmeal.foods.language.sizes_and_measures import MEASURES, SINGULAR, SIZES

__all__ = [
    "NUMBER",
    "Phrase",
    "is_each",
    "mass_in",
    "masses_of",
    "read_phrase",
    "without_exclusions",
]

NUMBER = r"(?<![\w.])(?:\d+(?:\.\d+)?|\.\d+)"
"""A number in digits, as a regular expression."""

_ENERGY = r"[\s-]*(?:k?cal(?:orie)?s?|kilo(?:calorie|joule)s?|k?j|joules?)\b"
_COUNT = re.compile(
    r"(?:(?:about|around|roughly|approximately|approx|just|only|exactly|nearly|almost|maybe|up to|"
    r"an? (?:total|combination|mix) of|the|my|this|that|these)\s+)*"
    rf"(?P<number>{NUMBER}|an?\b|some\b|(?:one )?each\b)(?![%\w]|{_ENERGY})"
    r"\s*(?:x\s+)?(?:of (?:a|an|the)\s+)?",
)
_MASS = re.compile(
    rf"(?P<number>{NUMBER})[\s-]*(?P<unit>{'|'.join(MASS_G)})s?\b\.?(?:[\s-]*worth)?"
)
_VOLUME = re.compile(
    rf"(?P<number>{NUMBER})[\s-]*(?P<unit>fl\.?\s*oz|fluid[\s-]ounces?|millilit(?:er|re)s?|mls?|"
    r"cl|dl|lit(?:er|re)s?|l|pints?|quarts?|gallons?)\b\.?"
)
_AT_THE_END = re.compile(
    rf"(?P<name>.*?[^\W\d_].*?)\s(?:x\s*)?(?P<number>{NUMBER})"
    rf"(?: (?P<size>{'|'.join(SIZES)}))?(?: (?P<unit>{'|'.join(MEASURES)})(?:e?s)?)?"
    rf"(?P<like> (?:{DESCRIBES}))?(?: in (?:it|(?:(?:the|my) )?(?:tea|coffee)))?"
)
_NUMBERED = re.compile(r"\b(?:stage|type|no|number|grade|step|phase)$")
_SIZE = re.compile(rf"(?:{'|'.join(SIZES)})\b(?![\s,-]*crust)[\s,-]*(?:and\s+)?")
_MEASURE = re.compile(
    rf"(?P<unit>{'|'.join(re.escape(unit) for unit in MEASURES)})(?:e?s)?\b"
    r"(?!(?<!bag)(?<!bags)(?<!cup)(?<!cups)(?<!bowl)\s+chips?\b)"
)
_NAMED_MEASURE = re.compile(
    rf"(?P<name>[\w'&.-]+(?: [\w'&.-]+){{0,2}}?) {_MEASURE.pattern} of\b(?! (?:the|a)\b)"
)
_LONGEST_NAME = 300  # maximum number of characters; limits the work on very long clauses
_LONGEST_CHATTER = 80
_BARE = frozenset({"cup", "tablespoon", "teaspoon", "tbsp", "tsp", "slice", "can", "bowl", "glass",
                   "bottle", "packet", "container", "serving", "pint", "handful", "piece", "mug",
                   "portion", "helping", "scoop", "pinch", "dash", "bag", "spoonful"})  # fmt: skip
"""Measures after which "of" may be omitted: "2 slices bread"."""

_BEFORE_A_NAME = frozenset({"spoon", "splash", "rasher", "tin", "shot", *measure_words()})
"""Measures that name a food if no other name follows, as in "2 rashers"."""

_OF = re.compile(r"\s*(?:(?:worth|full) )?of(?:\s+(?:the|my|some|a|an)\b)?\s+")
_IN_VESSEL = re.compile(
    rf"(?P<name>.+?) (?:in|from|out of) (?:an?|the|one) (?P<size>(?:(?:{'|'.join(SIZES)})[\s-]+)*)"
    r"(?P<unit>can|container|carton|bottle|bowl|cup|box|pouch|jar|glass|packet|package|bag|mug)"
)
_AMOUNT_OF = re.compile(
    r"(?:\w+ )?(?:piece|serving|portion|helping|amount|bit|kind|type|sort|bag|bowl|slice)s? of "
    r"(?:(?:an?|the|some) )?"
)
"""Words that add nothing if the mass of the food is given, such as "a small amount of"."""

_BEGINS_WITH_OF = re.compile(r"of\b\s*")
_BIT_OF = re.compile(
    r"(?:bit|little|touch|dash|hint|side|helping|dollop)\b(?: of)?\s+|"
    r"(?:mix|mixture|assortment|variety|selection|combination|blend) of\s+"
)
_LEADING = re.compile(rf"(?:{CHATTER})(?![\w'])[\s,:-]*")
_TRAILING = re.compile(rf"[\s,]*(?<!\w)(?:{CHATTER_AT_THE_END})[\s.!]*$")
_WEIGHS = re.compile(rf"[\s,(]*(?<!\w)(?:{WEIGHING})[\s:(]*$")
_EACH_AT_THE_END = re.compile(r"\b(?:each(?: one)?|apiece|per piece)[\s.!)\]]*$")
_TIMES = re.compile(rf"\s(?P<number>{NUMBER})\s*x$")
_RELATIVE = re.compile(
    r"^(?:that|which|it|it's|they're|and)\b\s*|\b(?:that's|that is|which is)\s*$"
)
_TAKES = re.compile(rf"(?:^|[\s,-]+){TAKES}$")
_DESCRIBES = re.compile(DESCRIBES)
_REFERS = re.compile(REFERS)
_LACKS = re.compile(rf"^{LACKS}")
_LACKING = re.compile(rf"\s(?:but )?{LACKS}.*$")
_SIGNS = re.compile(r"[()\[\]\"“”*]")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A food and its amount, as written in a meal text.

    Attributes
    ----------
    said : str
        The words of the phrase, including the amount.
    name : str
        The words that name the food; empty if the phrase consists only of an amount.
    count : float or None
        Number of units, which is 1 for "a"; None if no number is given.
    unit : str
        Unit that is counted, such as ``cup`` or ``slice``; empty if the food itself is counted.
    size : str
        Size, such as ``large``; empty if no size is given.
    mass_g, volume_ml : float or None
        The given mass or volume of all units together.
    in_ounces : bool
        Whether the mass or volume was given in ounces. For a drink, these are fluid ounces.
    joined_by : str
        The word or punctuation mark before the phrase: ``with``, ``and`` or ``,``; ``.`` if the
        phrase begins a sentence.
    begins : bool
        Whether the phrase begins a new food, for example because it starts with an amount. Such a
        phrase is rarely an addition to the previous food.
    takes : bool
        Whether the phrase ends in a word such as "filled" or "made", so that the next food is part
        of this food.
    refers : bool
        Whether the phrase describes the previous food, as in "it's a large one" or "no sauce".
    lacks : bool
        Whether the phrase names a food that was not eaten, as in "no eggs".
    describes : bool
        Whether the phrase only describes a food, such as "fried" in "fried and breaded fish".
    aside : bool
        Whether the phrase is part of a clause about the reason for eating something, such as "for
        extra energy a banana". A name in such a clause is treated as a food only if it matches a
        food with high confidence.
    """

    said: str
    name: str
    count: float | None = None
    unit: str = ""
    size: str = ""
    mass_g: float | None = None
    volume_ml: float | None = None
    in_ounces: bool = False
    joined_by: str = "."
    begins: bool = False
    takes: bool = False
    refers: bool = False
    lacks: bool = False
    describes: bool = False
    aside: bool = False

    @property
    def amount_said(self) -> bool:
        """Whether the phrase contains an amount."""
        return not (self.count is None and self.mass_g is None and self.volume_ml is None)

    @property
    def amount(self) -> str:
        """The name and the amount, such as ``bread: 2 large slice, 80 g``."""
        counted = [f"{self.count:g}" if self.count is not None else "", self.size, self.unit]
        said = [" ".join(filter(None, counted))]
        said += [f"{self.mass_g:g} g"] if self.mass_g is not None else []
        said += [f"{self.volume_ml:g} ml"] if self.volume_ml is not None else []
        return f"{self.name}: {', '.join(filter(None, said)) or 'no amount'}"


@dataclass(frozen=True, slots=True)
class _Measured:
    count: float | None
    unit: str
    size: str
    name: str
    begins: bool = False


def read_phrase(clause: str, joined_by: str = ".") -> Phrase | None:
    """Parse a clause that names at most one food.

    Parameters
    ----------
    clause : str
        Text as returned by `postmeal.foods.language.numbers.amount_text`.
    joined_by : str, default="."
        The word or punctuation mark before the clause.

    Returns
    -------
    Phrase or None
        None if the clause contains neither a food nor a number.

    Examples
    --------
    >>> one = read_phrase("i had 2 large slices of bread weighing 80 g")
    >>> one.name, one.count, one.unit, one.size, one.mass_g
    ('bread', 2.0, 'slice', 'large', 80.0)
    """
    whole = " ".join(_SIGNS.sub(" ", clause[:_LONGEST_NAME]).split()).removeprefix("- ")
    text = _without_filler(whole)
    if not text:
        return None
    mass = _MASS.search(text)
    told = mass or _VOLUME.search(text)
    if told is None:
        measured = _measured(text)
        times = 1.0
    else:
        measured, times = _parse_weighed(
            text[: told.start()], text[told.end() :], each=is_each(whole)
        )
    name = _without_filler(_WEIGHS.sub("", measured.name).strip(" ,-")).strip(" ,-'")
    if told is not None and (second := _MASS.search(name) or _VOLUME.search(name)):
        name = (name[: second.start()] + name[second.end() :]).strip(" ,-")
    if told is not None and (amount := _AMOUNT_OF.match(name)):
        name = name[amount.end() :]
    if not measured.unit and (held := _IN_VESSEL.fullmatch(name)):
        name = held["name"]
        size = f"{measured.size} {held['size']}".strip()
        measured = replace(measured, unit=held["unit"], size=size, count=measured.count or 1.0)
    some = measured.count is None
    last = _AT_THE_END.fullmatch(name) if told is None and some else None
    if last and not _NUMBERED.search(last["name"]):
        name, unit = f"{last['name']}{last['like'] or ''}", _singular(last["unit"] or "")
        size, count = last["size"] or measured.size, float(last["number"])
        begins = joined_by == "and"  # "and rice 1 cup" is a new food
        measured = replace(measured, count=count, unit=unit, size=size, begins=begins)
    name, takes = _TAKES.subn("", name)
    if not re.search(r"[^\W\d_]", name):
        name = ""
    if not name and not measured.unit and told is None and not re.search(r"\d", text):
        return None
    lacks = bool(_LACKS.match(name))
    return Phrase(
        said=clause[:_LONGEST_NAME].strip(" ,."),
        name=" ".join((_LACKS.sub("no ", name, count=1) if lacks else name).split()),
        count=measured.count,
        unit=measured.unit,
        size=measured.size.replace("-", " "),
        mass_g=times * mass_in(mass) if mass else None,
        volume_ml=times * _volume_in(told) if told and not mass else None,
        in_ounces=bool(told and told["unit"].startswith(("o", "f"))),
        joined_by=joined_by,
        begins=measured.begins and not (told is None and some and "with" in joined_by),
        takes=bool(takes),
        refers=bool(_REFERS.match(clause)),
        lacks=lacks,
        describes=bool(_DESCRIBES.fullmatch(name)),
    )


def without_exclusions(name: str) -> str:
    """Remove phrases such as "without cheese" from a food name.

    Examples
    --------
    >>> without_exclusions("burger without cheese")
    'burger'
    """
    return _LACKING.sub("", name)


def masses_of(text: str) -> list[re.Match[str]]:
    """Find all masses in a text, such as "50 g"."""
    return list(_MASS.finditer(text))


def mass_in(mass: re.Match[str]) -> float:
    """Convert a mass found by `masses_of` to grams."""
    return float(mass["number"]) * MASS_G[mass["unit"]]


def is_each(text: str) -> bool:
    """Return whether a text ends with "each", so that its amount is the amount of one piece.

    Examples
    --------
    >>> is_each("3 eggs (50 g each)")
    True
    """
    return bool(_EACH_AT_THE_END.search(text[-_LONGEST_CHATTER:]))


def _parse_weighed(before: str, after: str, *, each: bool) -> tuple[_Measured, float]:
    """Parse the text before and after a mass or volume.

    Also return the number of portions of this mass or volume, as in "2 slices of 50 g each".
    """
    before, after = before.strip(" ,-"), after.strip(" ,-")
    each = each or bool(re.search(r"\beach\b", f"{before[-6:]} {after[:6]}"))
    after = re.sub(r"^each\b\s*", "", after)
    before = _WEIGHS.sub("", before).strip()
    of = _BEGINS_WITH_OF.match(after)
    lead = _COUNT.fullmatch(before + " ") if before else None
    if lead or not before:  # "2 50 g slices of bread", "50 g of bread"
        inner = _measured(after[of.end() :] if of else after)
        if of and inner.count not in (None, 1) and not inner.unit:
            inner = replace(inner, name=after[of.end() :])
        count = _number(lead) if lead else None
        each = each or bool(not of and count and count > 1)
        measured = replace(inner, count=inner.count if count is None else count, begins=True)
    elif of:  # the words before "30 g of" are not a food
        measured = replace(_measured(after[of.end() :]), begins=True)
    else:  # "bread 50 g", "bread 2 x 50 g", "2 slices of bread weighing 50 g that I toasted"
        times = _TIMES.search(before)
        measured = _measured(before[: times.start()] if times else before)
        if times:
            each, measured = True, replace(measured, count=float(times["number"]))
        if after:
            name = f"{measured.name} {_RELATIVE.sub('', after)}"
            measured = replace(measured, name=name)
    return measured, measured.count if each and measured.count else 1.0


def _measured(text: str) -> _Measured:
    """Parse the count, size and unit before a name, as in "2 large slices of bread"."""
    count: float | None = None
    if lead := _COUNT.match(text):
        count = _number(lead)
        text = text[lead.end() :]
        if bit := _BIT_OF.match(text):
            text = text[bit.end() :]
    begins = lead is not None
    size, text = _sized(text)
    unit = ""
    if match := _MEASURE.match(text):
        rest = text[match.end() :]
        of = _OF.match(rest)
        known = match["unit"] in _BARE or match["unit"] in VOLUME_ML
        before_name = known or match["unit"] in _BEFORE_A_NAME
        if (
            of
            or (known and not rest.strip())
            or (
                rest[:1] == " "
                and (match["unit"] in VOLUME_ML or (count is not None and before_name))
            )
        ):
            unit, text = match["unit"], rest[of.end() :] if of else rest
    elif count is not None and (named := _NAMED_MEASURE.match(text)):
        unit, text = (
            named["unit"],
            f"{named['name']} {text[named.end() :]}",
        )  # as in "a Campbell's can"
    if unit:
        if count is None:
            inner = _COUNT.match(text)
            count = (_number(inner) if inner else None) or 1.0
            begins = True
            text = text[inner.end() :] if inner else text
        more, text = _sized(text)
        size = f"{size} {more}".strip()
    return _Measured(count, _singular(unit), size, text.strip(), begins)


def _singular(unit: str) -> str:
    return SINGULAR.get(unit, unit)


def _sized(text: str) -> tuple[str, str]:
    sizes: list[str] = []
    while match := _SIZE.match(text):
        sizes.append(re.sub(r"[\s,-]+(?:and)?$", "", match[0]).strip())
        text = text[match.end() :]
    return " ".join(sizes), text


def _number(lead: re.Match[str]) -> float | None:
    return None if lead["number"] == "some" else number_of(lead["number"])


def _without_filler(text: str) -> str:
    """Remove filler words before and after the food."""
    while (match := _LEADING.match(text)) and match[0]:
        text = text[match.end() :]
    while match := _TRAILING.search(text, max(0, len(text) - _LONGEST_CHATTER)):
        text = text[: match.start()]
    return text.strip()


def _volume_in(volume: re.Match[str]) -> float:
    number, unit = float(volume["number"]), volume["unit"]
    if unit.startswith("f"):
        return number * VOLUME_ML["fl oz"]
    return number * VOLUME_ML[unit.removesuffix("s")]
