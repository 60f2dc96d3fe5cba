"""Words that only describe a food, such as "grilled" and "low fat"."""

from __future__ import annotations

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

QUALIFIER = rf"(?>(?:and )?(?:{_QUALIFIERS})(?![\w'])[\s,-]*)++"
"""Words that only describe a food, as a regular expression."""

DESCRIPTION = rf"(?>(?:{_QUALIFIERS}|low|reduced|sugar|fat|calorie)(?![\w'])[ ,-]*)++"
"""Like `QUALIFIER`, plus the single words of phrases such as "low sugar and fat"."""
