"""Read the numbers and quantities of a text by recursive descent over its tokens.

A quantity is a number or a range, with or without a unit of mass or volume::

    quantity  = [times] amount [unit] ["and a half"]
    amount    = "between" number "and" number | number [("-" | "to" | "or") number]
    number    = dozens | few | part | mixed | scaled
    mixed     = whole "and" part | digits fraction
    scaled    = below_100 {scale [["and"] number]}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from postmeal.words.numbers import CARDINALS, DOZEN, FEW, MOST, ONES, PARTS, SCALES, TENS
from postmeal.words.tokens import Token, tokens_of
from postmeal.words.units import HOUSEHOLD, MASS_G, SHORT_UNITS, VOLUME_ML

_ARTICLES = frozenset({"a", "an"})
_ONE = frozenset({"a", "an", "one"})
_DETERMINERS = frozenset({"a", "an", "the"})
_NO_ORDINALS = frozenset({"half", "halves", "quarter", "quarters"})
_TO = frozenset({"-", "–", "to", "or"})
_TIMES = frozenset({"x", "×", "*", "times"})
_ORDINAL_ENDINGS = frozenset({"nd", "rd", "th", "nds", "rds", "ths"})
_NAMED_BY_NUMBER = frozenset({"island", "grand", "year", "layer", "dollar", "calorie"})
"""Words after a number of hundreds or more that form a name with it."""
_NOT_A_RANGE = frozenset({"%", "inch", "per", "percent"})
_HALVED = frozenset((
    *MASS_G, *VOLUME_ML, "slice", "sandwich", "serving", "bagel", "pizza", "bottle", "glass", "can",
    "small", "medium", "large", "order", "portion", "avocado", "banana", "apple", "orange",
    "grapefruit", "cantaloupe", "bowl", "plate", "mug", "packet", "pack", "bag", "bar", "tin",
    "handful", "scoop", "muffin", "roll", "mango", "pita", "naan", "roti", "tortilla",
))  # fmt: skip
"""Measures and foods of which a half is said without an article, as in "half cup"."""
_COUNTED = frozenset({"slice", "bowl", "plate", "glass", "mug", "can", "bottle", "serving",
                      "portion", "helping", "piece", "handful", "scoop", "spoon", "spoonful",
                      "packet", "bag"})  # fmt: skip
_ABOUT = frozenset({"about", "around", "roughly", "approximately", "approx", "maybe", "nearly",
                    "almost", "circa", "~"})  # fmt: skip
_NEGATIONS = frozenset({"no", "not", "without", "minus"})
_MOST_DIGITS = 15
_DIGITS = frozenset("0123456789")


class Number(NamedTuple):
    """A number, and the index of the token after it."""

    value: float
    end: int
    scaled: float = 1.0
    """Power of ten of a word such as "hundred" at its end."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity in a text.

    The value lies between `low` and `high`, which differ in a range such as "2-3 cups". The unit is
    empty if it is neither of mass nor of volume; then the value is a count, or a share if
    `is_share`.
    """

    start: int
    end: int
    low: float
    high: float
    unit: str = ""
    times: float = 1.0
    is_share: bool = False
    is_approximate: bool = False
    is_negated: bool = False

    @property
    def value(self) -> float:
        """The value in `unit`, in the middle of a range."""
        return self.times * (self.low + self.high) / 2

    @property
    def mass_g(self) -> float | None:
        """The mass in grams, or None."""
        return self.value * MASS_G[self.unit] if self.unit in MASS_G else None

    @property
    def volume_ml(self) -> float | None:
        """The volume in milliliters, or None."""
        return self.value * VOLUME_ML[self.unit] if self.unit in VOLUME_ML else None

    @property
    def in_ounces(self) -> bool:
        """Whether the unit is an ounce or a fluid ounce."""
        return self.unit in ("oz", "ounce", "fl oz", "fluid ounce")


def singular_unit(word: str) -> str:
    """Return a unit of mass or volume in the singular; an empty string for other words."""
    word = SHORT_UNITS.get(word, word)
    if word in MASS_G or word in VOLUME_ML:
        return word
    stem = word.removesuffix("s")
    return stem if stem in MASS_G or stem in VOLUME_ML else ""


class Reader:
    """The tokens of a text, from which numbers and quantities are read at a given place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: tuple[Token, ...] = tokens_of(text)
        self._words = [token.word for token in self.tokens]

    def word(self, place: int) -> str:
        """Return the word of a token, or an empty string beyond the text."""
        return self._words[place] if 0 <= place < len(self._words) else ""

    def joined(self, place: int) -> bool:
        """Return whether a token directly follows the token before it, without a space."""
        if not 0 < place < len(self.tokens):
            return False
        return self.tokens[place - 1].end == self.tokens[place].start

    def amount(self, place: int) -> tuple[float, float, int] | None:
        """Read a number or a range: its bounds and the index of the token after it."""
        if self.word(place) == "between":
            low = self.number(place + 1)
            high = self.number(low.end + 1) if low and self.word(low.end) == "and" else None
            return (_least(low, high), high.value, high.end) if low and high else None
        low = self.number(place)
        if low is None:
            return None
        if self.word(low.end) in _TO and not self._is_in_chain(place):
            high = self.number(low.end + 1)
            is_end = high and high.value > 0 and self.word(high.end) not in _NOT_A_RANGE
            if high and is_end and not self._is_chain(high.end):
                return _least(low, high), high.value, high.end
        return low.value, low.value, low.end

    def number(self, place: int) -> Number | None:
        """Read a number that is not a range."""
        word = self.word(place)
        if not (word in _FIRST or (word and place < len(self.tokens) and self._is_digits(place))):
            return None
        return self._dozens(place) or self.part(place) or self._mixed(place) or self._few(place)

    def cardinal(self, place: int, below: float = 1e18) -> Number | None:
        """Read a whole number in digits or words, such as "two hundred and fifty"."""
        found = self._below_100(place) or self.digits(place)
        if found is None:
            few = self._few(place)
            if few and self.word(few.end) in SCALES:
                found = few
            elif self.word(place) in _ARTICLES and self.word(place + 1) in SCALES:
                found = Number(1.0, place + 1)
        return found and self._scaled(found, below)

    def digits(self, place: int) -> Number | None:
        """Read a number in digits, with a decimal point or comma, a fraction or an exponent."""
        word = self.word(place)
        if word == "." and self.joined(place + 1) and not self._is_inside(place):
            after = self.word(place + 1)
            return Number(float(f"0.{after}"), place + 2) if after.isdigit() else None
        if not word[:1].isdigit():
            return None
        value = _value(word, is_list=self._is_list(place))
        if value is None:
            return None
        end = place + 1
        if "/" not in word and self.word(end) == "/" and self.word(end + 1)[:1].isdigit():
            under = _value(self.word(end + 1), is_list=False)
            if "/" in self.word(end + 1) or not under or self.word(end + 2) == "/":
                return None
            return Number(value / under, self._after_ordinal(end + 2))
        if "/" in word:
            end = self._after_ordinal(end)
        elif self.word(end) == "e" and self.joined(end) and (power := self._power(end + 1)):
            return Number(value * 10**power.value, power.end)
        return Number(value, end)

    def fraction(self, place: int) -> Number | None:
        """Read a fraction in words, such as "half" and "three quarters"."""
        times, at, is_plural = 1.0, place, False
        if self.word(at) in _ONE:
            at += 1
        elif counted := self._below_100(at) or self.digits(at):
            times, at = counted.value, counted.end
            is_plural = times != 1 and self.tokens[place].kind == "number"
        at = self._after_hyphen(at) if at > place else at
        said = self.word(at)
        part = PARTS.get(said) or PARTS.get(said.removesuffix("s"))
        is_ordinal = at == place and self.word(place - 1) == "the" and said not in _NO_ORDINALS
        if part is None or is_ordinal or (is_plural and not said.endswith("s")):
            return None
        return Number(times / part, at + 1)

    def part(self, place: int) -> Number | None:
        """Read a fraction of what follows, such as "half a" in "half a cup"."""
        found = self.fraction(place)
        if found is None:
            return None
        end = self._after_hyphen(found.end)
        after = end + 1 if self.word(end) == "of" else end
        if self.word(after) in _DETERMINERS:
            return Number(found.value, after + 1)
        noun = self.word(after)
        is_halved = noun in _HALVED or noun.removesuffix("s") in _HALVED or noun == "glasses"
        return found if is_halved else None

    def unit(self, place: int) -> tuple[str, int] | None:
        """Read a unit of mass or volume: its name in the singular and the place after it."""
        word = self.word(place)
        if word in ("fl", "fluid"):
            at = place + 1
            while self.word(at) in (".", "-"):
                at += 1
            if self.word(at).removesuffix("s") in ("oz", "ounce"):
                return "fl oz", at + 1
        name = singular_unit(word)
        return (name, place + 1) if name else None

    def quantity(self, place: int) -> tuple[Quantity, int] | None:
        """Read a quantity that starts at a place, and the index of the token after it."""
        times, at = 1.0, place
        first = self.digits(at)
        if first and self.word(first.end) in _TIMES and self.amount(first.end + 1):
            times, at = first.value, first.end + 1
        found = self.amount(at)
        if found is None and self.word(at) in _ARTICLES and self.unit(at + 1):
            found = (1.0, 1.0, at + 1)
        if found is None:
            return None
        low, high, end = found
        after = self._after_hyphen(end)
        unit = self.unit(after)
        if unit:
            end = unit[1]
        elif rest := self._out_of(end):
            low, high, end = low / rest.value, high / rest.value, rest.end
        if half := self.and_a_half(end):
            low, high, end = low + half.value, high + half.value, half.end
        before = self.word(place - 1)
        return Quantity(
            self.tokens[place].start,
            self.tokens[end - 1].end,
            min(low, high),
            max(low, high),
            unit[0] if unit else "",
            times,
            is_share=unit is None and 0 < high < 1,
            is_approximate=before in _ABOUT,
            is_negated=before in _NEGATIONS,
        ), end

    def measured(self, place: int) -> Quantity | None:
        """Read a number in digits with a unit of mass or metric volume, such as "50 g worth"."""
        number = self.digits(place)
        if number is None or self._is_inside(place):
            return None
        unit = self.unit(self._after_hyphen(number.end))
        if unit is None or unit[0] in HOUSEHOLD:
            return None
        end = unit[1]
        if self.word(end) == "." and self.joined(end):
            end += 1
        if self.word(self._after_hyphen(end)) == "worth":
            end = self._after_hyphen(end) + 1
        start, stop = self.tokens[place].start, self.tokens[end - 1].end
        return Quantity(start, stop, number.value, number.value, unit[0])

    def and_a_half(self, place: int) -> Number | None:
        """Read "and a half" after a unit, as in "a cup and a half of rice"."""
        if self.word(place) != "and" or self.word(place + 1) not in _ONE:
            return None
        part = PARTS.get(self.word(place + 2))
        after = self.word(place + 3)
        if part is None or part > 4 or after in _DETERMINERS or after == "-":
            return None
        if after in _HALVED or after.removesuffix("s") in _HALVED:
            return None
        return Number(1 / part, place + 3)

    def counted_unit(self, place: int) -> int | None:
        """Return the place after a unit or a household measure, or None."""
        if unit := self.unit(place):
            return unit[1]
        word = self.word(place)
        is_measure = word in _COUNTED or word.removesuffix("s") in _COUNTED
        return place + 1 if is_measure else None

    def _out_of(self, place: int) -> Number | None:
        """Read the whole in "2 of the 6 slices" or "2 out of 6"."""
        at = place + 1 if self.word(place) == "out" else place
        if self.word(at) != "of":
            return None
        at += 1
        while self.word(at) in ("the", "its", "these", "those", "all"):
            at += 1
        whole = self.cardinal(at)
        return whole if whole and whole.value > 0 and self.unit(whole.end) is None else None

    def _is_chain(self, place: int) -> bool:
        """Return whether another number follows, as in the date "2026-11-21"."""
        return self.word(place) in ("-", ":") and self._is_digits(place + 1)

    def _is_in_chain(self, place: int) -> bool:
        is_hyphen = self.joined(place) and self.word(place - 1) == "-"
        return is_hyphen and self._is_digits(place - 2)

    def _is_digits(self, place: int) -> bool:
        return place < len(self.tokens) and (
            self.tokens[place].kind == "number"
            or (self.word(place) == "." and self.word(place + 1)[:1].isdigit())
        )

    def _is_word(self, place: int) -> bool:
        return place < len(self.tokens) and self.tokens[place].kind == "word"

    def _is_inside(self, place: int) -> bool:
        """Return whether a point directly follows a letter or a digit."""
        return self.joined(place) and self.tokens[place - 1].kind != "sign"

    def _is_list(self, place: int) -> bool:
        """Return whether a number is followed by a comma or "and", as in "10,20 and 30 g"."""
        after = place + 1
        if self.word(after) in ("g", "grams", "ml"):
            after += 1
        return self.word(after) in (",", "and")

    def _after_hyphen(self, place: int) -> int:
        return place + 1 if self.word(place) == "-" else place

    def _after_ordinal(self, place: int) -> int:
        is_ending = self.joined(place) and self.word(place) in _ORDINAL_ENDINGS
        return place + 1 if is_ending else place

    def _power(self, place: int) -> Number | None:
        """Read the exponent of a number such as "1e3 g"; it must be followed by a unit."""
        sign = -1.0 if self.word(place) == "-" else 1.0
        at = place + 1 if self.word(place) in ("-", "+") else place
        said = self.word(at)
        if not (said.isdigit() and len(said) <= 3 and self.unit(at + 1)):
            return None
        return Number(sign * min(float(said), _MOST_DIGITS), at + 1)

    def _below_100(self, place: int) -> Number | None:
        word = self.word(place)
        if word in TENS:
            after = self._after_hyphen(place + 1)
            if ones := ONES.get(self.word(after)):
                return Number(float(TENS[word] + ones), after + 1)
            return Number(float(TENS[word]), place + 1)
        value = CARDINALS.get(word)
        return Number(float(value), place + 1) if value else None

    def _scaled(self, found: Number, below: float) -> Number | None:
        """Multiply a number by the words after it, such as "hundred", and add the rest."""
        value, end, last = found.value, found.end, 1.0
        while True:
            at = self._after_hyphen(end)
            scale = SCALES.get(self.word(at), 0.0)
            if not 1 < scale < below:
                return Number(value, end, last)
            if self.word(self._after_hyphen(at + 1)) in _NAMED_BY_NUMBER:
                return None if self.word(end - 1) in _ARTICLES else Number(value, end, last)
            value, end, last = value * scale, at + 1, scale
            at = self._after_hyphen(end)
            at = at + 1 if self.word(at) == "and" else at
            rest = self.cardinal(at, scale)
            if rest and rest.value < scale and rest.value == int(rest.value):
                is_other = 1 < SCALES.get(self.word(self._after_hyphen(rest.end)), 0) <= scale
                if not is_other and self.word(rest.end) not in ("dozen", "/"):
                    value, end, last = value + rest.value, rest.end, 1.0

    def _mixed(self, place: int) -> Number | None:
        """Read a number that may be followed by a fraction: "1 1/2", "two and a half"."""
        whole = self._below_100(place) or self.digits(place)
        if whole is None:
            return self.cardinal(place)
        after = self._after_hyphen(whole.end)
        if self.word(after) == "and":
            after += 1
        is_whole = whole.value == int(whole.value) and "/" not in self.word(place)
        if is_whole and self._is_digits(after):
            fraction = self.digits(after)
            is_part = "/" in self.word(after) or self.word(after + 1) == "/"
            if fraction and is_part and fraction.end > after:
                return Number(whole.value + fraction.value, fraction.end)
        if is_whole and after > whole.end and self._is_word(after):
            is_one = self.word(after) in _ONE
            at = self._after_hyphen(after + 1) if is_one else after
            is_measured = is_one or self.counted_unit(at + 1) is not None  # "1 and half bowl"
            if is_measured and self.word(at) in ("half", "quarter", "third"):
                part = Number(whole.value + 1 / PARTS[self.word(at)], at + 1)
                return self._scaled(part, 1e18)
        return self.cardinal(place)

    def _dozens(self, place: int) -> Number | None:
        word, at, times = self.word(place), place, 1.0
        if word in _ONE and self.word(place + 1) == "half":
            at, times = place + 2, 0.5
        elif word == "half":
            at, times = place + 1, 0.5
        elif word in _ARTICLES:
            at = place + 1
        elif word == "zero":
            at, times = place + 1, 0.0
        elif counted := self._below_100(place) or self.digits(place):
            at, times = counted.end, counted.value
        at = self._after_hyphen(at)
        if times == 0.5 and self.word(at) in _ARTICLES:
            at += 1
        if at == place or self.word(at) != "dozen":
            return None
        end = at + 2 if self.word(at + 1) == "of" else at + 1
        return Number(DOZEN * times, end)

    def _few(self, place: int) -> Number | None:
        at = place + 1 if self.word(place) in _ARTICLES else place
        value = FEW.get(self.word(at))
        if value is None or (self.word(at) == "several" and at > place):
            return None
        end = at + 2 if self.word(at + 1) == "of" and self.word(at) != "several" else at + 1
        return Number(float(value), end)


_FIRST = frozenset({*CARDINALS, *TENS, *FEW, *PARTS, *(f"{part}s" for part in PARTS), "halves",
                    "a", "an"})  # fmt: skip
"""Words with which a number may begin."""


def masses_and_volumes(text: str) -> list[Quantity]:
    """Return the masses and the metric volumes of a text whose numbers are digits.

    A household unit such as a cup is a measure of its food.
    """
    if _DIGITS.isdisjoint(text):
        return []
    reader = Reader(text)
    found = (reader.measured(place) for place in range(len(reader.tokens)))
    return [one for one in found if one]


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text, in its order."""
    reader, found, place = Reader(text), [], 0
    while place < len(reader.tokens):
        quantity, place = reader.quantity(place) or (None, place + 1)
        found += [quantity] if quantity else []
    return found


def _least(low: Number, high: Number) -> float:
    """Return the lower end of a range; "one" in "one to two hundred" is a hundred."""
    is_short = high.scaled > 1 and low.value < high.value / high.scaled
    return low.value * high.scaled if is_short else low.value


def _value(word: str, *, is_list: bool) -> float | None:
    """Return the value of digits with points, commas and at most one slash, or None."""
    over, slash, under = word.partition("/")
    if slash:
        top, bottom = _value(over, is_list=False), _value(under, is_list=False)
        is_ratio = top is not None and bottom and "/" not in under
        return top / bottom if is_ratio and top is not None and bottom else None
    digits = with_point(over)
    is_number = digits.count(".") <= 1 and "," not in digits and not (is_list and digits != over)
    if not (is_number and digits.replace(".", "").isdecimal()):
        return None
    value = float(digits)
    return value if value < MOST else None


def with_point(digits: str) -> str:
    """Return a number with a decimal point and without separators of thousands."""
    groups = digits.split(",")
    if all(len(group.partition(".")[0]) == 3 for group in groups[1:]):
        return "".join(groups)
    is_decimal = len(groups) == 2 and len(groups[1]) <= 2 and "." not in digits
    return ".".join(groups) if is_decimal else digits
