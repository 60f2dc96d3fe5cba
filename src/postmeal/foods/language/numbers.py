"""Convert the numbers in a text to digits: "1/2" to 0.5, "2-3" to 2.5, "two dozen" to 24."""

from __future__ import annotations

import re
import unicodedata
from functools import partial

__all__ = ["amount_text", "number_of"]

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
         "eighteen", "nineteen")  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {word: float(value) for value, word in enumerate(_ONES)}
_NUMBERS |= {word: 10.0 * value for value, word in enumerate(_TENS, start=2)}
_ZEROS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9}
_MOST = 1e15  # larger numbers are replaced with this one
_FRACTION = {"half": 0.5, "quarter": 0.25, "third": 1 / 3, "fourth": 0.25, "eighth": 0.125}
_SIGNS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8", "⅜": "3/8",
          "⅝": "5/8", "⅞": "7/8"}  # fmt: skip

_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d{1,2}(?!\d))(?!\d+\s*(?:g|grams|ml)?\s*(?:,|and))")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PART = r"\d{1,6}(?:\.\d{1,6})?"
_MIXED = re.compile(
    rf"(?<![\d./])(?:(\d{{1,4}})[\s-]+(?:and\s+)?)?({_PART})\s*/\s*({_PART})(?![\d/]|\.\d)"
)
_RANGE = re.compile(
    r"(?<![\d.-])(\d+(?:\.\d+)?)\s*(?:-|–|to|or)\s*(\d+(?:\.\d+)?)(?![\d.]|\s*(?:%|inch))"
)
_COUNTED = (
    rf"(?:{'|'.join(_TENS)})[\s-]+(?:{'|'.join(_ONES[1:10])})|{'|'.join([*_ONES[1:], *_TENS])}"
)
_IN_WORDS = re.compile(
    rf"\b(?:(?P<whole>{_COUNTED}|\d+)[\s-]+and[\s-]+(?:an?|one)[\s-]+(?P<part>half|quarter|third)|"
    rf"(?P<few>(?:(?:an?|one)\s+)?half)[\s-]+(?:an?\s+)?dozen|"
    rf"(?P<dozens>zero|{_COUNTED}|an?|\d+)\s+dozen(?:\s+of)?|"
    rf"(?:(?P<times>{_COUNTED}|an?)[\s-]+)?(?P<fraction>half|quarter|third|fourth|eighth)s?"
    r"(?:[\s-]+(?:of\s+)?(?:an?|the)\b|(?=[\s-]+(?:of\s+)?(?:cup|teaspoon|tablespoon|tbsp|tsp|"
    r"ounce|oz|pint|liter|litre|pound|lb|slice|sandwich|serving|bagel|pizza|bottle|glass|can|"
    r"small|medium|large|order|portion|avocado|banana|apple|orange|grapefruit|cantaloupe)"
    r"(?!er\b)))|"
    rf"(?P<couple>(?:an?\s+)?couple(?:\s+of)?)|(?P<several>(?:an?\s+)?few(?:\s+of)?|several)|"
    rf"(?P<number>{_COUNTED})(?=[\s-]|\s*[,;]|$))\b"
)
_SCALED = [
    (re.compile(
        r"(?<![\w.])(?P<least>\d{1,3}\s*(?:-|–|to|or)\s*)?"
        rf"(?P<times>\d{{1,12}}(?:\.\d{{1,6}})?|an?)[\s-]+{scale}\b"
        r"(?![\s-]+(?:island|grand|year|layer|dollar|calorie)\b)"  # names that contain a number
        rf"(?:[\s-]+(?:and[\s-]+)?(?P<rest>\d{{1,{zeros}}})(?!\d|[./]\d|[\s-]+{scale}\b))?"
    ), zeros)
    for scale, zeros in _ZEROS.items()
]  # fmt: skip
_POWER = re.compile(
    r"(?<![\w.])(\d{1,12}(?:\.\d{1,6})?e[+-]?\d{1,3})(?=\s*(?:m?g|grams?|kg|ml|oz|l)\b)"
)
_PERCENT = re.compile(r"(?<=\d)\s*per ?cent\b")
_BETWEEN = re.compile(r"\bbetween\s+(?=\d+(?:\.\d+)?\s+and\s+\d)(\S+)\s+and\s+")
_NUMBER_OF = re.compile(r"(?<![\d.])((?!0\.(?:5|25|75|33+|66+)\d* )\d+\.\d+) of (?=[a-z])")
_BOUND = re.compile(
    r"\b(?:(?:(?:an? )?(?:bit|little)|slightly|just|no|not) ){0,4}(?:(?:more|less|fewer) than|"
    r"at (?:least|most))\s+(?=an?\b|\d)"
)
_ANOTHER = re.compile(r"\b(?:another|one more)\s+(?=[a-z])")
_MORE = re.compile(r"\b(?:another|an? extra|an? additional)\s+(?=\d)")
_ONE_OF = re.compile(
    r"\b(?:an?|one)\s+(?=(?:ounces?|oz|grams?|pounds?|lbs?|kilos?|kilograms?|kg|lit(?:er|re)s?|"
    r"fl\.? ?oz|fluid ounces?|pints?|quarts?|gallons?|(?:gr?|gms?|[mcd]?l) of)\b)"
)
_SAID_AS = {
    "half and half": "half-and-half",
    "7 ?-?up": "lemon-lime soda",
}
"""Names that contain a number or a connector, and their replacements."""
_NAMES = [(re.compile(rf"\b{said}\b"), meant) for said, meant in _SAID_AS.items()]
_SHORT = re.compile(r"(?:(?<=\d)\s*|\b(?=\w+ of\b))(?P<unit>c|tbs|tbl)\b\.?")
_LONG = {"c": " cup", "tbs": " tbsp", "tbl": " tbsp"}
_DOTTED = re.compile(
    r"(?:(?<=\d)|(?<=\d )|(?<=fl ))(oz|lbs?|tbsp|tsp)\.(?=\s+(?!(?:i|it|the|they|that|this|my|we|"
    r"for|on|also|then|an?|with|and|to|plus|along|in)\b)[a-z])"
)
_SPACED = re.compile(r"(?<=\d)(?=[a-z])(?!(?:st|nd|rd|th|up)\b)|(?<=\d)-(?=[a-z])(?!up\b)")
_COMBINING = re.compile(r"[\u0300-\u036f]")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "−": "-", "\u00a0": " ", "…": ",",
                         "、": ","})  # fmt: skip


_COMPOUND = [
    (re.compile(rf"(?<![\d.])(\d+(?:\.\d+)?) (?:{whole}) (\d+(?:\.\d+)?) (?=(?:{part})\b)"), times)
    for whole, part, times in (
        ("lbs?|pounds?", "oz|ounces?", 16),
        ("kgs?|kilos?", "g|grams?", 1000),
    )
]


def amount_text(text: str) -> str:
    """Convert the numbers in a text to digits and the text to lower case.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The text with these changes: fractions and number words are decimals, ranges are replaced by
        their midpoints, pounds with ounces and kilograms with grams are one amount, a space
        separates numbers from units, and apostrophes are uniform. Words such as "at least" and "no
        more than" are removed.

    Examples
    --------
    >>> amount_text("2-3 eggs, one and a half cups, 1 1/2 apples, ½ banana, a dozen")
    '2.5 eggs, 1.5 cups, 1.5 apples, 0.5 banana, 12'
    >>> amount_text("A couple of 50g slices, two hundred and twenty-five grams, 2 percent")
    '2 50 g slices, 225 grams, 2%'
    >>> amount_text("1 lb 4 oz of beef, 1kg 200g potatoes, 1 kg 1000 g")
    '20 oz of beef, 1200 g potatoes, 1 kg 1000 g'
    """
    plain = text.translate(_QUOTES).casefold()
    for sign, fraction in _SIGNS.items():
        plain = plain.replace(sign, f" {fraction}")
    plain = _COMBINING.sub("", unicodedata.normalize("NFKD", plain)).strip()
    plain = _DOTTED.sub(r"\1", plain.replace("fl. oz", "fl oz"))
    for name, meant in _NAMES:
        plain = name.sub(meant, plain)
    plain = _POWER.sub(lambda m: _digits(float(m[1])), _THOUSANDS.sub("", plain))
    plain = _DECIMAL_COMMA.sub(".", plain)
    plain = _MIXED.sub(_mixed, plain)
    plain = _IN_WORDS.sub(_in_words, plain)
    plain = _BETWEEN.sub(r"\1 to ", plain)
    for scaled, zeros in _SCALED:
        plain = scaled.sub(partial(_scaled, zeros=zeros), plain)
    plain = _BOUND.sub("", _PERCENT.sub("%", plain))
    plain = _BETWEEN.sub(r"\1 to ", plain)
    plain = _ONE_OF.sub("1 ", _ANOTHER.sub("a ", _MORE.sub("", plain)))
    plain = _NUMBER_OF.sub(r"\1 g of ", plain)
    plain = _RANGE.sub(lambda m: _digits((float(m[1]) + float(m[2])) / 2), plain)
    plain = _SPACED.sub(" ", _SHORT.sub(lambda m: _LONG[m["unit"]], plain))
    for compound, times in _COMPOUND:
        plain = compound.sub(partial(_compound, times=times), plain)
    return plain


def number_of(word: str) -> float:
    """Return the value of a number in words or digits; 1 for "a" and "each".

    Examples
    --------
    >>> number_of("a"), number_of("three"), number_of("twenty-five"), number_of("2.5")
    (1.0, 3.0, 25.0, 2.5)
    """
    if word[:1].isdigit() or word[:1] == ".":
        return float(word)
    parts = [_NUMBERS[part] for part in re.split(r"[\s-]+", word) if part in _NUMBERS]
    return sum(parts) if parts else 1.0


def _compound(match: re.Match[str], *, times: int) -> str:
    whole, part = float(match[1]), float(match[2])
    return f"{_digits(times * whole + part)} " if part < times else match[0]


def _digits(number: float) -> str:
    return f"{min(number, _MOST):.6f}".rstrip("0").rstrip(".")


def _mixed(match: re.Match[str]) -> str:
    if float(match[3]) == 0:  # not a number
        after = match.string[match.end() : match.end() + 1]
        return "some " if after.isalpha() else "some"
    return _digits(int(match[1] or 0) + float(match[2]) / float(match[3]))


def _scaled(match: re.Match[str], zeros: int) -> str:
    times, least = number_of(match["times"]), match["least"] or ""
    if least and (fewer := float(re.split(r"\D", least)[0])) < times:  # "1 to 2 hundred"
        times, least = (fewer + times) / 2, ""
    return least + _digits(times * 10**zeros + int(match["rest"] or 0))


def _in_words(match: re.Match[str]) -> str:
    if match["whole"]:
        return _digits(number_of(match["whole"]) + _FRACTION[match["part"]])
    if match["few"]:
        return "6"
    if match["dozens"]:
        return _digits(12 * number_of(match["dozens"]))
    if match["couple"]:
        return "2"
    if match["several"]:
        return "3"
    if match["number"]:
        return _digits(number_of(match["number"]))
    return _digits(number_of(match["times"] or "one") * _FRACTION[match["fraction"]])
