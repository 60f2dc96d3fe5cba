"""The table of required figures is computed from the metrics, and states what was missed."""

import json
import math
import re

import pytest

from postmeal.assets import asset
from postmeal.training.card.missed_figures import MISSED
from postmeal.training.card.required_figure import RequiredFigure, result_of
from postmeal.training.card.required_figures import REQUIRED
from postmeal.training.card.required_section import required_section

METRICS = json.loads(asset("models/population/metrics.json").read_text(encoding="utf-8"))
ROW = re.compile(r"^\| (.+) \| (.+) \| (.+) \| (reached|\*\*MISSED\*\*) \|$", re.MULTILINE)


def figure(low=-math.inf, high=math.inf, digits=2):
    return RequiredFigure("loads", "a figure", lambda metrics: metrics["value"], low, high, digits)


@pytest.mark.parametrize(
    ("required", "value", "text"),
    [
        (figure(high=27.0, digits=1), 26.4533, "26.5"),
        (figure(low=0.515, digits=3), 0.5149, "0.5149"),
        (figure(low=0.75, high=1.25), 0.746, "0.746"),
        (figure(high=78.0, digits=0), 79.8, "80"),
    ],
)
def test_a_value_is_shown_with_enough_decimals_to_see_whether_it_is_reached(required, value, text):
    assert required.measured_text(value) == text
    assert required.is_reached(float(text)) == required.is_reached(value)


def test_the_limits_themselves_are_reached():
    assert figure(low=0.04, high=0.06).is_reached(0.04)
    assert figure(low=0.04, high=0.06).is_reached(0.06)
    assert not figure(low=0.04, high=0.06).is_reached(0.0601)


def test_a_figure_that_was_not_measured_has_no_result():
    assert result_of(figure(), {}) is None
    assert result_of(figure(low=1.0), {"value": 2.0}) == (2.0, True)


def test_every_result_of_the_card_follows_from_its_own_row():
    """An independent reading of the table: the shown value is in the shown range, or not."""
    rows = ROW.findall(required_section(METRICS))
    assert len(rows) == len(REQUIRED) == 45
    for title, required, measured, result in rows:
        value = float(measured)
        numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", required)]
        if required.startswith("≤"):
            is_reached = value <= numbers[0]
        elif required.startswith("≥"):
            is_reached = value >= numbers[0]
        else:
            is_reached = numbers[0] <= value <= numbers[1]
        assert (result == "reached") == is_reached, title


def test_a_worse_model_misses_a_figure_that_was_reached():
    worse = json.loads(json.dumps(METRICS))
    population = worse["leave_one_data_set_out"]["bigideas"]["models"]["population"]
    population["rise_rmse_mg_dl"] += 5.0
    results = {row[0]: row[3] for row in ROW.findall(required_section(worse))}
    assert results["data set left out, rise RMSE: BIG IDEAs"] == "**MISSED**"
    assert results["data set left out, rise RMSE: mean of 3"] == "**MISSED**"


def test_every_missed_figure_is_explained_and_no_other():
    section = required_section(METRICS)
    for topic in {one.topic for one in REQUIRED}:
        results = [result_of(one, METRICS) for one in REQUIRED if one.topic == topic]
        is_missed = any(result is not None and not result[1] for result in results)
        title = MISSED[topic].partition("**")[2].partition("**")[0]
        assert (f"- **{title}**" in section) == is_missed, topic


def test_the_required_values_are_those_that_were_set():
    """They are written here a second time, so that no change of a value goes unnoticed."""
    required = {one.title: one.required_text() for one in REQUIRED}
    assert required["data set left out, rise RMSE: mean of 3"] == "≤ 27.0"
    assert required["Libre Pro, without a reading: iAUC r"] == "≥ 0.58"
    assert required["Libre Pro, without a reading: r within a person"] == "≥ 0.53"
    assert required["Libre Pro, without a reading: rise RMSE"] == "≤ 29.0"
    assert required["Dexcom G6 Pro, without a reading: iAUC r"] == "≥ 0.57"
    assert required["Dexcom G6 Pro, without a reading: r within a person"] == "≥ 0.50"
    assert required["Dexcom G6 Pro, without a reading: rise RMSE"] == "≤ 32.3"
    assert required["Libre Pro, with a reading: rise RMSE"] == "≤ 27.9"
    assert required["Dexcom G6 Pro, with a reading: rise RMSE"] == "≤ 32.5"
    assert required["Libre Pro: share above the band, breakfast"] == "0.040 to 0.060"
    assert required["Dexcom G6 Pro: people under 80%"] == "≤ 0.10"
    assert required["75 g of glucose left out, prediabetes: area ratio"] == "0.75 to 1.25"
    assert required["personal after 5 days, Libre Pro: absolute RMSE"] == "≤ 21.7"
    assert required["personal after 5 days, Dexcom G6 Pro: width of the band"] == "≤ 90"


def test_figures_of_unseen_people_are_omitted_if_there_are_none():
    metrics = {
        key: value
        for key, value in METRICS.items()
        if key not in ("unseen", "frozen", "with_reading", "forward")
    }
    titles = [row[0] for row in ROW.findall(required_section(metrics))]
    assert titles
    assert not any("Libre" in title or "Dexcom" in title for title in titles)
