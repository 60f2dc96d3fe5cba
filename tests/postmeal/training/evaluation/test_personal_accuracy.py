"""What personal models are worth forward in time, at people whom nothing was trained on."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from postmeal.assets import asset
from postmeal.foods.food import Food, Meal, Selection, Serving
from postmeal.foods.nutrients import Nutrients
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile
from postmeal.training.card.personal_page import personal_page
from postmeal.training.card.personal_plot import examples, write_personal_plot
from postmeal.training.card.personal_section import personal_section
from postmeal.training.evaluation.forward_in_time import (
    compare_answers,
    paired_errors,
    shares_better,
)
from postmeal.training.evaluation.later_predictions import ANSWERS
from postmeal.training.fit.later_days import (
    later_meals,
    refitted_every_day,
    split_in_time,
    start_readings,
    without_meal_log,
)
from postmeal.training.fit.person_history import histories
from postmeal.training.fit.personal_release import unseen_later_meals
from postmeal.training.synthetic.cohort import synthetic_cohort

METRICS = json.loads(asset("models/population/metrics.json").read_text())
CONDITIONS = {"normal": [], "prediabetes": ["prediabetes"], "type_2": ["type_2_diabetes"]}


@pytest.fixture(scope="module")
def predictor():
    return Predictor.load()


@pytest.fixture(scope="module")
def people():
    """Made-up people of three states, who wear a Libre for eight days."""
    cohort = synthetic_cohort(n_people=6, n_days=8)
    return list(histories(replace(cohort, readings=cohort.readings.assign(sensor="Libre"))))


@pytest.fixture(scope="module")
def later(predictor, people):
    return later_meals(predictor, people)


@pytest.fixture(scope="module")
def unseen(predictor, cgmacros):
    """The later meals of CGMacros by sensor."""
    found = {}
    for one in later_meals(predictor, histories(cgmacros)):
        found.setdefault(one.history.sensor, []).append(one)
    return found


@pytest.fixture(scope="module")
def compared(predictor, unseen):
    return {sensor: compare_answers(later, predictor) for sensor, later in unseen.items()}


def as_meal(meals, row):
    known = dict(zip(MACRONUTRIENTS, meals.macronutrients[row].tolist(), strict=True))
    serving = Serving(1, 1.0, "meal", 1.0, None, is_default=True)
    food = Food(1, "meal", "recipe", "tests", Nutrients(known), (serving,))
    local = datetime.fromtimestamp(meals.local_s[row], UTC).replace(tzinfo=None)
    return Meal((Selection.of(food),), local)


def profile_of(history):
    conditions = CONDITIONS[history.state]
    return Profile(
        age=40, sex="female", height_cm=170.0, weight_kg=70.0, health_conditions=conditions
    )


def with_other_readings(history, after_utc_s):
    """The same person, but what was read after a moment is random."""
    trace = history.trace
    random = np.random.default_rng(1).uniform(45, 390, len(trace.utc_s))
    changed = np.where(trace.utc_s > after_utc_s, random, trace.glucose_mg_dl)
    assert (changed != trace.glucose_mg_dl).any()
    return replace(history, trace=replace(trace, glucose_mg_dl=changed))


@pytest.mark.parametrize("answer", ["population", "personal", "served"])
@pytest.mark.parametrize("is_read", [False, True], ids=["unread", "start read"])
def test_the_report_scores_the_numbers_that_predict_answers(predictor, later, answer, is_read):
    """Row 474 for the report, to 1e-9: curve, band, label and range, with and without a reading."""
    for one in later:
        start = start_readings(one) if is_read else None
        found = ANSWERS[answer](predictor, one, start)
        own = one.personal
        if answer == "personal":
            own = replace(own, population_rmse_mg_dl=own.personal_rmse_mg_dl + 1)
        for row in range(0, len(one.meals.utc_s), 3):
            single = predictor.predict(
                profile_of(one.history),
                as_meal(one.meals, row),
                sensor=one.history.sensor,
                personal=None if answer == "population" else own,
                start_mg_dl=float(start[row]) if is_read else None,
                since_meal_h=float(one.meals.since_meal_h[row]),
            )
            assert single.is_personal == (answer == "personal") or answer == "served"
            assert found.glucose_mg_dl[row] == pytest.approx(single.glucose_mg_dl, abs=1e-9)
            assert found.lower_mg_dl[row] == pytest.approx(single.lower_mg_dl, abs=1e-9)
            assert found.upper_mg_dl[row] == pytest.approx(single.upper_mg_dl, abs=1e-9)
            assert ("low", "medium", "high")[found.impact[row]] == single.impact
            lowest, highest = min(single.glucose_mg_dl), max(single.glucose_mg_dl)
            assert min(found.cgp_min[row], np.floor(lowest)) == single.cgp_min
            assert max(found.cgp_max[row], np.ceil(highest)) == single.cgp_max


def test_without_a_meal_log_the_recent_meal_is_unknown_and_not_none(predictor, later):
    one = later[0]
    unknown = without_meal_log(predictor, one)
    for row in range(0, len(one.meals.utc_s), 3):
        own = replace(one.personal, population_rmse_mg_dl=one.personal.personal_rmse_mg_dl + 1)
        meal = as_meal(one.meals, row)
        single = predictor.predict(profile_of(one.history), meal, personal=own)
        assert unknown.personal_mg_dl[row] == pytest.approx(single.glucose_mg_dl, abs=1e-9)
        plain = predictor.predict(profile_of(one.history), meal, sensor=one.history.sensor)
        assert unknown.population_mg_dl[row] == pytest.approx(plain.glucose_mg_dl, abs=1e-9)


def test_what_is_read_after_the_first_bite_changes_no_model_and_no_curve(predictor, people, later):
    """Row 471: a model knows nothing of the days predicted, a curve nothing of its meal."""
    for history, one in zip(people, later, strict=True):
        moment = one.meals.utc_s[0]
        (again,) = later_meals(predictor, [with_other_readings(history, moment)])
        assert again.personal.to_bytes() == one.personal.to_bytes()
        assert again.personal_mg_dl.tolist() == one.personal_mg_dl.tolist()
        middle = len(one.meals.utc_s) // 2
        moment = one.meals.utc_s[middle]
        other = one._replace(history=with_other_readings(history, moment))
        assert start_readings(other)[: middle + 1].tolist() == (
            start_readings(one)[: middle + 1].tolist()
        )


def test_a_refitted_model_has_seen_every_valid_day_before_and_no_later_one(predictor, people):
    """Row 471 for daily training."""
    history = people[0]
    refitted = refitted_every_day(predictor, [history])
    valid = history.valid_days()
    for one in refitted:
        (day,) = set(one.meals.day.tolist())
        before = [each for each in valid if each < day]
        assert one.personal.n_days == len(before)
        assert one.known.day.max() < day
        changed = with_other_readings(history, one.meals.utc_s[0])
        (again,) = [
            other for other in refitted_every_day(predictor, [changed]) if other.meals.day[0] == day
        ]
        assert again.personal.to_bytes() == one.personal.to_bytes()
    once = later_meals(predictor, [history])
    assert sum(len(one.meals.utc_s) for one in refitted) == len(once[0].meals.utc_s)


def test_meals_to_learn_from_are_those_of_the_first_five_valid_days(cgmacros):
    """Days counted by hand: readings in 48 quarter hours, food at two times."""
    for history in list(histories(cgmacros))[:6]:
        mine = cgmacros.entries["person"] == history.person.split("/")[1]
        eaten = cgmacros.entries[mine]["time"].drop_duplicates().dt.normalize()
        read = pd.Series(pd.to_datetime(history.trace.utc_s, unit="s"))
        quarter_hours = read.dt.floor("15min").drop_duplicates().dt.normalize()
        valid = [
            day
            for day in sorted(quarter_hours.unique())
            if (quarter_hours == day).sum() >= 48 and (eaten == day).sum() >= 2
        ]
        numbers = [(day - pd.Timestamp(0)).days for day in valid]
        known, later = split_in_time(history, 5)
        assert set(known.day) <= set(numbers[:5])
        assert later.day.min() > numbers[4]
        assert later.is_complete.all()


def test_no_person_is_on_both_sides(training, unseen):
    """Row 471: neither by name, nor in a fold of the training sets, as a changed person shows."""
    learned = {one.person for one in training.histories}
    for later in unseen.values():
        assert not learned & {one.history.person for one in later}

    people = [one for one in training.histories if one.data_set == "bigideas"]
    table = training.table[training.table["data_set"] == "bigideas"].reset_index(drop=True)
    predictor = replace(Predictor.load(), sensors=training.sensors)
    weight = np.ones(len(table))
    before = unseen_later_meals(people, table, weight, predictor)
    one = before[0]
    name, moment = one.history.person, one.meals.utc_s[0]
    people = [with_other_readings(p, moment) if p.person == name else p for p in people]
    is_theirs = table["person"].astype(str) == name.split("/")[1]
    assert is_theirs.any()
    readings = [column for column in table.columns if column.startswith("glucose_mg_dl_")]
    table.loc[is_theirs, readings] = table.loc[is_theirs, readings].to_numpy()[:, ::-1] + 50
    after = unseen_later_meals(people, table, weight, predictor)
    same = [
        np.array_equal(a.personal_mg_dl, b.personal_mg_dl)
        for a, b in zip(before, after, strict=True)
    ]
    assert same[0]
    assert sum(same) < len(same) / 2  # the other folds did learn from them


def test_personal_models_beat_the_population_and_the_persons_own_mean(compared):
    """The accuracy gate of personal models, each error, each sensor, paired over people."""
    for sensor, one in compared.items():
        assert one["better"]["served"]["population"]["absolute"] >= 0.85, sensor
        for other in ("population", "person mean"):
            for kind in ("absolute", "rise"):
                assert one["paired"]["served"][other][f"{kind}_high"] < 0, (sensor, other, kind)
        served, population = one["models"]["served"], one["models"]["population"]
        assert served["iauc_r"] > population["iauc_r"]
        assert served["within_person_iauc_r"] > population["within_person_iauc_r"]


def test_the_own_band_holds_nine_of_ten_readings_and_the_own_range_95_percent(compared):
    """Row 466 for the person's own CGM; the band is narrower than the population's."""
    for one in compared.values():
        own, population = one["models"]["served"], one["models"]["population"]
        assert own["coverage"] >= 0.88
        assert own["width_mg_dl"] < population["width_mg_dl"]
        assert own["people_under_80_percent"] < population["people_under_80_percent"]
        assert own["range_coverage"] >= 0.95
        assert own["range_width_mg_dl"] < own["constant_range_width_mg_dl"]


def test_the_published_figures_are_those_of_the_shipped_model(compared):
    for sensor, one in compared.items():
        published = METRICS["forward"][sensor]
        assert one["n_held_back"] == published["n_held_back"]
        for name, metrics in one["models"].items():
            for key, value in published["models"][name].items():
                assert metrics[key] == pytest.approx(value, abs=2e-4), key


def test_errors_are_compared_by_person_and_who_is_held_back_is_not_worse():
    observed = np.zeros((6, 9))
    person = np.array(["a", "a", "b", "b", "b", "b"])
    other = observed + 10.0
    own = np.where((person == "a")[:, None], other, observed + 4.0)  # a is held back
    less = paired_errors(observed, person, own, {"other": other})["other"]
    assert less["absolute_rmse_difference_mg_dl"] == pytest.approx(-3)  # not −4, that of meals
    assert less["rise_rmse_difference_mg_dl"] == 0
    assert shares_better(observed, person, own, {"other": other})["other"]["absolute"] == 1
    worse = shares_better(observed, person, own, {"other": observed})["other"]
    assert worse == {"absolute": 0, "rise": 1}


def test_the_card_shows_the_figures_of_personal_models():
    card = asset("models/population/card.md").read_text(encoding="utf-8")
    assert card.index("## Without and with") < card.index("## What it was trained on")
    assert " ".join(personal_section(METRICS).split()) in " ".join(card.split())
    page = asset("models/population/personal.md").read_text(encoding="utf-8")
    assert page.split() == personal_page(METRICS).split()
    for group in (METRICS["forward"], METRICS["forward_left_out"]):
        for one in group.values():
            less = one["paired"]["served"]["person mean"]
            shown = f"{less['rise_rmse_difference_mg_dl']:+.2f} ({less['rise_low']:+.2f} to "
            assert f"| rise RMSE, person mean | {-less['rise_high']:.2f} | {shown}" in page
    for one in METRICS["forward"].values():
        served, population = one["models"]["served"], one["models"]["population"]
        for name, part in (("personal, as served", served), ("population", population)):
            shown = f"| {name} | {part['absolute_rmse_mg_dl']:.1f} | {part['rise_rmse_mg_dl']:.1f} "
            assert shown + f"| {part['iauc_r']:.3f} |" in card
        assert f"{one['better']['served']['population']['absolute']:.0%} of people" in " ".join(
            card.split()
        )


def test_a_picture_is_the_same_to_the_byte_when_drawn_again(later, tmp_path):
    forward = {"Libre": METRICS["forward"]["Libre Pro"]}
    write_personal_plot(tmp_path / "one.png", forward, later)
    write_personal_plot(tmp_path / "two.png", forward, later)
    content = (tmp_path / "one.png").read_bytes()
    assert content == (tmp_path / "two.png").read_bytes()
    assert content.startswith(b"\x89PNG")


def test_examples_show_who_gained_least_too(later):
    chosen = examples(later)
    assert set(chosen) == {one.history.state for one in later}
    for typical, least in chosen.values():
        assert typical.history.state == least.history.state

        def gain(one):
            seen = one.meals.glucose_mg_dl
            before, after = one.population_mg_dl - seen, one.served_mg_dl - seen
            return np.sqrt((before**2).mean()) - np.sqrt((after**2).mean())

        assert gain(least) <= gain(typical)
