"""Places near a point, their menus, and dishes: the demo places."""

import math

import pytest

from postmeal.errors import InputError, UnknownFood
from postmeal.restaurants import Places

HARBOR = (45.0, -40.0)
MEADOWS = (-30.0, 90.0)
DATE_LINE = (10.0, 180.0)


@pytest.fixture(scope="module")
def demo():
    return Places.open()


def names(found):
    return [each.place.name for each in found]


def test_there_are_40_demo_places_in_three_towns_and_their_names_say_that_they_are_made_up(demo):
    found = demo.near("", limit=100)
    assert len(found) == len(demo) == 40
    assert len({each.place.city for each in found}) == 3
    made_up = ("Demo", "Made-Up", "Imaginary", "Nowhere", "Pretend", "Invented", "Fiction",
               "Unreal", "Nonexistent", "Fantasy")  # fmt: skip
    assert all(any(word in each.place.name for word in made_up) for each in found)
    assert all(each.place.city.startswith("Demo") for each in found)


def test_places_are_ordered_by_distance_and_none_is_beyond_the_radius(demo):
    found = demo.near("", *HARBOR, radius_m=1_000, limit=100)
    distances = [each.distance_m for each in found]
    assert distances == sorted(distances)
    assert 5 < len(found) < 16
    assert max(distances) <= 1_000 < demo.near("", *HARBOR, 8_000, 100)[-1].distance_m


def test_a_search_across_the_antimeridian_finds_both_sides(demo):
    found = names(demo.near("mcdonalds", *DATE_LINE, 1_000))
    assert found == ["Demo Sunset McDonald's", "Demo Sunrise McDonald's"]
    for longitude in (180.0, -180.0, 179.999, -179.999):
        assert len(demo.near("mcdonalds", 10.0, longitude, 1_000)) == 2


@pytest.mark.parametrize("point", [(90.0, 0.0), (-90.0, 180.0), (90, -180)])
def test_at_the_poles_nothing_is_near(demo, point):
    assert demo.near("", *point, radius_m=50_000) == []


def test_without_coordinates_places_are_found_by_name_alone_and_have_no_distance(demo):
    found = demo.near("mcdonalds", limit=100)
    assert len(found) == 5
    assert all(each.distance_m is None and each.place.chain == "McDonald's" for each in found)
    assert names(found) == sorted(names(found))
    assert names(demo.near("", limit=2)) == ["Café Nowhere", "Demo Airport Popeyes"]


def test_a_dish_is_no_restaurant(demo):
    assert demo.near("big mac", *HARBOR) == []
    assert demo.near("cheeseburger", *HARBOR) == []
    assert demo.near("burger", *MEADOWS) == []


def test_only_places_of_chains_are_chains(demo):
    chains = {each.place.name: each.place.is_chain for each in demo.near("", *HARBOR, 8_000, 50)}
    assert chains["Demo Street McDonald's"]
    assert not chains["Café Nowhere"]


def test_a_menu_is_ordered_by_name_and_pages_have_no_gaps(demo, catalog):
    whole = demo.menu("demo-01", catalog)
    assert len(whole) == 64
    assert [food.name for food in whole] == sorted(food.name for food in whole)
    pages = [demo.menu("demo-01", catalog, 10, offset) for offset in range(0, 70, 10)]
    assert [food for page in pages for food in page] == whole
    assert demo.menu("demo-01", catalog, offset=64) == []
    assert all(catalog.food(food.id) is food or catalog.food(food.id) == food for food in whole)


@pytest.mark.parametrize("place_id", ["demo-13", "unknown", "", "a" * 65, "\0", "💥"])
def test_an_unknown_place_and_one_without_a_menu_have_an_empty_menu(demo, catalog, place_id):
    assert demo.menu(place_id, catalog) == []


def test_a_place_is_found_by_its_id(demo):
    place = demo.place("demo-01")
    assert (place.name, place.city, place.address1) == (
        "Demo Street McDonald's", "Demo Harbor", "1 Demo Street",
    )  # fmt: skip
    assert demo.place("demo-99") is None
    with pytest.raises(UnknownFood):
        demo.food(8_000_000_001)


def test_dishes_come_from_the_nearest_place_first(demo, catalog):
    found = demo.dishes("french fries", *HARBOR, 8_000, 100, catalog)
    distances = [each.distance_m for each in found]
    assert len(found) == 5
    assert distances == sorted(distances)
    assert all("french fries" in each.food.name.casefold() for each in found)
    assert all(each.food in demo.menu(each.place.id, catalog) for each in found)
    assert demo.dishes("french fries", *HARBOR, 8_000, 3, catalog) == found[:3]


def test_the_name_of_a_restaurant_finds_all_of_its_dishes(demo, catalog):
    found = demo.dishes("McDonald's", *HARBOR, 8_000, 100, catalog)
    assert [each.food for each in found[:64]] == demo.menu("demo-01", catalog)


@pytest.mark.parametrize("query", ["burger", "chese burger", "cheese burger", "CHEESEBURGER"])
def test_a_compound_word_is_found_by_its_end_and_by_its_parts(demo, catalog, query):
    found = demo.dishes(query, *HARBOR, 8_000, 10, catalog)
    assert found[0].food.name == "Cheeseburger"


@pytest.mark.parametrize("query", ["", "   ", "zzzzqqq", "!!!", "\0", "💥" * 300])
def test_a_query_that_is_no_dish_finds_none(demo, catalog, query):
    assert demo.dishes(query, *HARBOR, 8_000, 10, catalog) == []


@pytest.mark.parametrize("degrees", [math.nan, math.inf, -math.inf, 1e308, 90.0001, True, "x"])
def test_an_invalid_coordinate_is_refused_by_name(demo, degrees):
    with pytest.raises(InputError, match=r"^latitude must be"):
        demo.near("", degrees, 0.0)


def test_a_longitude_beyond_180_and_a_single_coordinate_are_refused(demo):
    with pytest.raises(InputError, match=r"^longitude must be -180 to 180 degrees, got 180.0001"):
        demo.near("", 0.0, 180.0001)
    with pytest.raises(InputError, match=r"^longitude is required"):
        demo.near("", 0.0)
    with pytest.raises(InputError, match=r"^latitude is required"):
        demo.near("", longitude=0.0)


@pytest.mark.parametrize(
    ("option", "value"), [("radius_m", 0.0), ("radius_m", math.nan), ("limit", 0)]
)
def test_a_radius_and_a_limit_must_be_positive(demo, option, value):
    with pytest.raises(InputError, match=option):
        demo.near("", *HARBOR, **{option: value})


@pytest.mark.parametrize("query", ["a" * 5_000, "mcdonalds " * 500, "\ud800", "' OR 1=1 --", "%_*"])
def test_strange_queries_do_not_fail(demo, query):
    assert isinstance(demo.near(query, *HARBOR), list)
