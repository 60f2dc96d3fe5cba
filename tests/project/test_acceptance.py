"""The acceptance report counts rows correctly and fails on each kind of problem."""

import os
import re
from pathlib import Path

import pytest
from acceptance import FOLDER, Inventory, inventory, read_inventory, read_titles
from acceptance_outcomes import Outcome
from acceptance_page import PAGE, page
from acceptance_rows import decisions_in, rows_in, rows_of, spans

TABLE = """
groups = [
  {letter = "A", title = "a", rows = [1, 3], finished = true},
  {letter = "B", title = "b", rows = [4, 6], finished = false},
]
"""
OWED = '[[owed]]\nrows = [3]\nby = "Later"\nendpoints = ["GET /v1/logs/{logId}"]\n'
TITLES = {1: "first", 2: "second", 3: "third", 4: "fourth"}
MISSING = {"node": "node", "data": "the data"}


def ran(*rows: int, test: str = "test_a.py::test_one", result: str = "passed", **its) -> Outcome:
    return Outcome(test, rows, result, **its)


def skipped(*rows: int, by: str, test: str = "test_a.py::test_one") -> Outcome:
    return Outcome(test, rows, "skipped", (by,))


@pytest.fixture
def made_up(tmp_path):
    """A function that makes an inventory from a table in this file."""

    def make(table: str, *outcomes: Outcome, served: tuple[str, ...] = ()) -> Inventory:
        (tmp_path / "table.toml").write_text(table)
        return read_inventory(tmp_path / "table.toml", outcomes, served, TITLES, MISSING)

    return make


@pytest.fixture(scope="module")
def spec() -> Path:
    """The folder of the specification: POSTMEAL_SPEC, or ../shared/spec beside the checkout."""
    beside = FOLDER.parents[2] / "shared" / "spec"
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
        ("S6, rows 258, 261 and 381: at the socket.", [258, 261, 381]),
        ("R13: a leap day; row 65.", [65]),
        ("R21, ROW 484.", [484]),
        ("The row 3 of a file, row 12 of it, 12 rows, R5 and S2.", []),
        ("Tomorrow 5, Row 1234, Row x.", []),
    ],
)
def test_rows_are_read_from_the_words_of_a_docstring(text, rows):
    assert rows_in(text) == rows


def test_decisions_are_read_from_the_words_of_a_docstring():
    assert decisions_in("Row 286, D73 and X14: D73 again; R12, HD79x are none.") == [
        "D73",
        "X14",
    ]


def test_a_decision_without_a_test_that_passed_is_a_problem(made_up):
    table = TABLE + OWED + '[decisions]\nD7 = "first"\nX4 = "second"\n'
    found = made_up(table, ran(1, 2, decisions=("D7", "D8")))
    assert found.problems() == ["no test of X4 has passed"]
    assert found.undecided_decisions() == ["X4"]
    lines = [" ".join(line.split()) for line in found.report()]
    assert "D7 tested first test_a.py::test_one" in lines
    assert "X4 untested second" in lines
    other = ran(test="test_b.py::test_two", decisions=("X4",), result="failed")
    found = made_up(table, ran(1, 2, decisions=("D7",)), other)
    assert found.problems() == ["X4 has a test that failed: test_b.py::test_two"]


def test_rows_of_a_list_are_read_as_spans_are_written():
    assert rows_of("1-3,7") == rows_of(spans([1, 2, 3, 7])) == [1, 2, 3, 7]


def test_a_complete_inventory_has_no_problem(made_up):
    found = made_up(TABLE + OWED, ran(1, 2), served=("GET /v1/logs", "POST /v1/logs/{id}"))
    assert found.problems() == []
    assert found.undecided() == []
    assert [" ".join(line.split()) for line in found.report()] == [
        "A a 3 rows 1 owed 2 tested",
        "B b 3 rows 3 later",
        "1 tested first test_a.py::test_one",
        "2 tested second test_a.py::test_one",
        "3 owed third",
        "4 later fourth",
        "5 later",
        "6 later",
    ]


def test_a_row_of_a_finished_group_without_a_test_is_a_problem(made_up):
    problem = "group A is finished, but no test of row 3 has passed"
    found = made_up(TABLE, ran(1, 2))
    assert found.problems() == [problem]
    assert found.undecided() == [3]
    assert next(found.report()).endswith("2 tested    1 untested")
    assert made_up(TABLE + OWED + "partly = true\n", ran(1, 2)).problems() == [problem]


def test_a_row_that_is_tested_in_part_says_who_owes_the_rest(made_up):
    found = made_up(TABLE + OWED + "partly = true\n", ran(1, 2, 3))
    assert found.state(3) == "tested"
    assert list(found.report())[-1] == "further cases of row 3 are owed by Later"


def test_one_failure_fails_a_row_whatever_else_passed(made_up):
    other = ran(2, test="test_b.py::test_two[x]", result="failed")
    found = made_up(TABLE + OWED, ran(1, 2), other)
    assert found.problems() == ["row 2 has a test that failed: test_b.py::test_two[x]"]
    assert (found.state(1), found.state(2)) == ("tested", "failed")
    assert found.undecided() == []


def test_a_row_whose_tests_were_skipped_for_want_of_something_was_not_run_here(made_up):
    found = made_up(TABLE + OWED, ran(1), skipped(2, by="node"))
    assert found.problems() == []
    assert found.state(2) == "not run here"
    assert list(found.report())[-1] == "not run here: row 2 needs node"


@pytest.mark.parametrize("by", [("curl",), ()])
def test_a_row_whose_tests_were_skipped_for_another_reason_is_not_tested(made_up, by):
    found = made_up(TABLE + OWED, ran(1), ran(2, result="skipped", covered_by=by))
    assert found.undecided() == [2]
    assert found.problems() == ["group A is finished, but no test of row 2 has passed"]


def test_a_case_that_ran_is_enough_beside_one_that_could_not(made_up):
    cases = [ran(1, 2, test="t::f[sqlite]"), skipped(1, 2, by="data", test="t::f[postgresql]")]
    found = made_up(TABLE + OWED, *cases)
    assert found.problems() == []
    assert found.state(1) == "tested"
    assert list(found.report())[2].split()[-1] == "t::f"


@pytest.mark.parametrize("partly", ["", "partly = true\n"])
def test_a_debt_is_due_when_its_endpoint_is_served(made_up, partly):
    tests = ran(1, 2, 3) if partly else ran(1, 2)
    assert made_up(TABLE + OWED + partly, tests).problems() == []
    found = made_up(TABLE + OWED + partly, tests, served=("GET /v1/logs/{log_id}",))
    assert found.problems() == [
        "GET /v1/logs/{logId} is served: test it for row 3, then end the debt"
    ]


def test_a_debt_whose_row_has_a_test_is_a_problem(made_up):
    found = made_up(TABLE + OWED, ran(1, 2, 3))
    assert found.problems() == ["row 3 is owed by Later, but has a test: test_a.py::test_one"]


def test_rows_that_no_group_or_no_finished_group_holds_are_a_problem(made_up):
    found = made_up(TABLE + OWED.replace("3", "3, 5"), ran(1, 2, 99))
    assert found.problems() == [
        "no group holds row 99, which test_a.py::test_one names",
        "row 5 is owed, but belongs to no finished group",
    ]


def test_every_row_has_a_short_title_of_its_own():
    titles = read_titles()
    assert list(titles) == list(range(1, 485))
    assert len(set(titles.values())) == 484
    assert {len(title.split()) for title in titles.values()} <= set(range(3, 9))


def test_the_page_of_the_rows_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run tests/support/acceptance_page.py"


def test_spans_join_neighbours():
    assert spans([7, 1, 3, 2]) == "rows 1–3, 7"
    assert spans([5]) == "row 5"
    assert spans([5, 6]) == "rows 5–6"


def test_the_groups_of_this_project_follow_one_another():
    expected = 1
    for group in inventory().groups:
        assert group.numbers.start == expected
        expected = group.numbers.stop


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
