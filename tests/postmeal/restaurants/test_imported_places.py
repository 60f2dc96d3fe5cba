"""Imports of places: OpenStreetMap, GeoJSON, Overpass and tables, also damaged ones."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from postmeal.errors import DataSetError
from postmeal.foods.sources.collection.report import ImportReport
from postmeal.restaurants import Places
from postmeal.restaurants.sources.geojson import read_geojson
from postmeal.restaurants.sources.import_places import import_places
from postmeal.restaurants.sources.open_street_map import read_open_street_map
from postmeal.restaurants.sources.place_table import read_place_table

CENTER = (60.1699, 24.9384)
TAGS = {"amenity": "cafe", "name": "Corner Café"}
POINT = {"type": "Point", "coordinates": [25.0, 60.0]}


@pytest.fixture(scope="module")
def helsinki(shared_data: Path) -> Path:
    return shared_data / "food" / "helsinki.osm.pbf"


def test_the_center_of_helsinki_has_427_named_eateries_and_some_are_in_chains(helsinki, tmp_path):
    output = tmp_path / "helsinki.places"
    done = import_places([helsinki], output)
    assert (done.places, done.reports[0].skipped) == (427, 5)
    assert done.reports[0].count("name must not be empty") == 5
    places = Places.open(output)
    found = [each.place for each in places.near("", limit=1_000)]
    with_items = [
        place for place in found if place.chain in ("McDonald's", "Burger King", "Subway")
    ]
    assert done.in_chains >= len(with_items) >= 8
    assert len({place.id for place in found}) == 427
    assert [each.place.chain for each in places.near("mcdonalds", *CENTER)] == ["McDonald's"] * 4
    tram = places.near("sparakoff", *CENTER)[0].place
    assert tram.id == "osm-r335178"
    building = places.place("osm-w122595277")
    assert building.name == "Vltava"
    assert sum(bool(place.city) for place in found) > 300
    assert sum(bool(place.cuisines) for place in found) > 150
    assert sum(bool(place.diets) for place in found) > 30


def test_an_import_of_the_same_file_gives_the_same_bytes_and_ids(helsinki, tmp_path):
    files = [tmp_path / "a.places", tmp_path / "b.places"]
    for file in files:
        import_places([helsinki], file)
    assert Places.open(files[0]).version == Places.open(files[1]).version
    assert files[0].read_bytes() == files[1].read_bytes()


def _declared_10_gb(data: bytes) -> bytes:
    return data[:4] + bytes([data[4]]) + data[5:20].replace(data[18:20], b"\xff\xff") + b"\xff" * 64


DAMAGE = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "flipped": lambda data: data[:200_000] + bytes(b ^ 0xFF for b in data[200_000:200_400])
    + data[200_400:],
    "gzipped": gzip.compress,
    "declared 10 GB": _declared_10_gb,
    "text": lambda data: b"not an extract\n" * 100,
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_extract_is_refused_and_the_places_in_use_are_kept(helsinki, tmp_path, damage):
    output = tmp_path / "in_use.places"
    table = tmp_path / "own.csv"
    table.write_text("name,latitude,longitude\nCorner Café,60,25\n", encoding="utf-8")
    import_places([table], output)
    before = output.read_bytes()
    bad = tmp_path / "bad.osm.pbf"
    bad.write_bytes(DAMAGE[damage](helsinki.read_bytes()))
    with pytest.raises(DataSetError, match="it is damaged, truncated or not an"):
        import_places([bad], output)
    assert output.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "bad.osm.pbf", "in_use.places", "own.csv",
    ]  # fmt: skip


def test_a_zipped_and_a_missing_extract_are_refused(helsinki, tmp_path):
    zipped = tmp_path / "zipped.osm.pbf"
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.write(helsinki)
    for path in (zipped, tmp_path / "missing.osm.pbf"):
        with pytest.raises(DataSetError, match=r"cannot be read"):
            list(read_open_street_map(path, ImportReport(path.name)))


def feature(geometry=POINT, properties=TAGS, **others):
    return {"type": "Feature", "properties": properties, "geometry": geometry, **others}


def collection(*features):
    return json.dumps({"type": "FeatureCollection", "features": list(features)})


def read(tmp_path, text):
    path = tmp_path / "places.geojson"
    path.write_text(text, encoding="utf-8")
    report = ImportReport(path.name)
    return list(read_geojson(path, report)), report


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"id": "node/12"}, "osm-n12"),
        ({"id": "w12"}, "osm-w12"),
        ({"properties": {**TAGS, "@id": "relation/12"}}, "osm-r12"),
        ({"id": "own_1"}, "own_1"),
    ],
)
def test_features_keep_the_ids_of_overpass_and_osmium(tmp_path, given, expected):
    places, _ = read(tmp_path, collection(feature(**given)))
    assert [place.id for place in places] == [expected]


def test_a_feature_without_an_id_gets_the_same_id_each_time(tmp_path):
    first, again = (read(tmp_path, collection(feature()))[0] for _ in range(2))
    assert first[0].id == again[0].id
    assert first[0].id.startswith("own-")


def test_the_response_of_overpass_is_read(tmp_path):
    elements = [
        {"type": "node", "id": 1, "lat": 60.0, "lon": 25.0, "tags": TAGS},
        {"type": "way", "id": 2, "center": {"lat": 60.1, "lon": 25.1}, "tags": TAGS},
        {"type": "node", "id": 3, "lat": 60.0, "lon": 25.0, "tags": {"amenity": "bank"}},
        {"type": "way", "id": 4, "tags": TAGS},
    ]
    places, report = read(tmp_path, json.dumps({"version": 0.6, "elements": elements}))
    assert [place.id for place in places] == ["osm-n1", "osm-w2"]
    assert (report.taken, report.skipped) == (2, 1)


def test_one_feature_per_line_is_read_and_a_bad_line_is_skipped(tmp_path):
    lines = [json.dumps(feature(id="node/1")), '{"type": "Feature", x}', json.dumps(feature())]
    places, report = read(tmp_path, "\n".join(lines) + "\n")
    assert len(places) == 2
    assert report.count("feature must be valid JSON") == 1


def test_a_polygon_that_crosses_the_antimeridian_lies_beside_it(tmp_path):
    ring = [[179.99, 10.0], [-179.99, 10.0], [-179.99, 10.02], [179.99, 10.02], [179.99, 10.0]]
    polygon = {"type": "Polygon", "coordinates": [ring]}
    places, _ = read(tmp_path, collection(feature(polygon)))
    assert abs(places[0].longitude) == pytest.approx(180)
    assert places[0].latitude == pytest.approx(10.01)


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (feature(None), "geometry must not be empty"),
        (feature({"type": "Point", "coordinates": []}), "geometry must have coordinates"),
        (feature({"type": "Point", "coordinates": [60.0, 125.0]}), "latitude must be -90 to 90"),
        (feature({"type": "Point", "coordinates": ["a", 1]}), "longitude must be a number"),
        (feature({"type": "Point", "coordinates": [25.0]}), "geometry must have a longitude"),
        (feature(properties={"amenity": "cafe"}), "name must not be empty"),
        (feature(id="a b"), "id must be 1 to 64 letters"),
        (feature(id="a" * 65), "id must be 1 to 64 letters"),
        ([1, 2], "feature must be a JSON object"),
    ],
)
def test_a_bad_feature_is_skipped_and_the_next_is_read(tmp_path, bad, problem):
    places, report = read(tmp_path, collection(bad, feature(id="node/7")))
    assert [place.id for place in places] == ["osm-n7"]
    assert (report.taken, report.skipped) == (1, 1)
    assert problem in str(report)


def test_swapped_coordinates_that_are_out_of_range_are_named(tmp_path):
    places, report = read(tmp_path, collection(feature({**POINT, "coordinates": [60.0, -170.0]})))
    assert places == []
    assert "latitude must be -90 to 90 degrees" in str(report)


def test_a_coordinate_that_is_too_large_for_a_float_is_skipped(tmp_path):
    text = collection(feature(), feature({**POINT, "coordinates": [24, 10**400]}))
    places, report = read(tmp_path, text)
    assert len(places) == 1
    assert "latitude must be a finite number" in str(report)


@pytest.mark.parametrize("text", ["", "[1, 2]", "name,latitude\n", "\0\0\0"])
def test_a_file_that_is_not_geojson_is_refused(tmp_path, text):
    with pytest.raises(DataSetError, match="is not GeoJSON"):
        read(tmp_path, text)


def test_a_truncated_collection_is_refused(tmp_path):
    with pytest.raises(DataSetError, match="ends in the middle of feature 2"):
        read(tmp_path, collection(feature(), feature())[:-40])


def table(tmp_path, text):
    path = tmp_path / "places.csv"
    path.write_text(text, encoding="utf-8")
    report = ImportReport(path.name)
    return list(read_place_table(path, report)), report


def test_tables_of_foursquare_and_overture_are_read_by_their_own_column_names(tmp_path):
    foursquare, _ = table(
        tmp_path,
        "fsq_place_id,name,latitude,longitude,address,locality\n"
        "4b05,McDonald's,60,25,Main 1,Espoo\n",
    )
    assert (foursquare[0].id, foursquare[0].source) == ("fsq-4b05", "Foursquare")
    assert (foursquare[0].city, foursquare[0].address1) == ("Espoo", "Main 1")
    overture, _ = table(
        tmp_path,
        "id;names.primary;bbox.xmin;bbox.ymin;brand.wikidata;categories.primary\n"
        "08f1;Кафе;25;60;Q38076;burger_restaurant\n",
    )
    assert (overture[0].id, overture[0].chain) == ("08f1", "McDonald's")
    assert (overture[0].latitude, overture[0].cuisines) == (60.0, ("burger_restaurant",))


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("a,,60,25", "name must not be empty"),
        ("a,Cafe,91,25", "latitude must be -90 to 90 degrees"),
        ("a,Cafe,60,180.5", "longitude must be -180 to 180 degrees"),
        ("a,Cafe,nan,25", "latitude must be a number"),
        ("a,Cafe,1e999,25", "latitude must be a number"),
        ("a/b,Cafe,60,25", "id must be 1 to 64 letters"),
        ("a,Cafe,60", "3 columns instead of 4"),
    ],
)
def test_a_bad_row_of_a_table_is_skipped_and_counted(tmp_path, row, problem):
    places, report = table(tmp_path, f"id,name,latitude,longitude\n{row}\nb,Cafe,60,25\n")
    assert [place.id for place in places] == ["b"]
    assert (report.taken, report.skipped) == (1, 1)
    assert problem in str(report)


def test_of_places_with_the_same_id_the_first_counts(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("id,name,latitude,longitude\na,One,60,25\na,Two,61,25\n", encoding="utf-8")
    done = import_places([path, path], tmp_path / "once.places")
    assert done.places == 1
    assert [
        report.count("the id occurs more than once; the first place is kept")
        for report in done.reports
    ] == [1, 2]
    assert Places.open(tmp_path / "once.places").place("a").name == "One"


def test_a_file_without_places_is_refused(tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("id,name,latitude,longitude\na,,60,25\n", encoding="utf-8")
    with pytest.raises(DataSetError, match="the files contain no places that serve food"):
        import_places([path], tmp_path / "none.places")
    assert not (tmp_path / "none.places").exists()


def test_a_place_without_an_id_gets_the_same_id_in_every_import(tmp_path: Path) -> None:
    table = tmp_path / "places.csv"
    table.write_text("name,latitude,longitude\nCorner Café,60.17,24.94\n", encoding="utf-8")
    [place] = read_place_table(table, ImportReport(table.name))
    assert place.id == "own-4f9568234b95a51f"
