"""Lines of an Open Food Facts dump."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
IMPORTS = """
import sys
from postmeal.cli import main
sys.exit(main(["foods", "import", "--collection", *sys.argv[1:]]))
"""


def product(number: int, **fields: Any) -> str:
    """Return a line of an Open Food Facts dump."""
    code = f"{10**11 + number}"
    check = -sum(int(d) * (3 if at % 2 else 1) for at, d in enumerate(code[::-1], 1)) % 10
    line = {"code": f"{code}{check}", "product_name": f"Biscuit {number}", "last_modified_t": 1,
            "nutriments": {"carbohydrates_100g": number % 90}} | fields  # fmt: skip
    return json.dumps(line)


def dump(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
