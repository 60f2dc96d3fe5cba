"""A prediction made by hand, and how it is shown."""

from datetime import datetime

from postmeal import Meal
from postmeal.glucose.population.chances import Chances
from postmeal.glucose.prediction import Prediction

MADE = Prediction(
    meal=Meal.of_macros(carbs_g=60, time=datetime(2026, 5, 1, 8)),
    minutes=(0.0, 30.0, 37.5, 60.0),
    glucose_mg_dl=(90.96, 140.04, 140.04, 120.0),
    lower_mg_dl=(70.0, 100.06, 101.0, 90.0),
    upper_mg_dl=(110.0, 180.04, 181.0, 160.0),
    impact="medium",
    impact_probabilities={"low": 0.25, "medium": 0.5, "high": 0.25},
    cgp_min=60,
    cgp_max=190,
    chances=Chances(0.5, 0.1, 0.75, 0.25),
    model_version="population-3 <b>",
    notes=("Fiber < unknown.", "Old."),
)


def test_the_peak_is_the_first_highest_point():
    assert (MADE.peak_mg_dl, MADE.peak_min) == (140.04, 30.0)


def test_a_prediction_is_shown_in_a_line():
    assert repr(MADE) == (
        "<Prediction by population-3 <b>: 91 140 140 120 mg/dL, peak 140 at 30 min, impact medium, "
        "range 60 to 190>"
    )


def test_a_prediction_is_shown_as_html_without_foreign_tags():
    assert MADE._repr_html_() == (
        "<p>peak <b>140 mg/dL</b> at 30 min, impact <b>medium</b> (low 25%, medium 50%, high 25%), "
        "range 60 to 190 mg/dL, model population-3 &lt;b&gt;</p>"
        "<p><i>Fiber &lt; unknown.</i></p><p><i>Old.</i></p>"
        "<table><tr><th>min</th><th>mg/dL</th><th>90 % band</th></tr>"
        "<tr><td>0</td><td>91</td><td>70 to 110</td></tr>"
        "<tr><td>30</td><td>140</td><td>100 to 180</td></tr>"
        "<tr><td>37.5</td><td>140</td><td>101 to 181</td></tr>"
        "<tr><td>60</td><td>120</td><td>90 to 160</td></tr></table>"
    )


def test_a_prediction_becomes_json_with_glucose_to_a_tenth():
    values = MADE.to_dict()
    assert values["glucose_mg_dl"] == (91.0, 140.0, 140.0, 120.0)
    assert values["lower_mg_dl"] == (70.0, 100.1, 101.0, 90.0)
    assert values["upper_mg_dl"] == (110.0, 180.0, 181.0, 160.0)
    assert values["chances"] == {"peak_140": 0.5, "peak_180": 0.1, "rise_30": 0.75, "rise_50": 0.25}
    assert values["nutrients"] == {"carbs_g": 60}
    assert values["minutes"] == MADE.minutes
    assert "meal" not in values


def test_a_prediction_becomes_a_table():
    frame = MADE.to_frame()
    assert frame["row"].tolist() == [0] * 4
    assert frame["glucose_mg_dl"].tolist() == list(MADE.glucose_mg_dl)
    assert frame["lower_mg_dl"].tolist() == list(MADE.lower_mg_dl)
    assert frame["upper_mg_dl"].tolist() == list(MADE.upper_mg_dl)
    first = frame.iloc[0].to_dict()
    assert first["impact"] == "medium"
    assert [first[f"{label}_probability"] for label in ("low", "medium", "high")] == [
        0.25,
        0.5,
        0.25,
    ]
    chances = ("peak_140", "peak_180", "rise_30", "rise_50")
    assert [first[f"{name}_probability"] for name in chances] == [0.5, 0.1, 0.75, 0.25]
    assert (first["cgp_min"], first["cgp_max"]) == (60, 190)
    assert (first["is_personal"], first["impact_is_informative"]) == (False, True)
    assert first["model_version"] == "population-3 <b>"
    assert first["notes"] == "Fiber < unknown. Old."
