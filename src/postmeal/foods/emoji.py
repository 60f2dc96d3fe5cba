"""Names for food emoji.

The names follow the English short names of the Unicode Common Locale Data Repository (CLDR,
https://cldr.unicode.org, Unicode License v3). If a short name describes the picture, such as "slice
of pizza" or "wine glass", only the name of the food is used. Emoji that do not show a specific
food, such as "pot of food", are not included.
"""

from __future__ import annotations

import re

_NAMES = (
    "🍎 apple 🍏 green_apple 🍊 tangerine 🍋 lemon 🍌 banana 🍍 pineapple 🥭 mango "
    "🍐 pear 🍑 peach 🍒 cherries 🍓 strawberry 🫐 blueberries 🥝 kiwi_fruit 🍅 tomato "
    "🫒 olives 🥥 coconut 🍇 grapes 🍈 melon 🍉 watermelon 🥑 avocado 🍆 eggplant "
    "🥔 potato 🥕 carrot 🌽 corn 🌶 hot_pepper 🫑 bell_pepper 🥒 cucumber "
    "🥬 leafy_greens 🥦 broccoli 🧄 garlic 🧅 onion 🍄 mushroom 🥜 peanuts 🫘 beans "
    "🌰 chestnuts 🍞 bread 🥐 croissant 🥖 baguette 🫓 flatbread 🥨 pretzel 🥯 bagel "
    "🥞 pancakes 🧇 waffle 🧀 cheese 🍗 chicken_leg 🥩 steak 🥓 bacon 🍔 hamburger "
    "🍟 french_fries 🍕 pizza 🌭 hot_dog 🥪 sandwich 🌮 taco 🌯 burrito 🫔 tamale "
    "🧆 falafel 🥚 egg 🍳 fried_egg 🫕 fondue 🥗 green_salad 🍿 popcorn 🧈 butter "
    "🧂 salt 🍘 rice_cracker 🍙 rice_ball 🍚 cooked_rice 🍛 curry_rice 🍜 noodle_soup "
    "🍝 spaghetti 🍠 roasted_sweet_potato 🍣 sushi 🍤 fried_shrimp 🍥 fish_cake "
    "🥟 dumpling 🥠 fortune_cookie 🦀 crab 🦞 lobster 🦐 shrimp 🦑 squid 🦪 oyster "
    "🍦 soft_ice_cream 🍧 shaved_ice 🍨 ice_cream 🍩 doughnut 🍪 cookie 🎂 birthday_cake "
    "🍰 shortcake 🧁 cupcake 🥧 pie 🍫 chocolate_bar 🍬 candy 🍭 lollipop 🍮 custard "
    "🍯 honey 🥛 milk ☕ coffee 🫖 tea 🍵 green_tea 🍶 sake 🍾 champagne 🥂 champagne "
    "🍷 wine 🍸 cocktail 🍹 cocktail 🍺 beer 🍻 beer 🥃 whiskey 🧋 bubble_tea "
    "🧃 juice_box 🧉 mate"
)
EMOJI = {
    emoji: name.replace("_", " ")
    for emoji, name in zip(_NAMES.split()[::2], _NAMES.split()[1::2], strict=True)
}
"""English name of the food that each emoji shows."""

_FOUND = re.compile("|".join(EMOJI))


def with_emoji_named(text: str) -> str:
    """Replace food emoji in a text with the names of the foods."""
    return text if text.isascii() else _FOUND.sub(lambda found: f" {EMOJI[found[0]]} ", text)
