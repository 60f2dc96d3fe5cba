"""Synthetic foods that resemble a large catalog, with barcodes, labels and Zipf-distributed words.

Each food depends only on its own number. A larger catalog therefore contains all foods of a smaller
one.
"""

from __future__ import annotations

import marshal
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import compress, islice, product
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from postmeal.assets import asset
from postmeal.foods.catalog.file import IndexedFood, indexed
from postmeal.foods.catalog.row import FoodRow
from postmeal.foods.diets.rules import RULES
from postmeal.foods.diets.verdicts import Diets
from postmeal.foods.food import CatalogKind
from postmeal.foods.table import Portion, TableFood, read_table
from postmeal.foods.words import words

__all__ = ["barcode_of", "foods", "in_parallel", "some_words"]

_SEED = 1
_VOCABULARY = 300_000
_REAL_WORDS = 4_000
_FLATTENED = 8.0  # offset in the Zipf–Mandelbrot law: 1 / (rank + 8)
_BRANDS = 80_000
_CATEGORIES = 300
_GENERIC, _RECIPES = 10_000, 4_000  # as many as publishers list; all other foods are products
_CHUNK = 20_000
_UNITS = (
    "cup", "piece", "slice", "tbsp", "bar", "bottle", "package", "ONZ", "serving", "oz",
    "cookies", "can", "pouch", "pieces", "container", "scoop",
)  # fmt: skip
_NUTRIENTS = {
    "energy_kcal": (600, 0), "protein_g": (30, 2), "carbs_g": (80, 2), "fiber_g": (12, 1),
    "sugars_g": (50, 2), "fat_g": (40, 2), "saturated_fat_g": (20, 2), "trans_fat_g": (1, 0),
    "cholesterol_mg": (120, 0), "sodium_mg": (1500, 0), "calcium_mg": (400, 0),
    "iron_mg": (9, 2), "added_sugars_g": (40, 1), "potassium_mg": (900, 0),
}  # fmt: skip
_OFTEN_KNOWN = 0.86  # 12 of these 14


def foods(first: int, last: int) -> Iterator[TableFood]:
    """Yield the foods numbered from `first` up to, but not including, `last`."""
    for chunk in range(first // _CHUNK, (last - 1) // _CHUNK + 1):
        start = chunk * _CHUNK
        yield from islice(_chunk(chunk), max(first - start, 0), last - start)


def in_parallel(count: int, processes: int) -> Iterator[IndexedFood]:
    """Yield the first `count` foods, prepared for a catalog file in several processes."""
    with get_context("spawn").Pool(processes) as pool:
        starts = range(0, count, _CHUNK)
        for chunk in pool.imap(_indexed, [(start, min(start + _CHUNK, count)) for start in starts]):
            for *about, row in marshal.loads(chunk):
                yield IndexedFood(*about, FoodRow._make(row))


def some_words(count: int, seed: int) -> list[str]:
    """Draw words with the same distribution as in the names of the foods."""
    ranks = _ranks(np.random.default_rng((_SEED, seed)), count)
    vocabulary = _vocabulary()
    return [words(vocabulary[rank])[0] for rank in ranks.tolist()]


def barcode_of(number: int) -> str:
    """Return the barcode of food number `number` as a 14-digit GTIN with a valid check digit."""
    body = 10**11 + number * 387_420_489 % 10**11 * 8 % (8 * 10**11)
    digits = [int(digit) for digit in f"{body:012d}"]
    return f"{body}{-(sum(digits[::2]) + 3 * sum(digits[1::2])) % 10}".zfill(14)


def _indexed(span: tuple[int, int]) -> bytes:
    drawn = random.Random(span[0])
    verdicts = 2 * len(RULES)  # random, because evaluating the rules would take most of the time
    made = (indexed(food, Diets(drawn.getrandbits(verdicts))) for food in foods(*span))
    return marshal.dumps([(*about, tuple(row)) for *about, row in made])


def _chunk(chunk: int) -> Iterator[TableFood]:
    drawn = np.random.default_rng((_SEED, 0, chunk))
    vocabulary, brands = _vocabulary(), _brands()
    named = [" ".join(vocabulary[2 * at : 2 * at + 2]) for at in range(_CATEGORIES)]
    lengths = np.clip(drawn.poisson(3.2, _CHUNK) + 1, 1, 12).tolist()
    ranks = iter(_ranks(drawn, sum(lengths)).tolist())
    brand_ranks = np.minimum(drawn.zipf(1.3, _CHUNK) - 1, len(brands) - 1).tolist()
    known = drawn.random((_CHUNK, len(_NUTRIENTS))) < _OFTEN_KNOWN
    amounts = [
        np.round(drawn.random(_CHUNK) ** 2 * most, decimals).tolist()
        for most, decimals in _NUTRIENTS.values()
    ]
    grams = drawn.integers(5, 400, _CHUNK).tolist()
    chance = drawn.random((_CHUNK, 3)).tolist()
    categories = drawn.integers(0, _CATEGORIES, _CHUNK).tolist()
    labels = zip(known.tolist(), zip(*amounts, strict=True), strict=True)
    for at, (is_known, of_food) in enumerate(labels):
        number = chunk * _CHUNK + at
        name = " ".join(vocabulary[next(ranks)] for _ in range(lengths[at]))
        kind: CatalogKind = "branded"
        if number < _GENERIC + _RECIPES:
            kind = "generic" if number < _GENERIC else "dish"
        branded = kind == "branded"
        portions = [Portion(1, 100.0, "g", 100.0)]
        comma, serving, image = chance[at]
        if serving < 0.7:
            unit = _UNITS[grams[at] % len(_UNITS)]
            portions.insert(0, Portion(2, 1.0, unit, float(grams[at])))
        barcode = barcode_of(number) if branded else ""
        yield TableFood(
            source="synthetic",
            key=str(number),
            kind=kind,
            category=named[categories[at]],
            name=name.replace(" ", ", ", 1) if comma < 0.3 else name,
            portions=tuple(portions),
            per_100_g=dict(compress(zip(_NUTRIENTS, of_food, strict=True), is_known)),
            brand_name=brands[brand_ranks[at]] if branded else "",
            id=100_000_000 + number * 387_420_489 % 10**9,
            barcode=barcode,
            image_url=_picture(barcode, number) if branded and image < 0.4 else "",
        )


def _picture(barcode: str, number: int) -> str:
    folder = f"{barcode[1:4]}/{barcode[4:7]}/{barcode[7:10]}/{barcode[10:]}"
    return (
        f"https://images.openfoodfacts.org/images/products/{folder}/front_en.{number % 90}.400.jpg"
    )


def _ranks(drawn: np.random.Generator, count: int) -> NDArray[np.intp]:
    return np.searchsorted(_cumulative(), drawn.random(count)).clip(0, _VOCABULARY - 1)


@cache
def _cumulative() -> NDArray[np.float64]:
    weights = 1 / (np.arange(1, _VOCABULARY + 1) + _FLATTENED)
    return np.cumsum(weights / weights.sum())


@cache
def _vocabulary() -> list[str]:
    """Return words by decreasing frequency: words of shipped foods first, then synthetic words."""
    shipped = read_table(asset("data/foods.csv.xz"))
    name_words = (word for food in shipped for word in food.name.split())
    counted = Counter(word.title() for word in name_words if word.isalpha() and len(word) > 2)
    real = [word for word, _ in counted.most_common(_REAL_WORDS)]
    starts = ("b", "br", "c", "ch", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v")
    syllables = ["".join(parts) for parts in product(starts, "aeiou", ("", "n", "r", "l"))]
    drawn = random.Random(_SEED)
    made = dict.fromkeys(real)
    while len(made) < _VOCABULARY:
        made["".join(drawn.choices(syllables, k=drawn.choice((2, 3, 3, 4)))).title()] = None
    return list(made)


@cache
def _brands() -> list[str]:
    drawn, vocabulary = random.Random(_SEED), _vocabulary()
    made: dict[str, None] = {}
    while len(made) < _BRANDS:
        made[" ".join(drawn.choices(vocabulary, k=drawn.choice((1, 1, 2))))] = None
    return list(made)
