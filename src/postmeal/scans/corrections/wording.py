"""Convert the words and numbers of a correction to a uniform spelling.

Contractions are written out. Shares of a whole become percentages, and other numbers become digits,
as in meal texts (`postmeal.words.plain`).
"""

from __future__ import annotations

import re

from postmeal.foods.language.words.sizes_and_measures import MEASURES
from postmeal.words.numbers import CARDINALS, SIGNS, written
from postmeal.words.plain import amount_text
from postmeal.words.quantities import Number, Reader
from postmeal.words.spans import Edit, edited

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
_MEASURED = frozenset({*MEASURES, "dozen", "hour", "minute"} - {"half"})
_NOT_A_SHARE = frozenset({"as", "the size", "the amount", "and half", "- and", "n half"})
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
_WRITTEN_TWICE = re.compile(rf"\b(\d+|an?|{'|'.join(CARDINALS)})\s*\((\d+)\)")
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
    plain = _Shares(plain).as_percentages()
    plain = _NUMBER_OF.sub(r"\1 ", plain)
    plain = _BOUND.sub("<> ", plain)  # "more than 2" states no exact amount
    plain = _MORE_OF.sub("moreof", plain)
    plain = _X_TIMES.sub(r"\1 times", _TIMES.sub(" times", plain))
    plain = _POSSESSIVE.sub("", plain)
    return " ".join(_PERCENT.sub("%", amount_text(plain)).split())


class _Shares(Reader):
    """Reads the shares of a whole: "two thirds of the soup", but not "two thirds of a cup"."""

    def as_percentages(self) -> str:
        """Return the text with its shares as percentages."""
        edits: list[Edit] = []
        place = 0
        while place < len(self.tokens):
            share = self._share(place)
            if share is not None:
                start, stop = self.tokens[place].start, self.tokens[share.end - 1].end
                edits.append(Edit(start, stop, f"{written(100 * share.value)}%"))
            place = share.end if share else place + 1
        return edited(self.text, edits)

    def _share(self, place: int) -> Number | None:
        before = self.word(place - 1)
        is_rest = before == "and" or (before in ("a", "-") and self.word(place - 2) == "and")
        if is_rest or before[:1].isdigit():
            return None
        is_ratio = "/" in self.word(place) or self.word(place + 1) == "/"
        said = place + 1 if self.word(place) == "the" else place
        share = self.digits(place) if is_ratio else self.fraction(said)
        if share is None or not 0 < share.value <= 1 or self._is_measured(share.end):
            return None
        after = self.word(share.end)
        is_other = after in _NOT_A_SHARE or f"{after} {self.word(share.end + 1)}" in _NOT_A_SHARE
        return None if is_other else share

    def _is_measured(self, place: int) -> bool:
        """Return whether a unit or a measure follows, as in "half a cup"."""
        at = place + 1 if self.word(place) in ("of", "-") else place
        at = at + 1 if self.word(at) in ("a", "an") else at
        after_the = at + 1 if self.word(at) == "the" else at
        said = {self.word(at), self.word(at).removesuffix("s")}
        return self.unit(after_the) is not None or not _MEASURED.isdisjoint(said)
