"""``postmeal foods``: search, show and import foods."""

from __future__ import annotations

import argparse
import json
from typing import Any, get_args

from postmeal.cli.arguments import add_catalog, open_catalog, whole_number
from postmeal.cli.foods_import import add_verbs
from postmeal.errors import InputError
from postmeal.foods.food import CatalogKind, Food, Serving
from postmeal.foods.nutrients import UNITS
from postmeal.rounding import rounded


def add_to(commands: Any) -> None:
    """Add ``postmeal foods`` to the commands."""
    foods = commands.add_parser("foods", help="search, show and import foods")
    verbs = foods.add_subparsers(required=True, metavar="VERB")

    search = verbs.add_parser("search", help="search foods by name")
    search.add_argument("words", nargs="+", help="words of a food name or brand")
    search.add_argument(
        "--kind",
        choices=get_args(CatalogKind),
        help="return only foods of this kind (dish: ready dishes and recipes)",
    )
    search.add_argument(
        "--limit",
        type=whole_number(least=1),
        default=10,
        help="maximum number of foods (default: 10)",
    )
    search.set_defaults(run=_search)

    show = verbs.add_parser("show", help="show a food's servings and nutrients")
    show.add_argument(
        "id",
        type=whole_number(least=1, hint="search for a food by name to find its ID"),
        help="food ID, as printed by `postmeal foods search`",
    )
    show.set_defaults(run=_show)

    barcode = verbs.add_parser("barcode", help="look up a product by its barcode")
    barcode.add_argument("code", help="6 to 14 digits: UPC-E, EAN-8, UPC-A, EAN-13 or GTIN-14")
    barcode.set_defaults(run=_barcode)

    for verb in (search, show, barcode):
        add_catalog(verb)

    add_verbs(verbs)


def _search(options: argparse.Namespace) -> None:
    words = " ".join(options.words)
    if not words.strip():
        raise InputError("words", "must contain a word of a food name or brand", words)
    found = open_catalog(options).search(words, kind=options.kind, limit=options.limit)
    if options.json:
        print(json.dumps([_plain(food) for food in found], indent=2))
    elif not found:
        print(f"no food matches {words!r}; check the spelling or use a more general name")
    else:
        width = max(7, *(len(str(food.id)) for food in found))
        print(f"{'id':<{width}} {'kind':<8} food")
        for food in found:
            print(f"{food.id:<{width}} {food.kind:<8} {_full_name(food)}")


def _show(options: argparse.Namespace) -> None:
    _print_food(open_catalog(options).food(options.id), options.json)


def _barcode(options: argparse.Namespace) -> None:
    _print_food(open_catalog(options).barcode(options.code), options.json)


def _print_food(food: Food, as_json: bool) -> None:
    if as_json:
        print(json.dumps(_plain(food), indent=2))
        return
    print(f"{_full_name(food)}\n{', '.join(filter(None, (food.kind, food.category)))}")
    print(f"barcode {food.barcode}\n" if food.barcode else "")
    print("servings")
    for serving in food.servings:
        print(f"  {_measure(serving)}{' (default)' if serving.is_default else ''}")
    print(f"\nnutrients per {_measure(food.default_serving)}")
    for key, unit in UNITS.items():
        amount = (
            f"{rounded(food.nutrients[key], unit):g} {unit}" if key in food.nutrients else "unknown"
        )
        print(f"  {key.rpartition('_')[0].replace('_', ' '):<20} {amount}")
    index, load = food.glycemic_index, food.glycemic_load
    index_text = "unknown" if index is None else _index_text(food)
    print(f"  {'glycemic index':<20} {index_text}")
    print(f"  {'glycemic load':<20} {'unknown' if load is None else f'{load:.1f}'}")


def _index_text(food: Food) -> str:
    deviation = "" if food.gi_sd is None else f" ± {food.gi_sd:g}"
    return f"{food.glycemic_index:g}{deviation} ({food.gi_source})"


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
        "description": food.description,
        "brand_name": food.brand_name,
        "kind": food.kind,
        "category": food.category,
        "barcode": food.barcode,
        "glycemic_index": food.glycemic_index,
        "gi_source": food.gi_source,
        "gi_sd": food.gi_sd,
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
        "added_sugars_estimated": food.added_sugars_estimated,
        "nutrients": food.nutrients.rounded(),
    }
