"""Check of sentences that a language model wrote against the evidence that they name.

Likeness does not tell "raises" from "lowers", so a sentence is compared word by word. It is
supported if its words follow those of its source, apart from the wording: other forms of a word,
other words for the same direction, other units of the same amount, introductions such as "a study
found that", and single words or a last clause left out. Negations, hedges, directions and numbers
cannot be left out of what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from postmeal.chat.answer import ChatAnswer, Sentence
from postmeal.literature.sentences import sentences
from postmeal.literature.tokens import stems
from postmeal.units import MG_DL_PER_MMOL_L

__all__ = ["is_supported", "reworded"]

_LEAST_COVERED = 0.6  # of the words of a source sentence
_MOST_SENTENCES = 4
_TOKEN = re.compile(
    r"[<>≤≥±−–-]?\d+(?:,\d{3})*(?:\.\d+)?(?::\d+)?|%|mg/dl|mmol/l|[^\W\d_]+(?:['’]t)?|[,;:()=]"
)
_NEGATION_WORDS = """
not no nor never neither none without cannot fail failed fails lack lacked unlikely
"""
_QUALIFIER_WORDS = """
may might could can should would will must only except unless if some most few half almost nearly
about around rarely sometimes often possibly probably suggest suggests suggested seem seems seemed
before after than above below under over between until during least all every both each first last
too same high low small large
"""
_UP_WORDS = """
more raise raises raised raising higher increase increases increased increasing greater rise rises
rose risen elevate elevates elevated
"""
_DOWN_WORDS = """
lower lowers lowered lowering reduce reduces reduced reducing reduction decrease decreases decreased
decreasing smaller less fewer fall falls fell fallen drop drops dropped cut cuts
"""
_EMPTY_WORDS = """
a an the that which who is was were are be been being has have had did do does it its
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_QUALIFIERS = frozenset(_QUALIFIER_WORDS.split())
_UP = frozenset(_UP_WORDS.split())
_DOWN = frozenset(_DOWN_WORDS.split())
_EMPTY = frozenset(_EMPTY_WORDS.split())
_GLUCOSE_UNITS = ("mg/dl", "mmol/l")
_RANGE = ("to", "and", "or", "compared", "versus", "vs")
_UNITS = {"min": "minute", "mins": "minute", "minutes": "minute", "h": "hour", "hours": "hour",
          "percent": "%"}  # fmt: skip
_SAME = {"participants": "people", "persons": "people"}
_INTRODUCTION = re.compile(
    r"\A(?:(?:a|one|the|this) (?:study|trial|review|article|passage)"
    r"|studies|research|researchers|the authors)"
    r" (?:found|shows?|showed|reports?|reported|states?|stated) that "
    r"|\Aaccording to (?:the|a|one|this) (?:article|study|trial|review|passage), "
)
_BOUNDARIES = frozenset(",;:(")


class _Token(NamedTuple):
    """A word or number in a comparable form.

    Attributes
    ----------
    form : str
        Stem of a word, ``up`` or ``down`` for a direction, or a number.
    is_fixed : bool
        Whether it must not be left out.
    converted : str
        The form in the other unit of glucose; empty if there is none.
    """

    form: str
    is_fixed: bool
    converted: str = ""

    def says(self, token: _Token) -> bool:
        """Return whether another token, as written in a claim, says the same."""
        return token.form in (self.form, self.converted)


def reworded(answer: ChatAnswer, proposed: Sequence[Sentence]) -> ChatAnswer:
    """Return an answer with the supported sentences, or as it is if fewer than half are supported.

    Parameters
    ----------
    answer : ChatAnswer
        Answer with passages and computations.
    proposed : sequence of Sentence
        Sentences of a language model; `source` is the number of a passage or of a computation.

    Returns
    -------
    ChatAnswer
        The answer with at most four sentences, whose passages are numbered from 1, and its fixed
        sentences.
    """
    kept = [sentence for sentence in proposed if _has_support(sentence, answer)]
    if not kept or 2 * len(kept) < len(proposed):
        return answer
    kept = list(dict.fromkeys(kept))[:_MOST_SENTENCES]
    used = dict.fromkeys(each.source for each in kept if each.kind == "quoted")
    numbers = {rank: number for number, rank in enumerate(used, 1)}
    sources = {passage.rank: passage for passage in answer.passages}
    passages = tuple(replace(sources[rank], rank=numbers[rank]) for rank in used if rank)
    renumbered = (
        replace(each, source=numbers[each.source]) if each.kind == "quoted" else each
        for each in kept
    )
    fixed = (each for each in answer.sentences if each.kind == "fixed")
    return replace(answer, passages=passages).with_sentences((*renumbered, *fixed))


def _has_support(sentence: Sentence, answer: ChatAnswer) -> bool:
    """Return whether the source that a sentence names exists and supports it."""
    if sentence.kind == "computed":
        facts = (" ".join(each.facts) for each in answer.computed if each.number == sentence.source)
        return is_supported(sentence.text, next(facts, ""))
    texts = (each.text for each in answer.passages if each.rank == sentence.source)
    return is_supported(sentence.text, next(texts, ""))


def is_supported(claim: str, source: str) -> bool:
    """Return whether a sentence of a source says what a claim says.

    Parameters
    ----------
    claim : str
        Sentence to check, without the number of its source.
    source : str
        Text of a passage, or facts of a computation.

    Examples
    --------
    >>> passage = "Vinegar with bread did not lower glucose in 12 adults. Peaks were at 90 mg/dL."
    >>> is_supported("Vinegar with bread didn't reduce glucose in 12 adults.", passage)
    True
    >>> is_supported("Vinegar with bread lowered glucose in 12 adults.", passage)
    False
    >>> is_supported("Peaks were at 5.0 mmol/L.", passage)
    True
    """
    if len(sentences(claim)) > 1:
        return all(is_supported(each, source) for each in sentences(claim))
    said = list(_tokens(_INTRODUCTION.sub("", _plain(claim))))
    return any(_follows(said, list(_tokens(_plain(text)))) for text in sentences(source))


def _plain(text: str) -> str:
    """Return the text in lower case with the usual names of glucose."""
    text = text.lower().replace("blood sugar", "glucose").replace("blood glucose", "glucose")
    return text.replace("µ", "μ")


def _follows(said: Sequence[_Token], source: Sequence[_Token]) -> bool:
    """Return whether a claim has the words of a source in order, without what may be left out."""
    place, skipped, kept = 0, 0, 0
    for token in said:
        if token.form in _BOUNDARIES:
            continue
        while place < len(source) and not source[place].says(token):
            if source[place].is_fixed:
                return False
            skipped += source[place].form not in _BOUNDARIES
            if skipped > 1:
                return False
            place += 1
        if place == len(source):
            return False
        place, skipped, kept = place + 1, 0, kept + 1
    rest = source[place:]
    if any(token.is_fixed for token in rest):
        return False
    words = sum(token.form not in _BOUNDARIES for token in source)
    is_clause = not rest or rest[0].form in _BOUNDARIES
    return is_clause and kept >= max(1, _LEAST_COVERED * words)


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the words that carry meaning, the numbers, and the boundaries of clauses."""
    found = _TOKEN.findall(text)
    for place, word in enumerate(found):
        if word[-1].isdigit():
            yield _number(found, place)
        elif word in _GLUCOSE_UNITS:
            if place == 0 or not found[place - 1][-1].isdigit():
                yield _Token(word, True)
        elif word in _BOUNDARIES:
            yield _Token(word, False)
        elif word in _NEGATIONS or word.endswith(("n't", "n’t")):
            yield _Token("not" if word == "cannot" or word[-1] == "t" else word, True)
        elif word in _UP | _DOWN:
            yield _Token("up" if word in _UP else "down", True)
        elif word in _QUALIFIERS:
            yield _Token(word, True)
        elif word in _UNITS or word in _UNITS.values():
            yield _Token(_UNITS.get(word, word), True)
        elif word not in _EMPTY:
            word = _SAME.get(word, word)
            yield _Token("".join(stems(word)) or word, False)


def _number(words: Sequence[str], place: int) -> _Token:
    """Return the token of a number, with its unit if that is one of glucose.

    The last number of a range is not converted, since the others do not state their unit.
    """
    number, unit = words[place], "".join(words[place + 1 : place + 2])
    if unit not in _GLUCOSE_UNITS:
        return _Token(number, True)
    amount = number.lstrip("<>≤≥±−–-")
    sign, form = number.removesuffix(amount), f"{number} {unit}"
    before = words[max(0, place - 4) : place]
    followers = pairwise(before)
    is_range = any(word[-1].isdigit() and follower in _RANGE for word, follower in followers)
    if is_range or ":" in amount:
        return _Token(form, True)
    value = float(amount.replace(",", ""))
    if unit == "mg/dl":
        return _Token(form, True, f"{sign}{value / MG_DL_PER_MMOL_L:.1f} mmol/l")
    return _Token(form, True, f"{sign}{value * MG_DL_PER_MMOL_L:.0f} mg/dl")
