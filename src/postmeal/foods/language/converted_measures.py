"""Convert the cup sizes of coffee chains and words such as "knob" to standard measures.

Cup volumes are from the menus of Starbucks and Costa Coffee (2026).
"""

from __future__ import annotations

import re
from dataclasses import replace

from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.foods.language.words.measure_words import MeasureWord, measure_words

CUP_ML = {"short": 237.0, "tall": 355.0, "grande": 473.0, "venti": 591.0, "trenta": 887.0}
"""Volume of each cup size of coffee chains, in milliliters."""

_CUP = re.compile(rf"(?:^|\s)({'|'.join(CUP_ML)})(?=\s|$)")
_DRINK = re.compile(
    r"latte|coffee|cappuccino|mocha|macchiato|americano|frapp\w+|tea\b|chai|brew|espresso|"
    r"chocolate|refresher|flat white|matcha|steamer"
)
_BEHIND = re.compile(
    r"(?P<name>.*[^\s,]) (?P<like>(?:(?:plain|raw|uncooked|cooked|boiled|fried|grilled|roasted|"
    r"baked|steamed|black|unsweetened|sweetened|hot|cold|iced|dry|fresh|nonfat|decaf)\s*)+)$"
)
_SIZED = re.compile(
    r"(?P<name>.*[^\s,]),? (?P<size>(?:extra )?large|small|medium|regular)(?: (?:one|1))?$"
)
_INSIDE = re.compile(r"\b(?:in|with|without|no|and|of|on|from|or)\b")


def meant(phrase: Phrase) -> Phrase:
    """Convert the amount in a phrase to standard measures, and remove sizes from the food name."""
    if (word := measure_words().get(phrase.unit)) is not None:
        phrase = _in_other_measure(phrase, word)
    said = f"{phrase.size} {phrase.name}"
    if (cup := _CUP.search(said)) and _DRINK.search(phrase.name):
        name = " ".join(_CUP.sub(" ", phrase.name).split())
        if name and phrase.mass_g is None and phrase.volume_ml is None:
            volume_ml = CUP_ML[cup[1]] * (phrase.count or 1.0)
            phrase = replace(phrase, name=name, size="", unit="", volume_ml=volume_ml)
    if not phrase.size and (sized := _SIZED.fullmatch(phrase.name)):
        phrase = replace(phrase, name=sized["name"], size=sized["size"])
    return replace(phrase, name=name_in_order(phrase.name))


def _in_other_measure(phrase: Phrase, word: MeasureWord) -> Phrase:
    amount = (phrase.count or 1.0) * word.times
    if word.means == "ml":
        return replace(phrase, unit="", volume_ml=amount)
    return replace(phrase, unit=word.means, count=amount)


def name_in_order(name: str) -> str:
    """Move the descriptive words of a name to its beginning."""
    if _INSIDE.search(name) or not (behind := _BEHIND.fullmatch(name)):
        return name
    return f"{behind['like']} {behind['name']}"
