"""Write ``docs/contributing/acceptance_rows.md`` from the tables of the acceptance rows.

Run it with ``python tests/support/acceptance_page.py``.
"""

from __future__ import annotations

from pathlib import Path

from acceptance import inventory, read_titles

PAGE = Path(__file__).resolve().parents[2] / "docs" / "contributing" / "acceptance_rows.md"
_INTRODUCTION = """\
# Acceptance rows

The acceptance table lists 484 requirements for postmeal, one per row. If a test covers some of
these rows, its docstring names them, as in `Row 284: …`. This page lists a short title for each
row, and the decisions and extensions that belong to no row, which tests name as in `D73: …`.

- `make acceptance` reports all rows with their tests and the outcomes of these tests. `pytest
  --rows 284` runs the tests for row 284, `--rows D73` those for decision D73.
- A row counts as tested if at least one test that names it passed and no test that names it failed.
  `make test`, `make notebooks` and `make reliability` record the outcomes.
- Groups of rows that are marked "planned" are about endpoints that do not exist yet.

This page is written by `python tests/support/acceptance_page.py`. To change the page, edit the
groups in `tests/support/acceptance.toml`, or the titles in `tests/support/acceptance_v1_2.toml` and
`tests/support/acceptance_v1_1.toml`. Then run the script again.
"""


def page() -> str:
    """Return the page as Markdown."""
    titles = read_titles()
    parts = [_INTRODUCTION]
    found = inventory()
    for group in found.groups:
        planned = "" if group.finished else " (planned)"
        parts.append(
            f"## {group.letter}. {group.title}{planned}\n\n| row | title |\n| --- | --- |\n"
        )
        parts[-1] += "".join(f"| {row} | {titles[row]} |\n" for row in group.numbers)
    parts.append("## Decisions and extensions\n\n| name | title |\n| --- | --- |\n")
    parts[-1] += "".join(f"| {name} | {title} |\n" for name, title in found.decisions.items())
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
