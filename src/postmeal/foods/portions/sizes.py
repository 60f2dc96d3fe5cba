"""Sizes of foods and units, such as "small", "bite-sized" and "thin"."""

from __future__ import annotations

import re

SIZES: dict[str, str] = {
    "extra large": r"(?:extra|x|very)[ -]?large|venti|family|extra[ -]big",
    "mini": r"miniature|mini|bite(?:[ -]?sized?)?|tiny|cocktail|silver dollar|slider|cracker-size",
    "small": r"(?:very )?small|little|tall",
    "medium": r"medium|average|standard|good[ -]sized?|decent[ -]sized?|grande",
    "large": r"(?<!extra )(?<!extra-)(?<!very )(?:large|big|huge|jumbo|generous|hearty|full)"
    r"(?:[ -]sized?)?",
    "regular": r"regular|normal|nice",
    "thin": r"(?:very )?thin",
    "thick": r"thick",
    "fun": r"fun(?:[ -]sized?)?",
    "snack": r"snack(?:[ -]sized?)?|dipping(?:[ -]sized?)?",
    "king": r"king(?:[ -]sized?)?",
    "sharing": r"sharing|movie theater|party[ -]sized?",
    "individual": r"individual|single[ -]serv(?:ing|e)|personal(?:[ -]sized?)?|prepackaged|single",
    "kid": r"(?:kid'?s?|child'?s?(?:/senior)?)(?:[ -]sized?)?",
    "baby": r"baby|new(?= potato)|cherry(?= tomato)|grape(?= tomato)",
}
"""Sizes, each with a regular expression that matches the words for it."""

NEAR: dict[str, tuple[str, ...]] = {
    "extra large": ("large",), "thin": ("small",), "thick": ("large",), "small": ("mini", "thin"),
    "mini": ("fun", "snack", "small"), "fun": ("snack", "mini", "small"), "snack": ("small", "fun"),
    "king": ("large",), "sharing": ("extra large", "large"), "kid": ("small",),
    "individual": ("small", "regular"), "regular": ("medium",), "medium": ("regular",),
    "baby": ("mini", "small"),
}  # fmt: skip
"""Sizes to use instead of a size that a food does not have, closest size first."""

_SIZES = [(size, re.compile(rf"(?<![\w-])(?:{text})(?!\w)")) for size, text in SIZES.items()]


def sizes_in(text: str) -> list[str]:
    """Return the sizes that a text contains."""
    return [size for size, pattern in _SIZES if pattern.search(text)]


def size_named(text: str) -> str:
    """Return the first of `SIZES` that a text contains, or an empty string if there is none."""
    return next(iter(sizes_in(text)), "") if text else ""
