"""How well search, typeahead and alternatives do on queries and foods that were judged by hand.

``python tests/relevance/relevance.py`` prints the figures that docs/explanation quotes. With the
folder of the real data it also prints those of meals in plain English. The queries are in
``relevance.csv``, ``relevance_blind.csv`` and ``typeahead.csv``, each with a pattern of the correct
foods.
"""

from __future__ import annotations

import csv
import os
import random
import re
import string
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from judged_alternatives import Judged, judged, share

from postmeal.foods.catalog import Catalog
from postmeal.foods.catalog.suggestion import Suggestion
from postmeal.foods.food import Food
from tools.evaluate.meal_language import MEAL_TEXTS, accuracy_table, estimate
from tools.evaluate.truth_file import FoodTexts
from tools.food_table.names import DISHES, EVERYDAY, NAMES, read_names

__all__ = ["Asked", "Figures", "Places", "of_alternatives", "read", "sets_of", "typeahead"]

_HERE = Path(__file__).resolve().parent
_SEEDS = (0, 1)


class Asked(NamedTuple):
    """A query, and a pattern of the foods that must come first."""

    query: str
    right: re.Pattern[str]

    @property
    def untouched(self) -> bool:
        """Whether it is of the third that nobody looks at while the ranking is tuned."""
        return zlib.crc32(self.query.encode()) % 3 == 0

    def place(self, found: Iterable[Food | Suggestion]) -> int:
        """Count the wrong foods before the first right one; 99 if there is none."""
        return next(
            (n for n, food in enumerate(found) if FoodTexts.of(food).matches(self.right)), 99
        )


class Places(NamedTuple):
    """Where the right food of a query is found: as it is written, and for each seed of typos."""

    asked: Asked
    written: int
    mistyped: tuple[int, ...]

    @classmethod
    def of(cls, asked: Asked, catalog: Catalog) -> Places:
        """Search for a query as it is written and with typos."""

        def place(query: str) -> int:
            return asked.place(catalog.search(query, limit=3))

        mistyped = tuple(place(with_typos(asked.query, seed)) for seed in _SEEDS)
        return cls(asked, place(asked.query), mistyped)


class Figures(NamedTuple):
    """Shares of queries whose right food is first, and among the first three.

    The typos are one in each word of four letters or more; their shares are over all seeds.
    """

    n: int
    first: float
    three: float
    typo_first: float
    typo_three: float

    @classmethod
    def of(cls, places: Sequence[Places]) -> Figures:
        """Compute the shares."""
        mistyped = [place for one in places for place in one.mistyped]
        written = rates([one.written for one in places])
        return cls(len(places), *written, *rates(mistyped))


def read(name: str) -> list[Asked]:
    """Read a file of queries; a pattern is searched in ``name [brand]``."""
    with (_HERE / name).open(encoding="utf-8", newline="") as file:
        return [
            Asked(line["query"], re.compile(line["right"], re.IGNORECASE))
            for line in csv.DictReader(file, delimiter=";")
        ]


def everyday_names() -> frozenset[str]:
    """Read the everyday names: a query that is one of them is found by a plain look-up."""
    return frozenset(name.name.lower() for name in read_names((EVERYDAY, DISHES), NAMES))


def with_typos(query: str, seed: int = 0) -> str:
    """Make one typo in each word of four letters or more.

    A letter is left out, put in or replaced, or two neighbors are swapped; anywhere in the word.
    """
    chance = random.Random(f"{seed} {query}")
    return " ".join(_typo(word, chance) if len(word) > 3 else word for word in query.split())


def _typo(word: str, chance: random.Random) -> str:
    while True:
        at, letter = chance.randrange(len(word)), chance.choice(string.ascii_lowercase)
        wrong = chance.choice((
            word[:at] + word[at + 1 :],
            word[:at] + letter + word[at:],
            word[:at] + letter + word[at + 1 :],
            word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
        ))  # fmt: skip
        if wrong != word:
            return wrong


def rates(places: Sequence[int]) -> tuple[float, float]:
    """Return the shares with a right food first and among the first three."""
    return sum(n == 0 for n in places) / len(places), sum(n < 3 for n in places) / len(places)


def sets_of(catalog: Catalog) -> dict[str, list[Places]]:
    """Search for every query and split the queries into the reported sets."""
    entries = everyday_names()
    places = [Places.of(asked, catalog) for asked in read("relevance.csv")]
    blind = [Places.of(asked, catalog) for asked in read("relevance_blind.csv")]
    whole = {
        "all": places,
        "tuned": [one for one in places if not one.asked.untouched],
        "untouched": [one for one in places if one.asked.untouched],
        "blind": blind,
    }
    sets = {}
    for name, those in whole.items():
        sets[name] = those
        sets[f"{name}, an entry"] = [one for one in those if one.asked.query in entries]
        sets[f"{name}, not an entry"] = [one for one in those if one.asked.query not in entries]
    return sets


def typeahead(catalog: Catalog, *, untouched: bool) -> tuple[int, float, float]:
    """Count the queries, and the shares whose right food is first, and among the first three."""
    typed = [one for one in read("typeahead.csv") if one.untouched == untouched]
    found = rates([one.place(catalog.suggest(one.query, limit=3)) for one in typed])
    return len(typed), *found


def of_alternatives(cells: Sequence[Judged]) -> dict[str, float]:
    """Return the shares of foods with three good alternatives, and with an absurd one."""
    plain = [cell for cell in cells if cell.rule is None]
    ruled = [cell for cell in cells if cell.rule is not None]
    return {
        "three good": share(plain, "good", 3),
        "three good under a rule": share(ruled, "good", 3),
        "an absurd one": share(plain, "absurd", 1),
        "an absurd one under a rule": share(ruled, "absurd", 1),
    }


def _told_meals(catalog: Catalog, data: Path) -> Iterator[str]:
    files = {
        "nutribench": "food/nutribench_v2_dev.csv",
        "dishes": "scans/nutrition5k_dishes_dev.csv",
    }
    for name, file in files.items():
        if not (data / file).is_file():
            yield f"{name}: no file {data / file}; POSTMEAL_DATA names the folder"
            continue
        meals = MEAL_TEXTS[name](data / file)
        for group, one in accuracy_table(meals, estimate(meals, catalog)).items():
            if group == "all" or group.startswith(("USA", "others")):
                yield (
                    f"{name}, {group:<24}{one['meals']:>6} meals"
                    f"{one['accurate']:>8.1%} less than 7.5 g off"
                    f"{one['mae_g']:>7.2f} g mean error{one['carbs_wmape']:>7.1%} of carbohydrate"
                    f"{one['energy_wmape']:>7.1%} of energy"
                )


def main() -> None:
    """Print all figures."""
    catalog = Catalog.open()
    print(f"{'search':<26}{'n':>6}{'first':>8}{'three':>8}{'typo: first':>13}{'three':>8}")
    for name, places in sets_of(catalog).items():
        n, *shares = Figures.of(places)
        columns = zip(shares, (8, 8, 13, 8), strict=True)
        print(f"{name:<26}{n:>6}" + "".join(f"{share:>{width}.1%}" for share, width in columns))
    for side in (False, True):
        n, first, three = typeahead(catalog, untouched=side)
        name = "untouched" if side else "tuned"
        print(f"{'typeahead, ' + name:<26}{n:>6}{first:>8.1%}{three:>8.1%}", flush=True)
    for aside in (False, True):
        cells = list(judged(catalog, aside=aside))
        print(f"alternatives, {'put aside' if aside else 'looked at'}: {len(cells)} cells", end="")
        shares = of_alternatives(cells).items()
        print("".join(f"; {part:.0%} {name}" for name, part in shares), flush=True)
    data = os.environ.get("POSTMEAL_DATA", _HERE.parents[2] / "shared" / "data")
    for line in _told_meals(catalog, Path(data)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
