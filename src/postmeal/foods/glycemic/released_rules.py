"""Rules that derive the glycemic index from published means, as used to fit the released model.

The first rule that matches a food's name determines its index. If the rule lists one published
food, the index is the mean of this food and the source is ``measured``. If it lists several, the
index is the median of their means and the source is ``group median``. A dish of several foods has
no index unless its mean has been published.

The glucose model uses only these indices, so a change of a rule changes predictions. The index of
other foods is computed by `postmeal.foods.glycemic.parts`.
"""

from __future__ import annotations

from functools import cache

from postmeal.foods.glycemic.name_rules import NameRule, compiled, first_match

__all__ = ["published_foods"]

_BREADS = (
    "white wheat bread",
    "whole wheat bread",
    "specialty grain bread",
    "unleavened wheat bread",
    "wheat roti",
    "chapatti",
)
_FRUIT = ("apple, raw", "orange, raw", "banana, raw", "pineapple, raw", "mango, raw")
_ROOTS = ("carrots, boiled", "sweet potato, boiled", "pumpkin, boiled", "taro, boiled")
_PULSES = ("chickpeas", "kidney beans", "lentils", "soya beans")
_MILKS = ("milk, full fat", "milk, skim")
_FLAKES = ("cornflakes", "wheat flake biscuits", "muesli")

_RAW_GRAIN = r"\b(dry|uncooked|raw|flour|bran|mix|unprepared)\b"
_DISH = r"\b(and|with (beef|chicken|meat|cheese|sauce|pork|fish)|sandwich|salad|soup|casserole)\b"

_RULES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    # pattern, excluded pattern, published foods (one: measured; several: group median)
    (r"^(sugars?,.*(granulated|white|brown)|sugars, (powdered|brown)|sucrose)", "", ("sucrose",)),
    (r"^honey$|^honey, (strained|pure)", "", ("honey",)),
    (r"fructose", "corn|reduced", ("fructose",)),
    (r"^(sweetener, dextrose|dextrose|glucose|.*\bdextrose tablet)", "", ("glucose",)),
    (r"rice (cakes?|crackers?|crisps?)|^crackers, rice", "chocolate|caramel|cereal|nuts",
     ("rice crackers",)),
    (r"^snacks, popcorn|^popcorn", "caramel|sugar|chocolate|kettle|chips|cake", ("popcorn",)),
    (r"potato (chips|crisps)", "cookie|sweet potato", ("potato crisps",)),
    (r"^candies,? (milk )?chocolate|^(milk|dark) chocolate|^chocolate, dark|chocolate candy",
     "coated|covered|with|fudge|syrup|roll|filled|sugar free|white|cookie|shell", ("chocolate",)),
    (r"carbonated, (cola|lemon|lime|orange|ginger|root|cream|pepper|grape)|^soft drink",
     "diet|low calorie|aspartame|sugar free|saccharin|without sugar", ("soft drink",)),
    (r"^rice milk|beverages, rice milk|rice beverage|^rice drink", "", ("rice milk",)),
    (r"^(soy ?milk|beverages, soy milk|silk.*soymilk)|^soymilk",
     "chocolate|powder|coffee|mocha|nog|chai", ("soy milk",)),
    (r"^milk, (fat free|nonfat|skim|fluid, nonfat)",
     "dry|evaporated|condensed|chocolate|powder", ("milk, skim",)),
    (r"^milk, whole", "dry|evaporated|condensed|chocolate|powder", ("milk, full fat",)),
    (r"^(milk, |chocolate milk|milk drink|buttermilk|kefir)",
     "dry|dried|condensed|powder|malted|cocoa|human|substitute|imitation", _MILKS),
    (r"^ice creams?\b|^light ice cream",
     "cone|sandwich|bar\\b|no sugar|sundae|soda|low carb|cookie|cake|fried|creamsicle",
     ("ice cream",)),
    (r"^frozen yogurt|^frozen dessert", "cone|sugar free|sandwich|bar\\b|without sugar|non-dairy",
     ("ice cream", "yogurt, fruit")),
    (r"^yogurt,.*(fruit|strawberry|blueberry|peach|lemon|cherry)",
     "coated|frozen|sweetener|almond|coconut|soy|calorie|other than fruit", ("yogurt, fruit",)),
    (r"^yogurt", "coated|frozen|sweetener|almond|coconut|soy|calorie|oats|tube|parfait",
     ("yogurt, fruit", "milk, full fat", "milk, skim")),
    (r"^apple juice", "undiluted|beverage|drink", ("apple juice",)),
    (r"^orange juice", "undiluted|beverage|drink", ("orange juice",)),
    (r"^(grape|grapefruit|pineapple|cranberry|prune|pear|tangerine) juice",
     "undiluted|beverage|drink|cocktail|smoothie|light|calorie",
     ("apple juice", "orange juice")),
    (r"^apples?, raw", "cooked", ("apple, raw",)),
    (r"^oranges?, raw", "peel", ("orange, raw",)),
    (r"^bananas?, raw|^banana$", "", ("banana, raw",)),
    (r"^pineapple, raw", "", ("pineapple, raw",)),
    (r"^mangos?, raw|^mangoes, raw", "", ("mango, raw",)),
    (r"^watermelon, raw", "", ("watermelon, raw",)),
    (r"^dates?\b", "bar|bread", ("dates, raw",)),
    (r"^peach(es)?, canned", "", ("peaches, canned",)),
    (r"^(pears|apricots|plums|pineapple|fruit cocktail|cherries).*canned", "",
     ("peaches, canned", *_FRUIT[:2])),
    (r"^(pears?|peach(es)?|grapes|plums?|cherries|kiwi\w*|papayas?|apricots?|nectarines?|"
     r"clementines?|tangerines?|grapefruit|blueberries|raspberries|strawberries|blackberries|"
     r"melons?|figs|guavas?|pomegranates?|persimmons?)\b.*\braw\b", "", _FRUIT),
    (r"^(jams? and preserves|jam|jelly|jellies|preserves)\b",
     "sugar free|no sugar|reduced|diet|sandwich|juice sweetened",
     ("strawberry jam",)),
    (r"french[- ]fr(ied|ies)",
     "sweet potato|onion|with cheese|with chili|hash|unprepared|as purchased",
     ("potato, french fries",)),
    (r"potato(es)?,.*mashed.*(dehydrated|dry|flakes|granules|instant)",
     "unprepared|dry form", ("potato, instant mash",)),
    (r"^potato(es)?,.*boiled", "french|salad|skin, with", ("potato, boiled",)),
    (r"^sweet ?potato(es)?, (cooked, )?boiled", "candied", ("sweet potato, boiled",)),
    (r"^sweet ?potato(es)?,.*(baked|canned|mashed|cooked)", "candied|chips|fries|pie|raw|casserole",
     ("sweet potato, boiled", *_ROOTS)),
    (r"^roasted potatoes|"
     r"^potato(es)?,.*(baked|roasted|microwaved|mashed|canned|home-prepared|hashed|hash brown)",
     "raw|unprepared|dry|salad|chips|flour|gratin|scalloped|o'brien|skin only|, skin,? with|"
     "with (meat|cheese|chili|veg|sour)",
     ("potato, boiled", "potato, instant mash", "potato, french fries")),
    (r"^carrots,.*(boiled|cooked)", "juice|candied|glazed", ("carrots, boiled",)),
    (r"^pumpkin.*(boiled|cooked)", "pie|seed|leaves|flower", ("pumpkin, boiled",)),
    (r"^squash, winter.*(boiled|cooked|baked)", "spaghetti", ("pumpkin, boiled", *_ROOTS)),
    (r"^plantains?,.*(cooked|boiled|baked|green)", "fried|chips|raw", ("plantain, green banana",)),
    (r"^taro, cooked|^taro, boiled", "leaves|shoots|chips", ("taro, boiled",)),
    (r"^(yam\b|cassava|parsnips|beets|rutabagas|turnips).*(boiled|cooked)|^boiled cassava",
     "greens|raw", _ROOTS),
    (r"^corn, sweet,.*(boiled|cooked|canned)|^corn, (cooked|canned|from)",
     r"cream style|\boil|raw|pudding", ("sweet corn",)),
    (r"^soup, vegetable|^vegetable soup|^soup, .*vegetable.*(canned|prepared)",
     "beef|condensed(?!.*prepared)|dry|chicken|turkey|noodle", ("vegetable soup",)),
    (r"^chickpeas|^chickpeas?\b|garbanzo", r"raw|flour|hummus", ("chickpeas",)),
    (r"^beans, kidney.*(boiled|canned)|^kidney beans?\b", "raw|with (?!salt)|rice|sprouted",
     ("kidney beans",)),
    (r"^lentils", "raw|sprouted|curry|soup|rice", ("lentils",)),
    (r"^(soybeans|edamame)", r"raw|flour|\boil|roasted|sprouted", ("soya beans",)),
    (r"^(beans,|cowpeas|pigeon peas|(black|pinto|white|navy|lima|fava|red|refried) beans|"
     r"peas, split|lima beans|broadbeans|mung beans|mungo)",
     "raw|snap|green|string|flour|with (?!salt)|and (white |brown )?rice|and corn|sweetened|"
     "sprouted|unprepared", _PULSES),
    (r"^corn ?flakes|cereals.*corn flakes|^cereal,? corn flakes", "frosted|honey|flavored",
     ("cornflakes",)),
    (r"weetabix|wheat biscuit", "frosted|sweetened", ("wheat flake biscuits",)),
    (r"\bmuesli", "bircher", ("muesli",)),
    (r"(oats|oatmeal).*instant.*(prepared|cooked|made)|^oatmeal, instant",
     "\\bdry\\b|regular|flavored|cinnamon|raisin", ("instant oat porridge",)),
    (r"(oats|oatmeal), instant", "\\bdry\\b|regular",
     ("instant oat porridge", "porridge, rolled oats")),
    (r"(^cereals,? oats|^oatmeal|cereals.*oatmeal).*(cooked|prepared|made|regular|NFS)",
     "(oats|oatmeal), instant|instant oatmeal|\\bdry\\b|cookie|bread|granola|multi",
     ("porridge, rolled oats",)),
    (r"rice porridge|congee", "dry|with", ("rice porridge",)),
    (r"^millet, cooked|millet porridge", "", ("millet porridge",)),
    (r"^(cereals ready-to-eat|cereal,)", "oats|oatmeal|granola|bran\\b|wheat germ", _FLAKES),
    (r"^rice, brown.*cooked", "raw|flour|with|wild|\\bdry\\b", ("brown rice, boiled",)),
    (r"^rice, white.*(cooked|steamed)|^rice, cooked, NFS|^white rice, cooked",
     "raw|flour|glutinous|parboiled|uncooked|wild|\\bdry\\b", ("white rice, boiled",)),
    (r"^rice, .*cooked", "raw|flour|uncooked|wild|with (?!salt)|\\bdry\\b",
     ("white rice, boiled", "brown rice, boiled")),
    (r"^(barley, pearled, cooked|barley, cooked)", "", ("barley",)),
    (r"^couscous, (cooked|plain)", "dry", ("couscous",)),
    (r"^rice noodles, cooked|^noodles, rice|^rice noodles", "dry|uncooked", ("rice noodles",)),
    (r"\budon\b", "dry|uncooked|soup", ("udon noodles",)),
    (r"(spaghetti|pasta|macaroni).*(whole[- ]wheat|whole grain).*(cooked|as ingredient)?",
     _RAW_GRAIN + "|" + _DISH, ("spaghetti, whole meal",)),
    (r"^(spaghetti|pasta|macaroni),.*cooked|^spaghetti, cooked", r"uncooked|gluten|corn|"
     + _DISH.replace("and|", ""), ("spaghetti, white",)),
    (r"^noodles, (egg|chinese|japanese|flat).*cooked|^noodles, cooked", "dry|uncooked",
     ("spaghetti, white", "rice noodles", "udon noodles")),
    (r"^tortillas?,.*corn|^tortilla, corn", "chips|mix|flour", ("corn tortilla",)),
    (r"chapp?att?i|\broti\b", r"mix|filled|with|sorghum|rice|\b(pol|kottu) roti|roti john",
     ("chapatti", "wheat roti")),
    (r"^bread, (pita|lavash)|^pita\b", "mix|whole|fruit|chips", ("unleavened wheat bread",)),
    (r"^bread, (white|french|italian|vienna)|^white bread",
     "stuffing|mix|gluten|whole wheat|white wheat|swirl|fiber|calorie",
     ("white wheat bread",)),
    (r"^bread, (whole[- ]?wheat|100% whole)|^whole wheat bread", "mix|pita|sprouted|raisin",
     ("whole wheat bread",)),
    (r"^bread, (multi-?grain|rye|pumpernickel|oat|sprouted|sourdough rye|mixed-grain|seven)",
     "mix|stuffing|raisin|calorie", ("specialty grain bread",)),
    (r"^(bread, |rolls?, |bagels?\b|english muffins?|tortillas?, flour|tortillas,.*flour)",
     "mix|stuffing|sticks|banana|pumpkin|zucchini|crumbs|cinnamon|sweet|garlic|cheese|gluten|"
     "calorie|corn|fruit|nut|raisin|chips|unenriched flour|fried|pound cake",
     _BREADS),
)  # fmt: skip


def published_foods(name: str, available_carbs_g: float | None) -> tuple[str, ...]:
    """Return the published foods that are identical or closely related to a food."""
    return first_match(_compiled(), name, available_carbs_g)


@cache
def _compiled() -> tuple[NameRule, ...]:
    """Return the rules, which are compiled on first use because predictions do not need them."""
    return compiled(_RULES)
