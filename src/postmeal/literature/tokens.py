"""Split articles and questions into words, and reduce the words to their stems."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

_FUNCTION_WORDS = """
a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have
having he her here hers him his how i if in into is it its itself just may me might more most must
my no nor not of off on once only or other our out over own same she should so some such than that
the their them then there these they this those through to too under until up us very was we were
what when where whether which while who whom why will with would you your
"""
STOP_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English function words, which are not indexed."""

_WORD = re.compile(r"[^\W_]+")
_MAX_WORD = 40  # letters; longer words are gene sequences and web addresses
_REMEMBERED_WORDS = 2**18
_LOCAL = threading.local()


def stems(text: str) -> list[str]:
    """Return the stems of the words in a text, in order, without function words.

    The algorithm is described by M. F. Porter, "An algorithm for suffix stripping", Program 14
    (1980) 130–137, doi:10.1108/eb046814. Accents are removed. Hyphens, apostrophes and symbols
    separate words.
    """
    return [stem for word in _words(text) if (stem := _stem(word))]


def content_words(text: str) -> list[str]:
    """Return the distinct words in a text in lower case, in order, without function words."""
    return [word for word in dict.fromkeys(_words(text)) if _stem(word)]


def _words(text: str) -> list[str]:
    if not text.isascii():
        letters = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _WORD.findall(text.lower())


@lru_cache(maxsize=_REMEMBERED_WORDS)
def _stem(word: str) -> str:
    if word in STOP_WORDS or len(word) > _MAX_WORD:
        return ""
    stem: str = _stemmer().stemWord(word)
    return stem


def _stemmer() -> Any:
    """Return the stemmer of this thread; threads cannot share one, because it has a state."""
    if not hasattr(_LOCAL, "stemmer"):
        from snowballstemmer import stemmer

        _LOCAL.stemmer = stemmer("porter")
    return _LOCAL.stemmer
