"""The starter set of the literature search: complete citations and plain statements."""

import csv
import re
from datetime import date
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "data" / "literature.csv"
COLUMNS = [
    "statement",
    "topic",
    "title",
    "authors",
    "journal",
    "publisher",
    "year",
    "published_date",
    "doi",
    "pmid",
    "pmcid",
    "url",
    "type",
    "where_read",
]
CITATION = [name for name in COLUMNS if name not in ("statement", "topic")]
FORMS = {
    "year": r"(?:19|20)\d\d",
    "published_date": r"(?:\d{4}-\d\d-\d\d)?",
    "doi": r"(?:10\.\d{4,9}/[!-~]+)?",
    "pmid": r"(?:[1-9]\d{0,8})?",
    "pmcid": r"(?:PMC[1-9]\d*)?",
    "url": r"https?://[!-~]+",
    "type": r"journal_article|guideline",
    "authors": r"(?:[^|\s][^|]*(?:\|[^|\s][^|]*)*)?",
}
BRITISH = r"(?i)glycaem|\bfibre|anaem|\bprogramme|randomis|\btumour|behaviour|centre\b"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with FILE.open(encoding="utf-8", newline="") as lines:
        table = csv.DictReader(lines, delimiter=";", strict=True)
        found = list(table)
    assert table.fieldnames == COLUMNS
    assert all(set(row) == set(COLUMNS) and None not in row.values() for row in found)
    return found


def test_the_set_has_hundreds_of_statements(rows: list[dict[str, str]]) -> None:
    assert len(rows) >= 500


def test_no_statement_occurs_twice(rows: list[dict[str, str]]) -> None:
    statements = [" ".join(row["statement"].casefold().split()) for row in rows]
    assert len(set(statements)) == len(statements)


def test_cells_have_no_stray_spaces_or_markup(rows: list[dict[str, str]]) -> None:
    cells = [cell for row in rows for cell in row.values()]
    assert [cell for cell in cells if cell != " ".join(cell.split())] == []
    assert [cell for cell in cells if re.search(r"<[a-z/]|&[a-z]+;", cell)] == []


@pytest.mark.parametrize("column", ["topic", "title", "journal", "where_read"])
def test_every_row_states_it(column: str, rows: list[dict[str, str]]) -> None:
    assert [row["statement"] for row in rows if not row[column]] == []


@pytest.mark.parametrize(("column", "form"), FORMS.items())
def test_every_cell_has_its_form(column: str, form: str, rows: list[dict[str, str]]) -> None:
    assert [row[column] for row in rows if not re.fullmatch(form, row[column])] == []


def test_every_row_has_a_doi_or_a_pmid(rows: list[dict[str, str]]) -> None:
    assert [row["title"] for row in rows if not row["doi"] and not row["pmid"]] == []


def test_dates_are_at_most_a_year_before_the_issue(rows: list[dict[str, str]]) -> None:
    dated = [row for row in rows if row["published_date"]]
    gaps = [int(row["year"]) - date.fromisoformat(row["published_date"]).year for row in dated]
    assert set(gaps) <= {0, 1}


def test_statements_are_one_to_three_sentences(rows: list[dict[str, str]]) -> None:
    for row in rows:
        statement = row["statement"]
        assert 60 <= len(statement) <= 500
        assert statement.endswith(".")
        assert 1 <= len(re.findall(r"[.?](?= [A-Z]|$)", statement)) <= 3, statement


def test_statements_use_us_spelling_and_quote_nothing(rows: list[dict[str, str]]) -> None:
    pattern = re.compile(f'{BRITISH}|["“”«»]')
    assert [row["statement"] for row in rows if pattern.search(row["statement"])] == []


@pytest.mark.parametrize("key", ["doi", "pmid", "pmcid", "title"])
def test_statements_of_one_article_share_its_citation(key: str, rows: list[dict[str, str]]) -> None:
    citations: dict[str, set[tuple[str, ...]]] = {}
    for row in rows:
        if row[key]:
            citation = tuple(row[name] for name in CITATION)
            citations.setdefault(row[key].casefold(), set()).add(citation)
    assert [value for value, found in citations.items() if len(found) > 1] == []
