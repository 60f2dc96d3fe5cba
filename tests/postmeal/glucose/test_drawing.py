"""The plot of a prediction: its lines, labels and texts."""

from datetime import datetime

import pytest

from postmeal import Meal, Predictor, Profile
from postmeal.plotting import COLORS

PERSON = Profile(age=45, sex="male", height_cm=170, weight_kg=70)
MEAL = Meal.of_macros(carbs_g=60, fiber_g=4, protein_g=9, fat_g=5, time=datetime(2026, 5, 1, 8))
PREDICTION = Predictor.load().predict(PERSON, MEAL)

pytestmark = pytest.mark.filterwarnings("ignore")  # matplotlib warns of its own dependencies


@pytest.fixture
def pyplot():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_the_title_names_impact_and_model(pyplot):
    title = f"Impact {PREDICTION.impact}, {PREDICTION.model_version}"
    assert PREDICTION.plot().get_title(loc="left") == title
    _, axes = pyplot.subplots()
    assert PREDICTION.plot(axes).get_title(loc="left") == title


def test_the_legend_names_curve_band_and_range_once(pyplot):
    names = ["predicted", "90 % band", "usual range"]
    below = PREDICTION.plot().figure.legends
    assert [[text.get_text() for text in one.get_texts()] for one in below] == [names]
    _, axes = pyplot.subplots()
    inside = PREDICTION.plot(axes).get_legend().get_texts()
    assert [text.get_text() for text in inside] == names
    assert inside[0].get_fontsize() < pyplot.rcParams["font.size"]


def test_the_peak_is_marked_by_a_dot_with_its_glucose_above_the_middle(pyplot):
    axes = PREDICTION.plot()
    (dot,) = (line for line in axes.get_lines() if line.get_marker() == "o")
    assert dot.get_xydata().tolist() == [[PREDICTION.peak_min, PREDICTION.peak_mg_dl]]
    (text,) = axes.texts
    assert text.get_text() == f"{PREDICTION.peak_mg_dl:.0f}"
    assert text.xy == (PREDICTION.peak_min, PREDICTION.peak_mg_dl)
    assert text.get_horizontalalignment() == "center"
    axes.figure.canvas.draw()
    above = text.get_window_extent().ymin - axes.transData.transform(text.xy)[1]
    assert 0 < above < 20


def test_the_range_is_dotted_and_gray_and_the_peak_has_the_color_of_the_curve(pyplot):
    curve, low, high, dot = PREDICTION.plot().get_lines()
    for line in (low, high):
        assert (line.get_linestyle(), line.get_color()) == (":", COLORS["gray"])
    assert low.get_ydata()[0] < high.get_ydata()[0]
    assert curve.get_color() == dot.get_color() == COLORS["blue"]


@pytest.mark.parametrize(
    ("minutes", "limits"),
    [(None, (0, 120)), ([0, 150.5], (0, 150.5)), ([30, 60, 90], (30, 90))],
)
def test_the_figure_spans_the_minutes_that_were_asked_for(pyplot, minutes, limits):
    prediction = Predictor.load().predict(PERSON, MEAL, minutes=minutes)
    axes = prediction.plot()
    assert axes.get_xlim() == limits
    assert set(range(0, 121, 30)) <= {*axes.get_xticks()}


def test_a_single_minute_is_shown_in_the_usual_two_hours(pyplot):
    axes = Predictor.load().predict(PERSON, MEAL, minutes=[60]).plot()
    low, high = axes.get_xlim()
    assert low <= 0
    assert high >= 120
