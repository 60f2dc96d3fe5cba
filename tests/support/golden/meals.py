"""Read and record `meals.json`: what the meal reader makes of 200 texts.

The texts are those of `tests/relevance/blind_meals/read.csv`. The file pins the present behavior,
right or wrong, so that each change of the reader shows in a diff. After a deliberate change, record
it again with `python tests/support/golden/meals.py` and review the diff.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from postmeal import Catalog, read_meal
from tools.evaluate.blind_meals import read_blind_meals

__all__ = ["FILE", "TEXTS", "read_meals", "reading_of"]

FILE = Path(__file__).with_name("meals.json")
TEXTS = Path(__file__).parents[2] / "relevance" / "blind_meals" / "read.csv"


def reading_of(text: str, catalog: Catalog) -> dict[str, Any]:
    """Return the foods of a text with grams, the implausible ones, and the unread phrases."""
    reading = read_meal(text, catalog)
    return {
        "text": text,
        "foods": [
            [one.selection.food.name, round(one.selection.weight_g or 0.0, 1)]
            for one in reading.detections
        ],
        "implausible": [one.said for one in reading.detections if one.implausible],
        "unread": list(reading.unread),
    }


def read_meals() -> list[dict[str, Any]]:
    """Read the recorded readings."""
    recorded: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return recorded


def main() -> None:
    """Record the readings of all texts, one per line."""
    catalog = Catalog.open()
    readings = [reading_of(meal.text, catalog) for meal in read_blind_meals(TEXTS)]
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in readings)
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
