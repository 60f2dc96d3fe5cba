"""What a line of the Shanghai meal texts holds: names to foods of the catalogue, by grams.

A line of the Chinese text is a name and an amount: 米饭100g. The name is read from left to right
for the longest words of `WORDS`; each stands for foods of USDA SR28 (by NDB number) with their
grams in one gram of what was eaten. Several words of one name share its grams: a staple (rice,
noodles, bread; marked ``!``) counts twice. The Chinese text is used because it is always there
and says more than the English: 馒头, 包子 and 面包 are three foods, all "bread".

Assumptions, each a judgement:

- Rice, noodles and congee are weighed as eaten: within people, glucose rises with a gram of rice
  about as with 0.3 g of other carbohydrate, which is cooked rice, not 0.8 g, which is dry rice.
- Oat flakes, nuts and powders are weighed dry, but 100 g and more of flakes or powder are made up
  with water (18 % dry), and noodles of 200 g and more come with their soup (60 % noodles).
- An amount above 1,000 g is a slip of the pen: its line cannot be read.
- Flour is given back from the dish: a steamed bun is 60 % flour, cooked noodles 33 %, a meat bun
  36 %, a boiled dumpling 32 %; congee is 12 % grain.
- What has bone, shell or cob is weighed with it: fish 65 % edible, shrimp 60 %, chop 75 %,
  corn cob 60 %.
- Soup is 60 % broth, noodle soup 30 %. Cooked vegetables (marked ``~``) carry 3 % oil, what is
  fried in a pan 5 %, in deep fat 10 %; braised and sweet-sour dishes 3 % sugar.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from postmeal.training.datasets.shanghai_words import WORDS

__all__ = ["Line", "parse_lines", "served_grams", "sr28_grams"]

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
    """One line of a meal text: what and how many grams; NaN where the text gives no amount."""

    name: str
    grams: float


@dataclass(frozen=True)
class _Word:
    recipe: tuple[tuple[str, float], ...]
    staple: bool
    cooked_in_oil: bool


def parse_lines(text: str) -> list[Line]:
    """Read a meal text into names and grams.

    Millilitres count as grams, "mg" is a slip for g, one liang is 50 g. Names without an amount
    share that of the next line that has one.

    Parameters
    ----------
    text : str
        The Chinese text, one food a line.

    Returns
    -------
    list of Line
        The lines, amounts in grams as eaten.

    Examples
    --------
    >>> [(line.name, line.grams) for line in parse_lines("米饭1两\\n白菜\\n豆腐60g\\n200ml牛奶.")]
    [('米饭', 50.0), ('白菜豆腐', 60.0), ('牛奶', 200.0)]
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
    """Say what a line holds, with the rules for flakes, noodles and impossible amounts.

    Parameters
    ----------
    line : Line
        A name and its grams.

    Returns
    -------
    dict of str to float or None
        Grams of each SR28 food by NDB number; None when the line cannot be read.

    Examples
    --------
    >>> served_grams(Line("麦片", 40.0)), served_grams(Line("麦片", 200.0))
    ({'08120': 40.0}, {'08120': 36.0})
    """
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
    """Say what one gram of a named dish holds.

    Parameters
    ----------
    name : str
        The Chinese name, without an amount.

    Returns
    -------
    dict of str to float or None
        Grams of each SR28 food by NDB number; None when no word of the name is known.

    Examples
    --------
    >>> sr28_grams("米饭")
    {'20045': 1.0}
    >>> sr28_grams("番茄炒蛋")["11529"]
    0.475
    >>> sr28_grams("???") is None
    True
    """
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
    for line in WORDS.strip("\n").splitlines():
        mark, rest = line[0], line[2:]
        names, _, recipe = rest.partition(":")
        parts = (part.split() for part in recipe.split(","))
        contents = tuple((key, float(share)) for key, share in parts)
        for name in names.split():
            words[name] = _Word(contents, staple=mark == "!", cooked_in_oil=mark == "~")
    by_length = sorted(words, key=len, reverse=True)
    return words, re.compile("|".join(map(re.escape, by_length)))
