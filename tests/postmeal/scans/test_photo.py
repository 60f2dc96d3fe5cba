"""Scans of photos: barcodes, the rules of confidence, and servings."""

import numpy as np
import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st
from products import COLA, catalogue_of_products

from postmeal.errors import DataSetError
from postmeal.foods.catalog import Catalog
from postmeal.foods.language import read_meal
from postmeal.foods.portions.serving_range import serving_range_g
from postmeal.scans.barcode import product, read_barcodes
from postmeal.scans.labels import DishLabel, LabelFoods, read_labels
from postmeal.scans.photo import dish_in, scan_photo
from postmeal.scans.picture import Picture
from postmeal.scans.recognizer import Candidate

LABELS = {
    row.label: row
    for row in (
        DishLabel("Sachertorte", "chocolate cake", "layer cake"),
        DishLabel("Devil's food cake", "chocolate cake", "layer cake"),
        DishLabel("Chiffon cake", "sponge cake", "layer cake"),
        DishLabel("Doughnut", "doughnut", ""),
        DishLabel("Hamburger", "hamburger", "sandwich"),
        DishLabel("Tripe", "", ""),
    )
}
FOODS = LabelFoods(Catalog.open(), LABELS)


class FixedRecognizer:
    """A recognizer that always returns the same candidates."""

    def __init__(self, *found: tuple[str, float]) -> None:
        self.found = tuple(Candidate(*each) for each in found)

    def candidates(self, picture: Picture) -> tuple[Candidate, ...]:
        return self.found


def named(*found: tuple[str, float]) -> tuple[str, str] | None:
    """The everyday name of the food that is answered, and its confidence."""
    answer = dish_in([Candidate(*each) for each in found], FOODS)
    if answer is None:
        return None
    names = ("chocolate cake", "sponge cake", "layer cake", "doughnut", "hamburger", "sandwich")
    catalog = Catalog.open()
    [name] = [
        each for each in names if (food := catalog.everyday(each)) and food.id == answer[0].id
    ]
    return name, answer[1]


def drawn(code: str, kind: zxingcpp.BarcodeFormat) -> Picture:
    """A picture of a barcode with white around it."""
    bars = np.array(zxingcpp.create_barcode(code, kind).to_image(scale=3), np.uint8)
    page = np.pad(bars, 60, constant_values=255)
    return Picture(np.repeat(page[..., np.newaxis], 3, axis=2), "PNG")


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        ([("Sachertorte", 0.8)], ("chocolate cake", "high")),
        ([("Sachertorte", 0.5), ("Devil's food cake", 0.3)], ("chocolate cake", "high")),
        ([("Doughnut", 0.79)], ("doughnut", "medium")),
        ([("Sachertorte", 0.6), ("Devil's food cake", 0.1)], ("chocolate cake", "medium")),
        ([("Hamburger", 0.6), ("Doughnut", 0.2)], ("sandwich", "low")),
        ([("Hamburger", 0.6), ("Tripe", 0.2)], ("sandwich", "low")),
        ([("Hamburger", 0.6), ("a label of no table", 0.2)], ("sandwich", "low")),
        ([("Sachertorte", 0.3), ("Devil's food cake", 0.1)], ("layer cake", "low")),
        ([("Doughnut", 0.3)], ("doughnut", "low")),
        ([("Doughnut", 0.29), ("Sachertorte", 0.29)], None),
        ([("Tripe", 0.5), ("Doughnut", 0.4)], None),
        ([], None),
    ],
)
def test_the_confidence_follows_the_sum_of_the_labels_of_one_food(found, answer) -> None:
    assert named(*found) == answer


@given(
    found=st.lists(
        st.tuples(st.sampled_from(sorted(LABELS)), st.floats(0, 1)),
        max_size=6,
        unique_by=lambda each: each[0],
    )
)
def test_no_food_is_answered_that_the_labels_do_not_mean(found) -> None:
    total = sum(each[1] for each in found) or 1.0
    shares = sorted(((label, share / total) for label, share in found), key=lambda each: -each[1])
    answer = named(*shares)
    allowed = {name for label, _ in found for name in (LABELS[label].food, LABELS[label].kind)}
    assert answer is None or answer[0] in allowed - {""}


def test_a_barcode_gives_the_product_with_high_confidence(tmp_path) -> None:
    catalog = Catalog(catalogue_of_products(tmp_path))
    found = scan_photo(drawn(COLA, zxingcpp.BarcodeFormat.UPCA), catalog)
    [detection] = found.scan.foods
    assert (detection.name, detection.confidence, detection.source) == ("Cola", "high", "barcode")
    assert detection.grams == 355
    assert product(found.barcodes, catalog) == detection.food


def test_an_unknown_barcode_gives_no_detection_even_if_a_dish_is_seen(tmp_path) -> None:
    catalog = Catalog(catalogue_of_products(tmp_path))
    picture = drawn("7350042718337", zxingcpp.BarcodeFormat.EAN13)
    found = scan_photo(picture, catalog, FixedRecognizer(("Frozen yogurt", 0.9)))
    assert len(found.barcodes) == 1
    assert found.scan.foods == ()
    assert found.candidates == ()


def test_a_qr_code_with_an_address_is_ignored() -> None:
    picture = drawn("https://example.com/food.json", zxingcpp.BarcodeFormat.QRCode)
    assert read_barcodes(picture) == ()


def test_a_scan_of_a_dish_assumes_a_typical_serving_and_says_that_there_may_be_more() -> None:
    blank = Picture(np.full((64, 64, 3), 255, np.uint8), "PNG")
    found = scan_photo(blank, Catalog.open(), FixedRecognizer(("Doughnut", 0.9), ("Churro", 0.05)))
    [detection] = found.scan.foods
    assert detection.confidence == "high"
    assert detection.source == "photo"
    assert found.scan.may_hold_more
    assert found.scan.meal_name == "doughnut"
    assert [each.label for each in found.candidates] == ["Doughnut", "Churro"]
    low, high = found.serving_range_g or (0, 0)
    assert 20 < low <= detection.grams <= high < 200


def test_the_serving_is_that_of_a_meal_text_without_an_amount() -> None:
    blank, catalog = Picture(np.full((64, 64, 3), 255, np.uint8), "PNG"), Catalog.open()
    found = scan_photo(blank, catalog, FixedRecognizer(("Pepperoni", 0.9)))
    [read] = read_meal("pepperoni pizza", catalog).detections
    assert found.scan.foods[0].grams == read.selection.weight_g


def test_without_a_recognizer_only_barcodes_are_read() -> None:
    blank = Picture(np.zeros((64, 64, 3), np.uint8), "PNG")
    assert scan_photo(blank, Catalog.open()).scan.foods == ()


def test_a_food_with_few_servings_ranges_from_a_small_to_a_large_one() -> None:
    food = Catalog.open().everyday("hamburger")
    assert food
    assert serving_range_g(food, 120.0) == pytest.approx((84.0, 174.0))


def test_a_whole_cake_is_not_in_the_range_of_servings() -> None:
    food = Catalog.open().everyday("pumpkin pie")
    assert food
    weights = [each.weight_g for each in food.servings if each.weight_g and each.unit != "g"]
    assert max(weights) > 500
    low, high = serving_range_g(food, 133.0)
    assert 60 < low <= high <= 400


def test_every_food_and_kind_of_the_shipped_table_is_in_the_catalog() -> None:
    catalog = Catalog.open()
    rows = read_labels()
    assert len(rows) > 500
    names = {name for row in rows.values() for name in (row.food, row.kind)} - {""}
    assert [name for name in sorted(names) if catalog.everyday(name) is None] == []


@pytest.mark.parametrize(
    "table", ["label,food\n", "label,food,kind\nA,b\n", "label,food,kind\nA,b,c\nA,b,c\n"]
)
def test_a_damaged_table_of_labels_is_refused(table, tmp_path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(table)
    with pytest.raises(DataSetError, match=r"^labels\.csv"):
        read_labels(path)
