"""The look of the figures: both units, and a label for synthetic data."""

import matplotlib as mpl
import pytest

mpl.use("Agg")

from matplotlib import pyplot

from postmeal import plotting
from postmeal.units import MG_DL_PER_MMOL_L

pytestmark = pytest.mark.filterwarnings("ignore")  # matplotlib warns of its own dependencies


@pytest.fixture
def axes():
    with mpl.rc_context(plotting.STYLE):
        yield plotting.curve_axes("A meal")
    pyplot.close("all")


def test_glucose_is_shown_in_both_units(axes):
    axes.set_ylim(60, 200)
    axes.figure.draw_without_rendering()
    [right] = axes.child_axes
    assert axes.get_ylabel() == "glucose, mg/dL"
    assert right.get_ylabel() == "mmol/L"
    limits = [60 / MG_DL_PER_MMOL_L, 200 / MG_DL_PER_MMOL_L]
    assert list(right.get_ylim()) == pytest.approx(limits)


def test_made_up_data_are_marked_with_and_without_a_legend(axes):
    plotting.mark_synthetic(axes.figure)
    [mark] = axes.figure.legends
    assert "Synthetic data" in mark.get_title().get_text()
    axes.figure.legends.clear()
    axes.plot([0, 120], [90, 100], label="a curve")
    plotting.legend_below(axes)
    plotting.mark_synthetic(axes.figure, "Made-up readings")
    [legend] = axes.figure.legends
    assert legend.get_title().get_text() == "Made-up readings"
    assert [text.get_text() for text in legend.get_texts()] == ["a curve"]


def test_the_style_lasts_only_if_it_is_asked_for():
    with mpl.rc_context():
        plotting.use_style()
        assert mpl.rcParams["axes.titleweight"] == "bold"
    assert mpl.rcParams["axes.titleweight"] == "normal"
