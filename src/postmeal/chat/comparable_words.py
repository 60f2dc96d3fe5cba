"""Words of a sentence in a uniform form, for comparing two sentences.

Two sentences say the same if they have the same words in the same order. Only a few differences
are ignored. Articles and forms of "do" are left out. Forms of "be" and "have", plurals,
contractions, words for the same direction, and different names of glucose and of some units count
as the same word. Everything else must be equal, even symbols and emoji.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from postmeal.units import MG_DL_PER_MMOL_L

_INTRODUCTION = re.compile(
    r"\A(?:(?:a|one|the|this) (?:study|trial|review|article|passage)"
    r"|studies|research|researchers|the authors)"
    r" (?:found|shows?|showed|reports?|reported|states?|stated) that "
    r"|\Aaccording to (?:the|a|one|this) (?:article|study|trial|review|passage), "
)
_AMOUNT = r"(?:[0-9]+(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
_PART = re.compile(
    rf"(?P<number>(?P<sign>(?:[<>≤≥≈~±]\s*)?(?:(?<![\w)%])[+−–-]\s*)?)"
    rf"(?P<amount>{_AMOUNT})(?P<end>(?:\s?[–—-]\s?(?:{_AMOUNT})|:[0-9]+)*))"
    r"(?:\s*(?P<unit>mg/dl|mmol/l)(?![\w/·*×^]))?"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)"
    r"|(?P<punctuation>(?<=[^\W_])[‐‑-](?=[^\W_])|[,;:().])"
    r"|(?P<other>\S)"
)
_ARTICLES = frozenset(("a", "an", "the"))
_COUNTED = frozenset(("few", "little", "lot", "most", "least"))  # "a few" is not "few"
_LEFT_OUT = frozenset(("do", "does", "did"))
_NO_PLURAL = ("ss", "us", "is")
_HISSES = ("sses", "xes", "zes", "ches", "shes")
_LEAST_OF_A_PLURAL = 5  # minimum number of letters of a word in the plural
_SAME = {
    **dict.fromkeys(("is", "are", "was", "were"), "be"),
    **dict.fromkeys(("has", "had"), "have"),
    **dict.fromkeys(("participants", "persons"), "people"),
    **dict.fromkeys(("min", "mins"), "minute"),
    **dict.fromkeys(("h", "hrs"), "hour"),
    "percent": "%",
}
_CONTRACTED = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}
_LOWERED_WORDS = """
lowers lowered lowering reduce reduces reduced reducing reduction decrease decreases decreased
decreasing fell fallen dropped
"""
_RAISED_WORDS = """
raise raises raised raising increase increases increased increasing rise rises rose risen elevate
elevates elevated
"""
_LOWERED = frozenset({"lower (verb)"})
_SMALLER = frozenset({"lower (adjective)"})
_RAISED = frozenset({"raise"})
_GREATER = frozenset({"higher"})
_DIRECTIONS = {
    "lower": _LOWERED | _SMALLER,
    "smaller": _SMALLER,
    **dict.fromkeys(_LOWERED_WORDS.split(), _LOWERED),
    **dict.fromkeys(("higher", "greater"), _GREATER),
    **dict.fromkeys(_RAISED_WORDS.split(), _RAISED),
}
_OTHER_MEASURED = re.compile(
    r"cholesterol|\bldl\b|\bhdl\b|triglycerid|lipid|lipo|fatty acid|keton|butyrate|creatinin"
    r"|\burea\b|\bbun\b|\burate\b|uric acid|bilirubin|calcium|phosph|magnesium|sodium|potassium"
    r"|chloride|bicarbonate|lactate|lactic|albumin|\biron\b|ferritin|fibrinogen|\bcrp\b|c-reactive"
    r"|ethanol|alcohol|h(?:a|e)emoglobin|amino|fructose|galactose|homocysteine|\bzinc\b|vitamin"
)
_GLUCOSE_NAME = re.compile(r"\bblood (?:sugar|glucose)\b")
_RANGE_BEFORE = re.compile(
    r"[0-9][%\w/]{0,40}(?:,\s?| (?:to|and|or|compared with|versus|vs\.?) )\Z"
)

Word = frozenset[str]
"""The forms of a word. Two words are the same if they share a form; an empty set matches none."""


def comparable_words(text: str, *, converts_glucose: bool = False) -> tuple[Word, ...]:
    """Return the words, numbers and signs of a sentence as sets of forms."""
    plain = text.lower().replace("µ", "μ").replace("’", "'").strip()
    plain = _GLUCOSE_NAME.sub("glucose", plain)
    plain = _INTRODUCTION.sub("", " ".join(plain.split()))
    return tuple(_words(plain, converts_glucose))


def is_about_glucose_only(text: str) -> bool:
    """Return whether a text is about glucose and names no other substance measured in blood.

    Only then is the factor for converting between mg/dL and mmol/L known.
    """
    text = text.lower()
    is_glucose = "glucose" in text or "blood sugar" in text
    return is_glucose and not _OTHER_MEASURED.search(text)


def _words(text: str, converts_glucose: bool) -> Iterator[Word]:
    article = ""
    for part in _PART.finditer(text):
        word = part["word"]
        if word in _ARTICLES:
            article = word
            continue
        if word in _COUNTED and article:
            yield frozenset({article})
        article = ""
        if part["number"]:
            yield _number(part, converts_glucose)
        elif word:
            yield from _of_word(word)
        elif part["other"]:
            yield frozenset({part["other"]})


def _of_word(word: str) -> Iterator[Word]:
    is_negated = word.endswith("n't") or word == "cannot"
    if is_negated:
        word = _CONTRACTED.get(word, word.removesuffix("n't"))
    if word not in _LEFT_OUT:
        yield _DIRECTIONS.get(word) or frozenset({_SAME.get(word) or _singular(word)})
    if is_negated:
        yield frozenset({"not"})


def _singular(word: str) -> str:
    """Return a word without the ending of a plural or of the third person."""
    if len(word) < _LEAST_OF_A_PLURAL or not word.endswith("s") or word.endswith(_NO_PLURAL):
        return _SAME.get(word, word)
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(_HISSES) else word[:-1]


def _number(part: re.Match[str], converts_glucose: bool) -> Word:
    """Return the forms of a number, including its sign, its range and its glucose unit."""
    sign = re.sub(r"\s", "", part["sign"]).replace("−", "-").replace("–", "-")
    end = re.sub(r"\s", "", part["end"]).replace("–", "-").replace("—", "-")
    amount = part["amount"].replace(",", "")
    unit = part["unit"]
    form = f"{sign}{amount}{end.replace(',', '')}" + (f" {unit}" if unit else "")
    is_range = bool(end) or _RANGE_BEFORE.search(part.string[: part.start()]) is not None
    if not unit or not converts_glucose or is_range:
        return frozenset({form})
    if unit == "mg/dl":
        other = f"{sign}{float(amount) / MG_DL_PER_MMOL_L:.1f} mmol/l"
    else:
        other = f"{sign}{float(amount) * MG_DL_PER_MMOL_L:.0f} mg/dl"
    return frozenset({form, other})
