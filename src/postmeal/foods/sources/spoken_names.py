"""Convert publishers' descriptions to everyday names of foods and brands."""

from __future__ import annotations

import re

_CLASS = re.compile(
    r"^(Cereals ready-to-eat|Cereals|Cereal|Snacks?|Snack|Beverages|Candies|Formulated bar|"
    r"Babyfood|Fast foods?|Alcoholic beverages?|Infant formula|Frozen novelties|Salad dressing|"
    r"Restaurant|Nutrition bar|Nutritional supplement for people with diabetes),? ",
    re.IGNORECASE,
)
_OMITTED_CLASSES = {
    "cereals ready-to-eat",
    "cereals",
    "cereal",
    "snacks",
    "snack",
    "beverages",
    "fast foods",
    "fast food",
    "restaurant",
}
_NO_BRAND = {"BBQ", "USDA", "USA", "NFSMI", "NFS", "DHA", "ARA", "AMBER", "VPP", "KAMUT", "UHT"}
_CAPS_RUN = re.compile(
    r"T\.G\.I\. FRIDAY'S|(?<![\w'])(?:V8 |M&M )?[A-Z][A-Za-z]?[A-Z0-9'&.!\-]*[A-Z'!.]\b[!']?"
    r"(?: (?:& )?[A-Z][A-Z0-9'&.!\-]*(?![a-z]))*"
)
_COMPANY = re.compile(
    r",?\s*\b(Inc|Co|Corp|Corporation|Company|LLC|Ltd|Products Division|USA|International)\b\.?.*$",
    re.IGNORECASE,
)
_SAME_BRAND = {
    "Kellogg": "Kellogg's", "T.G.I. Friday's": "TGI Friday's", "Reese'": "Reese's",
    "Wend'ys": "Wendy's",
    "Frito's": "Fritos", "Hersheys": "Hershey's", "Motts": "Mott's", "Uncle Bens": "Uncle Ben's",
    "Power Bar": "PowerBar", "Slim Fast": "Slim-Fast", "Slimfast": "Slim-Fast",
    "Gatorade G": "Gatorade", "McDonalds": "McDonald's", "Post Foods": "Post",
    "Quaker Oats": "Quaker", "Dole Food": "Dole", "ON the Border": "On the Border",
}  # fmt: skip
_AS_WRITTEN = {"KFC", "BBQ", "USDA", "NFS", "DHA", "ARA", "M&M", "T.G.I."}


def split_brand(description: str, manufacturer: str) -> tuple[str, str]:
    """Split off the brand: the manufacturer, or a name in capital letters in the description."""
    item = _CLASS.sub("", description)
    capitals = _capitals(item)
    if not capitals and not manufacturer:
        return "", description
    if not capitals:
        return same_brand(_COMPANY.sub("", manufacturer) or manufacturer), description
    brand = capitals[0]
    rest = item.replace(brand, "", 1)
    rest = re.sub(r"\s+,", ",", re.sub(r"\s{2,}", " ", rest)).strip(" ,")
    rest = re.sub(r",\s*,", ",", rest).removeprefix("The company, ")
    brand = spoken(brand)
    name = spoken(rest) or brand
    if _CLASS.match(description) and rest[:1].islower():
        name = f"{brand}, {rest}"  # "CREAM OF WHEAT, regular": the brand is the name
    if (kind := _CLASS.match(description)) and kind[1].lower() not in _OMITTED_CLASSES:
        name += f", {kind[1].lower()}"
    return same_brand(brand), name


def same_brand(brand: str) -> str:
    """Return the canonical spelling of a brand."""
    return _SAME_BRAND.get(brand, brand)


def _capitals(text: str) -> list[str]:
    found = (match[0].strip(" -") for match in _CAPS_RUN.finditer(text))
    return [run for run in found if len(run) > 2 and run.split()[0] not in _NO_BRAND]


def spoken(text: str) -> str:
    """Convert words in capital letters to words that only start with a capital letter."""
    words = " ".join(_word(word) for word in text.replace("McDONALD'S", "McDonald's").split(" "))
    return words[:1].upper() + words[1:]


def _word(word: str) -> str:
    if word in {"OF", "TO", "AND", "WITH", "THE"}:
        return word.lower()
    letters = re.sub(r"[^A-Za-z]", "", word)
    if len(letters) <= 2 or not letters.isupper() or word.strip("(),") in _AS_WRITTEN:
        return word
    return re.sub(r"[A-Z]+('[A-Z]+)?", lambda run: run[0].capitalize(), word)
