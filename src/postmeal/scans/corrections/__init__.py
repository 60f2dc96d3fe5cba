"""Corrections of meal scans in plain English.

``wording``         writes contractions and numbers in a uniform way
``remarks``         separates questions, thanks and feelings
``vocabulary``      words that name no food, and misspelled words
``marks``           marks amounts, foods, and words by what they do in a sentence
``mentions``        which foods of the scan words mean
``new_foods``       which foods of the catalog words name
``clauses``         rules over marks, for foods
``naming_clauses``  rules over marks, for other foods
``amount_clauses``  rules over marks, for amounts
``sharing``         what remains of a food that is shared
``targets``         what pronouns mean
``state``           what was understood so far
``grams``           grams of amounts
``operations``      the operations, and how they are applied
``correction``      finds clauses that together hold every word
"""

from __future__ import annotations

from postmeal.scans.corrections.correction import Correction, correct, operations_of
from postmeal.scans.corrections.operations import (
    Add,
    KeepOnly,
    Operation,
    Remove,
    Rename,
    Scale,
    SetAmount,
    SwapAmounts,
    applied,
)

__all__ = [
    "Add",
    "Correction",
    "KeepOnly",
    "Operation",
    "Remove",
    "Rename",
    "Scale",
    "SetAmount",
    "SwapAmounts",
    "applied",
    "correct",
    "operations_of",
]
