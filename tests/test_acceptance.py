"""The acceptance inventory counts what it says, and fails when it should."""

import os
import re
from pathlib import Path

import pytest
from acceptance import FOLDER, Inventory, find_tests, inventory, read_inventory, rows_in, spans

TABLE = """
groups = [
  {letter = "A", title = "a", rows = [1, 3], finished = true},
  {letter = "B", title = "b", rows = [4, 6], finished = false},
]
"""
OWED = '[[owed]]\nrows = [3]\nby = "Later"\nendpoints = ["GET /v1/logs/{logId}"]\n'
TESTED = '''
def test_one():
    """Rows 1, 2: as it should be."""
'''


def made_up(folder: Path, table: str, tests: str, *served: str) -> Inventory:
    """An inventory of files written here."""
    (folder / "table.toml").write_text(table)
    (folder / "deep").mkdir(exist_ok=True)
    (folder / "deep" / "test_a.py").write_text(tests)
    return read_inventory(folder / "table.toml", folder, served)


@pytest.fixture(scope="module")
def spec() -> Path:
    """The folder of the specification: POSTMEAL_SPEC, or ../shared/spec beside the checkout."""
    beside = FOLDER.parents[1] / "shared" / "spec"
    folder = Path(os.environ.get("POSTMEAL_SPEC", beside))
    if not (folder / "acceptance.md").is_file():
        pytest.skip(f"no specification: {folder} has no acceptance.md (set POSTMEAL_SPEC)")
    return folder


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Row 284: a sentence.", [284]),
        ("Rows 271, 272.", [271, 272]),
        ("Rows 453-455, 7–8 and 12: ranges.", [453, 454, 455, 7, 8, 12]),
        ("Rows 12 and 13.", [12, 13]),
        ("Row 293, row 465: the label.", [293, 465]),
        ("Row 429, and 432: no silent answer.", [429, 432]),
        ("Rows 3,\n    4.", [3, 4]),
        ("The header snapshot, and Row 17.", [17]),
        ("Row 477: below 5 ms, in 3 of 4 runs.", [477]),
        ("Row 9, 5 MiB and no more.", [9]),
        ("Rows 246 and D61: units.", [246]),
        ("The row 3 of a file, 12 rows, R5 and S2.", []),
        ("Tomorrow 5, Row 1234, Row x.", []),
    ],
)
def test_rows_are_read_from_the_words_of_a_docstring(text, rows):
    assert rows_in(text) == rows


def test_a_test_is_found_by_the_rows_of_its_docstring(tmp_path):
    (tmp_path / "test_b.py").write_text(
        '"""Row 1."""\n'
        "class TestThing:\n"
        '    async def test_method(self):\n        """Rows 2, 2."""\n'
        'def helper():\n    """Row 3."""\n'
        'def test_without_a_row():\n    # Row 4\n    x = "Row 5"\n'
        '@mark.skip(reason="x")\ndef test_skipped():\n    """Row 6."""\n'
        '@mark.xfail\ndef test_failing():\n    """Row 7."""\n'
        '@pytest.mark.skipif(False, reason="x")\ndef test_sometimes():\n    """Row 8."""\n'
    )
    (tmp_path / "other.py").write_text('def test_x():\n    """Row 9."""\n')
    assert find_tests(tmp_path) == {
        2: ["test_b.py::test_method"],
        8: ["test_b.py::test_sometimes"],
    }


def test_a_complete_inventory_has_no_problem(tmp_path):
    found = made_up(tmp_path, TABLE + OWED, TESTED, "GET /v1/logs", "POST /v1/logs/{id}")
    assert found.problems() == []
    first, second, *tests = found.report()
    assert " ".join(first.split()) == "A a 3 rows 2 tested 1 owed 0 missing"
    assert " ".join(second.split()) == "B b 3 rows 0 tested 0 owed not finished"
    assert [line.split() for line in tests] == [
        ["1", "deep/test_a.py::test_one"],
        ["2", "deep/test_a.py::test_one"],
    ]


def test_a_row_of_a_finished_group_without_a_test_is_a_problem(tmp_path):
    problem = "group A is finished, but no test names row 3"
    found = made_up(tmp_path, TABLE, TESTED)
    assert found.problems() == [problem]
    assert next(found.report()).endswith(" 1 missing")
    partly = TABLE + OWED + "partly = true\n"
    assert made_up(tmp_path, partly, TESTED).problems() == [problem]


@pytest.mark.parametrize("partly", ["", "partly = true\n"])
def test_a_debt_is_due_when_its_endpoint_is_served(tmp_path, partly):
    tests = TESTED.replace("2", "2, 3") if partly else TESTED
    assert made_up(tmp_path, TABLE + OWED + partly, tests).problems() == []
    found = made_up(tmp_path, TABLE + OWED + partly, tests, "GET /v1/logs/{log_id}")
    assert found.problems() == [
        "GET /v1/logs/{logId} is served: test it for row 3, then end the debt"
    ]


def test_a_debt_whose_row_has_a_test_is_a_problem(tmp_path):
    found = made_up(tmp_path, TABLE + OWED, TESTED.replace("2", "2, 3"))
    assert found.problems() == ["row 3 is owed by Later, but has a test: deep/test_a.py::test_one"]


def test_rows_that_no_group_or_no_finished_group_holds_are_a_problem(tmp_path):
    owed = OWED.replace("3", "3, 5")
    found = made_up(tmp_path, TABLE + owed, TESTED.replace("2", "2, 99"))
    assert found.problems() == [
        "no group holds row 99, which deep/test_a.py::test_one names",
        "row 5 is owed, but belongs to no finished group",
    ]


def test_spans_join_neighbours():
    assert spans([7, 1, 3, 2]) == "rows 1–3, 7"
    assert spans([5]) == "row 5"
    assert spans([5, 6]) == "rows 5–6"


def test_the_groups_of_this_project_follow_one_another():
    expected = 1
    for group in inventory().groups:
        assert group.numbers.start == expected
        expected = group.numbers.stop


def test_the_tests_of_this_project_are_found():
    tests = inventory().tests
    assert "test_api_transport.py::test_checks_come_in_one_order" in tests[16]
    too_few = "test_fewer_than_five_days_are_refused_with_their_number"
    assert f"test_api_cgm_history.py::{too_few}" in tests[432]


def test_the_groups_are_those_of_the_table(spec):
    table = (spec / "acceptance.md").read_text(encoding="utf-8")
    parts = re.split(r"^## ([A-Z]{1,2})\. ", table.partition("\n# ")[0], flags=re.MULTILINE)
    expected = {}
    for letter, part in zip(parts[1::2], parts[2::2], strict=True):
        rows = [int(row) for row in re.findall(r"^\| (\d+) \|", part, re.MULTILINE)]
        assert rows == list(range(rows[0], rows[-1] + 1))
        expected[letter] = (rows[0], rows[-1])
    assert {group.letter: group.rows for group in inventory().groups} == expected


def test_every_endpoint_that_a_debt_waits_for_is_in_the_specification(spec):
    known = "".join((spec / f"api-{v}.md").read_text(encoding="utf-8") for v in ("v1.1", "v1.2"))
    for debt in inventory().debts:
        for endpoint in debt.endpoints:
            assert re.search(rf"{re.escape(endpoint)}(?![/\w])", known), endpoint
