"""Words that connect foods, ingredients, descriptions and masses, or deny them, in meal texts."""

from __future__ import annotations

__all__ = ["BACK_REFERENCES", "CONNECTORS", "INGREDIENT_VERBS", "NEGATIONS", "WEIGHING"]

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

CONNECTORS = "|".join((
    r"(?:poured|drizzled|spread|sprinkled|served|spooned|melted|layered) (?:over|onto|on top of|on|"
    r"into|in)(?= (?:an?|\d[\d.]*|some|my|the)\b)",
    r"along ?side(?: with| of)?", r"along with", r"together with", r"as well as",
    r"accompanied by",
    r"(?:and )?wash(?:ed|ing) (?:it |that |this |them |everything |all )?(?:all )?down "
    r"with(?: with)?",
    r"followed by", r"paired with", r"(?:and )?pairing (?:it|that|this) with", r"served with",
    r"topped (?:off )?with", r"combined with", r"complemented by", r"finished (?:off )?with",
    r"plus", r"and also", r"and then", r"but also", r"in addition to", r"mixed with", r"and",
    r"with", r"(?<!n't )(?<!not )include[sd]?", r"including", r"consist(?:s|ed|ing) of", r"while",
    r"but", r"so(?= (?:\d[\d.]*|an?|i|we|it|just|lunch|dinner|breakfast|supper)\b)",
))  # fmt: skip
"""Words that connect foods, as a regular expression."""

INGREDIENT_VERBS = (
    r"(?:(?:that'?s?|which|it'?s?|and|is|was|has been|both) )*"
    r"(?:filled|stuffed|packed|loaded|topped|made|mixed|prepared|cooked|covered|drizzled|coated|"
    r"combined|sprinkled|layered|seasoned|seasoning(?: it)?|tossed|dressed|glazed|"
    r"(?<!cheese )(?<!fruit )(?<!nut )(?<!chocolate )(?<!sandwich )(?<!butter )spread|"
    r"featuring|features|containing|contains|using|has|had)"
)
"""Words between a name and its ingredients, such as "filled", as a regular expression."""

BACK_REFERENCES = (
    r"(?:and |but )?(?:(?:it(?:'s| is| was| has)|they(?:'re| are)|that's|which (?:is|was|has)|both|"
    rf"no|not|without|i (?:didn't|did not|don't|skipped)|but not)\b|{NEGATIONS})"
)
"""Words that begin a description of the previous food, as a regular expression."""

WEIGHING = "|".join((
    r"(?:that|which|it|they|each)?(?:'s|'re)? ?(?:(?:is|was|are|all|both) )?(?:weigh(?:s|ed|"
    r"ing)?(?: in)?|"
    r"total(?:s|ed|l?ing)(?: up| to)?|com(?:es|ing) (?:in )?(?:at|to)|measuring|amounting "
    r"to|"
    r"clocking in)(?: (?:at|to|about|around|roughly|approximately|exactly|just|a total of|"
    r"in at))*",
    r"(?:that'?s|that is|which is|that was|which was|it'?s|they'?re|that are|at|is|was|are|"
    r"about|"
    r"around|roughly|approximately|approx|of|for|with|in|a total of|just|exactly|only|,|-|"
    r":)++",
))  # fmt: skip
"""Words between a food and its mass, as a regular expression."""
