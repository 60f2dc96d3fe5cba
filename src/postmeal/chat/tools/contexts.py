"""Context that a sentence of a passage needs: the preceding sentences to quote with it.

Without the preceding sentence, "It was reached by 86%" is meaningless or misleading. Such a
sentence is either quoted together with the preceding sentence or not quoted at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_POINTING = r"(?:it|its|they|their|theirs|them|this|these|those|he|she|his|her|hers|such)"
_CONNECTIVE = (
    r"(?:but|and|yet|so|or|nor|then|thus|hence|therefore|however|moreover|furthermore|also|again"
    r"|in (?:contrast|addition|turn|comparison)|by (?:contrast|comparison)"
    r"|as a (?:result|consequence)"
    r"|on the (?:other hand|contrary)|for (?:example|instance)|no such)"
)
_COMPARATIVE = (
    r"(?:higher|lower|larger|smaller|greater|fewer|longer|shorter|later|earlier|better|worse"
    r"|stronger|weaker|slower|faster)"
)
_DEFINITE = r"(?:both|the (?:same|other|others|former|latter|two|three))"
_STARTS = re.compile(
    rf"\W*+(?:(?:{_POINTING}|{_CONNECTIVE}|that|neither|no other|others?|another|each of)\b"
    r"|\w+,\s"  # "Alone, ...", "Overall, ..."
    rf"|(?:\w+ ){{1,3}}{_POINTING}\b"
    r"|\w+ of the \w"  # "None of the trials"
    rf"|(?:[\w-]+ ){{1,6}}[\w-]+, (?:it|its|they|their)\b"
    r"|(?:compared|relative|contrary|similar|unlike)\b"
    rf"|(?:{_COMPARATIVE}|less|more(?! than \d))\b"
    rf"|(?:\w+ )?an? (?:\w+ )?{_COMPARATIVE}\b)",
    re.IGNORECASE,
)
_THIS = re.compile(r"\b(?:this|these)\b", re.IGNORECASE)
_DEFINITE_START = re.compile(
    r"\W*(?:(?:In|On|At|With|Without|After|Before|During|For|Of|By|From|Under|Among) the|The)"
    r" (?P<noun>[^A-Z0-9][^,.;:]*)"
)
_EXPLAINED = re.compile(
    r"\A(?:(?!(?:was|were|is|are|did|had|has|have) )[\w-]+ ){1,4}?"
    r"(?:of|for|between|at which|that|who)"
    r" (?!the |this |these |those |it |its |them )"
)
_UNIQUE = re.compile(r"\A(?:morning|evening|night|general population|long|short) ?(?:term\b|\Z|\s)")
_IN_BOTH = re.compile(rf"\b(?:in|on|at|for|of|between|with) {_DEFINITE}\b(?! \w+ and\b)")
_PRO_FORM = re.compile(r"\ban? (?:[\w-]+ )?ones?\b")
_WITHOUT_THAN = re.compile(
    rf"\b(?:was|were|is|are|be|been) (?:[\w.%-]+ ){{0,3}}?(?:{_COMPARATIVE}|less|more)\b"
)
_THAN = re.compile(r"\b(?:than|compared|versus|vs|relative|instead|with every|per)\b")


def context_of(sentences: Sequence[str], place: int, *, is_whole: bool) -> tuple[int, ...]:
    """Return the indices of a sentence and of the preceding sentences to quote with it.

    The tuple is empty if the sentence cannot be quoted.
    """
    if is_whole:
        return tuple(range(place + 1))
    first = place
    while first > 0 and (needs_context(sentences[first]) or _compares(sentences[first])):
        first -= 1
    if first == 0 and needs_context(sentences[0]):
        return ()
    return tuple(range(first, place + 1))


def needs_context(sentence: str) -> bool:
    """Return whether a sentence refers to something in the sentences before it.

    This is the case, for example, if the sentence begins with a pronoun, a connective or a
    comparison. It is also the case if the sentence begins with a noun with "the" that the sentence
    does not explain.
    """
    if re.match(r"\W*both\b.*\band\b", sentence, re.IGNORECASE):
        return False
    if _STARTS.match(sentence) or re.match(rf"\W*{_DEFINITE}\b", sentence, re.IGNORECASE):
        return True
    if _THIS.search(sentence) or _IN_BOTH.search(sentence) or _PRO_FORM.search(sentence):
        return True
    definite = _DEFINITE_START.match(sentence)
    if definite is None:
        return False
    noun = definite["noun"].lower()
    return not (_EXPLAINED.match(noun) or _UNIQUE.match(noun))


def _compares(sentence: str) -> bool:
    """Return whether a sentence contains a comparison but does not name what it compares with."""
    return bool(_WITHOUT_THAN.search(sentence)) and not _THAN.search(sentence)
