"""Names of sizes and of household measures in meal texts."""

from __future__ import annotations

from postmeal.foods.language.words.measure_words import measure_words

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
