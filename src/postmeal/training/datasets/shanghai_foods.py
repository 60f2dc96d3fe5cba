"""Read foods and amounts from the lines of the Shanghai meal texts.

A line of the Chinese text consists of a name and an amount, such as 米饭100g. The name is split
from left to right into the longest words in ``shanghai_words.txt``, in which each line contains a
mark, the words for one dish or for similar foods, a colon, and NDB numbers of USDA SR28, each with
the grams of this food in one gram of the dish as eaten. If a name has several words, the grams are
divided among them, and a staple (rice, noodles, bread; marked ``!``) gets a double share. The
Chinese text is used because it is never missing and is more specific than the English text: 馒头,
包子 and 面包 are different foods, but all of them are translated as "bread".

The following assumptions are based on judgment:

- Rice, noodles and congee are weighed as eaten. Within people, glucose rises after a gram of rice
  about as much as after 0.3 g of other carbohydrate. This is the carbohydrate content of cooked
  rice; dry rice contains 0.8 g per gram.
- Oat flakes, nuts and powders are weighed dry. However, 100 g or more of flakes or powder include
  water (18% dry matter), and 200 g or more of noodles include the soup (60% noodles).
- An amount above 1,000 g is an error, so its line is treated as unreadable.
- The share of flour or grain is 60% in a steamed bun, 33% in cooked noodles, 36% in a meat bun,
  32% in a boiled dumpling and 12% in congee.
- Foods are weighed with bones, shells or cobs. The edible part is 65% of fish, 60% of shrimp, 75%
  of chops and 60% of corn cobs.
- Soup is 60% broth, and noodle soup is 30% broth. Cooked vegetables (marked ``~``) contain 3% oil,
  pan-fried foods contain 5%, and deep-fried foods contain 10%. Braised and sweet-and-sour dishes
  contain 3% sugar.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_AMOUNT = re.compile(
    r"^(?P<name>\D*?)(?P<grams>\d+(?:\.\d+)?)\s*(?P<unit>g|克|毫升|ml|mg|m|两|片|勺|杯)?"
    r"(?P<rest>\D*?(?:\d+(?:\.\d+)?g糖\D*)?)$",
    re.IGNORECASE,
)
_SUGAR_ADDED = re.compile(r"加了?(\d+(?:\.\d+)?)g?糖")
_UNIT_GRAMS = {"两": 50.0, "片": 35.0, "勺": 10.0, "杯": 240.0}
_DEEP_FRIED = re.compile("炸|油爆|酥")
_PAN_FRIED = re.compile("炒|烧|煎|焖|葱油|溜|椒盐|干锅|糖醋|拌|爆|鱼香|炖|锅")
_SWEETENED = re.compile("红烧|糖醋|茄汁")
_BROTH = re.compile("汤|煮水")
_OIL, _SUGAR = "04044", "19335"
_FLAKES = re.compile("麦片|燕麦|营养粉|代餐粉")
_NOODLES = re.compile("面条|面片|.面$|^面$")
_MAX_GRAMS = 1000.0


@dataclass(frozen=True)
class Line:
    """A line of a meal text: the name of a dish, and its weight in grams (NaN if missing)."""

    name: str
    grams: float


@dataclass(frozen=True)
class _Word:
    recipe: tuple[tuple[str, float], ...]
    staple: bool
    cooked_in_oil: bool


def parse_lines(text: str) -> list[Line]:
    """Parse the lines of a meal text into names and grams.

    Milliliters are treated as grams, "mg" is treated as a typo for "g", and a liang (两) is 50 g.
    Names without an amount are joined with the next name that has an amount.
    """
    lines: list[Line] = []
    waiting = ""
    for part in re.split(r"[\n，,、；;]+", text):
        part = part.strip(" .。\t\r")
        sugar = _SUGAR_ADDED.search(part)
        if sugar:
            lines.append(Line("糖", float(sugar[1])))
            part = part.replace(sugar[0], "")
            part = part if re.search(r"\d", part) else f"{part}240g"
        part = re.sub(r"\d+[片勺杯](?=\d)", "", part)
        match = _AMOUNT.match(part)
        if match is None:
            waiting += part
            continue
        unit = (match["unit"] or "g").lower()
        name = waiting + match["name"].strip() + match["rest"].strip()
        if not name and lines and unit != "g":
            continue
        lines.append(Line(name, float(match["grams"]) * _UNIT_GRAMS.get(unit, 1.0)))
        waiting = ""
    if waiting:
        lines.append(Line(waiting, float("nan")))
    return lines


def served_grams(line: Line) -> dict[str, float] | None:
    """Return the foods in a line, applying the rules for flakes, noodles and impossible amounts."""
    content = sr28_grams(line.name)
    if content is None or not 0 <= line.grams <= _MAX_GRAMS:
        return None
    grams = line.grams
    only_flakes = set(content) == {"08120"} and content["08120"] >= 0.8
    if only_flakes and _FLAKES.search(line.name) and grams >= 100:
        grams *= 0.18
    elif _NOODLES.search(line.name) and grams >= 200:
        grams *= 0.6
    return {key: share * grams for key, share in content.items()}


@cache
def sr28_grams(name: str) -> dict[str, float] | None:
    """Return the grams of each food in one gram of a dish."""
    words, pattern = _vocabulary()
    found = [words[word] for word in pattern.findall(name)]
    if not found:
        return None
    solids, oil, sugar = 1.0, 0.0, 0.0
    exact = name in words
    if not exact:
        if _BROTH.search(name):
            broth = 0.3 if any(word.staple for word in found) else 0.6
            found = [word for word in found if word != words["汤"]] or found
            solids = 1.0 - broth
        if _DEEP_FRIED.search(name):
            oil = 0.10
        elif _PAN_FRIED.search(name):
            oil = 0.05
        if _SWEETENED.search(name):
            sugar = 0.03
    if not oil and any(word.cooked_in_oil for word in found):
        oil = 0.03 * solids
    weights = [2.0 if word.staple else 1.0 for word in found]
    grams: defaultdict[str, float] = defaultdict(float)
    for word, weight in zip(found, weights, strict=True):
        for key, share in word.recipe:
            grams[key] += share * weight / sum(weights) * solids * (1.0 - oil)
    for key, share in ((_OIL, oil), (_SUGAR, sugar)):
        if share:
            grams[key] += share
    return dict(grams)


@cache
def _vocabulary() -> tuple[dict[str, _Word], re.Pattern[str]]:
    words: dict[str, _Word] = {}
    table = Path(__file__).with_name("shanghai_words.txt").read_text(encoding="utf-8")
    for line in table.splitlines():
        mark, rest = line[0], line[2:]
        names, _, recipe = rest.partition(":")
        parts = (part.split() for part in recipe.split(","))
        contents = tuple((key, float(share)) for key, share in parts)
        for name in names.split():
            words[name] = _Word(contents, staple=mark == "!", cooked_in_oil=mark == "~")
    by_length = sorted(words, key=len, reverse=True)
    return words, re.compile("|".join(map(re.escape, by_length)))
