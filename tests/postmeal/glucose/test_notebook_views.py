"""A prediction in a notebook: table, plot and representations; traces from tables."""

import subprocess
import sys
from datetime import datetime

import numpy as np
import pandas as pd
import pytest
from personal_models import MODELS

import postmeal
from postmeal import CgmTrace, InputError, Meal, Predictor, Profile
from postmeal.cli import main
from postmeal.glucose.tidy import TIDY_COLUMNS

PERSON = Profile(age=45, sex="male", height_cm=170, weight_kg=70, health_conditions=["lada"])
MEAL = Meal.of_macros(carbs_g=60, protein_g=9, time=datetime(2026, 5, 1, 8, 0))
PREDICTION = Predictor.load().predict(PERSON, MEAL)


def test_a_prediction_becomes_a_table_with_the_columns_of_many():
    personal = Predictor.load().predict(PERSON, MEAL, personal=MODELS[0], minutes=[0, 30])
    for one in (PREDICTION, personal):
        frame = one.to_frame()
        assert tuple(frame.columns) == TIDY_COLUMNS
        assert frame["minute"].tolist() == list(one.minutes)
        assert frame["upper_mg_dl"].tolist() == list(one.upper_mg_dl)
        assert set(frame["model_version"]) == {one.model_version}
        assert set(frame["notes"]) == {" ".join(one.notes)}


def test_the_representation_shows_the_curve_and_not_the_foods():
    text = repr(PREDICTION)
    assert len(text) < 200
    assert f"peak {PREDICTION.peak_mg_dl:.0f} at {PREDICTION.peak_min:g} min" in text
    assert "Food(" not in text
    assert PREDICTION.impact in text


def test_a_notebook_shows_each_minute_and_the_notes():
    html = PREDICTION._repr_html_()
    assert html.count("<tr>") == 1 + len(PREDICTION.minutes)
    assert "No training data for lada" in html
    for glucose in PREDICTION.glucose_mg_dl:
        assert f"<td>{glucose:.0f}</td>" in html


@pytest.mark.filterwarnings("ignore")  # matplotlib warns of its own dependencies
def test_a_plot_shows_curve_band_and_range():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = PREDICTION.plot()
    curve = axes.get_lines()[0]
    assert np.array_equal(curve.get_xdata(), PREDICTION.minutes)
    assert np.array_equal(curve.get_ydata(), PREDICTION.glucose_mg_dl)
    heights = {line.get_ydata()[0] for line in axes.get_lines()[1:3]}
    assert heights == {PREDICTION.cgp_min, PREDICTION.cgp_max}
    assert len(axes.collections) == 1
    assert PREDICTION.plot(axes) is axes
    pyplot.close("all")


def test_tables_and_plots_are_imported_only_when_they_are_asked_for():
    program = "import sys, postmeal; print({'pandas', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


def test_a_trace_is_read_from_a_table_in_any_order_and_unit():
    times = pd.date_range("2026-05-01 08:00", periods=3, freq="5min", tz="Europe/Berlin")
    frame = pd.DataFrame({"when": times[::-1], "mmol": [6.0, None, 5.0]})
    found = CgmTrace.from_frame(frame, time="when", glucose="mmol", unit="mmol/L")
    pairs = [(times[2].to_pydatetime(), 6.0), (times[0].to_pydatetime(), 5.0)]
    expected = CgmTrace.from_readings(pairs, unit="mmol/L")
    for column in ("utc_s", "utc_offset_s", "glucose_mg_dl"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist()


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pd.DataFrame({"time": []}),
            r"cgm must have the columns time and glucose_mg_dl; missing: ",
        ),
        (
            pd.DataFrame({"time": [pd.NaT], "glucose_mg_dl": [90.0]}),
            r"row 0: time must be a datetime",
        ),
        (
            pd.DataFrame({"time": [datetime(2026, 5, 1)], "glucose_mg_dl": [5.0]}),
            r"row 0: glucose_mg_dl must be 20 to 600 mg/dL",
        ),
    ],
)
def test_a_table_that_is_no_trace_is_refused(frame, message):
    with pytest.raises(InputError, match=message):
        CgmTrace.from_frame(frame)


def test_the_package_and_the_command_tell_their_version(capsys):
    assert postmeal.__version__.count(".") == 2
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"postmeal {postmeal.__version__}\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = postmeal.nothing
