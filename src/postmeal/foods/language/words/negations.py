"""Words before a food that was not eaten, such as "without"."""

from __future__ import annotations

__all__ = ["NEGATIONS"]

NEGATIONS = (
    r"(?:no|not|without|minus|hold the|(?:i |that |which )?(?:didn't|did not|don't|do not|doesn't|"
    r"does not|skip|skipped)(?: (?:have|eat|drink|take|add|want|include|contain))?"
    r"(?: (?:any|the|my))?) "
    r"(?!(?:\w+[ -])?(?:added|bake)\b|(?:salt|sugar|fat|carb|calorie|pulp|stick) [a-z]|from\b|"
    r"only\b|just\b|so\b|too\b|very\b|"
    r"(?:(?!\b(?:because|since|as|when|while|that)\b)[^,.])*"
    r"\b(?:i|we) (?:ate|had|drank|have|took|made|got)\b)"
)
"""Words before a food that was not eaten, such as "without", as a regular expression."""
