"""Texts of XML elements: numbers of references are not read as amounts."""

from xml.etree.ElementTree import fromstring

import pytest

from postmeal.literature.sources.plain_text import plain_text


def cite(text):
    return f'<xref ref-type="bibr" rid="B1">{text}</xref>'


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        (f"5.6{cite('<sup>12</sup>')} mmol/L", "5.6 mmol/L"),
        (f"5.6<sup>{cite(12)}</sup> mmol/L", "5.6 mmol/L"),
        (f"It was 5<sup>{cite(1)},{cite(2)}–{cite(4)}</sup>. We", "It was 5. We"),
        (f"It fell [{cite(1)}, {cite(2)}–{cite(4)}].", "It fell."),
        (f"It fell ({cite(1)}; {cite(2)}) fast.", "It fell fast."),
        (f"It fell {cite('[3]')}, then {cite(4)} rose.", "It fell, then rose."),
        (f"{cite('Doe et al. (2015)')} ate f() [].", "Doe et al. (2015) ate f() []."),
        ('see <xref ref-type="fig">Fig. 2</xref>', "see Fig. 2"),
        ("10<sup>6</sup> cells, m<sup>-2</sup>, 1<sup>st</sup>", "10⁶ cells, m⁻², 1st"),
        ("10&lt;sup&gt;6&lt;/sup&gt; cells", "10⁶ cells"),
        ("H<sub>2</sub>O<i>  is\n<b>wet</b></i>.", "H2O is wet."),
        ("<sup>a<i>b</i></sup>c", "abc"),
        ("", ""),
    ],
)
def test_an_element_has_one_line_of_text(xml, text):
    assert plain_text(fromstring(f"<p>{xml}</p>")) == text


def test_elements_that_are_nested_deeply_are_read():
    assert plain_text(fromstring("<i>" * 20_000 + "rice" + "</i>" * 20_000)) == "rice"
