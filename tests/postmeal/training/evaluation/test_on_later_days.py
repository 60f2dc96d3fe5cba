"""`postmeal evaluate --personal`: people train on their first days, later meals are predicted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from postmeal.cli import main
from postmeal.errors import DataSetError, InputError
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.predictor import Predictor
from postmeal.training.evaluation.by_age import (
    CHANGE_MG_DL,
    after_sensor_change,
    by_age,
    curves_by_age,
    with_other_sensor,
)
from postmeal.training.evaluation.later_predictions import predict_later, served
from postmeal.training.evaluation.on_later_days import (
    PERSONAL_PREDICTION_COLUMNS,
    evaluate_personal,
    with_unnamed_sensors,
)
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


def test_figures_are_those_of_what_is_served(predictor, cohort, people):
    found = evaluate_personal(predictor, cohort)
    later = later_meals(predictor, people)
    assert list(found.metrics) == ["Libre, population", "Libre, personal", "Libre, served"]
    assert found.people == {"Libre": (5, sum(not one.is_used.any() for one in later))}
    expected = predict_later(predictor, later, served)
    table = found.predictions
    assert tuple(table.columns) == PERSONAL_PREDICTION_COLUMNS
    np.testing.assert_allclose(table["predicted_mg_dl"], expected.glucose_mg_dl.ravel())
    errors = table["observed_mg_dl"] - table["predicted_mg_dl"]
    rmse = found.metrics["Libre, served"]["absolute_rmse_mg_dl"]
    assert rmse == pytest.approx(np.sqrt((errors**2).mean()), rel=1e-6)
    inside = table["observed_mg_dl"].between(table["lower_mg_dl"], table["upper_mg_dl"])
    assert found.metrics["Libre, served"]["coverage"] == pytest.approx(inside.mean())
    assert rmse < found.metrics["Libre, population"]["absolute_rmse_mg_dl"]


def test_each_prediction_says_which_model_answered(predictor, cohort, people, monkeypatch):
    """Where the gate holds models back, the population's curve is written."""
    table = evaluate_personal(predictor, cohort).predictions
    assert set(table["answer"]) <= {"personal", "population"}
    assert "personal" in set(table["answer"])
    assert set(table["person"]) == {one.person.split("/", 1)[1] for one in people}
    monkeypatch.setattr(PersonalModel, "is_used_on", lambda own, day: False)
    held_back = evaluate_personal(predictor, cohort)
    assert set(held_back.predictions["answer"]) == {"population"}
    assert held_back.people == {"Libre": (5, 5)}
    assert held_back.metrics["Libre, served"] == held_back.metrics["Libre, population"]


def test_readings_and_daily_training_are_used_if_asked_for(predictor, cohort, people):
    plain = evaluate_personal(predictor, cohort).metrics["Libre, served"]
    read = evaluate_personal(predictor, cohort, from_reading=True)
    first = read.predictions[read.predictions["minute"] == 0]["predicted_mg_dl"].to_numpy()
    starts = np.concatenate([start_readings(one) for one in later_meals(predictor, people)])
    np.testing.assert_allclose(first, starts)
    again = evaluate_personal(predictor, cohort, refit=True)
    expected = predict_later(predictor, refitted_every_day(predictor, people), served)
    np.testing.assert_allclose(again.predictions["predicted_mg_dl"], expected.glucose_mg_dl.ravel())
    for other in (read, again):
        assert other.metrics["Libre, served"] != plain
        assert other.metrics["Libre, served"]["n_meals"] == plain["n_meals"]


def test_two_days_are_enough_and_one_is_not(predictor, cohort):
    few = evaluate_personal(predictor, cohort, 2)
    more = evaluate_personal(predictor, cohort, 5)
    assert len(few.predictions) > len(more.predictions)
    with pytest.raises(InputError, match="days must be 2 or more, got 1"):
        evaluate_personal(predictor, cohort, 1)
    with pytest.raises(DataSetError, match="no person has 9 valid days and later meals"):
        evaluate_personal(predictor, cohort, 9)


def test_a_sensor_without_a_name_is_taken_to_read_blood_glucose(predictor, cohort):
    unnamed = replace(cohort, readings=cohort.readings.assign(sensor="unnamed CGM"))
    people = list(histories(unnamed))
    known = with_unnamed_sensors(predictor, people)
    assert known.sensors == predictor.sensors | {"unnamed CGM": (0.0, 1.0)}
    found = evaluate_personal(predictor, unnamed)
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


def test_the_command_prints_figures_and_writes_predictions(made_up_data, tmp_path, capsys):
    out = tmp_path / "out.csv"
    folder = made_up_data[0] / "cgmacros"
    words = ["evaluate", "cgmacros", str(folder), "--personal", "--days", "3"]
    assert main([*words, "--predictions", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "Libre Pro, served" in shown
    assert "people with 3 valid days and later meals;" in shown
    written = pd.read_csv(out)
    assert tuple(written.columns) == PERSONAL_PREDICTION_COLUMNS
    assert f"wrote {out}: {len(written)} rows" in shown
    assert main([*words, "--reading", "--refit"]) == 0


@pytest.mark.parametrize("option", [["--days", "5"], ["--reading"], ["--refit"]])
def test_options_of_personal_models_need_personal(option, tmp_path, capsys):
    assert main(["evaluate", "cgmacros", str(tmp_path), *option]) == 2
    name = option[0].removeprefix("--")
    assert f"{name} is accepted only together with --personal" in capsys.readouterr().err


def test_meal_texts_have_no_personal_models(tmp_path, capsys):
    assert main(["evaluate", "dishes", str(tmp_path), "--personal"]) == 2
    assert "--personal is accepted only for glucose data sets" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")  # MLflow warns of its own dependencies
def test_the_command_records_a_run_with_its_options(made_up_data, tmp_path, capsys):
    uri = f"sqlite:///{tmp_path}/mlflow.db"
    folder = str(made_up_data[0] / "cgmacros")
    words = ["evaluate", "cgmacros", folder, "--personal", "--days", "3", "--tracking", uri]
    assert main(words) == 0
    run_id = capsys.readouterr().out.split()[-3]
    data = tracking_client(uri).get_run(run_id).data
    assert data.params["personal_days"] == "3"
    assert data.params["reading"] == data.params["refit"] == "False"
    assert any("served" in name for name in data.metrics)
