"""Words around the names of foods in a meal text: sizes, measures, connectors and filler words."""

from __future__ import annotations

from postmeal.foods.language.measure_words import measure_words

__all__ = [
    "CHATTER",
    "CHATTER_AT_THE_END",
    "CONNECTORS",
    "DESCRIBES",
    "LACKS",
    "MEASURES",
    "PURPOSE",
    "QUALIFIES",
    "REFERS",
    "SINGULAR",
    "SIZES",
    "TAKES",
    "WEIGHING",
]

SIZES = (
    "extra[ -]?large", "x-?large", "very large", "very small", "small(?:/regular)?[ -]sized?",
    "medium[ -]sized?", "large[ -]sized?", "small or medium", "small", "medium", "large", "jumbo",
    "big(?! mac)", "huge", "tiny", "little", "miniature", "mini", "bite[ -]sized?", "fun[ -]sized?",
    "snack[ -]sized?", "king[ -]sized?", "personal[ -]sized?", "regular[ -]sized?", "regular",
    "single[ -]serving", "single[ -]serve", "single(?= )", "individual(?:[ -]sized?)?",
    "standard", "average",
    "full[ -]sized?", "thin(?=,? (?:slice|cut))", "thick(?=,? (?:slice|cut))", "tall(?= )",
    "grande", "venti", "kid'?s?[ -]sized?", "child[ -]sized?", "bun[ -]sized?", "generous",
    "prepackaged",
    "school(?:[ -]sized?)?(?= (?:container|carton|box|milk))",
    "hearty", "heaping", "level", "modest", "nice", "good[ -]sized?", "decent[ -]sized?",
    "sharing[ -]sized?", "party[ -]sized?", "dipping[ -]sized?", "cracker[ -]sized?",
)  # fmt: skip
"""Sizes, as regular expressions; among sizes with the same first word, the longest comes first."""

MEASURES = tuple(sorted((
    "cup", "teaspoon", "tablespoon", "tbsp", "tsp", "pint", "quart", "slice", "piece", "serving",
    "portion", "helping", "bar", "packet", "package", "pack", "patty", "pattie", "fillet", "filet",
    "twin-pack", "multipack",
    "ear", "stick", "pat", "clove", "leaf", "leave", "stalk", "spear", "strip", "link", "stack",
    "wedge", "container", "carton", "pouch", "bag", "box", "boxe", "order", "item", "roll", "loaf",
    "loave", "head", "square", "rasher", "bunch", "cube", "sheet", "half", "halve", "breast",
    "thigh", "drumstick", "wing", "leg", "glass", "glasse", "mug", "bowl", "plate", "can",
    "bottle", "handful", "scoop", "spoonful", "spoon", "splash", "shot", "pinch", "drizzle",
    "jar", "tub", "tin", "drink", "fruit", "nugget", "ball", "rib", "chunk", "segment", "section",
    "sprig", "ring", "cone", "tray", "meal", "dish", "platter", "basket", "bucket", "pot", "kernel",
    "nut", "sub", "pie", "pizza", "single", "unit", "envelope", "sachet", "tube", "dollop", "dash",
    "squeeze", "floret", "cracker", "round", "block", "log", "twist", "steak", "chop", "cut",
    "side", "rack", "bite", "small", "medium", "large", "juice box", "mini can", "jigger",
    "bundle", "cluster", "skewer", "wrap", "cake", "biscuit", "finger", "rod", "sleeve",
    *measure_words(), "stubbie",
), key=len, reverse=True))  # fmt: skip
"""Household measures that can precede "of", in the singular, longest first."""

SINGULAR = {"pattie": "patty", "filet": "fillet", "leave": "leaf", "boxe": "box", "loave": "loaf",
            "halve": "half", "glasse": "glass", "stubbie": "stubby"}  # fmt: skip
"""Singular forms of measures whose plurals are not formed by adding "s"."""

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
CHATTER = "|".join((
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

CHATTER_AT_THE_END = "|".join((
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
    r":)+",
))  # fmt: skip
"""Words between a food and its mass, as a regular expression."""

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

TAKES = (
    r"(?:(?:that'?s?|which|it'?s?|and|is|was|has been|both) )*"
    r"(?:filled|stuffed|packed|loaded|topped|made|mixed|prepared|cooked|covered|drizzled|coated|"
    r"combined|sprinkled|layered|seasoned|seasoning(?: it)?|tossed|dressed|glazed|"
    r"(?<!cheese )(?<!fruit )(?<!nut )(?<!chocolate )(?<!sandwich )(?<!butter )spread|"
    r"featuring|features|containing|contains|using|has|had)"
)
"""Words between a name and its ingredients, such as "filled", as a regular expression."""

_QUALIFIERS = "|".join((
    r"(?:deep|pan|stir|air|oven|dry|hard|soft|flame)[ -](?:fried|roasted|baked|boiled|popped)",
    r"no (?:added )?(?:sugar|salt)(?: added)?",
    r"(?:non|zero|no|low|lower|reduced|full|half)[ -]?(?:sugar|fat|calorie|sodium|salt|carb)",
    r"full cream",
    r"(?:sugar|fat|gluten|lactose|dairy|caffeine|salt)[ -]free|lowfat|decaf|decaffeinated|diet",
    r"whole[ -]?(?:wheat|grain|meal)|multi[ -]?grain|greek|red|green|yellow|white|black|brown",
    r"(?:with(?:out)?|no) (?:the )?(?:skin|peel|bones?|shell|salt|sugar|fat|added \w+)",
    r"fried|scrambled|poached|toasted|baked|grilled|roasted|boiled|steamed|cooked|sauteed|braised",
    r"broiled|barbecued|microwaved|smoked|mashed|whipped|melted|popped|brewed|blanched|pickled",
    r"raw|uncooked|medium[ -](?:rare|well)|rare|well[ -]done|over[ -]easy|sunny[ -]side[ -]up",
    r"sliced|chopped|diced|cubed|shredded|grated|minced|ground|crushed|halved|halves|quartered",
    r"cut(?:[ -]up)?(?: (?:in|into) (?:slices|pieces|chunks|cubes|halves|half|quarters|wedges))?",
    r"peeled|unpeeled|pitted|cored|trimmed|hulled|shelled|seedless|boneless|skinless|bone[ -]in",
    r"skin[ -]on|drained|rinsed|washed|strained|pureed|juiced|squeezed|coated|breaded|battered",
    r"fresh|frozen|thawed|canned|tinned|dried|dry|powdered|instant|leftover|homemade|organic",
    r"natural|flavou?red|unflavou?red|plain|regular|whole|skim|skimmed|semi[ -]skimmed|nonfat",
    r"\d+(?:\.\d+)?%(?: (?:lean|fat|milkfat))?|extra[ -]lean|lean|light|dark|salted|unsalted",
    r"sweetened|unsweetened|hot|cold|warm|iced|chilled",
    r"thin|thick|soft|hard|firm|crispy|crunchy|chunky|smooth|creamy|spicy|sweet|sour|salty|ripe|unripe",
    r"very|lightly|freshly|finely|thinly|roughly|thickly|well|in (?:water|oil|juice|syrup|brine)",
))  # fmt: skip
QUALIFIES = rf"(?>(?:and )?(?:{_QUALIFIERS})(?![\w'])[\s,-]*)++"
"""Words that only describe a food, as a regular expression."""

DESCRIBES = rf"(?>(?:{_QUALIFIERS}|low|reduced|sugar|fat|calorie)(?![\w'])[ ,-]*)++"
"""Like `QUALIFIES`, plus the single words of phrases such as "low sugar and fat"."""

LACKS = (
    r"(?:no|not|without|minus|hold the|(?:i |that |which )?(?:didn't|did not|don't|do not|doesn't|"
    r"does not|skip|skipped)(?: (?:have|eat|drink|take|add|want|include|contain))?"
    r"(?: (?:any|the|my))?) "
    r"(?!(?:\w+[ -])?(?:added|bake)\b|(?:salt|sugar|fat|carb|calorie|pulp|stick) [a-z]|from\b|"
    r"only\b|just\b|so\b|too\b|very\b|"
    r"(?:(?!\b(?:because|since|as|when|while|that)\b)[^,.])*"
    r"\b(?:i|we) (?:ate|had|drank|have|took|made|got)\b)"
)
"""Words before a food that was not eaten, such as "without", as a regular expression."""

REFERS = (
    r"(?:and |but )?(?:(?:it(?:'s| is| was| has)|they(?:'re| are)|that's|which (?:is|was|has)|both|"
    rf"no|not|without|i (?:didn't|did not|don't|skipped)|but not)\b|{LACKS})"
)
"""Words that begin a description of the previous food, as a regular expression."""

PURPOSE = (
    rf"(?:(?!{_TURN} (?:an?|some)\b)"
    r"(?!.*\b(?:(?:i|we)\b|(?:there|it)(?:'s| is| are| was| were| has)\b))"
    r"(?:to (?!(?:drink|eat|sip|snack|munch|nibble|an?|the|my|our|some)\b)[a-z]+\b|"
    r"for (?:extra|added|some|an?|the|more|flavou?r|taste|seasoning|garnish|richness|good|that)\b"
    rf"(?! {_ADJECTIVES}{_MEALS}\b)|for \w+$)|"
    r"everything(?:'s| is| was| else)\b)"
)
"""Words that begin a clause about the reason for eating something, as a regular expression."""
