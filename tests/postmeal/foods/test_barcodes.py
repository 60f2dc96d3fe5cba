"""Barcodes: the five forms of one number mean one product; a wrong check digit means none."""

from __future__ import annotations

import pytest
from barcode_digits import upc_e, with_check_digit
from hypothesis import assume, example, given
from hypothesis import strategies as st

from postmeal.errors import InputError
from postmeal.foods.barcodes import gtin14, possible_gtins

digits = st.text("0123456789", min_size=1, max_size=14)


@given(body=st.from_regex(r"[0-9]{13}", fullmatch=True))
def test_every_form_of_a_number_means_the_same_product(body: str):
    """Rows 205 and 208: with and without leading zeros, down to the digits that count."""
    gtin = with_check_digit(body)
    bare = gtin.lstrip("0")
    for length in range(max(6, len(bare)), 15):
        assert gtin in possible_gtins(bare.zfill(length)) or len(bare) <= 4
    assert gtin14(gtin) == (gtin if len(bare) > 4 else None)


@given(short=st.from_regex(r"[01][0-9]{6}", fullmatch=True))
def test_a_short_code_means_what_its_long_form_means(short: str):
    """Row 206: with number system and check digit, with the first alone, and with neither."""
    from biip.upc import Upc

    long = Upc.parse(short).as_upc_a()
    assert with_check_digit(long[:11]) == long
    gtin = long.zfill(14)
    assume(gtin14(gtin))
    full = short + long[-1]
    assert gtin in possible_gtins(full)
    assert gtin in possible_gtins(short)
    assert (gtin in possible_gtins(short[1:])) == (short[0] == "0")
    assert gtin14(full) == (full.zfill(14) if gtin14("0" + full) else gtin)
    if (again := upc_e(long)) is not None:
        assert possible_gtins(again)[-1] == gtin


@given(
    maker=st.sampled_from(["00", "10", "20"]).flatmap(
        lambda end: st.from_regex(r"[0-9]{2}", fullmatch=True).map(lambda one: f"{one}{end}0")
    ),
    item=st.from_regex(r"00[0-9]{3}", fullmatch=True),
    system=st.sampled_from("01"),
)
def test_a_long_code_that_can_be_shortened_is_found_by_the_short_one(
    maker: str, item: str, system: str
):
    long = with_check_digit(system + maker + item)
    assume(gtin14(long))
    short = upc_e(long)
    assert short is not None
    assert long.zfill(14) in possible_gtins(short)


@given(body=st.from_regex(r"[0-9]{7,13}", fullmatch=True), other=st.integers(1, 9))
def test_a_wrong_check_digit_means_no_product_of_this_number(body: str, other: int):
    right = with_check_digit(body)
    wrong = right[:-1] + str((int(right[-1]) + other) % 10)
    assert right.zfill(14) not in possible_gtins(wrong)
    assert wrong.zfill(14) not in possible_gtins(wrong)
    if len(wrong) > 8:
        assert possible_gtins(wrong) == ()
        assert gtin14(wrong) is None


@given(code=st.from_regex(r"0{2,4}[0-9]{4}", fullmatch=True))
@example(code="000000")
@example(code="00000000")
def test_what_a_short_code_means_is_a_product_in_its_long_form_too(code: str):
    """Zeros were UPC-E of a product whose number is zero, and GTINs of zeros are none."""
    for gtin in (*possible_gtins(code), gtin14(code)):
        assert gtin is None or possible_gtins(gtin) == (gtin,)


def test_eight_digits_are_taken_for_ean_8_before_upc_e():
    """Row 206: both are looked up, EAN-8 first."""
    assert possible_gtins("06811501") == ("00000006811501", "00068000001151")
    assert possible_gtins("20990688") == ("00000020990688",)
    assert possible_gtins("02503000") == ("00025000000300",)


@pytest.mark.parametrize(
    "code", ["", "12345", "123456789012345", "49000 06346", "４９００００６３４６", "-123456"]
)
def test_what_is_no_6_to_14_digits_is_refused_by_name(code: str):
    with pytest.raises(InputError, match=r"^scan must be 6 to 14 digits"):
        possible_gtins(code, field="scan")


@given(code=st.text(max_size=20) | digits)
def test_a_publishers_number_is_a_gtin_or_none(code: str):
    gtin = gtin14(code)
    assert gtin is None or (len(gtin) == 14 and with_check_digit(gtin[:-1]) == gtin)
