"""Corrections of meal scans in plain English.

``wording``         writes contractions and numbers in a uniform way
``remarks``         separates questions, thanks and other remarks
``vocabulary``      lists the words that are not food names, and corrects misspelled words
``marks``           marks amounts, foods and other words by their role in a sentence
``mentions``        finds the foods of the scan that words refer to
``new_foods``       finds the foods of the catalog that words name
``clauses``         interprets clauses that remove, keep or add foods
``naming_clauses``  interprets clauses that replace one food with another
``amount_clauses``  interprets clauses that change amounts
``sharing``         computes the share of a food that a person eats
``targets``         finds the foods that pronouns refer to
``state``           stores what has been understood so far
``grams``           converts amounts to grams
``operations``      defines the operations and applies them to a scan
``correction``      splits a correction into clauses that cover every word
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
