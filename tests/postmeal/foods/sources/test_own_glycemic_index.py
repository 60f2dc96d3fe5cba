"""The user's own table of measured glycemic indices."""

import pytest

from postmeal.cli import main
from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.foods.sources.own_glycemic_index import OwnIndices
from postmeal.foods.table import Portion, TableFood

BREAD = TableFood("own", "1", "generic", "", "Rye Breads", (Portion(1, 100, "g", 100),), {}, id=7)
OTHER = TableFood("own", "2", "generic", "", "Oats", (Portion(1, 100, "g", 100),), {}, id=8)


def indices(tmp_path, *lines):
    path = tmp_path / "index.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return OwnIndices(path)


@pytest.mark.parametrize("food", ["7", "rye bread", "RYE BREADS"])
def test_a_row_names_a_food_by_id_or_name(tmp_path, food):
    own = indices(tmp_path, "food,glycemic_index,sd", f"{food},57.5,4")
    bread, other = own.applied([BREAD, OTHER])
    assert (bread.glycemic_index, bread.gi_source, bread.gi_sd) == (57.5, "measured", 4.0)
    assert bread.gi_in_model
    assert other == OTHER
    assert own.unused == set()


def test_a_food_that_is_listed_twice_has_the_mean(tmp_path):
    own = indices(tmp_path, "food;glycemic_index", "rye bread;50", "rye bread;60")
    (bread,) = own.applied([BREAD])
    assert (bread.glycemic_index, bread.gi_sd) == (55.0, None)


def test_foods_that_are_not_in_the_catalog_are_reported(tmp_path):
    own = indices(tmp_path, "food,glycemic_index", "Moon dust,50")
    assert list(own.applied([BREAD])) == [BREAD]
    assert own.unused == {"Moon dust"}


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (("food", "bread"), "missing required columns: glycemic_index"),
        (("food,glycemic_index", "bread,high"), "line 2: glycemic_index must be a number from 0"),
        (("food,glycemic_index", "bread,151"), "from 0 to 150, got '151'"),
        (("food,glycemic_index", ",50"), "line 2: food must not be empty"),
        (("food,glycemic_index,sd", "bread,50,-1"), "sd must be a number from 0 to 75"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(tmp_path, lines, problem):
    with pytest.raises(DataSetError, match=problem):
        indices(tmp_path, *lines)


@pytest.mark.reliability
def test_the_compile_command_uses_the_table(tmp_path, capsys):
    (tmp_path / "own.csv").write_text("name,carbs_g\nMoon bread,50\n", encoding="utf-8")
    (tmp_path / "gi.csv").write_text(
        "food,glycemic_index\nmoon bread,44\n5614,48\nno such food,50\n", encoding="utf-8"
    )
    collection, output = str(tmp_path / "c.collection"), str(tmp_path / "foods.sqlite3")
    main(["foods", "import", str(tmp_path / "own.csv"), "--collection", collection, "--quiet"])
    index = ["--glycemic-index", str(tmp_path / "gi.csv")]
    main(["foods", "compile", "--collection", collection, "--output", output, "--quiet", *index])
    assert "1 of them are not in the catalog, such as no such food" in capsys.readouterr().out
    catalog = Catalog(tmp_path / "foods.sqlite3")
    assert catalog.food(5614).glycemic_index == 48
    assert next(food for food in catalog.search("moon bread")).glycemic_index == 44
