"""Misspelled, shortened and reordered names of places."""

import csv
from collections import Counter

import pytest
from draw_place_names import FILE, PLACES

from postmeal.restaurants import Place, Places
from postmeal.restaurants.chains import chain_of, chains
from postmeal.restaurants.compile import compile_places


@pytest.fixture(scope="module")
def street(tmp_path_factory):
    """All places of the test set in one street."""
    file = tmp_path_factory.mktemp("names") / "street.places"

    def places():
        for number, name in enumerate(PLACES):
            chain = chain_of(name)
            yield Place(
                f"p-{number}", name, 60 + number * 1e-4, 25.0, chain=chain.name if chain else None
            )

    compile_places(places(), file)
    return Places.open(file)


def rows():
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_at_least_97_of_100_misspelled_names_find_the_place_and_none_another_chain(street):
    found, counted, other_chains = Counter(), Counter(), []
    for row in rows():
        places = [each.place for each in street.near(row["typed"], 60.0, 25.0, limit=100)]
        counted[row["half"]] += 1
        found[row["half"]] += row["place"] in [place.name for place in places]
        other_chains += [
            row["typed"] for place in places if place.chain and place.name != row["place"]
        ]
    assert counted.total() >= 300
    assert counted["held out"] * 3 >= counted.total() - 2
    assert {half: found[half] / counted[half] >= 0.97 for half in counted} == {
        "open": True,
        "held out": True,
    }
    assert other_chains == []


@pytest.mark.parametrize(
    "query", ["burger", "pizza", "chicken", "noodles", "salad", "sandwich", "fries", "taco"]
)
def test_a_dish_is_not_corrected_to_a_name(street, query):
    """ "burger" does not find the "Berger Stube", and "pizza" not the "Piazza Verdi"."""
    for each in street.near(query, 60.0, 25.0, limit=100):
        first = query.rstrip("s")[:4]
        assert first in each.place.name.casefold()


@pytest.mark.parametrize(
    ("name", "chain"),
    [
        ("McDonald's", "McDonald's"),
        ("Mc Donalds Kamppi", "McDonald's"),
        ("SUBWAY", "Subway"),
        ("Subway 24", "Subway"),
        ("Domino's Pizza", "Domino's"),
        ("T.G.I. Friday's", "TGI Friday's"),
        ("Subway Station Café", None),
        ("Wendy's Nails", None),
        ("Denny's Donuts", None),
        ("Olive Garden Tapas", None),
        ("Café Subway", None),
        ("Papa Giovanni", None),
        ("", None),
        ("💥", None),
    ],
)
def test_a_name_belongs_to_a_chain_or_to_none(name, chain):
    found = chain_of(name)
    assert (found.name if found else None) == chain


def test_the_brand_and_its_wikidata_id_decide_before_the_name():
    assert chain_of("Restaurant am See", "McDonald's").name == "McDonald's"
    assert chain_of("Кафе", None, "Q177054").name == "Burger King"
    assert chain_of("Subway Oak Street", location=["Oak Street"]).name == "Subway"


def test_no_spelling_belongs_to_two_chains():
    spellings = [each for chain in chains().values() for each in chain.spellings]
    assert len(spellings) == len(set(spellings))
    ids = [chain.wikidata for chain in chains().values() if chain.wikidata]
    assert len(ids) == len(set(ids))
