"""Convert the words and numbers of a correction to a uniform spelling.

Contractions are written out. Shares of a whole become percentages, and other numbers become digits,
as in meal texts (`postmeal.words.plain`).
"""

from __future__ import annotations

import re

from postmeal.foods.language.words.measure_words import measure_words
from postmeal.foods.language.words.sizes_and_measures import MEASURES
from postmeal.words.numbers import CARDINALS, PARTS, SIGNS, number_of, written
from postmeal.words.plain import amount_text
from postmeal.words.units import MASS_G, VOLUME_ML, unit_pattern

__all__ = ["plain_words"]

_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "—": ",",
                         "–": "-", "…": ".", "×": "x", "\u00a0": " "})  # fmt: skip
_CONTRACTIONS = [
    (re.compile(pattern), full)
    for pattern, full in (
        (r"\bcan'?t\b|\bcannot\b", "can not"),
        (r"\bwon'?t\b", "will not"),
        (r"\b(did|does|do|was|were|is|are|has|have|had|could|would|should)n'?t\b", r"\1 not"),
        (r"\bain'?t\b", "is not"),
        (r"\b(it|that|there|what|he|she|this|who|here|everything|one|how)'s\b", r"\1 is"),
        (r"\b(?:its)\b(?! own)", "it is"),
        (r"\b(?:thats)\b", "that is"),
        (r"\b(?:theres)\b", "there is"),
        (r"\bi'?m\b", "i am"),
        (r"\b(i|we|they|you)'ve\b|\b(i)ve\b", r"\1\2 have"),
        (r"\b(i|we|they|you|it|that)'d\b", r"\1 had"),
        (r"\b(i|we|they|you|it|that)'ll\b", r"\1 will"),
        (r"\b(we|they|you|those|these)'re\b|\b(they)re\b", r"\1\2 are"),
        (r"\blet'?s\b", "let us"),
        (r"\bgonna\b", "going to"),
        (r"\bw/o\b", "without"),
        (r"\bw/", "with "),
        (r"(?<=[a-z])'s (?=(?:not|a|an|the|actually|really|more|only|about)\b)", " is "),
    )
]
_UNITS = {*MEASURES, *MASS_G, *VOLUME_ML, *measure_words()} - {"portion", "serving", "helping"}
_COUNTS = "|".join(CARDINALS)
_AMOUNT = (
    rf"(?!\s*(?:of\s+)?(?:an?\s+|the\s+)?(?:{unit_pattern({*MASS_G, *VOLUME_ML})}|"
    r"(?:tea|table) spoons?\b|dozen\b|hour\b|minute\b))"
)
_MEASURE = (
    rf"(?!\s*(?:of\s+)?(?:an?\s+)?(?:(?:{'|'.join(sorted(map(re.escape, _UNITS)))})(?:e?s)?\s+of\b|"
    r"(?:glass(?:es)?|cans?|bottles?|bowls?|slices?|mugs?|handfuls?|plates?|scoops?|tins?|jars?|"
    r"packs?|packets?|cartons?|bags?|spoons?|spoonfuls?)\b))"
)
_FRACTION = re.compile(
    rf"(?<!and )(?<!and-)(?<!and a )(?<!\d )(?<![\d./])(?:(?P<times>an?|the|{_COUNTS}|\d+)[\s-]+)?"
    rf"(?P<part>{'|'.join(PARTS)})s?\b(?![\s-]+(?:and[ -]half|n half|as\b|the (?:size|amount)))"
    rf"(?! an? (?:hour|minute)){_AMOUNT}{_MEASURE}"
)
_RATIO = re.compile(
    rf"(?<![\d.])(?<!\d )(?P<over>\d{{1,3}})\s*/\s*(?P<under>\d{{1,3}})\b{_AMOUNT}{_MEASURE}"
)
_PERCENT = re.compile(r"(?<=\d)\s*(?:per ?cent|pct)\b|(?<=\d)\s+%")
_HALF_AS = re.compile(r"\b(?:an? )?half (?=as\b|the (?:size|amount)\b|that (?:size|amount)\b)")
_TIMES = re.compile(r"(?<=\d)\s*x\b(?! \d)|(?<=\d)\s*fold\b")
_ARROW = re.compile(r"\s*(?:[=-]>|→|=)\s*")
_ACCORDING = re.compile(
    r",?\s*\b(?:according to|based on|going by|as per) (?:the|my|a|our) (?:\w+ )?"
    r"(?:menu|label|box|pack|package|packet|packaging|wrapper|scale|scales|recipe|receipt|website|waiter|bag|bottle|tin)\b"
)
_IN_FULL = re.compile(
    r"(?<!\bwas)(?<!\bam)(?<!\bso)(?<!\btoo)(?<!\bis)(?<!\bfeel)(?<!\bfelt)(?<!\bgot)(?<!\bhalf)"
    r"(?<!\bpretty)(?<!\breally)(?<!\bvery)(?<!\balready)(?<!\bquite)(?<!\bstill)(?<!\bbe)(?<!\ba)"
    r"(?<!\bthe)(?<!\bjust)(?<=\w) (?:in )?full(?=\s*(?:[,.;!]|$))"
)
_FREE = re.compile(r"\b(alcohol) free\b")
_X_TIMES = re.compile(
    r"(?<!\w)x\s?(?=\d+(?:\.\d+)?\b(?!\s*x))(\d+(?:\.\d+)?)(?!\s?(?:g|grams?|ml)\b)"
)
_THAT = re.compile(
    r"\b(believe|think|say|guess|sure|and|but|know|sorry|see|mean|mention|note|fact)\s+that\s+"
    r"(?=(?:the|my|there|i|it|they|we)\b)"
)
_ALL_THE = re.compile(r"\ball (?=(?:the|my)\b(?! rest| other| time| food| foods| items?\b))")
_WRITTEN_TWICE = re.compile(rf"\b(\d+|an?|{_COUNTS})\s*\((\d+)\)")
_BOUND = re.compile(
    r"(?<!\bno )(?<!\bnot )(?<!\bnothing )\b(?:more|less|fewer) than (?=an? |\.?\d)"
)
_MORE_OF = re.compile(r"\b(?:another|one more|1 more|an? (?:extra|additional))\b")
_ALL_OF = re.compile(
    r"\b(?:every (?:last |single )?(?:bite|bit|drop|crumb)|the (?:whole|entirety)) of\b"
)
_EVEN = re.compile(r"\b(?:50[ /-]50|fifty[ -]fifty)\b")
_SIGNED = re.compile(r"(?<![\w.])-\s?(\d+(?:\.\d+)?)\s?%")
_RAISED = re.compile(r"(?<!\w)\+\s?(\d+(?:\.\d+)?)\s?%")
_OFF = re.compile(r"(^|[,.;]\s*|\band )(\d+(?:\.\d+)?\s?%) off(?: of)?\b")
_BARE_POINT = re.compile(r"(?<![\d\w.])\.(?=\d)")
_GROUPED = re.compile(r"(?<![\d.])([1-9]\d{0,2})\.(\d{3})(?=\s?(?:g|grams?|ml)\b)")
_NUMBER_OF = re.compile(r"(?<![\d.,/])(\d\.\d+|\d/\d) of (?=(?:the|my)\b)")
_POSSESSIVE = re.compile(r"(?<=[a-z])'s\b")


def plain_words(text: str) -> str:
    """Return a correction in lower case, with contractions written out and numbers as digits."""
    plain = " ".join(text.translate(_QUOTES).casefold().split())
    for sign, ratio in SIGNS.items():
        plain = re.sub(rf"(?<=\d)\s*{sign}", f" {ratio}", plain).replace(sign, f"{ratio} ")
    for pattern, full in _CONTRACTIONS:
        plain = pattern.sub(full, plain)
    plain = _ACCORDING.sub("", _ARROW.sub(" is ", plain))
    plain = _IN_FULL.sub(" unchanged", plain)
    plain = _FREE.sub(r"\1-free", plain)
    plain = _GROUPED.sub(r"\1\2", _BARE_POINT.sub("0.", plain))
    plain = _ALL_THE.sub("100% of ", _THAT.sub(r"\1 ", plain))
    plain = _OFF.sub(r"\1\2 less", _RAISED.sub(r"\1% more", plain))
    plain = _SIGNED.sub(r"\1% less", _EVEN.sub("50%", _ALL_OF.sub("100% of", plain)))
    plain = _PERCENT.sub("%", _HALF_AS.sub("0.5 times ", plain))
    plain = _WRITTEN_TWICE.sub(r"\2", plain)
    plain = _FRACTION.sub(_share, plain)
    plain = _RATIO.sub(_ratio, plain)
    plain = _NUMBER_OF.sub(r"\1 ", plain)
    plain = _BOUND.sub("<> ", plain)  # "more than 2" states no exact amount
    plain = _MORE_OF.sub(_moreof, plain)
    plain = _X_TIMES.sub(r"\1 times", _TIMES.sub(" times", plain))
    plain = _POSSESSIVE.sub("", plain)
    return " ".join(_PERCENT.sub("%", amount_text(plain)).split())


def _share(match: re.Match[str]) -> str:
    said = match["times"] or "a"
    if said == "the" and match["part"] == "half":
        said = "a"
    times = number_of(said)
    share = times / PARTS[match["part"]]
    return f"{written(100 * share)}%" if share <= 1 else match[0]


def _ratio(match: re.Match[str]) -> str:
    over, under = int(match["over"]), int(match["under"])
    if not 0 < over < under:
        return match[0]
    return f"{written(100 * over / under)}%"


def _moreof(match: re.Match[str]) -> str:
    return "moreof"
