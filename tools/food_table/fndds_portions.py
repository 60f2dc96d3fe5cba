"""Household portions for FNDDS foods, estimated from SR28 foods of the same kind.

The table with the FNDDS foods does not contain portions, and `survey_portions` covers only some of
the foods. Each other food gets the median mass of the same measure in the SR28 foods of its kind.
The unit of such a serving ends in ", estimated".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import median

from postmeal.foods.table import Portion, TableFood

__all__ = ["MARK", "borrow_portions"]

MARK = ", estimated"
"""Suffix of the unit of an estimated serving."""


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str  # pattern for the FNDDS foods, as "category: name"
    unit: str  # measure of these foods
    reference: str  # pattern for the SR28 foods
    reference_unit: str = ""  # pattern for the measure in SR28


_CUP = r"^cup\b(?!.*(dry|condensed|unthawed|mashed))"
_KINDS = (
    _Kind(r": Egg, white", "large", r"^Egg, white, raw", r"^large$"),
    _Kind(r": Egg, whole", "large", r"^Egg, whole, cooked", r"^large$"),
    _Kind(r"^pizza", "slice", r"pizza.*(cheese|pepperoni).*crust", r"^slice"),
    _Kind(r"yeast breads", "slice", r"^Bread, ", r"^slice(?! .*large)"),
    _Kind(r"^rolls and buns", "roll", r"^Rolls, ", r"^roll"),
    _Kind(r": Bagel", "bagel", r"^Bagels, ", r"^(medium )?bagel\b(?!.*(small|large|mini))"),
    _Kind(r": (English muffin|Muffin, English)", "muffin", r"^English muffins", r"^muffin"),
    _Kind(r": Muffin", "muffin", r"^Muffins, ", r"^(medium|muffin)"),
    _Kind(r": Biscuit", "biscuit", r"^Biscuits, ", r"^biscuit"),
    _Kind(r": Tortilla, corn|: Taco shell, corn", "tortilla", r"^Tortillas, .*corn", r"^tortilla"),
    _Kind(r"^Tortillas: ", "tortilla", r"^Tortillas, ", r"^(medium )?tortilla"),
    _Kind(r": Pancake", "pancake", r"^Pancakes, .*prepared", r"^pancake \(6"),
    _Kind(r": Waffle", "waffle", r"^Waffles, ", r"^waffle"),
    _Kind(r": french toast", "slice", r"^French toast", r"^slice"),
    _Kind(r": Doughnut", "doughnut", r"^Doughnuts, ", r"^(medium|doughnut)"),
    _Kind(r"cookies", "cookie", r"^Cookies, .*commercially", r"^(medium )?cookie"),
    _Kind(r"cakes and pies", "piece", r"^(Cake|Pie), ", r"^piece"),
    _Kind(r"crackers", "cracker", r"^Crackers, ", r"^crackers?$"),
    _Kind(r"burgers", "sandwich", r"^Fast foods, (hamburger|cheeseburger)", r"^(sandwich|item)"),
    _Kind(r"frankfurter sandwich", "sandwich", r"^Fast foods, hotdog", r"^sandwich"),
    _Kind(r": .*sandwich,? (on|NFS)", "sandwich",
          r"^Fast foods, (fish sandwich, .*cheese|roast beef sand|crispy chicken filet)", r"^sand"),
    _Kind(r"sandwich", "sandwich", r"^Fast foods,.*(sandwich|submarine)", r"^(sandwich|item)"),
    _Kind(r": Taco", "taco", r"^Fast foods, taco", r"^(each )?taco|^small|^item"),
    _Kind(r": Burrito bowl", "bowl", r"^Rice bowl with chicken", r"^bowl"),
    _Kind(r": Burrito", "burrito", r"burrito", r"^(burrito|each burrito|item|piece)"),
    _Kind(r": Frankfurter", "frankfurter", r"^Frankfurter, ", r"^frankfurter"),
    _Kind(r"^bacon: ", "slice", r"^Pork, cured, bacon, cooked", r"^slice"),
    _Kind(r"cold cuts", "slice", r"^(Bologna|Ham|Salami|Turkey), ", r"^slice"),
    _Kind(r"^cheese: ", "slice", r"^Cheese, (american|cheddar|swiss|mozz)", r"^slice(?!.*3/4)"),
    _Kind(r": (Lemon|Lime), raw", "fruit", r"^(Lemons|Limes), raw", r"^fruit"),
    _Kind(r": (Tangerine|Clementine), raw", "fruit", r"^(Tangerines|Clementines),.* raw",
          r"^(medium|fruit)"),
    _Kind(r": Grapefruit, raw", "fruit", r"^Grapefruit, raw", r"^fruit"),
    _Kind(r": Kumquat, raw", "fruit", r"^Kumquats, raw", r"^fruit"),
    _Kind(r": Banana, (raw|baked)", "medium", r"^Bananas, raw", r"^medium"),
    _Kind(r": (Apple|Pear|Orange|Peach|Nectarine)\b.*, (raw|baked|candied)", "medium",
          r"^(Apples|Pears|Oranges|Peaches|Nectarines), raw", r"^(medium|fruit)"),
    _Kind(r"^(apples|pears|citrus fruits|peaches)", "cup",
          r"^(Applesauce|Pears|Peaches|Tangerines).* canned", _CUP),
    _Kind(r"popcorn", "cup", r"^Snacks, popcorn", _CUP),
    _Kind(r"^[^:]*(chips|pretzels)", "oz", r"^Snacks, (potato|tortilla|corn).*chips", r"^oz$"),
    _Kind(r"nuts and seeds", "oz", r"^Nuts, ", r"^oz$"),
    _Kind(r"^candy", "oz", r"^Candies, ", r"^oz$"),
    _Kind(r"^[^:]*bars: ", "bar", r"granola bar", r"^bar$"),
    _Kind(r"ready-to-eat cereal", "cup", r"^Cereals ready-to-eat", r"^cup"),
    _Kind(r"oatmeal|grits and other", "cup", r"^Cereals, .*cooked with water", r"^cup"),
    _Kind(r"^rice: |cooked grains|fried rice", "cup", r"^(Rice|Quinoa|Barley).*cooked", _CUP),
    _Kind(r"soups?\b", "cup", r"^Soup, .*prepared with equal volume", r"^cup"),
    _Kind(r": Meat ?loaf(?!.*(dinner|sandwich))", "serving (3 oz)",
          r"^Beef, ", r"^serving \( ?3 oz ?\)"),
    _Kind(r"mixed dish|mixture|legume dishes|macaroni and cheese|^nachos: ", "cup",
          r"^(Chili|Macaroni and cheese|Beef stew|Pasta with|Lasagna|Spaghetti)", _CUP),
    _Kind(r"smoothies|milk shakes|^milk|flavored milk", "cup", r"^Milk, ", r"^cup$"),
    _Kind(r"^yogurt|^plant-based yogurt", "cup", r"^Yogurt, (plain|vanilla)", r"^cup"),
    _Kind(r"ice cream", "cup", r"^Ice creams, ", r"^cup"),
    _Kind(r"^(coffee|tea|beer|formula|[^:]*(soft drinks|juice|drinks|water))\b", "cup",
          r"^(Beverages, (coffee|tea|carbonated).*|(Orange|Apple) juice.*)", r"^cup\b(?!.*dry)"),
    _Kind(r"^wine: ", "glass (5 fl oz)", r"^Alcoholic beverage, wine, table", r"^serving"),
    _Kind(r"^liquor.*: (Brandy|Gin|Rum|Scotch|Tequila|Vodka|Whiskey|Liqueur.*)$", "fl oz",
          r"^Alcoholic beverage, distilled", r"^fl oz"),
    _Kind(r"^liquor", "drink", r"^Alcoholic beverage, .*, canned", r"^can "),
    _Kind(r"french fries", "cup", r"^Potatoes, (hash|french)", _CUP),
    _Kind(r"^[^:]*potato", "cup", r"^Potatoes, mashed, (home|ready)", r"^cup"),
    _Kind(r"lettuce", "cup", r"^Lettuce, ", r"^cup"),
    _Kind(r"beans, peas|legumes", "cup", r"^(Beans|Lentils|Chickpeas).*boiled", r"^cup"),
    _Kind(r"^salad dressings and vegetable oils", "tbsp", r"^(Salad dressing|Oil), ", r"^tbsp$"),
    _Kind(r"vegetable|broccoli|carrots|^corn: |spinach|tomatoes|onions|cabbage|string beans", "cup",
          r"^(Carrots|Broccoli|Corn|Spinach|Cabbage|Beans, snap).*boiled", _CUP),
    _Kind(r"dried fruits", "cup",
          r"^(Raisins|Apricots|Plums|Dates|Figs|Peaches|Pears|Apples|Cherries|Cranberries)\b"
          r"(?!.*(stewed|canned)).*(dried|seedless|medjool|deglet)", _CUP),
    _Kind(r"berries|melons|grapes|pineapple|mango|other fruits", "cup",
          r"^(Strawberries|Blueberries|Melons|Grapes|Pineapple|Mangos).*raw", _CUP),
    _Kind(r": Guacamole|: .*\bdip\b", "tbsp", r"^Hummus, commercial", r"^tbsp$"),
    _Kind(r"sauces|gravies|dips|pudding|cottage", "cup", r"^(Sauce|Gravy|Puddings), ", _CUP),
    _Kind(r"dressings|jams|condiments|mayonnaise|butter|margarine|cream|sugars", "tbsp",
          r"^(Salad dressing|Jams|Catsup|Butter|Margarine|Honey|Cream)", r"^tbsp$"),
    _Kind(r"chicken|turkey|beef|pork|lamb|fish|shellfish|sausages|meats?: ", "serving (3 oz)",
          r"^(Chicken|Beef|Pork|Turkey|Fish), ", r"^serving \( ?3 oz ?\)"),
)  # fmt: skip
_PART = re.compile(
    r"for use on a sandwich|for sandwiches|as ingredient|sandwich spread|sandwich steak|taco sauce|"
    r"topping from|egg, creamed|bagel chips|garlic, (raw|cooked)",
    re.IGNORECASE,
)
"""Parts of dishes; the measure of the whole dish does not apply to them."""


def borrow_portions(foods: Iterable[TableFood], references: Iterable[TableFood]) -> list[TableFood]:
    """Add a household measure to each food of a known kind, such as a slice to bread."""
    known = list(references)
    weights_g = [_weight_g(kind, known) for kind in _KINDS]
    return [_with_measure(food, weights_g) for food in foods]


def _weight_g(kind: _Kind, references: list[TableFood]) -> float | None:
    reference, unit = re.compile(kind.reference, re.IGNORECASE), re.compile(kind.reference_unit)
    weights = [
        portion.weight_g / portion.quantity
        for food in references
        if reference.search(food.description)
        for portion in food.portions
        if unit.search(portion.unit)
    ]
    return round(median(weights), 1) if weights else None


def _with_measure(food: TableFood, weights_g: list[float | None]) -> TableFood:
    if _PART.search(food.name):
        return food
    for kind, weight_g in zip(_KINDS, weights_g, strict=True):
        fits = re.search(kind.name, f"{food.category}: {food.name}", re.IGNORECASE)
        if fits and weight_g is not None:
            portion = Portion(2, 1, kind.unit + MARK, weight_g)
            return replace(food, portions=(*food.portions, portion)).with_default(portion)
    return food
