"""Search and record `searches.json`: what search and typeahead find for 100 texts.

The texts are the first 70 queries of `tests/relevance/blind_foods/queries_read.csv` and the first
30 prefixes of `prefixes_read.csv`. The file pins the present behavior, right or wrong, so that each
change of the search shows in a diff. After a deliberate change, record it again with
`python tests/support/golden/searches.py` and review the diff.
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from postmeal import Catalog
from tools.evaluate.food_queries import read_food_queries

__all__ = ["FILE", "answers", "read_searches"]

FILE = Path(__file__).with_name("searches.json")
_BLIND = Path(__file__).parents[2] / "relevance" / "blind_foods"
_QUERIES, _PREFIXES, _LISTED = 70, 30, 3


def answers(catalog: Catalog) -> list[dict[str, Any]]:
    """Return the first foods of each text, and the words that they were found without."""
    queries = islice(read_food_queries(_BLIND / "queries_read.csv"), _QUERIES)
    prefixes = islice(read_food_queries(_BLIND / "prefixes_read.csv"), _PREFIXES)
    found = []
    for query in queries:
        foods = catalog.search(query.text, limit=_LISTED)
        found.append({
            "search": query.text,
            "foods": [food.name for food in foods],
            "without": list(foods.matched_without),
        })  # fmt: skip
    for prefix in prefixes:
        suggested = catalog.suggest(prefix.text, limit=_LISTED)
        found.append({"suggest": prefix.text, "foods": [food.name for food in suggested]})
    return found


def read_searches() -> list[dict[str, Any]]:
    """Read the recorded answers."""
    recorded: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return recorded


def main() -> None:
    """Record the answers to all texts, one per line."""
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in answers(Catalog.open()))
    FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
