"""Words that begin a clause about the reason for eating something."""

from __future__ import annotations

from postmeal.foods.language.words.filler_words import ADJECTIVES, MEALS, TURN

__all__ = ["PURPOSE"]

PURPOSE = (
    rf"(?:(?!{TURN} (?:an?|some)\b)"
    r"(?!.*\b(?:(?:i|we)\b|(?:there|it)(?:'s| is| are| was| were| has)\b))"
    r"(?:to (?!(?:drink|eat|sip|snack|munch|nibble|an?|the|my|our|some)\b)[a-z]+\b|"
    r"for (?:extra|added|some|an?|the|more|flavou?r|taste|seasoning|garnish|richness|good|that)\b"
    rf"(?! {ADJECTIVES}{MEALS}\b)|for \w+$)|"
    r"everything(?:'s| is| was| else)\b)"
)
"""Words that begin a clause about the reason for eating something, as a regular expression."""
