"""``postmeal foods search | show | build``: the catalogue."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, get_args

from postmeal.foods.catalog import Catalog
from postmeal.foods.food import Food, FoodKind, Serving
from postmeal.foods.nutrients import UNITS

__all__ = ["add_to"]


def add_to(commands: Any) -> None:
    """Add the command to the command line."""
    foods = commands.add_parser("foods", help="search, show or rebuild the catalogue of foods")
    verbs = foods.add_subparsers(required=True, metavar="VERB")

    search = verbs.add_parser("search", help="find foods by the words of their names")
    search.add_argument("words", nargs="+", help="words of a name, a brand or an everyday name")
    search.add_argument("--kind", choices=get_args(FoodKind), help="only foods of this kind")
    search.add_argument("--limit", type=int, default=10, help="at most this many (10)")
    search.add_argument("--json", action="store_true", help="answer in JSON")
    search.set_defaults(run=_search)

    show = verbs.add_parser("show", help="show a food's servings and nutrients")
    show.add_argument("id", type=int, help="number of the food, as `foods search` gives it")
    show.add_argument("--json", action="store_true", help="answer in JSON")
    show.set_defaults(run=_show)

    build = verbs.add_parser("build", help="rebuild the table of foods from its publishers' data")
    build.add_argument("--output", type=Path, required=True, help="the .csv.xz table to write")
    build.add_argument("--archives", type=Path, help="folder with the two archives, if at hand")
    build.set_defaults(run=_build)


def _search(options: argparse.Namespace) -> None:
    catalog = Catalog.open()
    found = catalog.search(" ".join(options.words), kind=options.kind, limit=options.limit)
    if options.json:
        print(json.dumps([_plain(food) for food in found], indent=2))
    elif not found:
        print("no food has these words in its name")
    else:
        print(f"{'id':<7} {'kind':<8} food")
        for food in found:
            print(f"{food.id:<7} {food.kind:<8} {_full_name(food)}")


def _show(options: argparse.Namespace) -> None:
    food = Catalog.open().food(options.id)
    if options.json:
        print(json.dumps(_plain(food), indent=2))
        return
    print(f"{_full_name(food)}\n{food.kind}, {food.category}\n")
    print("servings")
    for serving in food.servings:
        print(f"  {_measure(serving)}{', the default' if serving.is_default else ''}")
    print(f"\nnutrients of {_measure(food.default_serving)}")
    for key, unit in UNITS.items():
        amount = f"{food.nutrients[key]:g} {unit}" if key in food.nutrients else "unknown"
        print(f"  {key.rpartition('_')[0].replace('_', ' '):<20} {amount}")
    index, load = food.glycemic_index, food.glycemic_load
    index_text = "unknown" if index is None else f"{index:g} ({food.gi_source})"
    print(f"  {'glycemic index':<20} {index_text}")
    print(f"  {'glycemic load':<20} {'unknown' if load is None else f'{load:.1f}'}")


def _build(options: argparse.Namespace) -> None:
    from postmeal.foods.sources.build import build

    number = build(options.output, options.archives)
    print(f"{options.output}: {number} foods")


def _full_name(food: Food) -> str:
    return f"{food.name} ({food.brand_name})" if food.brand_name else food.name


def _measure(serving: Serving) -> str:
    measure = f"{serving.quantity:g} {serving.unit}"
    if serving.weight_g is None or serving.unit == "g":
        return measure
    return f"{measure} ({serving.weight_g:g} g)"


def _plain(food: Food) -> dict[str, Any]:
    return {
        "id": food.id,
        "name": food.name,
        "brand_name": food.brand_name,
        "kind": food.kind,
        "category": food.category,
        "glycemic_index": food.glycemic_index,
        "gi_source": food.gi_source,
        "glycemic_load": food.glycemic_load,
        "servings": [
            {
                "id": serving.id,
                "quantity": serving.quantity,
                "unit": serving.unit,
                "weight_g": serving.weight_g,
                "is_default": serving.is_default,
            }
            for serving in food.servings
        ],
        "nutrients": dict(food.nutrients),
    }
