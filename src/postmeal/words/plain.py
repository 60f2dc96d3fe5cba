"""Write the numbers of a text as digits: "1/2" as 0.5, "2-3" as 2.5, "two dozen" as 24."""

from __future__ import annotations

import re
import unicodedata

from postmeal.words.numbers import CARDINALS, ONES, SIGNS, written
from postmeal.words.quantities import Reader, with_point
from postmeal.words.spans import Edit, edited
from postmeal.words.units import MASS_G, SHORT_UNITS, VOLUME_ML

__all__ = ["amount_text", "with_cardinals", "with_decimals"]

_SAID_AS = {"half and half": "half-and-half", "7 up": "lemon-lime soda", "7up": "lemon-lime soda",
            "7-up": "lemon-lime soda", "fl. oz": "fl oz"}  # fmt: skip
"""Names that contain a number or a connector, and their replacements."""

# The run time of many patterns grows with the square of the length of a blank.
_SPACES = re.compile(r"\s{3,}")
_COMBINING = re.compile(r"[\u0300-\u036f]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "−": "-", "\u00a0": " ", "…": ",",
                         "、": ","})  # fmt: skip
_DOTTED = frozenset({"oz", "lb", "lbs", "tbsp", "tsp"})
_NOT_AFTER_A_UNIT = frozenset((
    "i", "it", "the", "they", "that", "this", "my", "we", "for", "on", "also", "then", "an", "a",
    "with", "and", "to", "plus", "along", "in",
))  # fmt: skip
_OF_ONE = frozenset({"g", "gr", "gm", "gms", "ml", "cl", "dl", "l"})
_SAID_IN_FULL = frozenset({
    *MASS_G, *VOLUME_ML,
} - {"mg", "milligram", "cup", "tsp", "teaspoon", "tbsp", "tablespoon"} - _OF_ONE)  # fmt: skip
"""Units after "a" that make it a number, as in "an ounce of"."""
_SIMPLE_PARTS = ("0.5", "0.25", "0.75", "0.33", "0.66")
_NOT_SPACED = frozenset({"st", "nd", "rd", "th", "up"})
_COMPOUND = {"lb": ("oz", 16), "pound": ("oz", 16), "kg": ("g", 1000), "kilo": ("g", 1000)}
_SAME = {"ounce": "oz", "gram": "g"}
_SMALL = frozenset({"bit", "little"})
_WEAK = frozenset({"slightly", "just", "no", "not"})
_BOUND = _SMALL | _WEAK | {"a", "an", "at", "fewer", "less", "more"}
_MOST_WEAK = 4
_BEFORE_A_FOOD = frozenset({"and", "of", "with", "plus", "had", "ate", "have", "then", "or"})
_NUMBERED = frozenset({"alarm", "grain", "guys", "layer", "musketeers"})
_NUMBERED_DISHES = frozenset({"chili", "salad", "soup"})
_INSIDE = frozenset({"of", "in", "from", "with", "per", "for", "on", "by", "as", "into", "to",
                     "than", "half", "such", "like", "at", "is", "was", "under"})  # fmt: skip
_ZEROS = frozenset({"zero", "oh", "o"})


def amount_text(text: str) -> str:
    """Write the numbers of a text as digits, and the text in lower case."""
    plain = _SPACES.sub(_shortened, text.translate(_QUOTES).casefold())
    for sign, fraction in SIGNS.items():
        plain = plain.replace(sign, f" {fraction}")
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", plain)).strip()
    for name, meant in _SAID_AS.items():
        plain = plain.replace(name, meant)
    return _Writer(plain).written()


def with_decimals(text: str) -> str:
    """Write the numbers of a text with decimal points and without separators of thousands."""
    reader = Reader(text)
    edits = []
    for place, token in enumerate(reader.tokens):
        if token.kind == "number" and "," in token.word and "/" not in token.word:
            edits.append(Edit(token.start, token.end, with_point(token.word)))
        elif token.word == "." and reader.digits(place):
            edits.append(Edit(token.start, token.end, "0."))
    return edited(text, edits)


def with_cardinals(text: str, *, least: float) -> str:
    """Write whole numbers in words from `least` on, and those with decimals, as digits."""
    reader = Reader(text)
    edits = []
    place = 0
    while place < len(reader.tokens):
        found = reader.cardinal(place) if reader.tokens[place].kind == "word" else None
        if found is None:
            place += 1
            continue
        value, end = found.value, found.end
        tenths = reader.word(end + 1)
        is_decimal = reader.word(end) == "point" and (tenths in ONES or tenths in _ZEROS)
        if is_decimal:
            value, end = value + ONES.get(tenths, 0) / 10, end + 2
        if is_decimal or value >= least:
            digits = f"{value:.1f}" if is_decimal else written(value)
            edits.append(Edit(reader.tokens[place].start, reader.tokens[end - 1].end, digits))
        place = end
    return edited(text, edits)


def _shortened(spaces: re.Match[str]) -> str:
    return "\n" * min(spaces[0].count("\n"), 2) or "  "


class _Writer(Reader):
    """Reads the numbers of a plain text and replaces them with digits."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._edits: list[Edit] = []

    def written(self) -> str:
        """Return the text with its numbers as digits."""
        place = 0
        while place < len(self.tokens):
            place = self._bound(place) or self._another(place) or self._number(place) or place + 1
        return edited(self.text, self._edits)

    def _replace(self, place: int, end: int, text: str) -> int:
        self._edits.append(Edit(self.tokens[place].start, self.tokens[end - 1].end, text))
        return end

    def _remove(self, place: int, end: int) -> int:
        stop = self.tokens[end].start if end < len(self.tokens) else len(self.text)
        self._edits.append(Edit(self.tokens[place].start, stop, ""))
        return end

    def _bound(self, place: int) -> int | None:
        """Remove words such as "a bit more than" before an amount."""
        if self.word(place) not in _BOUND:
            return None
        at = place
        for _ in range(_MOST_WEAK):
            if self.word(at) in ("a", "an") and self.word(at + 1) in _SMALL:
                at += 2
            elif self.word(at) in _SMALL or self.word(at) in _WEAK:
                at += 1
            else:
                break
        said = (self.word(at), self.word(at + 1))
        is_bound = (said[1] == "than" and said[0] in ("more", "less", "fewer")) or (
            said[0] == "at" and said[1] in ("least", "most")
        )
        if not is_bound:
            return None
        after = at + 2
        is_amount = self.word(after) in ("a", "an") or self.amount(after) is not None
        return self._remove(place, after) if is_amount else None

    def _another(self, place: int) -> int | None:
        """Remove "another" before a number, and write "a" before a name."""
        said, after = self.word(place), place + 1
        if said in ("a", "an") and self.word(after) in ("extra", "additional"):
            return self._remove(place, after + 1) if self.amount(after + 1) else None
        if said != "another":
            return None
        if self.amount(after):
            return self._remove(place, after)
        return self._replace(place, after, "a") if self.word(after)[:1].isalpha() else None

    def _number(self, place: int) -> int | None:
        """Write the number at a place as digits, together with the unit after it."""
        said = self.word(place)
        if said in ("a", "an", "one"):
            if self.and_a_half(self.counted_unit(place + 1) or place):
                return self._measured(place, 1.0, place + 1)
            if self._is_one_unit(place + 1) or self._is_alone(place):
                return self._replace(place, place + 1, "1")
            if said != "one" and self._is_part_of_a_unit(place + 1):
                return self._remove(place, place + 1)
        if said == "zero":
            return self._zero(place)
        if self._is_divided_by_zero(place):
            return self._some(place)
        if named := self._name_with_number(place):
            return self._remove(place, named)
        found = self.amount(place)
        if found is None:
            return None
        low, high, end = found
        last = self.word(end - 1)
        if last in CARDINALS and end == place + 1 and last == "one" and not self._is_counted(end):
            return None
        return self._measured(place, (low + high) / 2, end)

    def _measured(self, place: int, value: float, end: int) -> int:
        """Write a value and its unit: "2c" as "2 cup", "2 lb 3 oz" as "35 oz", "5 %" as "5%"."""
        unit = self.unit(end)
        if unit and (other := _COMPOUND.get(unit[0])):
            part = self.digits(unit[1])
            inner = self.unit(part.end) if part else None
            if (
                part
                and inner
                and _SAME.get(inner[0], inner[0]) == other[0]
                and (part.value < other[1])
            ):
                total = written(value * other[1] + part.value)
                gap = " " if self.joined(part.end) else ""
                return self._replace(place, part.end, f"{total}{gap}")
        after = self.counted_unit(end)
        half = self.and_a_half(after) if after else None
        value += half.value if half else 0.0
        digits = self._digits(place, value, end, is_changed=half is not None)
        if self.word(end) in ("percent", "%") or (
            self.word(end) == "per" and self.word(end + 1) == "cent"
        ):
            end += 2 if self.word(end) == "per" else 1
            return self._replace(place, end, f"{digits}%")
        is_hyphen = self.word(end) == "-" and self.joined(end) and self.joined(end + 1)
        if is_hyphen and self._is_word(end + 1) and self.word(end + 1) != "up":
            self._replace(place, end + 1, f"{digits} ")
            return end + 1
        if self.word(end) in SHORT_UNITS:
            stop = end + 2 if self.word(end + 1) == "." and self.joined(end + 1) else end + 1
            return self._replace(place, stop, f"{digits} {SHORT_UNITS[self.word(end)]}")
        if unit and self._is_dotted(unit[1] - 1):
            self._replace(unit[1], unit[1] + 1, "")
        if self._is_grams_of(place, end):
            digits += " g"
        if self.joined(end) and self._is_word(end) and self.word(end) not in _NOT_SPACED:
            digits += " "
        self._replace(place, end, digits)
        if half and after:
            self._edits.append(Edit(self.tokens[after - 1].end, self.tokens[half.end - 1].end, ""))
            return half.end
        return end

    def _digits(self, place: int, value: float, end: int, *, is_changed: bool) -> str:
        """Return a value in digits, as in the text if they are there."""
        token = self.tokens[place]
        is_plain = end == place + 1 and token.kind == "number" and "," not in token.word
        if is_plain and "/" not in token.word and not is_changed:
            return token.word
        return written(value)

    def _zero(self, place: int) -> int | None:
        """Write "zero eggs" as "0 eggs", but not "zero sugar"."""
        if self.word(place + 1) == "dozen":
            return self._replace(place, place + 2, "0")
        counted = self.word(place + 1)
        is_label = counted.startswith(("calor", "carb", "sugar", "fat"))
        return (
            self._replace(place, place + 1, "0") if counted[-1:] == "s" and not is_label else None
        )

    def _is_divided_by_zero(self, place: int) -> bool:
        at = place
        if self.word(at).isdigit() and "/" in self.word(at + 1):
            at += 1
        _, slash, under = self.word(at).partition("/")
        if not slash and self.word(at).isdigit() and self.word(at + 1) == "/":
            under = self.word(at + 2)
        return bool(under) and not under.strip("0.")

    def _some(self, place: int) -> int:
        end = place + 1
        while self.word(end) == "/" or (
            self.tokens[place].kind == "number" and (self.word(end)[:1].isdigit())
        ):
            end += 1
        return self._replace(place, end, "some " if self.joined(end) else "some")

    def _is_one_unit(self, place: int) -> bool:
        unit = self.unit(place)
        if unit is None:
            return False
        return unit[0] in _SAID_IN_FULL or (unit[0] in _OF_ONE and self.word(unit[1]) == "of")

    def _is_alone(self, place: int) -> bool:
        """Return whether "a" and a unit follow their food, as in "rice, a cup"."""
        after = self.counted_unit(place + 1)
        if after is None or place == 0 or self.word(place - 1) in _INSIDE:
            return False
        return self.word(after) in ("", ",", ".", ";")

    def _is_part_of_a_unit(self, place: int) -> bool:
        """Return whether a fraction of a unit follows, as in "a 1/2 cup"."""
        part = self.digits(place)
        return part is not None and 0 < part.value < 1 and self.unit(part.end) is not None

    def _name_with_number(self, place: int) -> int | None:
        """Return the place after a number that is part of a name, as in "12 grain bread"."""
        before = self.word(place - 1)
        is_first = not before[:1].isalnum() or before in _BEFORE_A_FOOD
        number = self.cardinal(place) if is_first else None
        if number is None:
            return None
        after = self._after_hyphen(number.end)
        named = self.word(after)
        is_dish = named == "bean" and self.word(after + 1) in _NUMBERED_DISHES
        return after if is_dish or (named in _NUMBERED and self._is_word(after + 1)) else None

    def _is_counted(self, place: int) -> bool:
        """Return whether "one" is a number: a word, a hyphen, a comma or the end follows."""
        after = self.word(place)
        return after in ("", "-", ",", ";") or not self.joined(place)

    def _is_dotted(self, place: int) -> bool:
        """Return whether a point ends a unit and not a sentence, as in "2 oz. cheese"."""
        return (
            self.word(place) in _DOTTED
            and self.word(place + 1) == "."
            and self.joined(place + 1)
            and self._is_word(place + 2)
            and not self.joined(place + 2)
            and self.word(place + 2) not in _NOT_AFTER_A_UNIT
        )

    def _is_grams_of(self, place: int, end: int) -> bool:
        """Return whether decimals are a mass without its unit, as in "1.7 of rice"."""
        said = self.word(place)
        return (
            end == place + 1
            and "." in said
            and not said.startswith(_SIMPLE_PARTS)
            and self.word(end) == "of"
            and self._is_word(end + 1)
            and self.word(end + 1) not in ("a", "an", "the")
        )
