"""Words for amounts that are converted to another measure: a knob is a tablespoon.

The file ``measure_words.csv`` has one row per word, with these columns in order:

- the word in the singular
- the measure to which the word is converted, such as ``tablespoon`` or ``ml``
- how many of these measures the word stands for
- an example phrase
- the source
"""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple


class MeasureWord(NamedTuple):
    """A word for an amount."""

    means: str
    times: float
    example: str


@lru_cache(1)
def measure_words() -> MappingProxyType[str, MeasureWord]:
    """Return the words in ``measure_words.csv``."""
    file = files("postmeal.foods.language.words").joinpath("measure_words.csv")
    rows = csv.DictReader(file.read_text(encoding="utf-8").splitlines())
    return MappingProxyType(
        {
            row["measure"]: MeasureWord(row["means"], float(row["times"]), row["example"])
            for row in rows
        }
    )
