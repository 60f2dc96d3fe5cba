"""Rows that no publisher means: only these rows are left out, and each is reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fdc_folders import download, write
from food_dumps import dump, product
from imported_foods import compiled, packed_foods, take

from postmeal.cli import main
from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.collection import Collection
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.foods.sources.import_file import import_foods


@pytest.mark.sampled
@pytest.mark.parametrize(
    "field",
    [
        "product_name", "brands", "brand_owner", "serving_size", "image_url", "ingredients_text",
        "categories_tags", "labels_tags", "allergens_tags", "code", "quantity",
    ],
)  # fmt: skip
def test_half_a_sign_in_a_dump_is_a_question_mark(tmp_path: Path, field: str):
    text: Any = "4\ud83c \udfff"
    rows = [product(1, **{field: [text] if field.endswith("tags") else text}), product(2)]
    file, notes = dump(tmp_path / "dump.jsonl", rows), tmp_path / "notes.csv"
    words = ["foods", "import", str(file), "--report", str(notes), "--collection"]
    assert main([*words, str(tmp_path / "foods.collection")]) == 0
    foods = packed_foods(tmp_path / "foods.collection").values()
    assert len(foods) == 2 - (field == "code")
    compiled(tmp_path / "foods.collection", (), tmp_path / "foods.sqlite3").close()
    assert notes.read_text(encoding="utf-8").count("4? ?") == (field == "code")


@pytest.mark.parametrize("time", [1e30, 10**25, -1, "9" * 400, "soon"])
def test_a_time_that_cannot_be_is_the_oldest(tmp_path: Path, time: Any):
    collection = tmp_path / "foods.collection"
    take(dump(tmp_path / "one", [product(1, last_modified_t=time)]), collection)
    newer = product(1, last_modified_t=1, product_name="Newer")
    assert take(dump(tmp_path / "two", [newer]), collection).put == (0, 1, 0)


LONG = "9" * 5000


@pytest.mark.parametrize("number", ["9" * 20, LONG, "", "abc", "1_0", "1.5"])
def test_an_fdc_id_that_is_none_costs_its_row_alone(tmp_path: Path, number: str):
    folder = download(
        tmp_path / "download", [(1, "branded_food", "RUSK")], {1: {1005: 50}},
        labels=[[number, "Crumb", "", "", "", 30, "g", "", "Biscuits"],
                [1, "Crumb", "", "", "", 30, "g", "", "Biscuits"]],
    )  # fmt: skip
    with (folder / "food.csv").open("a", encoding="utf-8") as file:
        file.write(f'"{number}","branded_food","SCONE","2"\n')
    with (folder / "food_nutrient.csv").open("a", encoding="utf-8") as file:
        file.write(f'"0","{number}","1005","7",""\n"0","1","{number}","7",""\n')
    taken = take(folder, tmp_path / "foods.collection")
    assert taken.put == (1, 0, 0)
    assert taken.report.count("fdc_id is not a number") == 1
    assert taken.report.count("fdc_id or description is missing") == 1
    assert taken.report.count("not a number") == 2
    (food,) = packed_foods(tmp_path / "foods.collection").values()
    assert food.per_100_g["carbs_g"] == 50


@pytest.mark.parametrize("weight_g", ["inf", "nan", "1e999", "a lot", ""])
@pytest.mark.parametrize("amount", ["1", "0", "-1", "nan", "inf"])
def test_a_portion_that_weighs_no_number_or_is_no_number_of_something_is_left_out(
    tmp_path: Path, weight_g: str, amount: str
):
    portions = [[0, 7, 1, amount, 9999, "", "cup", weight_g if amount == "1" else 20],
                [0, 7, 2, 1, 9999, "", "slice", 30]]  # fmt: skip
    folder = download(
        tmp_path / "download", [(7, "sr_legacy_food", "Bread, rye")], {7: {1005: 50}}, portions,
        sr_legacy_food=(["fdc_id", "NDB_number"], [[7, 1001]]),
    )  # fmt: skip
    taken = take(folder, tmp_path / "foods.collection")
    assert taken.report.count("not a number above zero") == 1
    with Collection(tmp_path / "foods.collection") as collection:
        (food,) = collection.foods("generic")
    assert {portion.unit for portion in food.portions} == {"g", "slice"}


@pytest.mark.parametrize("end", ["\n", ""])
@pytest.mark.parametrize("at", [0, 1, 498, 998])
def test_a_quote_that_nobody_closes_costs_its_row_alone(tmp_path: Path, at: int, end: str):
    """Not all the rows up to the next quote."""
    rows = [f"Bread {number},{number % 90},Crumb" for number in range(1000)]
    rows[at] = f'"{rows[at]}'
    (tmp_path / "own.csv").write_text("name,carbs_g,brand_name\n" + "\n".join(rows) + end)
    taken = take(tmp_path / "own.csv", tmp_path / "foods.collection")
    assert taken.put == (999, 0, 0)
    assert taken.report.skipped == 1
    assert f"(line {at + 2})" in str(taken.report)


@pytest.mark.parametrize("header", ['name,"carbs_g', '"name","carbs_g', 'name,carbs_g"'])
def test_a_quote_that_nobody_closes_in_the_header_takes_no_row_with_it(tmp_path: Path, header: str):
    (tmp_path / "own.csv").write_text(f"{header}\nBread,40\nRice,28\n")
    collection = tmp_path / "foods.collection"
    if header.endswith('"'):
        with pytest.raises(DataSetError, match="unknown column 'carbs_g\"'"):
            take(tmp_path / "own.csv", collection, form="csv")
    else:
        assert take(tmp_path / "own.csv", collection, form="csv").put == (2, 0, 0)


def test_an_import_that_stops_behind_a_quote_that_nobody_closes_goes_on_there(tmp_path: Path):
    """Lines that are read twice are marked where they stand."""
    rows = [f"Bread {number},{number % 90},Crumb" for number in range(9000)]
    rows[1990] = f'"{rows[1990]}'
    (tmp_path / "own.csv").write_text("name,carbs_g,brand_name\n" + "\n".join(rows) + "\n")

    def stop(path: Path, read: int, size: int) -> None:
        raise KeyboardInterrupt

    with Collection(tmp_path / "foods.collection") as collection:
        for line in (2002, 4002, 6002, 8002):
            with pytest.raises(KeyboardInterrupt):
                import_foods(
                    tmp_path / "own.csv", collection, ImportReport("own.csv"), progress=stop
                )
            assert [state.mark.line for state in collection.incomplete()] == [line]
        import_foods(tmp_path / "own.csv", collection, ImportReport("own.csv"))
        assert len(collection) == 8999


def test_a_row_of_several_lines_is_one_row(tmp_path: Path):
    """Labels have line ends in them; also of a row that is left out no line is taken for a row."""
    write(
        tmp_path / "own.csv", ["name", "ingredients"], [["Rye", 'wheat,\n"salt"\n'], ["Rusk", ""]]
    )
    with (tmp_path / "own.csv").open("a") as file:
        file.write('"Toast"\n"Bun","oats\nand\nmilk","7"\n"Scone","flour"\n')
    taken = take(tmp_path / "own.csv", tmp_path / "foods.collection")
    assert taken.put == (3, 0, 0)
    assert taken.report.count("1 columns instead of 2") == 1
    assert taken.report.count("3 columns instead of 2") == 1


def test_lines_that_cannot_be_read_count_against_their_own_file(tmp_path: Path):
    """Ten of twenty thousand rows of amounts are no reason to refuse twenty labels."""
    foods = [(number, "branded_food", f"RUSK {number}") for number in range(1, 21)]
    labels = [[n, "Crumb", "", "", "", 30, "g", "", "Biscuits"] for n, _, _ in foods]
    amounts: dict[int, dict[int, float]] = {number: {1005: 50.0} for number, _, _ in foods}
    folder = download(tmp_path / "download", foods, amounts, labels=labels)
    with (folder / "food_nutrient.csv").open("ab") as file:
        file.write(b'"0","1","1003","5",""\n' * 20_000 + b'"0","1","1003","\xe8",""\n' * 10)
    taken = take(folder, tmp_path / "foods.collection")
    assert taken.put == (20, 0, 0)
    assert taken.report.count("not in UTF-8") == 10


@pytest.mark.reliability
def test_a_file_whose_name_is_no_text_is_imported(tmp_path: Path):
    file = tmp_path / b"caf\xe9.jsonl".decode(errors="surrogateescape")
    file.write_text(json.dumps({"code": "abc"}) + "\n" + product(1) + "\n")
    words = ["foods", "import", str(file), "--report", str(tmp_path / "notes.csv")]
    assert main([*words, "--collection", str(tmp_path / "foods.collection")]) == 0
    assert "the code is not a number" in (tmp_path / "notes.csv").read_text(encoding="utf-8")
