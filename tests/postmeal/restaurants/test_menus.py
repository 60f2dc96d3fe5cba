"""Menus: the foods of the chains in the shipped catalog, and imported menus."""

import pytest

from postmeal.errors import DataSetError, UnknownFood
from postmeal.foods.id_ranges import FIRST_MENU_ID, LAST_IMPORTED_ID, LAST_MENU_ID
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.restaurants import Place, Places
from postmeal.restaurants.chains import chains
from postmeal.restaurants.compile import compile_places, dish_ids
from postmeal.restaurants.menus import ChainMenus
from postmeal.restaurants.sources.menu_table import read_menu_table

RESTAURANTS = {"Fast Foods", "Restaurant Foods"}
SUPERMARKET = {"Digiorno", "Kashi", "Big Daddy's LS", "Tony's Smartpizza", "Tony's",
               "Morningstar Farms"}  # fmt: skip


@pytest.fixture(scope="module")
def menus(catalog):
    return ChainMenus(catalog)


def test_all_249_items_of_20_chains_are_on_a_menu(menus, foods):
    published = {
        food.id
        for food in foods
        if food.category in RESTAURANTS and food.brand_name and food.brand_name not in SUPERMARKET
    }
    on_menus = {food.id for _, food in menus.all}
    assert len(published) == len(menus.all) == 249
    assert on_menus == published
    assert len({chain for chain, _ in menus.all}) == 20


def test_no_menu_has_a_supermarket_brand_or_a_food_without_a_brand(menus):
    for chain, food in menus.all:
        assert food.brand_name == chains()[chain].brand_name
        assert food.category in RESTAURANTS
    assert not SUPERMARKET & {food.brand_name for _, food in menus.all}


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def read(path):
    report = ImportReport(path.name)
    return list(read_menu_table(path, report)), report


HEADER = "restaurant,place_id,name,serving_g,energy_kcal,carbs_g,fiber_g,sugars_g,sodium_mg\n"


@pytest.fixture
def cafe(tmp_path):
    """Two cafés of one name, one of them with a menu of its own, and a chain's place."""
    table = write(
        tmp_path / "menu.csv",
        HEADER
        + "Corner Cafe,,Lentil soup,300,210,30,8,4,700\n"
        + "Corner Café,,Apple pie,,,45,,30,\n"
        + "Corner Cafe,p-2,Special of the day,,500,,,,\n"
        + "McDonalds,,Veggie Burger Deluxe,,450,50,,,\n",
    )
    dishes, report = read(table)
    assert (report.taken, report.skipped) == (4, 0)
    places = [
        Place("p-1", "Corner Café", 60.0, 25.0),
        Place("p-2", "Corner Café", 60.001, 25.0),
        Place("p-3", "McDonald's", 60.002, 25.0, chain="McDonald's"),
        Place("p-4", "KFC", 60.003, 25.0, chain="KFC"),
    ]
    file = tmp_path / "cafe.places"
    compile_places(places, file, dishes)
    return Places.open(file)


def test_an_imported_menu_belongs_to_all_places_of_the_name_or_to_one_place(cafe, catalog):
    assert [food.name for food in cafe.menu("p-1", catalog)] == ["Apple pie", "Lentil soup"]
    assert [food.name for food in cafe.menu("p-2", catalog)] == ["Special of the day"]
    assert [food.name for food in cafe.menu("p-2", catalog, offset=1)] == []


def test_an_imported_menu_replaces_the_foods_of_the_chain(cafe, catalog):
    assert [food.name for food in cafe.menu("p-3", catalog)] == ["Veggie Burger Deluxe"]
    assert len(cafe.menu("p-4", catalog)) == 22
    assert [each.food.name for each in cafe.dishes("burger", 60.0, 25.0, catalog=catalog)] == [
        "Veggie Burger Deluxe"
    ]


def test_imported_items_are_foods_with_their_own_ids_and_unknown_stays_unknown(cafe, catalog):
    pie, soup = cafe.menu("p-1", catalog)
    assert cafe.food(pie.id) == pie
    assert all(FIRST_MENU_ID <= food.id <= LAST_MENU_ID for food in (pie, soup))
    assert FIRST_MENU_ID > LAST_IMPORTED_ID
    assert "energy_kcal" not in pie.nutrients
    assert (pie.default_serving.quantity, pie.default_serving.unit) == (1, "item")
    assert pie.default_serving.weight_g is None
    assert soup.nutrients["carbs_g"] == 30
    assert soup.serving(1).scaling_factor == pytest.approx(1 / 3)
    with pytest.raises(UnknownFood):
        cafe.food(FIRST_MENU_ID)


def test_dishes_of_imported_menus_are_found_with_those_of_chains(cafe, catalog):
    found = cafe.dishes("soup", 60.0, 25.0, catalog=catalog)
    assert [(each.food.name, each.place.id) for each in found] == [("Lentil soup", "p-1")]
    assert cafe.dishes("corner cafe", 60.0, 25.0, catalog=catalog)[0].place.id == "p-1"
    assert cafe.dishes("original chicken", 60.0, 25.0, catalog=catalog)[0].place.id == "p-4"


def test_ids_of_menu_items_do_not_depend_on_the_other_items():
    some = dish_ids(["name:a/soup", "name:b/pie"])
    more = dish_ids([f"name:{number}/stew" for number in range(2_000)] + list(some))
    assert some.items() <= more.items()
    assert len(set(more.values())) == 2_002


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("Cafe,,,,,,,,", "column name must not be empty"),
        (",,Soup,,,,,,", "column restaurant must not be empty"),
        ("Cafe,,Soup,0,,,,,", "column serving_g must be above 0"),
        ("Cafe,,Soup,-5,,,,,", "column serving_g must be a number"),
        ("Cafe,,Soup,abc,,,,,", "column serving_g must be a number"),
        ("Cafe,,Soup", "3 columns instead of 9"),
    ],
)
def test_a_bad_menu_row_is_skipped_and_the_others_are_imported(tmp_path, row, problem):
    table = write(tmp_path / "menu.csv", f"{HEADER}{row}\nCafe,,Stew,,,,,,\n")
    dishes, report = read(table)
    assert [dish.food.name for dish in dishes] == ["Stew"]
    assert (report.taken, report.skipped) == (1, 1)
    assert problem in str(report)


@pytest.mark.parametrize(
    ("row", "unknown"),
    [
        ("Cafe,,Soup,100,-5,10,,,", "energy_kcal"),
        ("Cafe,,Soup,100,1e999,10,,,", "energy_kcal"),
        ("Cafe,,Soup,100,2000,10,,,", "energy_kcal"),
        ("Cafe,,Soup,100,200,nan,,,", "carbs_g"),
        ("Cafe,,Soup,100,200,10,,50,", "sugars_g"),
        ("Cafe,,Soup,,90000,10,,,", "energy_kcal"),
        ("Cafe,,Soup,,200,10,,900,", "sugars_g"),
    ],
)
def test_an_impossible_amount_is_unknown(tmp_path, row, unknown):
    dishes, report = read(write(tmp_path / "menu.csv", f"{HEADER}{row}\n"))
    assert unknown not in dishes[0].food.nutrients
    assert (report.taken, report.doubtful) == (1, 1)


def test_an_item_that_is_given_twice_counts_once(tmp_path):
    row = "Cafe,,Soup,,,,,,\n"
    dishes, report = read(write(tmp_path / "menu.csv", HEADER + row + row.replace("S", "s")))
    assert len(dishes) == report.taken == report.skipped == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name,carbs_g\nSoup,1\n", "missing required columns: restaurant"),
        ("restaurant,name,calories\na,b,1\n", "unknown column 'calories'"),
        ("restaurant,name,name\na,b,1\n", "duplicate columns: name"),
        ("", "it is empty"),
    ],
)
def test_a_table_with_other_columns_is_refused(tmp_path, text, problem):
    with pytest.raises(DataSetError, match=problem):
        read(write(tmp_path / "menu.csv", text))
