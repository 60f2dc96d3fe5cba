"""Common English words that do not name a food, such as "charger" and "soap".

A word that does not occur in any food name is usually a misspelled food name, but this is less
likely for the words in this list. The list was written from general knowledge and contains words
for household items, clothes, tools, technology, animals, places, people and money. Words that are
often typed by mistake, such as "flower" for "flour" and "desert" for "dessert", are not included.
"""

from __future__ import annotations

from pathlib import Path

ORDINARY = frozenset(
    Path(__file__).with_name("ordinary_words.txt").read_text(encoding="utf-8").split()
)
"""The words, normalized as by `postmeal.foods.words.words`."""
