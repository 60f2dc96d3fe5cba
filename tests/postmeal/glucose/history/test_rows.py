"""Rows of a text: separators, quotes over several lines, and quotes that nobody closed."""

import pytest

from postmeal.glucose.history.exports.rows import first_lines, number, rows, separator


def test_blank_lines_are_counted_but_are_no_rows():
    assert list(rows("a,b\n\n , \r\nc,d\re", ",")) == [(1, ["a", "b"]), (4, ["c", "d"]), (5, ["e"])]


def test_a_quoted_field_may_hold_separators_quotes_and_lines():
    text = '"a, b, c, d, e","f ""g"""\n"h\n\ni",j\nk,l'
    assert list(rows(text, ",")) == [
        (1, ["a, b, c, d, e", 'f "g"']),
        (2, ["h\n\ni", "j"]),
        (5, ["k", "l"]),
    ]
    assert list(rows('"a,b,c,d,e,f"', ",")) == [(1, ["a,b,c,d,e,f"])]


def test_a_quote_that_is_not_closed_makes_its_own_line_unreadable():
    assert list(rows('a,"b\nc,d', ",")) == [(1, None), (2, ["c", "d"])]
    assert list(rows('a,b\n"c', ",")) == [(1, ["a", "b"]), (2, None)]
    assert list(rows('a,"b" c\nd,e', ",")) == [(1, None), (2, ["d", "e"])]


def test_a_quote_that_a_later_row_seems_to_close_is_not_closed():
    """Between the quotes lie whole rows: twice as many separators as fields."""
    text = 'a,"b\nc,d,e,f\ng,h"\ni,j'
    after = [(2, ["c", "d", "e", "f"]), (3, ["g", 'h"']), (4, ["i", "j"])]
    assert list(rows(text, ",")) == [(1, None), *after]


@pytest.mark.parametrize(("n_lines", "is_read"), [(20, True), (21, False)])
def test_a_quoted_field_has_at_most_twenty_lines(n_lines, is_read):
    text = '"' + "\n".join("x" * n_lines) + '",y'
    first = next(iter(rows(text, ",")))
    assert (first[1] is not None) == is_read


def test_the_separator_of_a_header_is_the_most_frequent():
    assert [separator(text) for text in ("a,b;c;d", "a\tb", "a;b,c,d", "a")] == [
        ";",
        "\t",
        ",",
        ",",
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [("5,8", 5.8), ("+112", 112.0), ("-0.5", -0.5), ("1e3", None), ("1.", None), ("", None),
     (".5", None), ("1,000.5", None), ("٣", None), ("0x1", None)],
)  # fmt: skip
def test_a_number_has_a_decimal_point_or_comma(field, value):
    assert number(field) == value


def test_the_first_lines_are_those_that_are_not_blank():
    assert first_lines("\n a\r\n\r\n \rb\nc", 2) == [" a", "b"]
    assert first_lines("a", 5) == ["a"]
    assert first_lines("", 5) == []
