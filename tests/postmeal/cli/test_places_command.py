"""``postmeal places``: import restaurants and list those near a point."""

import json
import subprocess
import sys

import pytest

from postmeal.cli import main

TABLE = "id,name,latitude,longitude,city\na-1,McDonald's,60.17,24.94,Espoo\na-2,,60.17,24.94,\n"
MENU = "restaurant,name,carbs_g\nMcDonald's,Berry pie,45\n"


@pytest.fixture
def places(tmp_path, capsys):
    (tmp_path / "places.csv").write_text(TABLE, encoding="utf-8")
    output = str(tmp_path / "places.bin")
    report = tmp_path / "report.csv"
    words = ["places", "import", str(tmp_path / "places.csv"), "--output", output]
    assert main([*words, "--report", str(report)]) == 0
    assert "1 rows imported, 1 skipped" in capsys.readouterr().out
    assert report.read_text() == "places.csv,3,skipped,name must not be empty,\n"
    return output


def test_imported_places_are_listed_with_meters_and_the_items_they_carry(places, capsys):
    assert main(["places", "near", "60.17", "24.95", "mc donalds", "--places", places]) == 0
    line = capsys.readouterr().out
    assert line.startswith("   553 m  McDonald's, Espoo (a-1): Bacon Egg & Cheese Biscuit")
    assert line.endswith("and 61 more\n")


def test_json_has_the_same_places_and_every_item(places, capsys):
    assert main(["places", "near", "60.17", "24.94", "--places", places, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["place_id"], row["distance_m"], len(row["menu_items"])) == ("a-1", 0, 64)


def test_a_dish_of_an_imported_menu_is_found(tmp_path, places, capsys):
    menu = tmp_path / "menu.csv"
    menu.write_text(MENU, encoding="utf-8")
    table = str(tmp_path / "places.csv")
    assert main(["places", "import", table, "--menu", str(menu), "--output", places]) == 0
    assert "1 places, 1 of them in chains, 1 menu items" in capsys.readouterr().out
    assert main(["places", "near", "60.17", "24.94", "pie", "--dish", "--places", places]) == 0
    assert capsys.readouterr().out.startswith("     0 m  Berry pie at McDonald's (food 8")


def test_nothing_near_is_said_and_invalid_coordinates_are_refused(capsys):
    assert main(["places", "near", "0", "0", "mcdonalds"]) == 0
    assert capsys.readouterr().out == (
        "nothing matches 'mcdonalds' within 8000 m; try a larger --radius\n"
    )
    assert main(["places", "near", "90.0001", "0"]) == 2
    assert capsys.readouterr().err.startswith("postmeal: latitude must be -90 to 90 degrees")


def test_the_report_overwrites_no_other_file(places, capsys):
    table = places.replace("places.bin", "places.csv")
    words = ["places", "import", table, "--output", places, "--report", table]
    assert main(words) == 2
    assert "would overwrite" in capsys.readouterr().err


def test_osmium_is_imported_only_for_an_extract():
    code = "import sys, postmeal.cli, postmeal.restaurants; print('osmium' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
