"""Words for amounts that stand for another measure: a knob is a tablespoon.

The words are in ``measure_words.csv``, one row per word: the word in the singular, the measure it
means, how many of this measure one of it is, a phrase in which it is read, and its source.
Milliliters (``ml``) are a measure, too.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["MeasureWord", "measure_words"]


class MeasureWord(NamedTuple):
    """A word for an amount.

    Attributes
    ----------
    means : str
        The measure it stands for, such as ``tablespoon`` or ``ml``.
    times : float
        How many of this measure one of it is.
    example : str
        A phrase with the word.
    """

    means: str
    times: float
    example: str


@lru_cache(1)
def measure_words() -> MappingProxyType[str, MeasureWord]:
    """Return the words of ``measure_words.csv``.

    Examples
    --------
    >>> measure_words()["knob"].means
    'tablespoon'
    """
    file = files("postmeal.foods.language").joinpath("measure_words.csv")
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return MappingProxyType(
        {
            row["measure"]: MeasureWord(row["means"], float(row["times"]), row["example"])
            for row in rows
        }
    )
