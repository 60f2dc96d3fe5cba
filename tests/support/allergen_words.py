"""Words that show an allergen, listed independently of the vocabulary of the diet rules."""

import re

_WORDS = {
    "gluten": (
        r"wheat(?!-free)|barley|rye|oats?|oatmeal|spelt|semolina|couscous|bulgur|malt(ed)?"
        r"|seitan|bread(ed)?|bagels?|pasta|spaghetti|macaroni|croissants?|pretzels?|crackers?"
        r"|cookies?|cakes?|muffins?|pizza|noodles|waffles?|pancakes?|beer|lasagna|biscuits?"
        r"|doughnuts?"
    ),
    "wheat": r"wheat|spelt|semolina|couscous|bulgur|seitan|croissants?|spaghetti|macaroni",
    "dairy": (
        r"milk|cheese|cheddar|mozzarella|yogurt|butter|cream|whey|casein|ghee|custard|kefir"
        r"|buttermilk|parmesan|ricotta|latte|cappuccino"
    ),
    "lactose": r"milk|yogurt|cream|whey|buttermilk|custard|latte|cappuccino|ricotta|kefir",
    "eggs": r"eggs?|omelet|mayonnaise|meringue|albumen|quiche|egg",
    "fish": (
        r"fish|salmon|tuna|cod|trout|anchovy|anchovies|sardines?|herring|mackerel|tilapia"
        r"|halibut|haddock|catfish|perch|caviar|surimi|worcestershire|caesar"
    ),
    "shellfish": (
        r"shrimp|crab|lobster|clams?|oysters?|mussels?|scallops?|squid|calamari|crayfish"
        r"|octopus|prawns?|abalone|crustaceans|mollusks|snail|seafood"
    ),
    "peanuts": r"peanuts?|satay",
    "tree_nuts": (
        r"almonds?|walnuts?|pecans?|cashews?|pistachios?|hazelnuts?|macadamia|brazilnuts?"
        r"|filberts?|pine nuts|pralines?|marzipan|mixed nuts"
    ),
    "soy": r"soy|soya|soybeans?|soymilk|tofu|tempeh|edamame|miso|natto|shoyu|tamari|okara",
    "sesame": r"sesame|tahini|hummus|halva|halavah",
    "mushrooms": r"mushrooms?|shiitake|portabella|morel|chanterelle",
    "yeast": r"yeast|beer|sourdough|bagels?|croissants?",
    "sulfites": r"sulfured|wine",
    "msg": r"monosodium|msg|ramen|bouillon",
    "caffeine": r"coffee|espresso|cola|chocolate|cocoa|mocha|guarana|tea",
    "fodmaps": (
        r"wheat|onions?|garlic|apples?|pears?|mangos?|mango|watermelon|honey|milk|beans"
        r"|lentils|chickpeas|cauliflower|asparagus|mushrooms?|cashews?|pistachios?"
    ),
    "vegetarian": (
        r"beef|pork|chicken|turkey|ham|bacon|lamb|veal|fish|shrimp|salmon|tuna|gelatin|lard"
        r"|sausage|duck|venison|pepperoni|liver|tallow"
    ),
    "vegan": (
        r"beef|pork|chicken|turkey|ham|bacon|lamb|fish|shrimp|eggs?|cheese|yogurt|honey|whey"
        r"|gelatin|butter|milk|cream"
    ),
    "pescatarian": r"beef|pork|chicken|turkey|ham|bacon|lamb|veal|lard|duck|venison|sausage",
    "paleo": r"wheat|rice|bread|beans|lentils|peanuts?|sugar|sugars|cheese|milk|beer|oats|corn",
    "kosher": r"pork|ham|bacon|shrimp|crab|lobster|clams?|oysters?|lard|catfish|eel",
    "halal": r"pork|ham|bacon|lard|beer|wine|vodka|whiskey|rum|gin|liqueur",
}
_GIVES_AWAY = {rule: re.compile(rf"\b({words})\b", re.I) for rule, words in _WORDS.items()}
_NO_SUCH = re.compile(
    r"\b(peanut|almond|cashew|apple|cocoa|nutmeg|ucuhuba|seed|shea\w*|sesame|nut) butter"
    r"|\bfruit butters?|\b(coconut|soy|almond|rice|cashew|nut) (milk|cream)|\bbutter ?beans?"
    r"|\bcream of (tartar|rice)|\broot beer|\bginger beer|\bcrab ?apples?|\bvegetable oyster"
    r"|\boyster plant|\boyster mushrooms?|\bmushrooms, oyster|\bwaterchestnuts"
    r"|\b(no|not) (added )?[a-z]+( added)?|\bwithout [a-z]+|\bcream soda|\bbread and butter pickles"
    r"|\bsquash, winter, spaghetti|\bwhite chocolate|\bcoffee whiteners"
    r"|\b(gluten|lactose|dairy|egg|wheat|milk|fat|soy|nut)[- ]free"
    r"|\b(herb\w*|hibiscus|chamomile) tea|\btea, (hot, )?(herb\w*|hibiscus|chamomile|ginger)"
    r"|\bcream style|\bmilkfish|\bbutterfish|\bcoconut (milk|cream|meat)|\bcustard[- ]apple"
    r"|\brose[- ]apples?|\bmam+[ey]+[- ]apple|\bsugar[- ]apples?|\bjava[- ]plum|\bmilkfat"
    r"|\bnut, coconut|\bbeans, snap, green|\bgreen beans|\bbeans, snap|\byellow string beans"
    r"|\bspaghetti squash|\bpancake syrup|\bcoffee creamer|\b(corn|vegetable) oil"
    r"|\boil, corn|\bbeans, liquid|\bmalt vinegar|\bprickly pears?|\bbalsam[- ]pear"
    r"|\brice cakes?|\b(chicken|garden|fish) eggs?|\bdoughnut peach|\bgroundnut butter"
    r"|\bcauliflower rice|\b(maize|corn) semolina|\bsugar snap|\bcactus pears?|\btea biscuits?"
    r"|\bmock duck|\bpizza cheese|\bbread and butter pickles?",
    re.I,
)


def gives_away(rule: str, name: str) -> str | None:
    """Return a word of a name that shows an ingredient excluded by a rule, or None."""
    said = name.lower().replace("-", " ").replace("decaffeinated", "without caffeine")
    if f"{rule} free" in said or f"without {rule}" in said:  # a claim that is regulated by law
        return None
    found = _GIVES_AWAY[rule].search(_NO_SUCH.sub(" ", name)) if rule in _GIVES_AWAY else None
    return found[0] if found else None
