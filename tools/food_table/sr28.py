"""Read the USDA National Nutrient Database for Standard Reference, release 28 (SR28).

Source: Haytowitz et al. (2015, revised 2016), US Department of Agriculture, Agricultural Research
Service, doi:10.15482/USDA.ADC/1324304; a work of the US government, in the public domain. In the
text files of the database, fields are separated by ``^``, text is enclosed in ``~``, and the
encoding is Latin-1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from postmeal.errors import DataSetError
from postmeal.foods.sources.fooddata_central.official import default_portion, household_unit
from postmeal.foods.sources.labels.plausible_amounts import complete
from postmeal.foods.sources.nutrients_by_publisher import SR28_NUMBERS
from postmeal.foods.sources.spoken_names import split_brand
from postmeal.foods.table import Portion, TableFood

__all__ = ["read_sr28"]


def read_sr28(folder: Path) -> Iterator[TableFood]:
    """Yield every food of SR28 with its nutrients and all its household portions."""
    groups = dict(_lines(folder / "FD_GROUP.txt", 2))
    amounts: dict[str, dict[str, float]] = defaultdict(dict)
    for line in _lines(folder / "NUT_DATA.txt", 18):
        if key := SR28_NUMBERS.get(line[1]):
            amounts[line[0]][key] = max(0.0, float(line[2]))
    portions: dict[str, list[Portion]] = defaultdict(list)
    for number, order, quantity, unit, grams, *_ in _lines(folder / "WEIGHT.txt", 7):
        if float(quantity) > 0 and float(grams) > 0:
            portions[number].append(
                Portion(int(order) + 1, float(quantity), household_unit(unit), float(grams))
            )
    for number, group, description, _, _, manufacturer, *_ in _lines(folder / "FOOD_DES.txt", 14):
        brand_name, name = split_brand(description, manufacturer)
        food = TableFood(
            source="sr28",
            key=number,
            kind="branded" if brand_name else "generic",
            category=groups[group],
            name=name,
            brand_name=brand_name,
            description=description,
            portions=(Portion(1, 100, "g", 100), *portions[number]),
            per_100_g=complete(amounts[number]),
        )
        yield food.with_default(default_portion(food.portions, groups[group]))


def _lines(path: Path, fields: int) -> Iterator[list[str]]:
    try:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise DataSetError(f"{path} cannot be read: {error.strerror}; check the path") from error
    for number, line in enumerate(text.splitlines(), 1):
        values = [value.strip("~").strip() for value in line.split("^")]
        if len(values) != fields:
            raise DataSetError(
                f"{path.name}, line {number} must have {fields} fields, got {len(values)}"
            )
        yield values
