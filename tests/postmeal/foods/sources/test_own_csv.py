"""Foods of one's own: every column, every mistake by line and column, every way to part columns."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import get_args

import pytest
from imported_foods import compiled, packed_foods, take

from postmeal.cli import main
from postmeal.cli.foods_import import FORMATS
from postmeal.errors import DataSetError
from postmeal.foods.nutrients import NUTRIENTS
from postmeal.foods.sources.import_file import Format
from postmeal.foods.sources.own_csv import OWN_COLUMNS
from postmeal.foods.table import TableFood

ROOT = Path(__file__).parents[4]
FULL = {
    "name": "Protein porridge", "kind": "recipe", "category": "Breakfast", "brand_name": "Canteen",
    "also_called": "gym oats;porridge deluxe", "barcode": "049000006346", "key": "P-7",
    "ingredients": "oats, whey", "contains": "milk; gluten", "traces": "nuts", "labels": "organic",
    "image_url": "https://images.example/p.jpg", "serving_quantity": "1.5", "serving_unit": "bowl",
    "serving_g": "330", "popularity": "40", "glycemic_index": "55",
} | dict.fromkeys(NUTRIENTS, "2")  # fmt: skip


def table(path: Path, *rows: dict[str, str], delimiter: str = ",") -> Path:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_every_column_comes_to_the_catalogue(tmp_path: Path):
    collection = tmp_path / "foods.collection"
    assert set(FULL) == set(OWN_COLUMNS)
    take(table(tmp_path / "own.csv", FULL), collection)
    catalog = compiled(collection, (), tmp_path / "foods.sqlite3")
    food = catalog.barcode("04963406")
    assert (food.name, food.kind, food.category, food.brand_name) == (
        "Protein porridge", "recipe", "Breakfast", "Canteen"
    )  # fmt: skip
    assert food is catalog.everyday("gym oats")
    serving = food.default_serving
    assert (serving.quantity, serving.unit, serving.weight_g) == (1.5, "bowl", 330)
    assert {key: food.nutrients[key] for key in NUTRIENTS} == pytest.approx(
        dict.fromkeys(NUTRIENTS, 2 * 3.3)
    )
    assert (food.glycemic_index, food.gi_source) == (55, "measured")
    assert food.image_url == "https://images.example/p.jpg"
    assert food.diets["dairy"] == food.diets["gluten"] == "contains"
    catalog.close()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_columns_may_be_parted_by_commas_semicolons_or_tabs(tmp_path: Path, delimiter: str):
    rows = [{"name": "Bread, rye; dark", "carbs_g": "45"}, {"name": "Soup", "carbs_g": "4.5"}]
    file = table(tmp_path / "own.csv", *rows, delimiter=delimiter)
    file.write_bytes(file.read_bytes().rstrip())  # spreadsheets may leave out the last line end
    found = take(file, tmp_path / "foods.collection")
    assert found.put.new == 2


def test_a_food_is_known_again_by_its_key_barcode_or_name(tmp_path: Path):
    collection = tmp_path / "foods.collection"
    rows = [
        {"name": "A", "key": "1", "brand_name": "B", "barcode": ""},
        {"name": "C", "key": "", "brand_name": "B", "barcode": "20990688"},
        {"name": "D", "key": "", "brand_name": "B", "barcode": ""},
    ]
    take(table(tmp_path / "one.csv", *rows), collection)
    before = {food.key: food.id for food in packed_foods(collection).values()}
    assert set(before) == {"1", "00000020990688", "b: d"}
    renamed = [rows[0] | {"name": "AA"}, rows[1] | {"name": "CC"}, rows[2] | {"name": "d"}]
    assert take(table(tmp_path / "two.csv", *renamed), collection).put == (0, 3, 0)
    assert {food.key: food.id for food in packed_foods(collection).values()} == before


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("name", "", "column name must not be empty"),
        ("kind", "dish", "column kind must be one of: generic, branded, recipe"),
        ("barcode", "049000006347",
         "column barcode must be a barcode of 8 to 14 digits with a valid check digit"),
        ("carbs_g", "many", "column carbs_g must be a number from 0 to 100"),
        ("carbs_g", "4,5", "column carbs_g must be a number from 0 to 100"),
        ("carbs_g", "-1", "column carbs_g must be a number from 0 to 100"),
        ("carbs_g", "nan", "column carbs_g must be a number from 0 to 100"),
        ("energy_kcal", "4000", "column energy_kcal must be a number from 0 to 930"),
        ("sodium_mg", "1e9", "column sodium_mg must be a number from 0 to 100,000"),
        ("serving_g", "0", "column serving_g must be a number above 0 and at most 10,000"),
        ("serving_g", "", "column serving_g is required if serving_quantity is given"),
        ("glycemic_index", "900", "column glycemic_index must be a number from 0 to 150"),
    ],
)  # fmt: skip
def test_a_bad_row_is_refused_by_line_and_column(
    tmp_path: Path, column: str, value: str, problem: str
):
    good = {"name": "Soup", "kind": "recipe", "barcode": "", "serving_quantity": "1",
            "serving_g": "250", "carbs_g": "4", "energy_kcal": "40", "sodium_mg": "1",
            "glycemic_index": ""}  # fmt: skip
    file = table(tmp_path / "own.csv", good, good | {column: value}, good | {"name": "Stew"})
    taken = take(file, tmp_path / "foods.collection")
    assert taken.put.new == 2
    assert f"skipped, {problem}: 1 (line 3" in str(taken.report)


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        (
            "name,carbs",
            r"line 1: unknown column 'carbs'; supported columns: name, kind, .*caffeine_mg",
        ),
        ("name,name", "line 1: duplicate columns: name"),
    ],
)
def test_a_header_that_is_none_is_refused(tmp_path: Path, header: str, problem: str):
    (tmp_path / "own.csv").write_text(f"{header}\na,1\n", encoding="utf-8")
    with pytest.raises(DataSetError, match=problem):
        take(tmp_path / "own.csv", tmp_path / "foods.collection")


def test_the_columns_are_those_that_the_documentation_lists():
    text = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Your own foods")[2].partition("\n## ")[0]
    listed = re.findall(r"`([a-z_]+)`", section.partition("| ---")[2] or section)
    assert set(OWN_COLUMNS) - set(NUTRIENTS) <= set(listed)


@pytest.mark.reliability
def test_the_commands_import_compile_search_show_and_scan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], foods: list[TableFood]
):
    """A day's work with one file of one's own."""
    file = table(tmp_path / "own.csv", FULL | {"kind": "branded"})
    collection, catalogue = str(tmp_path / "foods.collection"), str(tmp_path / "foods.sqlite3")
    imports = ["foods", "import", str(file), "--collection", collection]
    compiles = ["foods", "compile", "--collection", collection, "--output", catalogue]

    def told(*words: str, status: int = 0) -> str:
        assert main(words) == status
        out, err = capsys.readouterr()
        return out if status == 0 else err

    assert "does not exist; create it with `postmeal foods import`" in told(*compiles, status=2)
    assert "1 new, 0 changed, 0 unchanged" in told(*imports)
    assert "already imported and unchanged" in told(*imports)
    assert f"{len(foods) + 1:,} foods" in told(*compiles)
    asked = ["--catalog", catalogue]
    assert "100000000 branded  Protein porridge (Canteen)" in told(
        "foods", "search", "protein", "porridge", *asked
    )
    assert "1.5 bowl (330 g) (default)" in told("foods", "show", "100000000", *asked)
    assert "barcode 049000006346" in told("foods", "barcode", "04963406", *asked)
    assert '"barcode": "049000006346"' in told("foods", "barcode", "04963406", "--json", *asked)
    assert "no food has the barcode" in told("foods", "barcode", "20990688", *asked, status=2)
    assert "must be 6 to 14 digits" in told("foods", "barcode", "12", *asked, status=2)
    wrong = ["foods", "compile", "--collection", collection, "--output", collection]
    assert "is the collection; choose another file" in told(*wrong, status=2)
    assert "does not exist" in told("foods", "show", "1", "--catalog", "gone", status=2)


@pytest.mark.reliability
def test_one_bad_file_of_several_is_told_and_the_others_are_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "bad").write_text("what is this\n", encoding="utf-8")
    good = table(tmp_path / "own.csv", FULL)
    words = ["foods", "import", str(tmp_path / "bad"), str(tmp_path), str(good)]
    assert main([*words, "--collection", str(tmp_path / "foods.collection")]) == 2
    out, err = capsys.readouterr()
    assert "is not in a supported format; supported formats: fdc, off-csv, off-jsonl, csv" in err
    assert "is not a download of FoodData Central" in err
    assert "1 new" in out


def test_the_formats_of_the_command_are_those_of_the_library():
    assert ("auto", *get_args(Format)) == FORMATS


@pytest.mark.parametrize(("column", "said", "answer"), [
    ("contains", "milk, eggs", None), ("traces", "tree nuts", None),
    ("contains", "milk chocolate", "column contains must contain only"),
])  # fmt: skip
def test_an_allergen_that_is_not_understood_is_refused_and_never_passed_over(
    tmp_path: Path, column: str, said: str, answer: str | None, capsys: pytest.CaptureFixture[str]
):
    own = table(tmp_path / "own.csv", {"name": "Bar", column: said})
    assert main(["foods", "import", str(own), "--collection", str(tmp_path / "c")]) == (
        2 if answer else 0
    )
    assert (answer or "") in capsys.readouterr().err


@pytest.mark.reliability
def test_nothing_but_a_catalogue_is_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    own, collection = table(tmp_path / "own.csv", FULL), tmp_path / "foods.collection"
    before = own.read_bytes()
    imports = ["foods", "import", str(own), "--collection", str(collection)]
    assert main([*imports, "--report", str(own)]) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert main([*imports, "--report", str(collection)]) == 2
    assert main([*imports, "--report", str(tmp_path / "report.csv")]) == 0
    compiles = ["foods", "compile", "--collection", str(collection), "--output"]
    for output, problem in (
        (own, "exists and is not a postmeal catalog"),
        (tmp_path, "is not a file"),
    ):
        capsys.readouterr()
        assert main([*compiles, str(output)]) == 2
        assert problem in capsys.readouterr().err
    assert own.read_bytes() == before


def test_an_error_of_the_database_names_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    own, collection = table(tmp_path / "own.csv", FULL), tmp_path / "foods.collection"
    imports = ["foods", "import", str(own), "--collection", str(collection)]
    assert main(imports) == 0
    content = collection.read_bytes()
    collection.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    capsys.readouterr()
    compiles = ["foods", "compile", "--collection", str(collection), "--output"]
    for words in (imports, [*compiles, str(tmp_path / "foods.sqlite3")]):
        assert main(words) == 2
        assert "foods.collection" in capsys.readouterr().err
    assert not (tmp_path / "foods.sqlite3").exists()
