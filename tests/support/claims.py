"""Sentences about passages: true ones in other words, and lies made from true ones."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

from postmeal.assets import asset
from postmeal.literature.sentences import sentences
from postmeal.literature.tokens import stems


class Claim(NamedTuple):
    """A sentence with the number of the passage that it names, and how it was made."""

    text: str
    source: int
    made_by: str


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
_TURNED = {
    "higher": "lower", "lower": "higher", "raised": "lowered", "lowered": "raised",
    "raises": "lowers", "lowers": "raises", "raise": "lower", "more": "less", "less": "more",
    "increased": "reduced", "reduced": "increased", "increase": "reduction",
    "increases": "reduces", "reduces": "increases", "reduce": "increase", "rose": "fell",
    "fell": "rose", "smaller": "larger", "larger": "smaller", "greater": "smaller",
    "cut": "raised", "before": "after", "after": "before", "without": "with", "better": "worse",
    "most": "least", "fewer": "more", "improved": "worsened", "above": "below", "below": "above",
    "slower": "faster", "faster": "slower", "high": "low", "low": "high", "under": "over",
    "over": "under", "first": "last", "last": "first", "longer": "shorter", "short": "long",
}  # fmt: skip
_SYNONYMS = (
    {"raises", "increase", "increases", "raised", "increased"},
    {
        "reduction",
        "lowered",
        "reduced",
        "lower",
        "lowers",
        "reduces",
        "smaller",
        "lowering",
        "fallen",
    },
    {"participants", "people"},
    {"glucose", "sugar"},
)
"""Words that mean the same, so that exchanging them is no lie."""
_UNITS = (
    ("mg/dL", "mmol/L"), ("mmol/L", "mg/dL"), ("minutes", "hours"), ("hours", "days"),
    (" g ", " kg "), ("%", " g"), ("weeks", "months"), ("minute", "hour"), ("years", "months"),
)  # fmt: skip
_NEGATIONS = (" not ", " no ", " nor ", " without ", " cannot ", " neither ")
_INVENTED = (
    "Adults should take 500 mg of metformin twice a day.",
    "Inject 4 units of insulin for every 10 g of carbohydrate.",
    "You can stop taking your medicine after eating this.",
    "This is safe for everyone with diabetes.",
    "Doctors recommend it to all patients.",
    "It cures type 2 diabetes.",
)
_SMALL_WORDS = """
about their those these which while with from were that than when have been them they this only also
both other each into
"""
_SMALL = frozenset(_SMALL_WORDS.split())


def passages() -> list[str]:
    """Return the statements of the starter set."""
    with asset("data/literature.csv").open(encoding="utf-8", newline="") as file:
        return [row["statement"] for row in csv.DictReader(file, delimiter=";")]


def lies(texts: list[str]) -> Iterator[Claim]:
    """Yield lies about numbered passages, each made from a true sentence by one corruption."""
    for number, text in enumerate(texts, 1):
        other = texts[number % len(texts)]
        for sentence in sentences(text):
            found = {
                *_wrong_numbers(sentence),
                *_turned(sentence),
                *_other_words(sentence, other),
                *_other_order(sentence),
                *_more_and_less(sentence, other),
            }
            yield from (Claim(lie, number, how) for lie, how in sorted(found) if lie != sentence)
            yield Claim(sentence, number % len(texts) + 1, "source of another passage")
            yield Claim(sentence, len(texts) + 1, "source that does not exist")
        yield from (Claim(lie, number, "invented advice") for lie in _INVENTED)


def _wrong_numbers(sentence: str) -> Iterator[tuple[str, str]]:
    for match in _NUMBER.finditer(sentence):
        for wrong in (f"{float(match[0]) + 1:g}", f"{float(match[0]) * 10:g}", match[0] + "5"):
            yield sentence[: match.start()] + wrong + sentence[match.end() :], "number"
    for unit, wrong in _UNITS:
        if re.search(r"\d" + re.escape(unit) if unit == "%" else re.escape(unit), sentence):
            yield sentence.replace(unit, wrong, 1), "unit"


def _turned(sentence: str) -> Iterator[tuple[str, str]]:
    for match in _WORD.finditer(sentence):
        if turned := _TURNED.get(match[0]):
            yield sentence[: match.start()] + turned + sentence[match.end() :], "direction"
            yield f"{sentence[: match.start()]}not {sentence[match.start() :]}", "negation added"
    for negation in _NEGATIONS:
        if negation in sentence:
            yield sentence.replace(negation, " ", 1), "negation removed"
    yield f"It is not true that {sentence[0].lower()}{sentence[1:]}", "negation added"
    for hedge in (" may ", " might ", " could ", " only ", " about half of "):
        if hedge in sentence:
            yield sentence.replace(hedge, " ", 1), "hedge removed"


def _other_words(sentence: str, other: str) -> Iterator[tuple[str, str]]:
    known = {*stems(sentence), ""}
    foreign = [w for w in _WORD.findall(other) if len(w) > 4 and "".join(stems(w)) not in known]
    for place, match in enumerate(_nouns(sentence)):
        wrong = foreign[place % len(foreign)]
        if any({wrong, match[0]} <= same for same in _SYNONYMS):
            continue
        yield sentence[: match.start()] + wrong + sentence[match.end() :], "other word"


def _other_order(sentence: str) -> Iterator[tuple[str, str]]:
    nouns = _nouns(sentence)
    for first, second in zip(nouns, nouns[2:], strict=False):
        if stems(first[0]) != stems(second[0]):
            middle = sentence[first.end() : second.start()]
            start, end = sentence[: first.start()], sentence[second.end() :]
            yield f"{start}{second[0]}{middle}{first[0]}{end}", "words exchanged"


def _nouns(sentence: str) -> list[re.Match[str]]:
    """Return the longer words, which are mostly nouns, that change the meaning if exchanged."""
    return [m for m in _WORD.finditer(sentence) if len(m[0]) > 4 and m[0].lower() not in _SMALL]


def _more_and_less(sentence: str, other: str) -> Iterator[tuple[str, str]]:
    words, others = sentence.rstrip(".").split(), other.rstrip(".").split()
    half = len(words) // 2
    yield f"{' '.join(words[:half])} {' '.join(others[len(others) // 2 :])}.", "halves of two"
    yield f"{sentence.rstrip('.')}, so you can stop taking insulin.", "advice added"
    yield f"{sentence.rstrip('.')}, as 93% of all doctors confirm.", "fact added"
    third = len(words) // 3
    gone = set(map(str.lower, words[third : 2 * third]))
    if gone & {*_TURNED, "not", "no", "may"} or any(_NUMBER.search(word) for word in gone):
        yield f"{' '.join(words[:third] + words[2 * third :])}.", "middle removed"


_SAME = (
    ("glucose", "blood glucose"), ("glucose", "blood sugar"), ("lowered", "reduced"),
    ("lowers", "reduces"), ("raised", "increased"), ("higher", "greater"), ("fell", "decreased"),
    ("did not", "didn't"), ("minutes", "min"), ("percent", "%"), ("meal", "meals"),
    ("carbohydrate", "carbohydrates"), ("smaller", "lower"), ("rose", "increased"),
    ("cut", "reduced"), ("people", "participants"), ("adults", "the adults"),
)  # fmt: skip
_MG_PER_DL = re.compile(r"(\d+(?:\.\d+)?) mg/dL")
_INTRODUCTIONS = ("A study found that ", "Research shows that ", "According to the article, ")


def truths(texts: list[str]) -> Iterator[Claim]:
    """Yield true sentences about numbered passages: verbatim, introduced and in other words."""
    for number, text in enumerate(texts, 1):
        for place, sentence in enumerate(sentences(text)):
            lowered = sentence[0].lower() + sentence[1:]
            yield Claim(sentence, number, "verbatim")
            yield Claim(_INTRODUCTIONS[place % 3] + lowered, number, "introduced")
            for word, same in _SAME:
                if re.search(rf"\b{word}\b", sentence) and same not in sentence:
                    yield Claim(re.sub(rf"\b{word}\b", same, sentence, count=1), number, same)
            if _MG_PER_DL.search(sentence):
                converted = _MG_PER_DL.sub(lambda m: f"{float(m[1]) / 18.016:.1f} mmol/L", sentence)
                yield Claim(converted, number, "mmol/L")
            head, comma, _ = sentence.rpartition(", ")
            if comma and len(head.split()) > 0.75 * len(sentence.split()):
                yield Claim(f"{head}.", number, "last clause removed")
