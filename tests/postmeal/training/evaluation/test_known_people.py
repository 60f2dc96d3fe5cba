"""`postmeal evaluate --known`: meals are predicted from exactly what is known about people."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from postmeal import CgmTrace, Meal, Profile
from postmeal.assets import asset
from postmeal.cli import main
from postmeal.errors import DataSetError, InputError
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.by_age import (
    CHANGE_MG_DL,
    after_sensor_change,
    by_age,
    curves_by_age,
    with_other_sensor,
)
from postmeal.training.evaluation.known_people import (
    KNOWN_PREDICTION_COLUMNS,
    Known,
    evaluate_known,
    with_unnamed_sensors,
)
from postmeal.training.evaluation.later_predictions import predict_later, served
from postmeal.training.fit.later_days import (
    later_meals,
    refitted_every_day,
    start_readings,
    while_level_is_used,
)
from postmeal.training.fit.person_history import histories
from postmeal.training.fit.preliminary import fit_preliminary_scale
from postmeal.training.registry.mlflow_runs import tracking_client
from postmeal.training.synthetic.cohort import synthetic_cohort


@pytest.fixture(scope="module")
def predictor():
    return Predictor.load()


@pytest.fixture(scope="module")
def knowing():
    """The model that uses whatever is known about a person."""
    return Predictor.load(asset("models/population-4"))


@pytest.fixture(scope="module")
def cohort():
    """Made-up people who wear a Libre for eight days."""
    found = synthetic_cohort(n_people=5, n_days=8)
    return replace(found, readings=found.readings.assign(sensor="Libre"))


@pytest.fixture(scope="module")
def people(cohort):
    return list(histories(cohort))


def gone_for(history, days):
    """The same person with a gap of some days after the fifth valid day."""
    cut_s = (history.valid_days()[4] + 1) * 86400
    trace, meals = history.trace, history.meal_history
    moved = [rows.utc_s + days * 86400 * (rows.utc_s >= cut_s) for rows in (trace, meals)]
    return replace(
        history,
        trace=replace(trace, utc_s=moved[0]),
        meal_history=replace(meals, utc_s=moved[1]),
    )


def test_figures_are_those_of_personal_models_after_five_days(predictor, cohort, people):
    """With the model of today, the rungs below meals change nothing."""
    found = evaluate_known(predictor, cohort, Known.parse("meals-5d"))
    assert list(found.metrics) == ["Libre", "Libre, condition only"]
    later = later_meals(predictor, people)
    expected = predict_later(predictor, later, served)
    table = found.predictions
    assert tuple(table.columns) == KNOWN_PREDICTION_COLUMNS
    np.testing.assert_allclose(table["predicted_mg_dl"], expected.glucose_mg_dl.ravel())
    used = np.concatenate([one.is_used for one in later]).repeat(9)
    assert ((table["answer"] == "personal") == used).all()
    errors = table["observed_mg_dl"] - table["predicted_mg_dl"]
    rmse = found.metrics["Libre"]["absolute_rmse_mg_dl"]
    assert rmse == pytest.approx(np.sqrt((errors**2).mean()), rel=1e-6)
    assert rmse < found.metrics["Libre, condition only"]["absolute_rmse_mg_dl"]


def test_readings_and_daily_training_are_used_if_asked_for(predictor, cohort, people):
    read = evaluate_known(predictor, cohort, Known.parse("meals-5d,reading")).predictions
    first = read[read["minute"] == 0]["predicted_mg_dl"].to_numpy()
    starts = np.concatenate([start_readings(one) for one in later_meals(predictor, people)])
    np.testing.assert_allclose(first, starts)
    again = evaluate_known(predictor, cohort, Known.parse("meals-5d"), refit=True).predictions
    expected = predict_later(predictor, refitted_every_day(predictor, people), served)
    np.testing.assert_allclose(again["predicted_mg_dl"], expected.glucose_mg_dl.ravel())


@pytest.mark.parametrize(
    ("text", "hours", "away_h"), [("cgm-24h,reading", 24, 0), ("cgm-72h", 72, 3)]
)
def test_a_trace_holds_its_last_hours_and_nothing_else(
    knowing, cohort, people, text, hours, away_h
):
    """The curve is that of a single prediction from the same readings."""
    table = evaluate_known(knowing, cohort, Known.parse(text)).predictions
    rows = table[table["minute"] == 0]
    assert 20 < len(rows) < sum(len(one.meals().utc_s) for one in people)
    row = rows.iloc[len(rows) // 2]
    history = next(one for one in people if one.person.endswith(f"/{row.person}"))
    meals = history.meals()
    (position,) = np.flatnonzero(meals.utc_s == row.meal_time.timestamp())
    end_s = meals.utc_s[position] - away_h * 3600
    trace = history.trace
    kept = (trace.utc_s >= end_s - hours * 3600) & (trace.utc_s <= end_s)
    carbs, fiber, protein, fat = meals.macronutrients[position].tolist()
    condition = {"normal": "none", "type_2": "type_2_diabetes"}.get(history.state, history.state)
    prediction = knowing.predict(
        Profile(health_conditions=(condition,)),
        Meal.of_macros(
            carbs_g=carbs, fiber_g=fiber, protein_g=protein, fat_g=fat, time=row.meal_time
        ),
        sensor="Libre",
        trace=CgmTrace.of(trace.utc_s[kept], 0, trace.glucose_mg_dl[kept]),
        since_meal_h=float(meals.since_meal_h[position]),
    )
    curve = table[(table.person == row.person) & (table.meal_time == row.meal_time)]
    np.testing.assert_allclose(curve["predicted_mg_dl"], prediction.glucose_mg_dl, atol=1e-9)
    np.testing.assert_allclose(curve["upper_mg_dl"], prediction.upper_mg_dl, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "refit", "away_h"),
    [
        ("reading", False, 0),
        ("cgm-24h,reading", False, 0),
        ("cgm-72h,reading", False, 0),
        ("cgm-24h", False, 3),
        ("meals-2d,reading", False, 0),
        ("meals-5d,reading", True, 0),
        ("meals-5d,cgm-24h", True, 3),
    ],
)
def test_nothing_after_what_is_known_changes_the_prediction(knowing, cohort, text, refit, away_h):
    """The last meal of each person is predicted without readings after it, or 3 h before it."""
    before = evaluate_known(knowing, cohort, Known.parse(text), refit=refit).predictions
    last = before.groupby("person")["meal_time"].max()
    readings = cohort.readings
    later = readings["time"] > readings["person"].map(last) - pd.Timedelta(hours=away_h)
    assert later.any()
    moved = readings["glucose_mg_dl"] + 60.0 * later
    other = replace(cohort, readings=readings.assign(glucose_mg_dl=moved))
    after = evaluate_known(knowing, other, Known.parse(text), refit=refit).predictions
    is_last = before["meal_time"] == before["person"].map(last)
    assert before[is_last][["person", "minute"]].equals(after[is_last][["person", "minute"]])
    assert (before["observed_mg_dl"] - after["observed_mg_dl"])[is_last].abs().max() > 50
    for column in ("predicted_mg_dl", "lower_mg_dl", "upper_mg_dl"):
        assert np.array_equal(before[is_last][column], after[is_last][column]), column


def test_daily_training_uses_the_days_before_alone(knowing, cohort):
    """Readings of the day of a meal, before the meal, change nothing but the known reading."""
    known = Known.parse("meals-5d")
    before = evaluate_known(knowing, cohort, known, refit=True).predictions
    last = before.groupby("person")["meal_time"].max().dt.normalize()
    readings = cohort.readings
    same_day = readings["time"] >= readings["person"].map(last)
    moved = readings.assign(glucose_mg_dl=readings["glucose_mg_dl"] + 60.0 * same_day)
    after = evaluate_known(knowing, replace(cohort, readings=moved), known, refit=True).predictions
    is_last = (before["meal_time"] >= before["person"].map(last)).to_numpy()
    assert is_last.sum() > 9 * 5
    assert np.array_equal(before[is_last]["predicted_mg_dl"], after[is_last]["predicted_mg_dl"])


def test_laboratory_values_move_the_level_of_those_who_have_them(knowing, cohort):
    found = evaluate_known(knowing, cohort, Known.parse("hba1c"))
    level = [found.metrics[name]["absolute_rmse_mg_dl"] for name in found.metrics]
    rise = [found.metrics[name]["rise_rmse_mg_dl"] for name in found.metrics]
    assert level[0] != level[1]
    assert rise[0] == pytest.approx(rise[1])
    with pytest.raises(DataSetError, match="no meal has the history that --known names"):
        evaluate_known(knowing, cohort, Known.parse("fasting"))


def test_two_days_are_enough_and_lists_are_checked(predictor, cohort):
    few = evaluate_known(predictor, cohort, Known.parse("meals-2d"))
    more = evaluate_known(predictor, cohort, Known.parse("meals-5d"))
    assert len(few.predictions) > len(more.predictions)
    for text in ("meals-1d", "cgm-0h", "age"):
        with pytest.raises(InputError, match=f"must be a list of reading, .*, got '{text}'"):
            Known.parse(text)
    with pytest.raises(InputError, match="--refit is accepted only together with --known meals"):
        evaluate_known(predictor, cohort, Known.parse("reading"), refit=True)


def test_a_sensor_without_a_name_is_taken_to_read_blood_glucose(predictor, cohort):
    unnamed = replace(cohort, readings=cohort.readings.assign(sensor="unnamed CGM"))
    people = list(histories(unnamed))
    known = with_unnamed_sensors(predictor, people)
    assert known.sensors == predictor.sensors | {"unnamed CGM": (0.0, 1.0)}
    found = evaluate_known(predictor, unnamed, Known.parse("meals-5d"))
    assert set(found.predictions["sensor"]) == {"unnamed CGM"}
    blood = [replace(one, sensor=None) for one in people]
    expected = predict_later(predictor, later_meals(predictor, blood), served)
    np.testing.assert_allclose(found.predictions["predicted_mg_dl"], expected.glucose_mg_dl.ravel())


@pytest.mark.parametrize("days", [5, 20])
def test_meals_are_grouped_by_the_age_of_the_history(predictor, people, days):
    """After two weeks, no meal says how wide the personal band must be."""
    later = later_meals(predictor, [gone_for(people[0], days)])
    ages = by_age(later)
    assert list(ages) == (["days 1-7", "days 8-14"] if days == 5 else ["after day 14"])
    assert sum(len(one.meals.utc_s) for group in ages.values() for one in group) == len(
        later[0].meals.utc_s
    )
    for name, group in ages.items():
        low, high = {"days 1-7": (1, 7), "days 8-14": (8, 14), "after day 14": (15, 99)}[name]
        assert all(((one.age_days >= low) & (one.age_days <= high)).all() for one in group)
    kept = while_level_is_used(later)
    assert len(kept) == (1 if days < 14 else 0)
    for one in later:
        level = one.personal_mg_dl[:, 0] - one.population_mg_dl[:, 0]
        assert np.abs(level).max() > 0
    scores = curves_by_age(later)
    assert list(scores) == list(ages)


def test_another_sensor_moves_the_readings_of_the_first_days_alone(people):
    history = people[0]
    other = with_other_sensor(history, 9.0, 5)
    moved = other.trace.glucose_mg_dl - history.trace.glucose_mg_dl
    is_first = history.trace.utc_s < (history.valid_days()[4] + 1) * 86400
    assert moved[is_first] == pytest.approx(9.0)
    assert not moved[~is_first].any()
    assert pytest.approx(8 * np.sqrt(2)) == CHANGE_MG_DL


def test_a_changed_sensor_costs_accuracy_and_the_populations_curve_none(predictor, people):
    folds = [(predictor, people)]
    changed = after_sensor_change(folds, people[0].data_set)["days 1-7"]
    same = curves_by_age(later_meals(predictor, people))["days 1-7"]
    error = "absolute_rmse_mg_dl"
    assert changed["population"]["n_meals"] == 2 * same["population"]["n_meals"]
    assert changed["population"][error] == pytest.approx(same["population"][error])
    assert changed["personal"][error] > same["personal"][error] + 1


def test_fewer_days_never_have_a_narrower_band(predictor, people):
    """Factors hold nine of ten readings of made-up people, or are one."""
    personal = {
        "scale_weight": 4.0,
        "typical_error_mg_dl": predictor.personal_prior.typical_error_mg_dl,
        "band": {"below": [1.0] * 9, "above": [1.0] * 9},
    }
    found = fit_preliminary_scale([(predictor, people)], personal)
    assert list(found) == ["2", "3", "4"]
    assert found["2"] >= found["3"] >= found["4"] >= 1
    narrow = personal | {"band": {"below": [0.2] * 9, "above": [0.2] * 9}}
    wider = fit_preliminary_scale([(predictor, people)], narrow)
    assert wider["4"] > 2 * found["4"]
    endless = personal | {"band": {"below": [99.0] * 9, "above": [99.0] * 9}}
    ones = {"2": 1.0, "3": 1.0, "4": 1.0}
    assert fit_preliminary_scale([(predictor, people)], endless) == ones


@pytest.mark.filterwarnings("ignore")  # MLflow warns of its own dependencies
def test_the_command_prints_figures_writes_predictions_and_records_its_options(
    made_up_data, tmp_path, capsys
):
    out, uri = tmp_path / "out.csv", f"sqlite:///{tmp_path}/mlflow.db"
    folder = str(made_up_data[0] / "cgmacros")
    words = ["evaluate", "cgmacros", folder, "--known", "reading,meals-3d", "--refit"]
    assert main([*words, "--predictions", str(out), "--tracking", uri]) == 0
    shown = capsys.readouterr().out
    assert "Libre Pro, condition only" in shown
    written = pd.read_csv(out)
    assert tuple(written.columns) == KNOWN_PREDICTION_COLUMNS
    assert f"wrote {out}: {len(written)} rows" in shown
    data = tracking_client(uri).get_run(shown.split()[-3]).data
    assert (data.params["known"], data.params["refit"]) == ("reading,meals-3d", "True")


@pytest.mark.parametrize(
    ("data_set", "option", "problem"),
    [
        ("cgmacros", ["--refit"], "--refit is accepted only together with --known meals"),
    ],
)
def test_options_that_do_not_fit_are_refused(data_set, option, problem, tmp_path, capsys):
    assert main(["evaluate", data_set, str(tmp_path), *option]) == 2
    assert problem in capsys.readouterr().err
