"""``postmeal places import | near``: import restaurants and menus, and search near a point."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.cli.arguments import add_catalog, number, open_catalog, report_file, whole_number

if TYPE_CHECKING:
    from postmeal.foods.catalog import Catalog
    from postmeal.restaurants.place import NearbyPlace
    from postmeal.restaurants.places import Places

_SHOWN_ITEMS = 3


def add_to(commands: Any) -> None:
    """Add ``postmeal places`` to the commands."""
    places = commands.add_parser("places", help="import restaurants and find them near a point")
    verbs = places.add_subparsers(required=True, metavar="VERB")

    importer = verbs.add_parser("import", help="import places and menus into a places file")
    importer.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="OpenStreetMap extract (.osm.pbf), GeoJSON, Overpass JSON or table of places (.csv)",
    )
    importer.add_argument(
        "--output", type=Path, required=True, help="places file to create or replace"
    )
    importer.add_argument(
        "--menu",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="table of menu items (.csv); can be repeated",
    )
    importer.add_argument(
        "--report", type=Path, help="CSV file to write skipped rows and warnings to"
    )
    importer.set_defaults(run=_import)

    near = verbs.add_parser("near", help="list the restaurants near a point and what they serve")
    near.add_argument("latitude", type=number, help="latitude of the point in degrees")
    near.add_argument("longitude", type=number, help="longitude of the point in degrees")
    near.add_argument(
        "query",
        nargs="?",
        default="",
        help="name of a restaurant or, with --dish, of a dish (default: all restaurants)",
    )
    near.add_argument("--dish", action="store_true", help="search for a dish, not a restaurant")
    near.add_argument(
        "--radius",
        type=number,
        default=8000.0,
        help="maximum distance from the point, in meters (default: 8000)",
    )
    near.add_argument(
        "--limit",
        type=whole_number(least=1),
        default=10,
        help="maximum number of results (default: 10)",
    )
    near.add_argument(
        "--places",
        type=Path,
        metavar="FILE",
        help="places file to search (default: fictional demo places)",
    )
    add_catalog(near)
    near.set_defaults(run=_near)


def _import(options: argparse.Namespace) -> None:
    from postmeal.foods.sources.collection.report import ImportReport
    from postmeal.restaurants.sources.import_places import import_places

    others = (*options.files, *options.menu, options.output)
    with report_file(options.report, others) as notes:
        done = import_places(
            options.files,
            options.output,
            options.menu,
            reporter=lambda path: ImportReport(path.name, notes),
        )
    for report in done.reports:
        print(report)
    print(
        f"wrote {options.output}: {done.places:,} places, {done.in_chains:,} of them in chains"
        + (f", {done.dishes:,} menu items" if done.dishes else "")
    )


def _near(options: argparse.Namespace) -> None:
    from postmeal.restaurants.places import Places

    catalog = open_catalog(options)
    places = Places.open(options.places)
    search = options.query, options.latitude, options.longitude, options.radius, options.limit
    if options.dish:
        rows = [
            {
                "food_id": item.food.id,
                "dish": item.food.name,
                "place_id": item.place.id,
                "place": item.place.name,
                "distance_m": round(item.distance_m or 0.0),
            }
            for item in places.dishes(*search, catalog)
        ]
    else:
        rows = [_row(each, places, catalog) for each in places.near(*search)]
    if options.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    elif not rows:
        problem = f"nothing matches {options.query!r}" if options.query else "found nothing"
        print(f"{problem} within {options.radius:g} m; try a larger --radius")
    for row in rows if not options.json else ():
        print(f"{row['distance_m']:>6,} m  {_text(row)}")


def _row(found: NearbyPlace, places: Places, catalog: Catalog) -> dict[str, Any]:
    place = found.place
    menu = places.menu(place.id, catalog, limit=1_000)
    return {
        "place_id": place.id,
        "place": place.name,
        "distance_m": round(found.distance_m or 0.0),
        "address": ", ".join(filter(None, (place.address1, place.city))) or None,
        "source": place.source,
        "menu_items": [{"food_id": food.id, "name": food.name} for food in menu],
    }


def _text(row: dict[str, Any]) -> str:
    if "dish" in row:
        return f"{row['dish']} at {row['place']} (food {row['food_id']})"
    names = [item["name"] for item in row["menu_items"]]
    items = "no menu"
    if names:
        more = f" and {len(names) - _SHOWN_ITEMS} more" if len(names) > _SHOWN_ITEMS else ""
        items = ", ".join(names[:_SHOWN_ITEMS]) + more
    address = f", {row['address']}" if row["address"] else ""
    return f"{row['place']}{address} ({row['place_id']}): {items}"
