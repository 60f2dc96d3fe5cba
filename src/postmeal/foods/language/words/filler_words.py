"""Filler words and reasons for eating, before and after the names of foods in meal texts."""

from __future__ import annotations

__all__ = ["LEADING_FILLER", "PURPOSE", "TRAILING_FILLER"]

_MEALS = (
    r"(?:breakfast|lunch|dinner|brunch|supper|snack ?time|snack|meal|dessert|tea ?time|treat|"
    r"feeding|appetizer|starter|main course|drink|beverage|bite)s?"
)

_ADJECTIVES = (
    r"(?:(?:quick|light|late|early|simple|small|little|big|nice|delicious|tasty|hearty|healthy|"
    r"lovely|good|great|filling|satisfying|sweet|yummy|mid-?\w+|morning|afternoon|evening|"
    r"midnight|infant|today's|tonight's|this|main|usual|typical|cozy|refreshing|balanced)\s+)*"
)

_TURN = r"to (?:start|begin|finish|end|top|cap|round)(?: (?:it|that|things|off|out|up|with))*"

LEADING_FILLER = "|".join((
    _TURN,
    rf"(?:for|as|at|during|with|in) (?:my |a |an |the |our |today's |tonight's |this "
    rf")?{_ADJECTIVES}"
    rf"{_MEALS}(?: (?:today|tonight|this \w+|time|at \w+))?(?! of (?!the))",
    rf"(?:my |a |the |today's |tonight's |this )?{_ADJECTIVES}(?:breakfast|lunch|dinner|"
    rf"brunch|"
    r"supper|snack|meal|dessert)(?: (?:today|tonight|this \w+|menu))*"
    r"(?: (?:is|was|will be|has|had|includes?|included|including|consists?|consisted|"
    r"contains?|"
    r"featured?|features|comprised|looks like|with|of|for me|time|at \w+))+",
    rf"(?:an? |my |the )?{_ADJECTIVES}(?:breakfast|lunch|dinner|brunch|supper|snack|meal|"
    rf"dessert)"
    r"(?: of| that'?s?| which)?(?: (?:includes?|included|has|had|with|consists? of|"
    r"just))*(?= |$)"
    r"(?! (?:bar|box|pack|mix|cake|tart|sausage|link|pizza|burrito|sandwich|cereal|roll|"
    r"size|meat|wine|cracker|banana))",
    rf"(?:an? |my |the ){_ADJECTIVES}(?:(?:breakfast|lunch|dinner|supper|snack) )?plate"
    r"(?: (?:of|with|that|full|has|had|includes?))+",
    r"(?:this|that|yesterday|today|tonight|earlier|later|last) ?(?:morning|afternoon|"
    r"evening|night|"
    r"week)?",
    r"(?:on|in|at) (?:the|my|a) (?:side|plate|menu|morning|afternoon|evening|go|mix|table|"
    r"top)",
    r"i'?(?:m| am|'ve| have|'ll| will|'d| would| just| also| only| then| really| usually|ve|"
    r"d|ll)?",
    r"we'?(?:re|ve|ll| had| have| ate)?", r"my", r"me", r"it'?s?", r"they'?re", r"there'?s?",
    r"there (?:is|are|was|were)", r"that'?s", r"let's", r"so", r"then", r"also", r"and", r"but",
    r"which", r"who", r"let me", r"myself", r"here'?s?", r"well", r"oh", r"okay", r"ok", r"yes",
    r"have(?: got)?", r"had", r"having", r"has", r"got", r"gotten", r"getting", r"get", r"am",
    r"was", r"were", r"is", r"are", r"be", r"been", r"ate", r"eat(?:ing|en|s)?",
    r"enjoy(?:ed|ing|s)?", r"drank", r"drunk",
    r"drink(?:ing)?(?! (?:of|made|with|mix|yogurt|chocolate|water|powder))",
    r"sip(?:ped|ping)?(?: on)?", r"snack(?:ed|ing) on", r"snack(?:ed|ing)",
    r"munch(?:ed|ing)(?: on)?",
    r"nibbl(?:ed|ing)(?: on)?", r"consum(?:ed|ing|e)", r"devour(?:ed|ing)", r"grabb?(?:ed|ing)?",
    r"grab", r"chose", r"choosing", r"pick(?:ed|ing)(?: up| out)?", r"order(?:ed|ing)",
    r"made(?! (?:with|from|of))", r"making", r"make",
    r"prepar(?:ed|ing)(?! (?:with|from|mustard|horseradish))", r"prepare",
    r"cook(?:ed up|ing)(?! (?:oil|spray|fat|wine|banana|cream))", r"fix(?:ed|ing)",
    r"whipp?(?:ed|ing) up", r"serv(?:ed|ing)(?: up| myself)?(?! of)", r"includ(?:es|ed|ing|e)",
    r"consist(?:s|ed|ing) of", r"add(?:ed|ing)?(?! (?:fat|sugar|salt))",
    r"mix(?:ed|ing)(?: in| it)?(?! (?:vegetable|nut|"
    r"berr|fruit|green|salad|drink|with|bean|grain))",
    r"us(?:ed|ing|e)", r"start(?:ed|ing|s)?(?: off)?(?: my| the)?(?: day| morning| meal)?",
    r"treat(?:ed|ing)? myself(?: to)?", r"go(?:ing|ne)?(?: for| with| to)?", r"went (?:for|with)",
    r"tak(?:e|en|ing)", r"took", r"try(?:ing)?", r"tried", r"finish(?:ed|ing)(?: off| up)?",
    r"follow(?:ed|ing)(?: by)?", r"plan(?:ned|ning)?(?: to| on)?", r"decided?(?: to| on)?",
    r"want(?:ed)?(?: to)?", r"indulg(?:ed|ing|e)(?: in)?", r"savou?r(?:ed|ing)?",
    r"feast(?:ed|ing)(?: on)?", r"dig(?:ging)? into", r"dug into",
    r"pair(?:ed|ing)(?: it| this| that)?(?: with)?", r"open(?:ed)?(?: up)?",
    r"wash(?:ed|ing) (?:it|that|this|them|everything|all)?(?: all)? ?down(?: with)?",
    r"provid(?:ed|ing)", r"gave", r"fed", r"look(?:ing)? forward to", r"craving", r"put(?:ting)?",
    r"thr(?:ow(?:n|ing)?|ew) (?:in|on)", r"(?:might|may|could|can|should)",
    r"toss(?:ed|ing)? in", r"bak(?:ed|ing) (?:up )?(?=\d)", r"need",
    r"sitting down (?:to|for)", r"sat down (?:to|for)", r"settled? (?:on|for)",
    r"fill(?:ed)? up on", r"just", r"only", r"simply", r"currently", r"usually", r"recently",
    r"actually", r"finally", r"about to", r"going to", r"really", r"now", r"to", r"of", r"for",
    r"by", r"on(?= \w+ing)", r"at", r"together", r"along", r"alongside", r"both", r"either",
    r"as well", r"too", r"it (?:is|was|had|has)", r"in addition", r"additionally", r"besides",
    r"the", r"these", r"those", r"this", r"while", r"after", r"before", r"when",
    r"(?!\w*(?:pudd|dress|season|stuff|fill|ic|frost|topp|herr|crackl|dumpl|ris)ing\b|\w*seed\b|"
    r"\w*weed\b|bread\b)"
    r"\w+(?:ed|ing)(?: (?:up|myself|in|on|out|some of))?(?= (?:an?|\d[\d.]*|some) )", r"in it",
    r"them", r"out", r"up", r"off", r"down", r"served", r"plus", r"with", r"all",
))  # fmt: skip
"""Filler words that may precede a food, as a regular expression."""

TRAILING_FILLER = "|".join((
    rf"(?:will be|is|was|makes|made|became) (?:my |the |our )?{_ADJECTIVES}{_MEALS}",
    rf"(?:for|as|at|during) (?:my |a |an |the |our |today's |tonight's |this "
    rf")?{_ADJECTIVES}{_MEALS}"
    r"(?: (?:today|tonight|this \w+|time))?",
    r"(?:today|tonight|this (?:morning|afternoon|evening)|right now|at the moment|earlier|"
    r"too|"
    r"as well|instead|yesterday|now|later|at home|at work|in total|altogether|combined|"
    r"total)",
    r"(?:on|in|at|from) (?:the|my|a) (?:side|plate|menu|morning|afternoon|evening|go|day|"
    r"table|lunchbox)",
    r"to (?:go|drink|eat|start|finish|share|enjoy|wash it down|start (?:my|the) day|snack "
    r"on|round it out)"
    r"(?: (?:with )?(?:it|that|them|along))?",
    r"(?:and )?(?:i|it|that|which|they)(?:'m|'s|'re|'ve| am| is| was| are| have)?(?: "
    r"(?:also|just|really))?"
    r"(?: (?:weighs?|weighed|has|have|had|is|was|are|enjoying|having))?",
    r"(?:of|with|and|in|on|at|about|around|for|by|a|an|the|is|was|are|has|have|had|which|"
    r"each(?: one)?|apiece|per piece|"
    r"that is|that was|both|from|to|some|roughly|approximately)",
    r"please", r"for me", r"with me", r"with it", r"in there", r"in it", r"on it", r"on top",
    r"respectively",
    r"(?:i'm |i am )?(?:having|enjoying|eating|drinking|ready|snacking)(?: it| them)?",
    r"washed? (?:it )?down", r"to it", r"on hand", r"take[ -]?(?:out|away)(?: box)?",
))  # fmt: skip
"""Filler words that may follow a food, as a regular expression."""

PURPOSE = (
    rf"(?:(?!{_TURN} (?:an?|some)\b)"
    r"(?!.*\b(?:(?:i|we)\b|(?:there|it)(?:'s| is| are| was| were| has)\b))"
    r"(?:to (?!(?:drink|eat|sip|snack|munch|nibble|an?|the|my|our|some)\b)[a-z]+\b|"
    r"for (?:extra|added|some|an?|the|more|flavou?r|taste|seasoning|garnish|richness|good|that)\b"
    rf"(?! {_ADJECTIVES}{_MEALS}\b)|for \w+$)|"
    r"everything(?:'s| is| was| else)\b)"
)
"""Words that begin a clause about the reason for eating something, as a regular expression."""
